import { join } from 'node:path';
import { openCheckpoint } from '../store/lowdb/checkpoint.ts';
import type { FileLayer } from '../store/lowdb/file-layer.ts';
import { nodeFiles } from '../store/lowdb/file-layer.ts';
import { backupList } from '../store/lowdb/kinds.ts';

/** A file of a backup, by its path in it. */
export interface ListedFile {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** What a backup says of itself, in a file that is written last: without it, nothing is a backup. */
export interface BackupList {
  /** The last commit. */
  readonly commit: number;
  /** Of the govctl that made it. */
  readonly version: string;
  readonly taken_at: string;
  /** When the last commit was written. */
  readonly last_commit_at: string;
  readonly files: ReadonlyMap<string, ListedFile>;
}

type Head = Pick<BackupList, 'version' | 'taken_at' | 'last_commit_at'>;

const headId = 'backup';

const rowOf = (doc: { readonly id: string }) => ({ revision: 0, doc });

/** In the format of a checkpoint: a line per file, each with a checksum that goes on from the line before. */
export async function writeList(
  dir: string,
  { commit, files, version, taken_at, last_commit_at }: BackupList,
): Promise<void> {
  const file = openCheckpoint(nodeFiles, join(dir, backupList));
  const rows = [
    rowOf({ id: headId, ...{ version, taken_at, last_commit_at } }),
    ...Array.from(files, ([id, one]) => rowOf({ id, ...one })),
  ];
  file.data = { commit, rows };
  await file.write();
}

/**
 * @returns undefined where there is none: the directory is no backup
 * @throws StoreRefusal where it is damaged
 */
export async function readList(files: FileLayer, dir: string): Promise<BackupList | undefined> {
  const file = openCheckpoint(files, join(dir, backupList));
  await file.read();
  const { commit, rows } = file.data;
  if (commit < 0) return undefined;
  // The checksums vouch for the shape.
  const [head, ...rest] = rows.map(({ doc }) => doc) as unknown as readonly [
    Head,
    ...(ListedFile & { readonly id: string })[],
  ];
  const { version, taken_at, last_commit_at } = head;
  const listed = new Map(rest.map(({ id, size, sha256 }) => [id, { size, sha256 }]));
  return { commit, version, taken_at, last_commit_at, files: listed };
}
