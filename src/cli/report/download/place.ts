import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError } from '../../../contract/errors.ts';
import type { World } from '../../context.ts';
import { fileNameOf } from '../file-name.ts';
import type { ShownReport } from '../report-objects.ts';

/** Where files go. */
export type Destination =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'file'; readonly file: string }
  /** A pipe or a device: `-` is standard output. */
  | { readonly kind: 'stream'; readonly name: string };

/**
 * What `--out` means: `-`, a folder (it is one, ends with a slash, or several files go there) or a file. A folder is
 * made.
 * @throws GovctlError usage_error, file_error
 */
export async function parseDestination(
  { cwd }: Pick<World, 'cwd'>,
  out: string | undefined,
  files: number,
): Promise<Destination> {
  if (out === '-') return oneOnly({ kind: 'stream', name: '-' }, files);
  if (out === '') throw new GovctlError('usage_error', '--out names nothing');
  const given = out ?? '.';
  const absolute = path.resolve(cwd, given);
  const there = await stat(absolute).catch(() => undefined); // told when it is written to
  if (there?.isDirectory()) return { kind: 'folder', folder: given };
  if (there && !there.isFile()) return oneOnly({ kind: 'stream', name: given }, files);
  if (there || (files === 1 && !/[/\\]$/.test(given))) {
    return oneOnly({ kind: 'file', file: given }, files);
  }
  await makeFolder(absolute, given);
  return { kind: 'folder', folder: given };
}

export async function makeFolder(absolute: string, given: string): Promise<void> {
  await mkdir(absolute, { recursive: true }).catch((cause: unknown) => {
    throw new GovctlError(
      'file_error',
      `The folder ${given} could not be made: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  });
}

function oneOnly<D extends Destination>(destination: D, files: number): D {
  if (files === 1) return destination;
  throw new GovctlError('usage_error', `--out takes a folder here: ${files} files are written`, {
    hint: 'Give a folder, or one --format.',
  });
}

/** As it is shown and written, relative where it was given so. */
export const fileIn = (
  destination: Exclude<Destination, { readonly kind: 'stream' }>,
  report: ShownReport,
  format: string,
): string =>
  destination.kind === 'file'
    ? destination.file
    : path.join(destination.folder, fileNameOf(report, format));
