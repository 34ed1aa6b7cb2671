import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Checker, CheckerOptions } from '../../project/check/checker.ts';
import { checkLines } from '../../project/check/check-lines.ts';
import type { LinesResult } from '../../project/check/check-lines.ts';

/** Checks runs of lines, in this thread or in others. */
export interface LineChecker {
  /** Runs of lines that may wait for their result at once. */
  readonly width: number;
  /** The memory of `bytes` is handed over; the result gives it back. */
  check(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<LinesResult>;
  close(): Promise<void>;
}

const inThisThread = (checker: Checker): LineChecker => ({
  width: 1,
  check: async (bytes, most) => checkLines(bytes, checker, most),
  close: async () => {},
});

/** What a worker is asked, and what it answers. */
export interface LinesRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly most: number;
}

/** Where the build puts check-worker.ts; beside the built module that holds this one. */
const workerFile = new URL('check-worker.js', import.meta.url);

/** Whether this is the built program: from sources there is no worker to start. */
const canStartWorkers = (): boolean => existsSync(fileURLToPath(workerFile));

/** Runs a worker holds at once, so that it never waits for the next. */
const runsAhead = 3;

interface Waiting {
  resolve(result: LinesResult): void;
  reject(error: unknown): void;
}

/** Starts worker threads that each prepare the policies for themselves. */
function startWorkers(count: number, options: CheckerOptions): LineChecker {
  const lanes = Array.from({ length: count }, () => startLane(options));
  return {
    width: count * runsAhead,
    check: (bytes, most) => {
      const idlest = lanes.reduce((best, lane) => (lane.load() < best.load() ? lane : best));
      return idlest.check({ bytes, most });
    },
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

function startLane(options: CheckerOptions) {
  const worker = new Worker(workerFile, {
    workerData: options,
    // MiB. Lines and their findings are short-lived: a small heap is collected early instead of growing.
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 },
  });
  // Answers come in the order of the requests.
  const waiting: Waiting[] = [];
  const fail = (error: unknown): void => {
    for (const one of waiting.splice(0)) one.reject(error);
  };
  worker.on('message', (result: LinesResult) => waiting.shift()?.resolve(result));
  worker.on('error', fail);
  worker.on('exit', (code) => fail(new Error(`a worker ended by itself with ${code}`)));
  return {
    load: () => waiting.length,
    check: (request: LinesRequest) =>
      new Promise<LinesResult>((resolve, reject) => {
        waiting.push({ resolve, reject });
        worker.postMessage(request, [request.bytes.buffer]);
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}

/** Bytes. Starting a worker takes as long as checking some ten thousand lines. */
const worthWorkers = 16 * 1024 * 1024;

/** Workers are started by the first input that is large enough, and kept for the next. */
export function createLines(
  options: CheckerOptions,
  checker: Checker,
  jobs = availableParallelism(),
) {
  let workers: LineChecker | undefined;
  const here = inThisThread(checker);
  return {
    forBytes: (bytes: number): LineChecker =>
      jobs > 1 && bytes >= worthWorkers && canStartWorkers()
        ? (workers ??= startWorkers(jobs, options))
        : here,
    close: async (): Promise<void> => workers?.close(),
  };
}
