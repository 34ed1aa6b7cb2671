import { join } from 'node:path';
import type { CollectionSpec, Document, LaneSpec, Versioned } from '../store.ts';
import { checkLine } from './checked-line.ts';
import { removeIfThere } from './checkpoint.ts';
import { writeWhole } from './file-layer.ts';
import type { FileLayer } from './file-layer.ts';
import { segmentName } from './journal.ts';
import type { Segment } from './journal.ts';
import { readLines } from './lines.ts';
import type { Line } from './lines.ts';
import { settleLane } from './lane.ts';
import type { Lanes } from './lane.ts';
import { laneFile } from './lane-records.ts';
import { isLaneOperation } from './operation.ts';
import type { Commit, LaneOperation, Operation } from './operation.ts';
import { messageOf, refuse, refuseJournalLine } from './refusal.ts';

export interface Folder {
  readonly dir: string;
  readonly files: FileLayer;
  readonly specs: readonly CollectionSpec<Document>[];
  readonly lanes: readonly LaneSpec[];
  readonly warn: (message: string) => void;
}

/** The state while it is being put together: plain rows, indexed once at the end. */
export interface Draft {
  commit: number;
  readonly rows: Map<string, Map<string, Versioned<Document>>>;
  readonly lanes: Map<string, Lanes>;
  /** Up to which commit a checkpoint already holds everything, by its name without `.json`. */
  readonly heldUpTo: Map<string, number>;
  readonly sequences: Map<string, number>;
  readonly sequencesHeldUpTo: number;
}

const SEGMENT = /^journal-(\d{16})\.ndjson(\.bak)?$/;

/** All segments, folded ones too, in the order of commits. */
export const segmentsIn = (names: readonly string[]): (Segment & { readonly folded: boolean })[] =>
  names
    .flatMap((name) => {
      const match = SEGMENT.exec(name);
      return match ? [{ name, from: Number(match[1]), folded: match[2] !== undefined }] : [];
    })
    .sort((a, b) => a.from - b.from || Number(b.folded) - Number(a.folded));

const applyLaneOperation = (draft: Draft, commit: number, operation: LaneOperation): boolean => {
  const [, family] = operation;
  const lanes = draft.lanes.get(family);
  const heldUpTo = draft.heldUpTo.get(laneFile(family));
  if (!lanes || heldUpTo === undefined) return false;
  if (commit > heldUpTo) settleLane(lanes, commit, operation);
  return true;
};

/** @returns false where this version doesn't know what the operation is about */
const applyOperation = (draft: Draft, commit: number, operation: Operation): boolean => {
  if (isLaneOperation(operation)) return applyLaneOperation(draft, commit, operation);
  const [op, name, value] = operation;
  if (op === 'seq') {
    if (commit > draft.sequencesHeldUpTo) draft.sequences.set(name, value);
    return true;
  }
  const rows = draft.rows.get(name);
  const heldUpTo = draft.heldUpTo.get(name);
  if (!rows || heldUpTo === undefined) return false;
  if (commit <= heldUpTo) return true;
  if (op === 'put') rows.set(value.id, { doc: value, revision: commit });
  else rows.delete(value);
  return true;
};

/** @returns the commit of a line, or undefined where the line doesn't check */
const parseLine = ({ bytes, whole }: Line): Commit | undefined =>
  whole && checkLine(bytes, ['}']) !== undefined
    ? // The checksum vouches for the shape.
      (JSON.parse(bytes.toString('utf8')) as Commit)
    : undefined;

/** A piece of the disk that is written as one. */
const SECTOR = Buffer.alloc(512);

/**
 * Whether a crash can have left the line so: only its beginning was written, or pieces of it never
 * reached the disk. A line that has its end but doesn't check was damaged after it was written.
 */
const isTorn = ({ bytes, whole }: Line): boolean =>
  bytes.includes(SECTOR) || (!whole && checkLine(bytes.subarray(0, -1), ['}']) === undefined);

interface Replayed {
  /** Bytes that hold whole commits. */
  readonly size: number;
  /** The first line that doesn't check, and whether it is the last. */
  readonly bad: { readonly line: Line; readonly isLast: boolean } | undefined;
}

/** Applies the commits of one segment to the draft, up to the first line that doesn't check. */
const replaySegment = async (
  folder: Folder,
  path: string,
  draft: Draft,
  later: readonly string[],
): Promise<Replayed> => {
  let size = 0;
  let bad: Line | undefined;
  for await (const lines of readLines(folder.files, path)) {
    for (const line of lines) {
      if (bad) return { size, bad: { line: bad, isLast: false } };
      const entry = parseLine(line);
      if (!entry) {
        bad = line;
        continue;
      }
      size = line.offset + line.bytes.length + 1;
      if (entry.commit <= draft.commit) continue;
      if (entry.commit !== draft.commit + 1) {
        const what = `commit ${entry.commit} follows commit ${draft.commit}: lines are missing`;
        throw refuseJournalLine(path, line.number, what, later);
      }
      const strange = entry.ops.find((op) => !applyOperation(draft, entry.commit, op));
      if (strange) {
        throw refuse(
          `${path}:${line.number}: the ${isLaneOperation(strange) ? 'lanes' : 'collection'} "${strange[1]}" ` +
            'unknown to this version',
          ['Way out: use the version of govctl that wrote the folder, or a newer one.'],
        );
      }
      draft.commit = entry.commit;
    }
  }
  return { size, bad: bad && { line: bad, isLast: true } };
};

/** Cuts what a crash left half-written behind the last commit; the bytes are kept beside it. */
const cutTornTail = async (
  { files, warn }: Folder,
  path: string,
  { size, line }: { readonly size: number; readonly line: Line },
): Promise<void> => {
  const kept = await keepAside(files, `${path}.torn`, line.bytes);
  const file = await files.open(path, 'append');
  try {
    await file.truncate(size);
    await file.sync();
  } finally {
    await file.close();
  }
  warn(
    `${path}:${line.number}: cut off ${line.bytes.length} bytes that a crash had left half-written ` +
      `(never acknowledged; ${kept})`,
  );
};

/** A full disk, which may be why the tail is torn, must not keep the store from opening. */
const keepAside = async (files: FileLayer, path: string, bytes: Buffer): Promise<string> => {
  try {
    await removeIfThere(files, path);
    const copy = await files.open(path, 'create');
    try {
      await writeWhole(copy, bytes);
    } finally {
      await copy.close();
    }
    return `kept in ${path}`;
  } catch (error) {
    return `not kept: ${messageOf(error)}`;
  }
};

/** The segments that hold commits after `start`, checked to begin early enough. */
const neededSegments = (dir: string, names: readonly string[], start: number): Segment[] => {
  const segments = segmentsIn(names).filter(({ from }, at, all) => from !== all[at + 1]?.from);
  if (!segments.some(({ folded }) => !folded)) {
    throw refuse(`${dir} holds no journal (${segmentName(start)} or earlier)`, [
      'Way out: put the journal back, or restore the folder from a backup.',
    ]);
  }
  const first = segments.findLastIndex(({ from }) => from <= start);
  const [earliest] = segments;
  if (first === -1 && earliest) {
    throw refuse(
      `the journal in ${dir} begins after commit ${earliest.from}, but the oldest checkpoint there ` +
        `holds commits up to ${start} only: the changes between are missing`,
      ['Way out: restore the folder from a backup.'],
    );
  }
  return segments.slice(first);
};

/**
 * Applies what the journal holds beyond the draft's checkpoints, in commit order.
 * @returns the segment to go on with, and its size in bytes
 */
export const replayJournal = async (
  folder: Folder,
  draft: Draft,
  names: readonly string[],
): Promise<{ segment: Segment; size: number }> => {
  const { dir, files } = folder;
  const start = Math.min(draft.sequencesHeldUpTo, ...draft.heldUpTo.values());
  const segments = neededSegments(dir, names, start);
  draft.commit = start;
  let current: { segment: Segment; size: number } | undefined;
  for (const [at, segment] of segments.entries()) {
    const path = join(dir, segment.name);
    const later = segments.slice(at + 1).map(({ name }) => join(dir, name));
    if (current && segment.from !== draft.commit) {
      // Left by a rotation that failed: the journal went on in the segment before it.
      if (segment.from < draft.commit && (await files.size(path)) === 0) {
        await files.remove(path);
        continue;
      }
      throw refuse(
        `${path} goes on after commit ${segment.from}, but the journal before it ends at ${draft.commit}`,
        ['Way out: put the missing journal file back, or restore the folder from a backup.'],
      );
    }
    const { size, bad } = await replaySegment(folder, path, draft, later);
    if (bad) {
      const lasted = segments.slice(at + 1).every(({ from }) => from <= draft.commit);
      const sizes = await Promise.all(later.map((name) => files.size(name)));
      const isTail =
        bad.isLast && isTorn(bad.line) && lasted && sizes.every((bytes) => bytes === 0);
      if (!isTail) {
        const what = 'this line is damaged: its checksum does not fit';
        throw refuseJournalLine(path, bad.line.number, what, later);
      }
      await cutTornTail(folder, path, { size, line: bad.line });
    }
    current = { segment, size };
  }
  if (!current) throw new Error('unreachable: at least one segment is needed');
  return current;
};
