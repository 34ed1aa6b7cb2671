import type { Document, Versioned } from '../store.ts';
import { Lane } from './lane.ts';
import type { LaneFamilies, Lanes } from './lane.ts';
import { createPace } from './pace.ts';

/** A part of a lane as a checkpoint's line holds it. A long lane has several, one after the other. */
interface LaneRecord {
  /** Of the lane. */
  readonly id: string;
  readonly held?: true;
  readonly due_at?: number;
  readonly positions: readonly number[];
  readonly works: readonly string[];
}

/** Pieces in one line. */
const PART = 1000;

/** The checkpoint of a family, without `.json`: no name of a collection has a dot. */
export const laneFile = (family: string): string => `${family}.lanes`;

/** The lanes of a family as they are now, unmoved by later changes. */
export const laneRows = (lanes: Lanes, commit: number): Versioned<Document>[] => {
  const rows: Versioned<Document>[] = [];
  const keep = (doc: LaneRecord): void => void rows.push({ doc, revision: commit });
  for (const [id, { queue, held, dueAt }] of lanes) {
    const state = { id, ...(held && { held }), ...(dueAt && { due_at: dueAt }) };
    for (const part of queue.parts(PART)) keep({ ...state, ...part });
    if (queue.size === 0) keep({ ...state, positions: [], works: [] });
  }
  return rows;
};

export const lanesOfRows = (rows: readonly Versioned<Document>[]): Lanes => {
  const lanes: Lanes = new Map();
  for (const { doc } of rows) {
    // Written above; the checksum vouches for it.
    const { id, held, due_at: dueAt, positions, works } = doc as LaneRecord;
    const lane = lanes.get(id) ?? new Lane();
    lanes.set(id, lane);
    if (held) lane.held = true;
    if (dueAt) lane.dueAt = dueAt;
    for (const [at, position] of positions.entries()) lane.queue.push(position, works[at] ?? '');
  }
  return lanes;
};

/**
 * Lets equal texts be one string in memory, as they were when the work was appended: work is mostly the id of a record,
 * and the same in several lanes.
 */
export const shareWorks = async (
  families: LaneFamilies,
  collections: Iterable<ReadonlyMap<string, Versioned<Document>>>,
): Promise<void> => {
  const pace = createPace();
  const tables = [...collections];
  const shared = new Map<string, string>();
  const share = (work: string): string => {
    let known = shared.get(work);
    if (known === undefined) {
      known = tables.find((rows) => rows.has(work))?.get(work)?.doc.id ?? work;
      shared.set(work, known);
    }
    return known;
  };
  for (const lanes of families.values()) {
    for (const { queue } of lanes.values()) {
      queue.share(share);
      await pace.spend(queue.size + 1);
    }
  }
};
