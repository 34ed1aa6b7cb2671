import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GovctlError } from '../../contract/errors.ts';
import type { Holder, Lock } from '../../lock/lock.ts';
import { isAlive, placeHere, takeLock } from '../../lock/lock.ts';
import type { World } from '../context.ts';
import { configDir } from './config-dir.ts';
import type { Warn } from './private-file.ts';
import { ioError, makePrivateFolder } from './private-file.ts';

/**
 * Milliseconds that a lock counts at most: all that is done under it takes less. For a process of another machine or
 * container, which shares this folder, there is no other sign that it is gone.
 */
const longestHeld = 2 * 60_000;
/** Milliseconds of waiting that need an explanation. */
const longWait = 5_000;

/**
 * Does something with the secrets of a profile while no other command does: two that refresh with the same token
 * would end the login.
 * @throws GovctlError file_error where the folder of logins takes no file, interrupted
 */
export async function withLoginLock<T>(
  { env, signal }: Pick<World, 'env' | 'signal'>,
  profile: string,
  warn: Warn,
  work: () => Promise<T>,
): Promise<T> {
  const folder = configDir(env);
  const file = join(folder, `${profile}.lock`);
  const here = await placeHere();
  const isHeld = async (holder: Holder): Promise<boolean> =>
    Math.abs(Date.now() - holder.since) < longestHeld &&
    (holder.place !== here || (await isAlive(holder)));
  const take = async (): Promise<Lock | Holder> => {
    try {
      return await takeLock(file, isHeld);
    } catch (error) {
      throw ioError(file, 'written', error);
    }
  };
  await makePrivateFolder(folder).catch((error: unknown) => {
    throw ioError(folder, 'made', error);
  });
  const began = Date.now();
  let hasWarned = false;
  for (;;) {
    const taken = await take();
    if ('release' in taken) {
      try {
        return await work();
      } finally {
        await taken.release();
      }
    }
    if (signal.aborted) throw new GovctlError('interrupted', 'Interrupted; nothing was changed');
    if (!hasWarned && Date.now() - began > longWait) {
      hasWarned = true;
      await warn(
        `waiting for process ${taken.pid}, which is renewing the login of profile "${profile}" (${file})`,
      );
    }
    // Those that wait together do not look together.
    await sleep(20 + Math.random() * 60);
  }
}
