import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { placeToWrite } from '../flags/place-to-write.ts';
import type { WritesFrom } from '../flags/place-to-write.ts';

/** Where files go. */
export type Destination =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'file'; readonly file: string }
  /** A pipe or a device: `-` is standard output. */
  | { readonly kind: 'stream'; readonly name: string };

/** What is written, as far as it is known. */
export interface Files {
  /** The endings of the files: `.pdf`. */
  readonly endings: readonly string[];
  /** Endings of files that could be meant by them, and are not: `.xlsx`. */
  readonly others: readonly string[];
}

/**
 * What `--out` means: `-`; a folder or file that is there; a file, where the name ends as that of the only one does;
 * else a folder, which is made.
 * @throws GovctlError usage_error, file_error
 */
export async function parseDestination(
  from: WritesFrom,
  out: string | undefined,
  files: Files,
): Promise<Destination> {
  if (out === '-') return oneOnly({ kind: 'stream', name: '-' }, files);
  if (out === '') throw new GovctlError('usage_error', '--out is empty');
  const given = out ?? '.';
  const absolute = placeToWrite(from, given);
  const there = await stat(absolute).catch(() => undefined); // told when it is written to
  if (there?.isDirectory()) return { kind: 'folder', folder: given };
  if (there && !there.isFile()) return oneOnly({ kind: 'stream', name: given }, files);
  if (there || isNamedAsFile(given, files)) return oneOnly({ kind: 'file', file: given }, files);
  await makeFolder(absolute, given);
  return { kind: 'folder', folder: given };
}

/** @throws GovctlError usage_error where it ends as the file of another format does */
function isNamedAsFile(given: string, files: Files): boolean {
  if (/[/\\]$/.test(given)) return false;
  const name = given.toLowerCase();
  // What is protected may be called just .zip.
  if (files.endings.some((one) => path.extname(name) === path.extname(`x${one}`))) return true;
  if (!files.others.includes(path.extname(name))) return false;
  const right = given.slice(0, -path.extname(given).length) + (files.endings[0] ?? '');
  throw new GovctlError(
    'usage_error',
    `--out ${given}: the output is not a ${path.extname(name)} file`,
    {
      hint: `Use ${right}, or ${given}/ for a directory.`,
    },
  );
}

/** Like `mkdir -p`, of which Node's own never ends where a file system takes no folders, as /proc. */
async function makeWithParents(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory()) return;
    const parent = path.dirname(folder);
    const isParentThere = parent === folder || (await stat(parent).catch(() => undefined));
    if (isParentThere) throw error;
    await makeWithParents(parent);
    await mkdir(folder);
  }
}

async function makeFolder(absolute: string, given: string): Promise<void> {
  await makeWithParents(absolute).catch((cause: unknown) => {
    throw new GovctlError(
      'file_error',
      `The directory ${given} could not be created: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  });
}

function oneOnly<D extends Destination>(destination: D, { endings }: Files): D {
  if (endings.length === 1) return destination;
  throw new GovctlError('usage_error', `--out must be a directory for ${endings.length} files`, {
    hint: 'Use a directory, or a single --format.',
  });
}

/** As it is shown and written, relative where it was given so. */
export const fileIn = (
  destination: Exclude<Destination, { readonly kind: 'stream' }>,
  name: string,
): string => (destination.kind === 'file' ? destination.file : path.join(destination.folder, name));
