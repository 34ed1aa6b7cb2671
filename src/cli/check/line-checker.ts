import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Checker, CheckerOptions } from '../../project/check/checker.ts';
import { checkLines } from '../../project/check/check-lines.ts';
import type { LinesResult } from '../../project/check/check-lines.ts';
import type { Holding } from '../../project/model.ts';
import { interrupted } from './check-run.ts';

/** Checks runs of lines, in this thread or in others. */
export interface LineChecker {
  /** Runs of lines that may wait for their result at once. */
  readonly width: number;
  /** The memory of `bytes` is handed over; the result gives it back. */
  check(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<LinesResult>;
}

const inThisThread = (checker: Checker, holding: Holding): LineChecker => ({
  width: 1,
  check: async (bytes, most) => holding(() => checkLines(bytes, checker, most)),
});

/** What a worker is asked: to check lines, which it answers with their result. The first message is `CheckerOptions`. */
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

type Lane = ReturnType<typeof startLane>;

/** Worker threads that each prepare the policies for themselves. */
function inWorkers(lanes: readonly Lane[], options: CheckerOptions): LineChecker {
  for (const lane of lanes) lane.prepare(options);
  return {
    width: lanes.length * runsAhead,
    check: (bytes, most) => {
      const idlest = lanes.reduce((best, lane) => (lane.load() < best.load() ? lane : best));
      return idlest.check({ bytes, most });
    },
  };
}

/** @param signal ends what waits for its result; the thread itself ends as it is closed */
function startLane(signal: AbortSignal) {
  const worker = new Worker(workerFile, {
    // MiB. Lines and their findings are short-lived: a small heap is collected early instead of growing.
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 },
  });
  // Answers come in the order of the requests.
  const waiting: Waiting[] = [];
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    for (const one of waiting.splice(0)) one.reject(error);
  };
  worker.on('message', (result: LinesResult) => waiting.shift()?.resolve(result));
  worker.on('error', fail);
  signal.addEventListener('abort', () => fail(interrupted()), { once: true });
  worker.on('exit', (code) => fail(new Error(`a worker thread exited unexpectedly with ${code}`)));
  return {
    load: () => waiting.length,
    prepare: (options: CheckerOptions) => worker.postMessage(options),
    check: (request: LinesRequest) =>
      new Promise<LinesResult>((resolve, reject) => {
        if (failure) throw failure.error;
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

/** Threads that check lines; started by the first input that is large enough, and kept for the next. */
export interface Threads {
  /** Starts them for an input of so many bytes, before it is known what they will do. */
  expect(bytes: number): void;
  /** Gives what checks the lines of an input of so many bytes. */
  prepare(options: CheckerOptions, checker: Checker): (bytes: number) => LineChecker;
  close(): Promise<void>;
}

export function createThreads(
  { signal, holding }: { readonly signal: AbortSignal; readonly holding: Holding },
  jobs = availableParallelism(),
): Threads {
  let lanes: readonly Lane[] | undefined;
  const start = (): readonly Lane[] =>
    (lanes ??= Array.from({ length: jobs }, () => startLane(signal)));
  const worth = (bytes: number): boolean => jobs > 1 && bytes >= worthWorkers && canStartWorkers();
  return {
    expect(bytes) {
      if (worth(bytes)) start();
    },
    prepare(options, checker) {
      const here = inThisThread(checker, holding);
      let there: LineChecker | undefined;
      return (bytes) => (worth(bytes) ? (there ??= inWorkers(start(), options)) : here);
    },
    async close() {
      await Promise.all((lanes ?? []).map((lane) => lane.close()));
    },
  };
}
