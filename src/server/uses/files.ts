import { join } from 'node:path';
import { writeWhole } from '../store/lowdb/file-layer.ts';
import type { FileLayer } from '../store/lowdb/file-layer.ts';

/** Where the record of uses is: a file for each day, in UTC. */
export interface UseFiles {
  readonly dir: string;
  readonly files: FileLayer;
}

const name = /^(\d{4}-\d\d-\d\d)\.ndjson$/;

export const fileOf = ({ dir }: UseFiles, day: string): string => join(dir, `${day}.ndjson`);

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The days that have a file, the latest first. */
export async function daysOf({ dir, files }: UseFiles): Promise<string[]> {
  const names = await files.list(dir).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((file) => name.exec(file)?.[1] ?? []).sort((a, b) => (a < b ? 1 : -1));
}

const lineFeed = 10;

/** Writes lines at the end of a day's file; on a line of their own, whatever a crash has left there. */
export async function appendLines(uses: UseFiles, day: string, lines: Buffer): Promise<void> {
  const { dir, files } = uses;
  const path = fileOf(uses, day);
  await files.makeFolder(dir);
  const isWhole = await endsWithLine(uses, path);
  const file = await files.open(path, isWhole === undefined ? 'create' : 'append');
  try {
    await writeWhole(file, isWhole === false ? Buffer.concat([Buffer.from('\n'), lines]) : lines);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Undefined: there is no such file. */
async function endsWithLine({ files }: UseFiles, path: string): Promise<boolean | undefined> {
  try {
    const size = await files.size(path);
    if (size === 0) return true;
    const file = await files.open(path, 'read');
    try {
      const last = Buffer.alloc(1);
      await file.read(last, size - 1);
      return last[0] === lineFeed;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the files of days before one. */
export async function removeBefore(uses: UseFiles, day: string): Promise<void> {
  for (const old of await daysOf(uses)) if (old < day) await uses.files.remove(fileOf(uses, old));
}
