import type { CheckRun } from './check-run.ts';
import { duplicateAt } from './check-run.ts';
import type { LinesResult } from '../../project/check/check-lines.ts';
import type { InputFile } from '../../project/check/discover-inputs.ts';
import { createIdSet } from '../../project/check/id-set.ts';
import type { LineChecker } from './line-checker.ts';
import { LineTooLongError, cutAtLineEnds } from './line-chunks.ts';

/**
 * Checks resources that stand one a line, in bounded memory: a few runs of lines are on their way at once, and their
 * results are taken in the order of the input, so that output is the same however many threads there are.
 */
export async function checkStream(
  input: InputFile,
  source: AsyncIterable<Uint8Array>,
  lines: LineChecker,
  run: CheckRun,
): Promise<void> {
  const taker = createTaker(input, run);
  const waiting: Promise<LinesResult>[] = [];
  const takeFirst = async (): Promise<void> => {
    const result = await waiting[0];
    void waiting.shift();
    if (result) await taker.take(result);
  };
  try {
    for await (const bytes of cutAtLineEnds(source)) {
      const checked = lines.check(bytes, run.collector.room());
      // Its turn to be awaited comes later, and until then a failure must not end the process.
      checked.catch(() => undefined);
      waiting.push(checked);
      if (waiting.length >= lines.width) await takeFirst();
    }
    while (waiting.length > 0) await takeFirst();
  } catch (error) {
    // What is still on its way would fail unseen.
    const results = await Promise.allSettled(waiting);
    if (!(error instanceof LineTooLongError)) throw error;
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      await taker.take(result.value);
    }
    const message = `${error.message}; the rest of the file was not read`;
    run.unreadable.add({ file: input.file, ...taker.next(), message });
  }
}

interface Taker {
  take(result: LinesResult): Promise<void>;
  /** Where the line after all that was taken stands. */
  next(): { readonly line: number; readonly column: number };
}

/** Takes results in order: finds the lines' numbers, and ids that come twice. */
function createTaker(input: InputFile, run: CheckRun): Taker {
  const { file } = input;
  const ids = createIdSet();
  let before = 0;
  const take = (result: LinesResult): Promise<void> => {
    const placeOf = (line: number) => ({ line: before + line + 1, column: 1 });
    for (const { finding, line } of result.findings) {
      run.collector.add({ ...finding, file, ...placeOf(line) }, input);
    }
    for (const { message, line, column } of result.problems) {
      run.unreadable.add({ file, ...placeOf(line), column, message });
    }
    run.unreadable.skip(result.moreProblems);
    const { hashes, resourceLines } = result;
    for (let nth = 0; nth < resourceLines.length; nth++) {
      if (ids.add(hashes[2 * nth] ?? 0, hashes[2 * nth + 1] ?? 0)) continue;
      const line = resourceLines[nth] ?? 0;
      run.duplicates.add(duplicateAt(idOnLine(result.bytes, line), { file, ...placeOf(line) }));
    }
    before += result.lines;
    return run.count(result.tally);
  };
  return { take, next: () => ({ line: before + 1, column: 1 }) };
}

/** Read again from the bytes: keeping a million ids would cost more than the rest of the check. */
function idOnLine(bytes: Uint8Array, line: number): string {
  let start = 0;
  for (let passed = 0; passed < line; passed++) start = bytes.indexOf(0x0a, start) + 1;
  const end = bytes.indexOf(0x0a, start);
  const text = new TextDecoder().decode(bytes.subarray(start, end < 0 ? undefined : end));
  return (JSON.parse(text) as { id: string }).id; // the line was read as a resource before
}
