import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { outputFailed } from './output.ts';
import type { OutputTarget } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Writes the rows of ndjson as they come, where there may be more of them than memory holds. */
export interface RowWriter {
  write(row: unknown): void;
  /** Resolves when all that was written is on its way, so that a slow reader slows the producer. */
  flush(): Promise<void>;
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
  const files: { readonly name: string; readonly handle: FileHandle }[] = [];
  for (const { file } of wanted) {
    if (file === undefined) continue;
    const handle = await open(file, 'w').catch((cause: unknown) => {
      throw outputFailed(file, cause);
    });
    files.push({ name: file, handle });
  }
  let waiting: string[] = [];
  return {
    write: (row) => void waiting.push(`${JSON.stringify(row)}\n`),
    async flush() {
      if (waiting.length === 0) return;
      const text = waiting.join('');
      waiting = [];
      if (toStdout) await stdout.write(text);
      for (const { name, handle } of files) {
        await handle.write(text).catch((cause: unknown) => {
          throw outputFailed(name, cause);
        });
      }
    },
    async close() {
      for (const { handle } of files) await handle.close();
    },
  };
}
