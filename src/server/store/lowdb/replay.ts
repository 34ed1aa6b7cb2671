import { join } from 'node:path';
import { migrate, newerThanKnown } from '../migrate.ts';
import type { Versions } from '../migrate.ts';
import type { CollectionSpec, Document, LaneSpec, Versioned } from '../store.ts';
import { checkLine } from './checked-line.ts';
import { createDurably } from './checkpoint.ts';
import { unlessNoChanges, writeWhole } from './file-layer.ts';
import type { FileLayer } from './file-layer.ts';
import { segmentName, segmentsIn } from './segments.ts';
import type { Segment } from './segments.ts';
import { readGroup } from './group.ts';
import type { Group } from './group.ts';
import { readLines } from './lines.ts';
import type { Line } from './lines.ts';
import { settleLane } from './lane.ts';
import type { Lanes } from './lane.ts';
import { laneFile } from './lane-records.ts';
import { isLaneOperation } from './operation.ts';
import type { Commit, LaneOperation, Operation } from './operation.ts';
import { messageOf, refuse, refuseJournalLine, refuseShortJournal, refuseVersion } from './refusal.ts'; // prettier-ignore

export interface Folder {
  readonly dir: string;
  readonly files: FileLayer;
  readonly specs: readonly CollectionSpec<Document>[];
  readonly lanes: readonly LaneSpec[];
  readonly warn: (message: string) => void;
  /** Nothing in it is changed: what a start would cut off or remove stays. */
  readonly isReadOnly?: boolean;
  /** What of a document is kept in memory. Default: all of it. */
  readonly keep?: (collection: string, doc: Document) => Document;
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
  /** The first format of folders wrote it last, which had no groups. */
  readonly isOld: boolean;
}

/** What is kept in memory of a document that was stored in a version. */
export const takeIn = (
  { keep }: Pick<Folder, 'keep'>,
  spec: CollectionSpec<Document>,
  version: number,
  older: Document,
): Document => {
  const doc = migrate(spec, version, older);
  return keep?.(spec.name, doc) ?? doc;
};

/** Who wrote the groups: each opening of a folder writes all of its own before the next one does. */
interface Epochs {
  /** @returns false where the epoch was over already */
  go(epoch: string): boolean;
}

const createEpochs = (): Epochs => {
  const seen = new Set<string>();
  let current: string | undefined;
  return {
    go(epoch) {
      if (epoch === current) return true;
      const isNew = !seen.has(epoch);
      seen.add(epoch);
      current = epoch;
      return isNew;
    },
  };
};

const applyLaneOperation = (draft: Draft, commit: number, operation: LaneOperation): boolean => {
  const [, family] = operation;
  const lanes = draft.lanes.get(family);
  const heldUpTo = draft.heldUpTo.get(laneFile(family));
  if (!lanes || heldUpTo === undefined) return false;
  if (commit > heldUpTo) settleLane(lanes, commit, operation);
  return true;
};

/** @returns false where this version doesn't know what the operation is about */
const applyOperation = (
  draft: Draft,
  commit: number,
  operation: Operation,
  read: (collection: string, doc: Document) => Document,
): boolean => {
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
  if (op === 'put') rows.set(value.id, { doc: read(name, value), revision: commit });
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
 * Whether a crash can have left a line of the first format so, which had no groups: only its beginning was written, or
 * pieces of it never reached the disk. A line that has its end but doesn't check was damaged after it was written.
 */
const isTorn = ({ bytes, whole }: Line): boolean =>
  bytes.includes(SECTOR) || (!whole && checkLine(bytes.subarray(0, -1), ['}']) === undefined);

/** What counts of a segment before one that was begun after a failure of the disk. */
interface Until {
  readonly commit: number;
  /** Of what was refused behind it; a group of another epoch there is another server's. */
  readonly epoch: string;
}

/** The line that a segment has at its beginning where it was begun after a failure. */
const readOpening = async (files: FileLayer, path: string): Promise<Group | undefined> => {
  for await (const [line] of readLines(files, path)) {
    const group = line?.whole ? readGroup(line.bytes) : undefined;
    return group?.after === undefined ? undefined : group;
  }
  return undefined;
};

interface Replayed {
  /** Bytes that hold whole groups. */
  readonly size: number;
  /** It has commits of the first format. */
  readonly isOld: boolean;
  /** What doesn't check: where it begins, and whether it can be what a crash left of the last flush. */
  readonly bad: { readonly line: Line; readonly isLast: boolean } | undefined;
}

/** A group whose lines are being read. */
interface Begun {
  readonly group: Group;
  readonly line: Line;
  readonly end: number;
  readonly commits: { readonly commit: Commit; readonly line: Line }[];
}

/** Applies the groups of one segment to the draft, up to the first that doesn't check. */
const replaySegment = async (
  folder: Folder,
  {
    path,
    from,
    later,
    until,
  }: {
    readonly path: string;
    readonly from: number;
    readonly later: readonly string[];
    readonly until: Until | undefined;
  },
  draft: Draft,
  epochs: Epochs,
): Promise<Replayed> => {
  const specs = new Map(folder.specs.map((spec) => [spec.name, spec]));
  let size = 0;
  let isOld = draft.isOld;
  let begun: Begun | undefined;
  let bad: Line | undefined;
  let last = from;
  const mixed = (line: Line): Error => {
    const what = 'two servers wrote this file at the same time';
    return refuseJournalLine(path, line.number, what, later);
  };

  const apply = ({ commit, ops }: Commit, line: Line, versions: Versions = {}): void => {
    if (commit !== last + 1) {
      const what =
        commit > last
          ? `commit ${commit} follows commit ${last}: lines are missing`
          : `commit ${commit} follows commit ${last}: two servers wrote this directory`;
      throw refuseJournalLine(path, line.number, what, later);
    }
    last = commit;
    if (commit <= draft.commit) return;
    const read = (name: string, doc: Document): Document => {
      const spec = specs.get(name);
      return spec ? takeIn(folder, spec, versions[name] ?? 1, doc) : doc;
    };
    const strange = ops.find((op) => !applyOperation(draft, commit, op, read));
    if (strange) {
      throw refuse(
        `${path}:${line.number}: the ${isLaneOperation(strange) ? 'lanes' : 'collection'} "${strange[1]}" ` +
          'unknown to this version',
        ['Fix: use the version of govctl that wrote the directory, or a newer one.'],
      );
    }
    draft.commit = commit;
  };
  /** @returns whether all is well so far */
  const take = (line: Line): boolean => {
    const end = line.offset + line.bytes.length + 1;
    if (!begun) {
      const group = line.whole ? readGroup(line.bytes) : undefined;
      if (group) {
        if (!epochs.go(group.epoch)) throw mixed(line);
        isOld = false;
        if (group.commits === 0) {
          size = end;
          return true;
        }
        begun = { group, line, end: end + group.bytes, commits: [] };
        return true;
      }
      const old = size === 0 || isOld ? parseLine(line) : undefined;
      if (!old) return false;
      isOld = true;
      apply(old, line);
      size = end;
      return true;
    }
    const commit = parseLine(line);
    if (commit?.commit !== begun.group.from + begun.commits.length || end > begun.end) return false;
    begun.commits.push({ commit, line });
    if (end < begun.end) return true;
    if (begun.commits.length !== begun.group.commits) return false;
    if (until && begun.group.from > until.commit) {
      if (begun.group.epoch !== until.epoch) throw mixed(begun.line);
      begun = undefined;
      return true;
    }
    const { versions } = begun.group;
    const newer = newerThanKnown(folder.specs, versions);
    if (newer !== undefined) throw refuseVersion(`${path}:${begun.line.number}`, newer);
    for (const one of begun.commits) apply(one.commit, one.line, versions);
    begun = undefined;
    size = end;
    return true;
  };

  for await (const lines of readLines(folder.files, path)) {
    for (const line of lines) {
      if (!bad) {
        if (take(line)) continue;
        if (until && last >= until.commit) return { size, isOld, bad: undefined };
        bad = begun?.line ?? line;
        if (bad === line) continue;
      }
      // A flush is begun only when the one before it is on disk.
      if (isOld || (line.whole && readGroup(line.bytes))) {
        return { size, isOld, bad: { line: bad, isLast: false } };
      }
    }
  }
  if (!until || last < until.commit) bad ??= begun?.line;
  return { size, isOld, bad: bad && { line: bad, isLast: !isOld || isTorn(bad) } };
};

/** Cuts what a crash left of the last flush; the bytes are kept beside it. */
const cutTornTail = async (
  { files, warn, isReadOnly }: Folder,
  path: string,
  { size, line }: { readonly size: number; readonly line: Line },
): Promise<void> => {
  const length = (await files.size(path)) - size;
  if (isReadOnly) {
    warn(
      `${path}:${line.number}: the last ${length} bytes belong to a change that is being written or was never saved`,
    );
    return;
  }
  const kept = await keepAside(files, path, size);
  const file = await files.open(path, 'append');
  try {
    await file.truncate(size);
    await file.sync();
  } finally {
    await file.close();
  }
  warn(
    `${path}:${line.number}: cut off ${length} bytes that a crash left incomplete ` +
      `(they were never acknowledged; ${kept})`,
  );
};

/** A full disk, which may be why the tail is torn, must not keep the store from opening. */
const keepAside = async (files: FileLayer, path: string, size: number): Promise<string> => {
  const aside = `${path}.torn`;
  try {
    const from = await files.open(path, 'read');
    try {
      await createDurably(files, aside, async (to) => {
        const piece = Buffer.alloc(1 << 20);
        for (let at = size; ;) {
          const count = await from.read(piece, at);
          if (count === 0) break;
          await writeWhole(to, piece.subarray(0, count));
          at += count;
        }
      });
    } finally {
      await from.close();
    }
    return `saved as ${aside}`;
  } catch (error) {
    return `not saved: ${messageOf(error)}`;
  }
};

/** The segments that hold commits after `start`, checked to begin early enough. */
const neededSegments = (dir: string, names: readonly string[], start: number): Segment[] => {
  const segments = segmentsIn(names).filter(({ from }, at, all) => from !== all[at + 1]?.from);
  if (!segments.some(({ folded }) => !folded)) {
    throw refuse(`${dir} contains no journal (${segmentName(start)} or earlier)`, [
      'Fix: restore the journal, or the whole directory, from a backup.',
    ]);
  }
  const first = segments.findLastIndex(({ from }) => from <= start);
  const [earliest] = segments;
  if (first === -1 && earliest) {
    throw refuse(
      `the journal in ${dir} begins after commit ${earliest.from}, but the oldest checkpoint there ` +
        `contains only commits up to ${start}: the changes in between are missing`,
      ['Fix: restore the directory from a backup.'],
    );
  }
  return segments.slice(first);
};

/** What begins each segment that was begun after a failure, in the order of the segments. */
const openingsOf = (
  { dir, files }: Folder,
  segments: readonly Segment[],
): Promise<(Group | undefined)[]> =>
  Promise.all(segments.map(({ name }) => readOpening(files, join(dir, name))));

/** What counts of a segment, as the later ones tell. */
const untilOf = (later: readonly (Group | undefined)[]): Until | undefined => {
  const [first] = later.flatMap((group) =>
    group?.after === undefined ? [] : [{ commit: group.after, epoch: group.epoch }],
  );
  return first;
};

export interface ReplayedJournal {
  /** The one to go on with. */
  readonly segment: Segment;
  /** Its bytes that count. */
  readonly size: number;
  /** The first format wrote it. */
  readonly isOld: boolean;
  /** Of a segment that was begun after a failure: what counts of those before it. */
  readonly after: number | undefined;
  /** What a crash had left at its end, and could not be cut off, as the disk takes no changes. */
  readonly uncut: unknown;
  /** All segments that are needed beside the checkpoints, with their bytes that count. */
  readonly needed: readonly (Segment & { readonly size: number })[];
}

/**
 * Applies what the journal holds beyond the draft's checkpoints, in commit order.
 * @param synced the commit up to which the journal is said to have been on disk
 * @throws StoreRefusal where something is missing or damaged that was on disk, as far as the folder tells
 */
export const replayJournal = async (
  folder: Folder,
  draft: Draft,
  names: readonly string[],
  synced: number,
): Promise<ReplayedJournal> => {
  const { dir, files, isReadOnly } = folder;
  const start = Math.min(draft.sequencesHeldUpTo, ...draft.heldUpTo.values());
  const segments = neededSegments(dir, names, start);
  const openings = await openingsOf(folder, segments);
  draft.commit = start;
  const epochs = createEpochs();
  let current: Omit<ReplayedJournal, 'needed'> | undefined;
  const needed: (Segment & { readonly size: number })[] = [];
  for (const [at, segment] of segments.entries()) {
    const path = join(dir, segment.name);
    const { from } = segment;
    const after = openings[at]?.after;
    const later = segments.slice(at + 1).map(({ name }) => join(dir, name));
    const until = untilOf(openings.slice(at + 1));
    if (until && until.commit < from) {
      // Begun after a failure, and replaced before there was a commit in it.
      await replaySegment(folder, { path, from, later, until }, draft, epochs);
      continue;
    }
    // Checkpoints may stand at a number that no commit got: one between the two of such a segment.
    const goesOn = draft.commit >= (after ?? from) && draft.commit <= from;
    if (current && !goesOn) {
      // Left by a rotation that failed: the journal went on in the segment before it.
      if (from < draft.commit && (await files.size(path)) === 0) {
        if (!isReadOnly) await files.remove(path).catch(unlessNoChanges);
        continue;
      }
      throw refuse(
        `${path} continues after commit ${after ?? from}, but the journal before it ends at ${draft.commit}`,
        ['Fix: restore the missing journal file, or the whole directory, from a backup.'],
      );
    }
    // The numbers of what was refused are not used again.
    if (after !== undefined) draft.commit = Math.max(draft.commit, from);
    const replayed = await replaySegment(folder, { path, from, later, until }, draft, epochs);
    const { size, isOld, bad } = replayed;
    let uncut: unknown;
    if (bad) {
      const lasted = segments.slice(at + 1).every((next) => next.from <= draft.commit);
      const sizes = await Promise.all(later.map((name) => files.size(name)));
      const wasSynced = synced > draft.commit;
      const isTail = bad.isLast && !wasSynced && lasted && sizes.every((bytes) => bytes === 0);
      if (!isTail) {
        const what =
          bad.isLast && wasSynced
            ? `from this line on the journal is damaged, and commits up to ${synced} had been saved`
            : 'from this line on the journal is damaged: a checksum does not match';
        throw refuseJournalLine(path, bad.line.number, what, later);
      }
      uncut = await cutTornTail(folder, path, { size, line: bad.line }).catch(unlessNoChanges);
    }
    current = { segment, size, isOld, after, uncut };
    needed.push({ ...segment, size });
  }
  if (!current) throw new Error('unreachable: at least one segment is needed');
  if (draft.commit < synced) throw refuseShortJournal(dir, draft.commit, synced);
  return { ...current, needed };
};
