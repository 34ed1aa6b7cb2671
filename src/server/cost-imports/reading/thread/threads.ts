import { serveBlobs } from '../../../threads/remote-blobs.ts';
import { ThreadGone, createThreadPool, workerFile } from '../../../threads/threads.ts';
import type { Port } from '../../../threads/threads.ts';
import { createTurns } from '../../../threads/turns.ts';
import { FileFault } from '../job.ts';
import type { ReadCharges, ReadFiles } from '../job.ts';
import { readFiles } from '../read-files.ts';
import type { FromThread, ToThread } from './messages.ts';

/** MiB: 2,000,000 distinct texts need most of it. */
const heapOfThread = 1_024;
/** MiB: rows are forgotten as soon as they are read. */
const newObjects = 16;
/** Milliseconds; a thread that has read many rows keeps much memory. */
const keptIdle = 100;

/** Reads the files of imports in a thread, so that requests are answered meanwhile. */
export interface FileReader {
  readonly readFiles: ReadFiles;
  /** Ends the thread; what is under way fails. */
  close(): Promise<void>;
}

/** In a thread, where the built worker is there; else in this one. @param mostMemory of its heap, in MiB */
export function createFileReader(
  file = workerFile('cost-worker'),
  mostMemory = heapOfThread,
): FileReader {
  if (!file) return { readFiles, close: () => Promise.resolve() };
  const pool = createThreadPool<FromThread, ToThread>({
    file,
    mostMemory,
    mostNew: newObjects,
    keptIdle,
  });
  const turns = createTurns(1);
  return {
    readFiles: (job, options) =>
      pool.use(
        { turns, signal: options.signal, isEnded: true },
        (port, ended) => readOver(port, ended, job, options),
        (error) => error instanceof FileFault,
      ),
    close: pool.close,
  };
}

async function readOver(
  port: Port<FromThread, ToThread>,
  ended: AbortSignal,
  ...[job, { blobs, tell }]: Parameters<ReadFiles>
): Promise<ReadCharges> {
  ended.throwIfAborted();
  const served = serveBlobs(port, blobs);
  let end = (): void => undefined;
  try {
    return await new Promise<ReadCharges>((resolve, reject) => {
      const onMessage = (message: FromThread): void => {
        switch (message.kind) {
          case 'done':
            return resolve(message.charges);
          case 'failed':
            return reject(failureOf(message));
          case 'progress':
            return tell({ bytes: message.bytes, rows: message.rows });
          default:
            return served.serve(message);
        }
      };
      const onEnd = (): void => reject(endOf(ended.reason));
      port.on('message', onMessage);
      ended.addEventListener('abort', onEnd);
      end = () => {
        port.off('message', onMessage);
        ended.removeEventListener('abort', onEnd);
      };
      port.postMessage({ kind: 'import', job });
    });
  } finally {
    end();
    await served.close();
  }
}

/** Files that take more memory than a thread has take it each time. */
function endOf(reason: unknown): Error {
  const isFull =
    reason instanceof ThreadGone &&
    reason.cause instanceof Error &&
    'code' in reason.cause &&
    reason.cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!isFull) return reason as Error; // abort reasons in this program are errors
  return new FileFault({
    reason:
      'Reading the files takes more memory than an import may use: a file is damaged, or there are too many files. Import fewer files at a time, and write Parquet with row groups of at most 100,000 rows, or CSV',
  });
}

function failureOf({ message, stack, fault }: FromThread & { kind: 'failed' }): Error {
  if (fault) return new FileFault(fault);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
