import { join } from 'node:path';
import { checkLine, sealLine } from './checked-line.ts';
import { FIRST_FORMAT, FORMAT, isMissing, replaceFile } from './checkpoint.ts';
import { writeWhole } from './file-layer.ts';
import type { FileLayer } from './file-layer.ts';
import { readLines } from './lines.ts';
import { refuseCheckpoint, refuseFormat } from './refusal.ts';

/**
 * What the folder as a whole stands at. Written last by a checkpoint: from then on every collection's
 * file holds all commits up to `commit`, and the journal before it is history.
 */
export interface Manifest {
  readonly commit: number;
  readonly collections: readonly string[];
  /** Families of lanes; absent where the folder was written before there were any. */
  readonly lanes?: readonly string[];
  readonly sequences: readonly (readonly [name: string, value: number])[];
  /** As it was read; what is written has this version's. */
  readonly format?: string;
}

export const manifestPath = (dir: string): string => join(dir, 'store.json');

export const writeManifest = (files: FileLayer, dir: string, manifest: Manifest): Promise<void> => {
  const body = JSON.stringify({ ...manifest, format: FORMAT }).slice(0, -1);
  return replaceFile(files, manifestPath(dir), (file) =>
    writeWhole(file, sealLine(body, '}\n').bytes),
  );
};

/** @returns undefined where there is none */
export const readManifest = async (
  files: FileLayer,
  dir: string,
  hasBackup: boolean,
): Promise<Manifest | undefined> => {
  const path = manifestPath(dir);
  const lines: Buffer[] = [];
  try {
    for await (const batch of readLines(files, path))
      lines.push(...batch.map(({ bytes }) => bytes));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const [line] = lines;
  if (!line || lines.length > 1 || checkLine(line, ['}']) === undefined) {
    const what = 'this line is damaged or was edited: its checksum does not match';
    throw refuseCheckpoint(path, `${path}:1: ${what}`, hasBackup);
  }
  // The checksum vouches for the shape, the format for its meaning.
  const manifest = JSON.parse(line.toString('utf8')) as Manifest & { format: string };
  const { format } = manifest;
  if (format !== FORMAT && format !== FIRST_FORMAT) {
    throw refuseFormat(path, `${path}:1`, { format, known: FORMAT, hasBackup });
  }
  return manifest;
};
