import { join } from 'node:path';
import { knownJson } from '../../json.ts';
import { sealLine } from './checked-line.ts';
import { writeWhole } from './file-layer.ts';
import type { FileLayer, OpenFile } from './file-layer.ts';
import type { Commit, Operation } from './operation.ts';
import { messageOf } from './refusal.ts';
import { createTurns } from './turns.ts';

/** A file of the journal; it holds the commits after `from`, one per line. */
export interface Segment {
  readonly name: string;
  readonly from: number;
}

/** Sorts by name in the order of commits: 2^53 has 16 digits. */
export const segmentName = (from: number): string =>
  `journal-${String(from).padStart(16, '0')}.ndjson`;

/** At most this much is written at once; what comes later waits for the next flush. */
const BATCH_BYTES = 4 << 20;

interface Waiting {
  readonly commit: Commit;
  readonly line: Buffer;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface JournalOptions {
  readonly dir: string;
  readonly files: FileLayer;
  readonly segment: Segment;
  /** Bytes the segment holds already. */
  readonly size: number;
  /** Called for each commit that has become durable, in order, before `append` resolves. */
  readonly onDurable: (commit: Commit) => void;
  /** Called once, when a write or a flush failed; nothing is written after it. */
  readonly onFailure: (reason: string) => void;
  /** Called between flushes, when every commit so far is durable or still waiting. */
  readonly afterFlush: () => Promise<void>;
}

export interface Journal {
  /** Resolves when the commit is on disk; commits that wait together share one flush. */
  append(commit: Commit): Promise<void>;
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

/** A document that was just answered is not serialised a second time. */
const textOf = (operation: Operation): string => {
  const [op, name, value] = operation;
  if (op !== 'put') return JSON.stringify(operation);
  return `["put",${JSON.stringify(name)},${knownJson(value)}]`;
};

export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const { dir, files, onDurable, onFailure, afterFlush } = options;
  let { name, from: begin } = options.segment;
  let file = await files.open(join(dir, name), 'append');
  let size = options.size;
  let waiting: Waiting[] = [];
  let failure: Error | undefined;
  let running: Promise<void> | undefined;
  const turns = createTurns();

  const takeBatch = (): Waiting[] => {
    let bytes = 0;
    const past = waiting.findIndex(({ line }) => (bytes += line.length) > BATCH_BYTES);
    return waiting.splice(0, past === -1 ? waiting.length : Math.max(1, past));
  };

  /** What was refused must not come back at the next start; best effort, as the disk is failing. */
  const cutRefused = async (): Promise<string> => {
    try {
      await file.truncate(size);
      await file.sync();
      return '';
    } catch (error) {
      return `; cutting off what was refused failed too: ${messageOf(error)}`;
    }
  };

  const fail = async (error: unknown, batch: readonly Waiting[]): Promise<void> => {
    // A flush that failed once can't be trusted to work when repeated: the kernel drops the pages.
    const cut = await cutRefused();
    const reason = `writing ${join(dir, name)} failed: ${messageOf(error)}${cut}`;
    failure = new Error(reason);
    onFailure(reason);
    const refused = [...batch, ...waiting];
    waiting = [];
    for (const { reject } of refused) reject(failure);
  };

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      // One turn of the event loop gathers what arrives together.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = takeBatch();
      const bytes = Buffer.concat(batch.map(({ line }) => line));
      try {
        await writeWhole(file, bytes);
        await file.sync();
      } catch (error) {
        await fail(error, batch);
        return;
      }
      size += bytes.length;
      for (const { commit, resolve } of batch) {
        onDurable(commit);
        resolve();
        // Only between commits, which are seen as a whole.
        await turns.spend(commit.ops.length);
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
    append(commit) {
      if (failure) return Promise.reject(failure);
      const ops = commit.ops.map(textOf).join(',');
      const { bytes: line } = sealLine(`{"commit":${commit.commit},"ops":[${ops}]`, '}\n');
      return new Promise((resolve, reject) => {
        waiting.push({ commit, line, resolve, reject });
        start();
      });
    },
    async idle() {
      while (running) await running;
    },
    async rotate(from) {
      // Nothing came since the last time.
      if (from === begin) return;
      const next = await createSegment(files, dir, from);
      const previous = file;
      file = next;
      name = segmentName(from);
      begin = from;
      size = 0;
      await previous.close();
    },
    size: () => size,
    close: () => file.close(),
  };
};
