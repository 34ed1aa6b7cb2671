import { parentPort } from 'node:worker_threads';
import { createChecker } from '../../project/check/checker.ts';
import type { CheckerOptions } from '../../project/check/checker.ts';
import { checkLines } from '../../project/check/check-lines.ts';
import type { LinesRequest } from './line-checker.ts';

/** The entry of a worker thread: what to check by, then lines in, findings and figures out. */
parentPort?.once('message', (options: CheckerOptions) => {
  const checker = createChecker(options);
  parentPort?.on('message', ({ bytes, most }: LinesRequest) => {
    const result = checkLines(bytes, checker, most);
    parentPort?.postMessage(result, [
      result.bytes.buffer,
      result.hashes.buffer,
      result.resourceLines.buffer,
    ]);
  });
});
