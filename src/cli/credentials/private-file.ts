import { chmod, lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { replaceFile } from '../../project/write/replace-file.ts';

/** Says something on stderr. */
export type Warn = (line: string) => Promise<void>;

const othersMay = 0o077;
const othersMayWrite = 0o022;
/** Windows has no such bits; its folders under %APPDATA% are the user's own. */
const hasModes = process.platform !== 'win32';

/**
 * The text of a file only its owner may read; undefined where there is none. A file others may read is closed
 * to them, and said so: what was in it may have been seen.
 * @throws GovctlError file_error for a link, a folder, someone else's file, or one that can't be read
 */
export async function readPrivateFile(file: string, warn: Warn): Promise<string | undefined> {
  try {
    const stat = await lstat(file);
    if (!stat.isFile()) throw refuse(file, 'not a regular file');
    if (hasModes && process.getuid && stat.uid !== process.getuid() && process.getuid() !== 0) {
      throw refuse(file, 'owned by another user');
    }
    if (hasModes && (stat.mode & othersMay) !== 0) {
      await chmod(file, 0o600);
      await warn(
        `${file} was readable by other users (mode ${octal(stat.mode)}) and is now 0600. If others use this machine, create a new key and revoke the old key.`,
      );
    }
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error instanceof GovctlError ? error : ioError(file, 'read', error);
  }
}

/**
 * Writes the file whole or not at all, readable by its owner only. It is made beside its place and renamed into
 * it, so a link planted there is replaced, never followed.
 * @throws GovctlError file_error
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  try {
    await makePrivateFolder(dirname(file));
    await replaceFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw ioError(file, 'written', error);
  }
}

/** True when there was one. @throws GovctlError file_error */
export async function removePrivateFile(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw ioError(file, 'removed', error);
  }
}

/** @throws what the file system says */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { mode } = await lstat(folder);
  if (hasModes && (mode & othersMayWrite) !== 0) await chmod(folder, 0o700);
}

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

const refuse = (file: string, why: string): GovctlError =>
  new GovctlError('file_error', `${file} is not used: ${why}`, {
    hint: 'Delete the file and run `govctl auth login`.',
  });

/** The GovctlError of what the file system says. @param what happened not: "written" */
export const ioError = (file: string, what: string, cause: unknown): GovctlError =>
  new GovctlError('file_error', `${file} could not be ${what}: ${(cause as Error).message}`, {
    cause,
    hint: 'Set GOVCTL_CONFIG_DIR to store logins in another directory.',
  });
