import { join } from 'node:path';
import type { Awaitable } from '../../awaitable.ts';
import type { Versions } from '../migrate.ts';
import { knownJson } from '../../json.ts';
import { nextTurn } from '../../next-turn.ts';
import { randomBytes } from 'node:crypto';
import { sealLine, sealPieces } from './checked-line.ts';
import { createDurably } from './checkpoint.ts';
import { writeWhole } from './file-layer.ts';
import type { FileLayer, OpenFile } from './file-layer.ts';
import { sealGroup } from './group.ts';
import type { Group } from './group.ts';
import type { Guard } from './guard.ts';
import type { Commit, Operation } from './operation.ts';
import { openMark } from './synced-mark.ts';
import { segmentName } from './segments.ts';
import type { Segment } from './segments.ts';
import type { SyncedMark } from './synced-mark.ts';
import { messageOf } from './refusal.ts';
import { createPace } from './pace.ts';

/** Closes the JSON of a line after its checksum. */
const LINE_END = '}\n';

/** At most this much is written at once; what comes later waits for the next flush. */
const BATCH_BYTES = 4 << 20;

/** Characters of a line that are serialized in one turn of the event loop. */
const CHARACTERS_PER_TURN = 512 << 10;

/** A commit, and its line in pieces. */
export interface SealedCommit {
  readonly commit: Commit;
  readonly pieces: readonly Buffer[];
}

interface Waiting extends SealedCommit {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface JournalOptions {
  readonly dir: string;
  readonly files: FileLayer;
  readonly segment: Segment;
  /** Bytes the segment holds already. */
  readonly size: number;
  /** Of a segment that was begun after a failure: what counts of those before it. */
  readonly after: number | undefined;
  /** Goes along with the file that is written. */
  readonly guard: Guard;
  /** The last commit in it. */
  readonly commit: number;
  /** Of the documents that are written. */
  readonly versions: Versions | undefined;
  /** Called when how far the journal is on disk can't be noted. */
  readonly onUnmarked: (error: unknown) => void;
  /** Called for each commit that has become durable, in order, before `append` resolves. */
  readonly onDurable: (commit: Commit) => void;
  /** Called when a write or a flush failed; nothing is written after it until `resume`. */
  readonly onFailure: (reason: string) => void;
  /** Called between flushes, when every commit so far is durable or still waiting. */
  readonly afterFlush: () => Promise<void>;
}

export interface Journal {
  /** Opens the segment to go on with. Before anything else, unless the disk takes no changes: `resume` then. */
  begin(): Promise<void>;
  /**
   * After a failure: goes on in a new segment. The file that failed is not trusted any more, as a kernel may have dropped
   * what it could not write and then say that all is well: behind commit `last` it does not count.
   * @param newest the newest number of a commit that was given out, saved or not
   * @returns the number after which new commits begin
   */
  resume(newest: number, last: number): Promise<number>;
  /** Resolves when the commit is on disk; commits that wait together share one flush. */
  append(sealed: SealedCommit): Promise<void>;
  /** Calls `afterFlush` as soon as nothing is on its way to the disk. */
  look(): void;
  /** Resolves when all commits so far are settled, whether they lasted or not. */
  idle(): Promise<void>;
  /** Goes on in a new segment after commit `from`, the last on disk. Only from `afterFlush`, or while idle. */
  rotate(from: number): Promise<void>;
  /** Bytes in the current segment. */
  size(): number;
  close(): Promise<void>;
}

/** Creates a segment so that its name survives a crash, too. */
export const createSegment = async (
  files: FileLayer,
  dir: string,
  from: number,
): Promise<OpenFile> => {
  const path = join(dir, segmentName(from));
  const file = await files.open(path, 'create');
  try {
    await file.sync();
    await files.syncFolder(dir);
    return file;
  } catch (error) {
    await file.close();
    await files.remove(path);
    throw error;
  }
};

/** There is no use in going on where less than this fits. */
const ROOM = Buffer.alloc(256 << 10);

/** Creates a segment that begins with a line; it is there as a whole or not at all, and there is room for more. */
const createOpened = async (
  { files, dir }: Pick<JournalOptions, 'files' | 'dir'>,
  from: number,
  line: Buffer,
): Promise<OpenFile> => {
  const path = join(dir, segmentName(from));
  const temp = `${path}.tmp`;
  await createDurably(files, temp, async (file) => {
    await writeWhole(file, line);
    await writeWhole(file, ROOM);
    await file.sync();
    await file.truncate(line.length);
  });
  await files.rename(temp, path);
  await files.syncFolder(dir);
  return files.open(path, 'append');
};

/** A document that was just answered is not serialised a second time. */
const textOf = (operation: Operation): string => {
  const [op, name, value] = operation;
  if (op !== 'put') return JSON.stringify(operation);
  return `["put",${JSON.stringify(name)},${knownJson(value)}]`;
};

const groupOf = (
  batch: readonly SealedCommit[],
  about: Pick<Group, 'bytes' | 'epoch' | 'versions'>,
): Group => ({ from: batch[0]?.commit.commit ?? 0, commits: batch.length, ...about });

const lengthOf = (pieces: readonly Buffer[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);

/**
 * Serializes a commit, which must not change any more. A long one takes several turns of the event loop.
 * @throws TypeError for documents that JSON cannot express
 */
export const sealCommit = (commit: Commit): Awaitable<SealedCommit> => {
  const texts = textsOf(commit);
  const first = takeText(texts);
  return first.isLast
    ? { commit, pieces: [sealLine(first.text, LINE_END).bytes] }
    : sealLongCommit(commit, first.text, texts);
};

const sealLongCommit = async (
  commit: Commit,
  first: string,
  texts: Iterator<string>,
): Promise<SealedCommit> => {
  const line = sealPieces();
  line.add(first);
  for (let isLast = false; !isLast;) {
    await nextTurn();
    const next = takeText(texts);
    line.add(next.text);
    ({ isLast } = next);
  }
  return { commit, pieces: line.end(LINE_END) };
};

/** The JSON of a commit without its last bracket, operation by operation. */
function* textsOf({ commit, ops }: Commit): Generator<string> {
  yield `{"commit":${commit},"ops":[`;
  for (const [at, operation] of ops.entries()) yield (at > 0 ? ',' : '') + textOf(operation);
  yield ']';
}

/** As much text as one turn has room for. */
const takeText = (texts: Iterator<string>): { readonly text: string; readonly isLast: boolean } => {
  let text = '';
  while (text.length < CHARACTERS_PER_TURN) {
    const next = texts.next();
    if (next.done) return { text, isLast: true };
    text += next.value;
  }
  return { text, isLast: false };
};

export const createJournal = (options: JournalOptions): Journal => {
  const { dir, files, guard, versions, onDurable, onFailure, onUnmarked, afterFlush } = options;
  const epoch = randomBytes(8).toString('hex');
  let { name, from: begin } = options.segment;
  /** Where the segment began after a failure: what counts of the files before it. */
  let { after } = options;
  let file: OpenFile | undefined;
  let mark: SyncedMark | undefined;
  /** Of the segment, that are on disk. */
  let { size } = options;
  /** Whether there are commits in the segment. */
  let isUsed = options.commit > begin;
  let waiting: Waiting[] = [];
  let failure: Error | undefined;
  let running: Promise<void> | undefined;
  const pace = createPace();

  const opened = (): OpenFile => {
    if (!file) throw new Error('unreachable: the journal is open while it is written');
    return file;
  };

  const takeBatch = (): Waiting[] => {
    let bytes = 0;
    const past = waiting.findIndex(({ pieces }) => (bytes += lengthOf(pieces)) > BATCH_BYTES);
    return waiting.splice(0, past === -1 ? waiting.length : Math.max(1, past));
  };

  /** What was refused must not come back at the next start; best effort, as the disk is failing. */
  const cutRefused = async (): Promise<string> => {
    try {
      await opened().truncate(size);
      await opened().sync();
      return '';
    } catch (error) {
      return `; cutting off the rejected part also failed: ${messageOf(error)}`;
    }
  };

  const fail = async (error: unknown, batch: readonly Waiting[]): Promise<void> => {
    const cut = await cutRefused();
    const reason = `writing ${join(dir, name)} failed: ${messageOf(error)}${cut}`;
    failure = new Error(reason);
    onFailure(reason);
    const refused = [...batch, ...waiting];
    waiting = [];
    for (const { reject } of refused) reject(failure);
  };

  const flush = async (): Promise<void> => {
    if (waiting.length === 0) await afterFlush();
    while (waiting.length > 0) {
      // One turn of the event loop gathers what arrives together.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = takeBatch();
      const lines = batch.flatMap((sealed) => sealed.pieces);
      const pieces = [
        sealGroup(groupOf(batch, { bytes: lengthOf(lines), epoch, versions })),
        ...lines,
      ];
      const bytes = lengthOf(pieces);
      try {
        // Only one long commit is more than a batch: its pieces are long themselves.
        const writes = bytes > BATCH_BYTES ? pieces : [Buffer.concat(pieces)];
        for (const piece of writes) await writeWhole(opened(), piece);
        await opened().sync();
      } catch (error) {
        await fail(error, batch);
        return;
      }
      size += bytes;
      isUsed = true;
      mark?.reach(batch.at(-1)?.commit.commit ?? 0);
      for (const { commit, resolve } of batch) {
        onDurable(commit);
        resolve();
        // Only between commits, which are seen as a whole.
        await pace.spend(commit.ops.length);
      }
      await afterFlush();
    }
  };

  const start = (): void => {
    running ??= flush().finally(() => {
      running = undefined;
      if (waiting.length > 0) start();
    });
  };

  return {
    async begin() {
      file = await files.open(join(dir, name), 'append');
      // What a killed process had written may not be on disk yet, though everybody is going to see it.
      await file.sync();
      mark = await openMark(files, dir, onUnmarked);
      mark.reach(options.commit);
    },
    async resume(newest, last) {
      while (running) await running;
      const from = Math.max(newest, begin + 1);
      // A segment without commits is replaced: a disk that is full again at once must not collect them.
      const counting = isUsed ? last : (after ?? last);
      const line = sealGroup({ from: from + 1, commits: 0, bytes: 0, epoch, after: counting });
      const next = await createOpened(options, from, line);
      try {
        mark ??= await openMark(files, dir, onUnmarked);
        await guard.move(join(dir, segmentName(from)));
      } catch (error) {
        await next.close();
        throw error;
      }
      const replaced = isUsed || after === undefined ? undefined : join(dir, name);
      await file?.close().catch(() => undefined);
      file = next;
      name = segmentName(from);
      begin = from;
      after = counting;
      size = line.length;
      isUsed = false;
      failure = undefined;
      if (replaced !== undefined) await files.remove(replaced).catch(() => undefined);
      return from;
    },
    append(sealed) {
      if (failure) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        waiting.push({ ...sealed, resolve, reject });
        start();
      });
    },
    look() {
      if (!failure) start();
    },
    async idle() {
      while (running) await running;
    },
    async rotate(from) {
      // Nothing came since the last time.
      if (from === begin) return;
      const next = await createSegment(files, dir, from);
      await guard.move(join(dir, segmentName(from)));
      const previous = opened();
      file = next;
      name = segmentName(from);
      begin = from;
      after = undefined;
      size = 0;
      isUsed = false;
      await previous.close();
    },
    size: () => size,
    async close() {
      await mark?.close();
      await file?.close();
    },
  };
};
