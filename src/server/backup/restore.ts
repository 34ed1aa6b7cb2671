import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import type { Module } from '../module.ts';
import { nodeFiles } from '../store/lowdb/file-layer.ts';
import { lockLowdbStore } from '../store/lowdb/open.ts';
import { bytesOf, writeFile } from './copy.ts';
import type { Told } from './copy.ts';
import { readList } from './list.ts';
import type { BackupList } from './list.ts';
import { checkApart, inDraft, isFree } from './place.ts';
import { refuseOtherThanFiles, verifyDirectory } from './verify.ts';
import type { Verified, VerifyOptions } from './verify.ts';

export interface RestoreOptions extends VerifyOptions {
  /** The data directory that is made. */
  readonly target: string;
  /** Give what is there another name; otherwise it is an error. */
  readonly force: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface RestoredBackup {
  /** Where it is damaged, nothing was restored. */
  readonly verified: Verified;
  /** What was there, under its new name. */
  readonly replaced?: string;
}

/** @throws GovctlError usage_error, file_error; StoreRefusal while a server uses the target */
export async function restoreBackup(
  options: RestoreOptions,
  modules: readonly Module[],
): Promise<RestoredBackup> {
  const { dir, target, force, now, signal, progress } = options;
  await refuseOtherThanFiles(dir);
  const list = await listOf(dir);
  const wasFree = await isFree(target);
  if (!wasFree && !force) {
    throw new GovctlError('file_error', `${target} is not an empty directory`, {
      hint: 'Use a new directory, or pass --force to rename what is there.',
    });
  }
  await checkApart(dir, target);
  const verified = await verifyDirectory(options, modules);
  if (!verified.intact) return { verified };
  let bytes = 0;
  const told: Told = (count) => {
    signal.throwIfAborted();
    bytes += count;
    progress('Restoring', bytes);
  };
  return inDraft(target, 'The backup', async (draft) => {
    for (const folder of new Set(
      [...list.files.keys()].flatMap((name) => name.split('/').slice(0, -1)),
    )) {
      await nodeFiles.makeFolder(join(draft.dir, folder));
    }
    // Last: without it, no server takes the directory for a new one, nor for a whole one.
    const names = [...list.files.keys()].filter((name) => name !== 'store.json');
    for (const name of [...names, 'store.json']) await copyOne(dir, draft.dir, name, list, told);
    for (const folder of ['blobs', 'uses']) {
      if (names.some((name) => name.startsWith(`${folder}/`))) {
        await nodeFiles.syncFolder(join(draft.dir, folder));
      }
    }
    if (wasFree) {
      await draft.finish();
      return { verified };
    }
    const replaced = `${target}.replaced-${new Date(now()).toISOString().replace(/\D/g, '').slice(0, 14)}`;
    const { release } = await lockLowdbStore({ dir: target, collections: [] });
    try {
      await draft.finish(() => rename(target, replaced));
    } finally {
      await release();
    }
    await rm(join(replaced, 'lock'), { force: true });
    return { verified, replaced };
  });
}

async function listOf(dir: string): Promise<BackupList> {
  const list = await readList(nodeFiles, dir);
  if (list) return list;
  throw new GovctlError('file_error', `${dir} is not a backup: it has no backup.json`, {
    hint: 'Pass a directory created by `govctl server backup`, or a snapshot file.',
  });
}

async function copyOne(
  from: string,
  to: string,
  name: string,
  { files, last_commit_at: at }: BackupList,
  told: Told,
): Promise<void> {
  const path = join(from, name);
  const written = await writeFile(join(to, name), bytesOf(nodeFiles, path, told), Date.parse(at));
  const listed = files.get(name);
  if (written.size === listed?.size && written.sha256 === listed.sha256) return;
  throw new GovctlError('data_refused', `${path} changed while the restore was reading it`, {
    hint: 'Nothing was restored. Check the disk of the backup.',
  });
}
