import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { access, constants, copyFile, lstat, open, readFile, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** A file that is being replaced. */
export interface Replacement {
  write(content: string | Uint8Array): Promise<void>;
  /** Puts what was written in place of the file. @throws what the file system says */
  finish(): Promise<void>;
  /** Removes what was not finished; the file is as it was. */
  close(): Promise<void>;
}

interface ReplaceOptions {
  /** Permissions, also of a file that is there; default: those of the file. */
  readonly mode?: number;
  /** A file whose folder takes no new one, or that is mounted by itself, is written in place. */
  readonly mayWriteInPlace?: boolean;
}

/**
 * Replaces a file atomically, so that neither a reader nor a crash sees half of it: the new file is written beside it,
 * flushed to disk and renamed. Permissions stay, and the owner where the process may give files away. Nothing is written
 * through a link or another name of the file. A pipe or a device gets what is written as it comes.
 * @param file its real path; the CLI asks `placeToWrite` for it
 * @throws what the file system says
 */
export async function openReplacement(
  file: string,
  { mode, mayWriteInPlace = false }: ReplaceOptions = {},
): Promise<Replacement> {
  const there = await lstat(file).catch(absent);
  if (there && !there.isFile() && !there.isSymbolicLink()) return openInPlace(file);
  if (there?.isFile()) await access(file, constants.W_OK);
  const draft = path.join(path.dirname(file), `.govctl-${randomBytes(8).toString('hex')}.tmp`);
  let handle: FileHandle;
  try {
    handle = await open(draft, 'wx', mode ?? (there?.isFile() ? 0o600 : 0o666));
  } catch (error) {
    if (mayWriteInPlace && there?.isFile() && hasCode(error, 'EACCES', 'EPERM', 'EROFS')) {
      return openInPlace(file);
    }
    throw error;
  }
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  return {
    write: (content) => handle.writeFile(content),
    async finish() {
      if (there?.isFile()) await makeAlike(handle, there, mode);
      await handle.sync();
      await close();
      try {
        await rename(draft, file);
      } catch (error) {
        if (!mayWriteInPlace || !hasCode(error, 'EBUSY')) throw error;
        await copyFile(draft, file);
      }
    },
    async close() {
      await close();
      await rm(draft, { force: true });
    },
  };
}

/** Why a file was not replaced: it is not what it was. */
export const changedMeanwhile = 'the file was changed by another program';

/**
 * The same with all of its content.
 * @param options `before`: what the file contains, else it is left alone
 * @throws what the file system says; Error `changedMeanwhile`
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  { before, ...options }: ReplaceOptions & { readonly before?: Uint8Array } = {},
): Promise<void> {
  const replacement = await openReplacement(file, options);
  try {
    await replacement.write(content);
    if (before && !(await readFile(file)).equals(before)) throw new Error(changedMeanwhile);
    await replacement.finish();
  } finally {
    await replacement.close();
  }
}

/** A pipe, a device, or a file that keeps its place. @throws what the file system says */
export async function openInPlace(file: string): Promise<Replacement> {
  const handle = await open(file, 'w');
  return {
    write: (content) => handle.writeFile(content),
    finish: () => Promise.resolve(),
    close: () => handle.close(),
  };
}

async function makeAlike(handle: FileHandle, there: Stats, mode = there.mode): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only root may give a file to another user.
  if (uid !== there.uid || gid !== there.gid) {
    await handle.chown(there.uid, there.gid).catch(() => undefined);
  }
  await handle.chmod(mode & 0o7777);
}

const absent = (error: unknown): undefined => {
  if (hasCode(error, 'ENOENT')) return undefined;
  throw error;
};

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');
