import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { notReadable } from '../flags/input-file.ts';
import { GovctlError } from '../../contract/errors.ts';
import { detectFormat, headSize } from '../../cost/read/detect.ts';
import { ReadError } from '../../cost/read/place.ts';
import type { World } from '../context.ts';

/** A file to import. */
export interface CostFile {
  /** As it was typed. */
  readonly name: string;
  /** Bytes; undefined for standard input. */
  readonly size: number | undefined;
  readonly open: () => AsyncIterable<Uint8Array>;
}

/**
 * The files that arguments name: paths, patterns with `*` and `?` in their last part, or - for standard input. What certainly
 * is no cost export is refused before anything is sent.
 * @throws GovctlError usage_error, invalid_file, file_error
 */
export async function findCostFiles(
  { cwd, terminal, signal }: Pick<World, 'cwd' | 'terminal' | 'signal'>,
  args: readonly string[],
): Promise<readonly CostFile[]> {
  const found = new Map<string, CostFile>();
  for (const arg of args) {
    if (arg === '-') {
      found.set(
        arg,
        standardInput(() => terminal.stdinBytes(signal)),
      );
      continue;
    }
    for (const name of await matching(cwd, arg)) {
      const absolute = path.resolve(cwd, name);
      if (!found.has(absolute)) found.set(absolute, await costFile(name, absolute));
    }
  }
  return [...found.values()];
}

function standardInput(open: CostFile['open']): CostFile {
  let isRead = false;
  return {
    name: 'stdin',
    size: undefined,
    open() {
      // It can't be read again from its beginning.
      if (isRead)
        throw new GovctlError('file_error', 'Standard input ended early; run the command again');
      isRead = true;
      return open();
    },
  };
}

/** @throws GovctlError usage_error for a pattern that matches nothing */
async function matching(cwd: string, arg: string): Promise<readonly string[]> {
  const { dir, base } = path.parse(arg);
  const isThere = await stat(path.resolve(cwd, arg)).then(
    () => true,
    () => false,
  );
  // Shells that leave patterns as they are, and patterns in quotes.
  if (isThere || !/[*?]/.test(base)) return [arg];
  const pattern = new RegExp(
    `^${base
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );
  const names = await readdir(path.resolve(cwd, dir)).catch(() => []);
  const found = names.filter((name) => !name.startsWith('.') && pattern.test(name)).sort();
  if (found.length > 0) return found.map((name) => path.join(dir, name));
  throw new GovctlError('usage_error', `No files match ${arg}`);
}

async function costFile(name: string, absolute: string): Promise<CostFile> {
  const stats = await stat(absolute).catch((cause: unknown) => {
    throw notReadable(name, cause);
  });
  if (stats.isDirectory()) {
    throw new GovctlError('usage_error', `${name} is a directory`, {
      hint: `Pass the files in the directory, such as ${path.join(name, '*.csv.gz')}.`,
    });
  }
  const file = { name, size: stats.size, open: () => createReadStream(absolute) };
  if (!stats.isFile()) return file;
  try {
    detectFormat(await headOf(absolute));
  } catch (cause) {
    if (cause instanceof ReadError) {
      throw new GovctlError('invalid_file', `${name} ${cause.message}`, { cause });
    }
    throw notReadable(name, cause);
  }
  return file;
}

async function headOf(absolute: string): Promise<Uint8Array> {
  const handle = await open(absolute);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headSize), 0, headSize, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
