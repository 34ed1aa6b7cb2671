import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { takeLock } from '../../lock/lock.ts';
import { nodeFiles } from '../store/lowdb/file-layer.ts';
import { unfinished } from '../store/lowdb/kinds.ts';

/** A directory that is filled under another name, and gets its own once it is complete. */
interface Draft {
  /** Where it is filled. */
  readonly dir: string;
  /** @param before what has to go out of the way, in the moment before */
  finish(before?: () => Promise<void>): Promise<void>;
  /** Removes it. */
  discard(): Promise<void>;
}

const draftOf = (target: string): string => `${target}.partial`;

const namesIn = (dir: string): Promise<string[] | undefined> =>
  readdir(dir).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });

/** The lock, or its draft: a process may be killed before it gives it its name. */
const isMarker = (name: string): boolean =>
  name === unfinished || name.startsWith(`${unfinished}.`);

/** Whether there is nothing, or a directory with nothing in it. */
export async function isFree(target: string): Promise<boolean> {
  const there = await lstat(target).catch(() => undefined);
  if (!there) return true;
  return there.isDirectory() && (await readdir(target)).length === 0;
}

/** A backup in the data directory would be gone with it. @throws GovctlError usage_error */
export async function checkApart(source: string, target: string): Promise<void> {
  const from = await realpath(source);
  let to = resolve(target);
  for (let rest = ''; ; rest = sep) {
    const real = await realpath(to).catch(() => undefined);
    if (real !== undefined) {
      if (!`${real}${sep}`.startsWith(`${from}${sep}`)) return;
      throw new GovctlError('usage_error', `${target} is in ${source}`, {
        hint: `Use a directory elsewhere${rest === '' ? '' : ', ideally on another disk'}.`,
      });
    }
    to = dirname(to);
  }
}

/**
 * Begins a directory. What a killed process left of it is removed first; nothing else is.
 * @throws GovctlError conflict while another process fills it; file_error
 */
async function beginDraft(target: string): Promise<Draft> {
  const dir = draftOf(target);
  const marker = join(dir, unfinished);
  const parent = dirname(target);
  await nodeFiles.makeFolder(parent);
  const left = await namesIn(dir);
  if (left === undefined) await mkdir(dir, { mode: 0o700 });
  else if (left.length > 0 && !left.some(isMarker)) {
    throw new GovctlError('file_error', `${dir} already exists`, {
      hint: 'Rename or remove it; it is not part of a backup.',
    });
  }
  const lock = await takeLock(marker);
  if (!('release' in lock)) {
    throw new GovctlError('file_error', `Process ${lock.pid} is writing ${dir}`, {
      hint: 'Wait until that process ends.',
    });
  }
  for (const name of left ?? []) {
    if (name !== unfinished) await rm(join(dir, name), { recursive: true });
  }
  return {
    dir,
    async finish(before) {
      await nodeFiles.syncFolder(dir);
      await before?.();
      await rename(dir, target);
      await nodeFiles.syncFolder(parent);
      // Last: whoever is killed before leaves what says that it may not be complete.
      await rm(join(target, unfinished));
      await nodeFiles.syncFolder(target);
    },
    async discard() {
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Fills a directory, or leaves nothing of it. @throws GovctlError file_error for what the file system says */
export async function inDraft<T>(
  target: string,
  what: string,
  work: (draft: Draft) => Promise<T>,
): Promise<T> {
  let draft: Draft | undefined;
  try {
    draft = await beginDraft(target);
    return await work(draft);
  } catch (error) {
    await draft?.discard().catch(() => undefined);
    throw isOfFiles(error)
      ? new GovctlError(
          'file_error',
          `${what} was not written to ${target}: ${whyFilesFailed(error)}`,
          {
            cause: error,
            hint: 'Nothing was stored.',
          },
        )
      : error;
  }
}

/** What the file system says, with the path and without the names of system calls. */
export function whyFilesFailed(error: unknown): string {
  const { message, path } = error as NodeJS.ErrnoException;
  const [, why] = /^[A-Z]+: ([^,]+), /.exec(message) ?? [];
  return why === undefined || path === undefined ? message : `${path}: ${why}`;
}

/** Whether an error is what the file system says. */
export const isOfFiles = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
