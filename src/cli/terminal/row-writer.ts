import type { Replacement } from '../../project/write/replace-file.ts';
import { harmlessJson } from './harmless.ts';
import { openOutput, outputFailed } from './output.ts';
import type { OutputTarget } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Writes the rows of ndjson as they come, where there may be more of them than memory holds. */
export interface RowWriter {
  write(row: unknown): void;
  /** Resolves when all that was written is on its way, so that a slow reader slows the producer. */
  flush(): Promise<void>;
  /** All rows were written: files get their names. */
  finish(): Promise<void>;
  /** Files that were not finished are removed: a part of the rows would be taken for all of them. */
  close(): Promise<void>;
}

/** Undefined where nobody asked for ndjson. @throws GovctlError file_error */
export async function openRows(
  targets: readonly OutputTarget[],
  { stdout }: Terminal,
): Promise<RowWriter | undefined> {
  const wanted = targets.filter(({ format }) => format === 'ndjson');
  if (wanted.length === 0) return undefined;
  const toStdout = wanted.some(({ file }) => file === undefined);
  const files: RowFile[] = [];
  for (const { file, place } of wanted) {
    if (file === undefined || place === undefined) continue;
    files.push({ name: file, output: await told(file, openOutput(place)) });
  }
  let waiting: string[] = [];
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const text = waiting.join('');
    waiting = [];
    if (toStdout) await stdout.write(Buffer.from(text));
    for (const { name, output } of files) await told(name, output.write(text));
  };
  return {
    write: (row) => void waiting.push(harmlessJson(`${JSON.stringify(row)}\n`)),
    flush,
    async finish() {
      await flush();
      for (const { name, output } of files) await told(name, output.finish());
    },
    async close() {
      for (const { output } of files) await output.close();
    },
  };
}

interface RowFile {
  /** As the user gave it. */
  readonly name: string;
  readonly output: Replacement;
}

/** @throws GovctlError file_error */
const told = <T>(name: string, done: Promise<T>): Promise<T> =>
  done.catch((cause: unknown) => {
    throw outputFailed(name, cause);
  });
