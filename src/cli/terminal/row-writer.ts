import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { harmlessJson } from './harmless.ts';
import { outputFailed } from './output.ts';
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
  for (const { file } of wanted) if (file !== undefined) files.push(await openRowFile(file));
  let waiting: string[] = [];
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const text = waiting.join('');
    waiting = [];
    if (toStdout) await stdout.write(text);
    for (const { name, handle } of files) await told(name, handle.write(text));
  };
  return {
    write: (row) => void waiting.push(harmlessJson(`${JSON.stringify(row)}\n`)),
    flush,
    async finish() {
      await flush();
      for (const { name, beside } of files) {
        if (beside) await told(name, rename(beside.written, beside.target));
      }
    },
    async close() {
      for (const { handle, beside } of files) {
        await handle.close();
        if (beside) await rm(beside.written, { force: true });
      }
    },
  };
}

interface RowFile {
  /** As the user gave it. */
  readonly name: string;
  readonly handle: FileHandle;
  /** Absent where the rows go straight into a pipe or a device. */
  readonly beside?: { readonly written: string; readonly target: string };
}

async function openRowFile(name: string): Promise<RowFile> {
  const there = await stat(name).catch(() => undefined); // what is wrong with it is told when it is opened
  if (name.startsWith('/dev/') || (there && !there.isFile())) {
    return { name, handle: await told(name, open(name, 'w')) };
  }
  const target = there ? await realpath(name) : name;
  const written = `${target}.${process.pid}.part`;
  // A link of that name, which somebody may have put there, is not followed.
  await rm(written, { force: true });
  const handle = await told(name, open(written, 'wx', there?.mode));
  return { name, handle, beside: { written, target } };
}

/** @throws GovctlError file_error */
const told = <T>(name: string, done: Promise<T>): Promise<T> =>
  done.catch((cause: unknown) => {
    throw outputFailed(name, cause);
  });
