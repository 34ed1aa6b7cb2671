import { join } from 'node:path';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { openCheckpoint } from '../store/lowdb/checkpoint.ts';
import type { FileLayer } from '../store/lowdb/file-layer.ts';
import { nodeFiles } from '../store/lowdb/file-layer.ts';
import { backupList } from '../store/lowdb/kinds.ts';
import { refuseCheckpoint } from '../store/lowdb/refusal.ts';

const ListedFile = z.object({
  size: z.int().min(0),
  /** Lower-case hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
/** A file of a backup, by its path in it. */
export type ListedFile = Readonly<z.infer<typeof ListedFile>>;

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

const Head = z.object({ version: z.string(), taken_at: Timestamp, last_commit_at: Timestamp });

/** A file of a backup. A checksum does not say who made the list, so no name may lead out of the directory. */
const Row = ListedFile.extend({
  id: z.string().regex(/^(?:(?:blobs|uses)\/)?[A-Za-z0-9_-][A-Za-z0-9_.-]*$/),
});

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
  const path = join(dir, backupList);
  const file = openCheckpoint(files, path);
  await file.read();
  const { commit, rows } = file.data;
  if (commit < 0) return undefined;
  const read = <S extends z.ZodType>(schema: S, row: number): z.output<S> => {
    const parsed = schema.safeParse(rows[row]?.doc);
    if (parsed.success) return parsed.data;
    // The first line is that of the checkpoint.
    const what = `${path}:${row + 2}: this line is not one of a backup`;
    throw refuseCheckpoint(path, what, false);
  };
  const listed = rows.slice(1).map((_, at) => {
    const { id, ...one } = read(Row, at + 1);
    return [id, one] as const;
  });
  return { commit, ...read(Head, 0), files: new Map(listed) };
}
