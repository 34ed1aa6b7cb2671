import { join } from 'node:path';
import type { Holder, Lock } from '../../../lock/lock.ts';
import { holderOf, takeLock } from '../../../lock/lock.ts';
import { StoreRefusal } from '../store.ts';

export const inUse = (dir: string, path: string, { pid }: Holder): StoreRefusal =>
  new StoreRefusal(
    `${dir} is in use by ${pid === process.pid ? 'this process' : `process ${pid}`}, and only one process can use it at a time.\n` +
      `Fix: stop that process, or use another data directory (--data-dir). (The lock is ${path}.)`,
  );

/**
 * Keeps a folder for this process.
 * @throws StoreRefusal while a live process has it; a dead one's lock, or one of an earlier boot or
 * container, doesn't count
 */
export const lockFolder = async (dir: string): Promise<Lock> => {
  const path = join(dir, 'lock');
  const taken = await takeLock(path);
  if ('release' in taken) return taken;
  throw inUse(dir, path, taken);
};

/** Where a disk that takes no changes keeps the lock file from being written. @throws StoreRefusal while a live process has it */
export const checkNotHeld = async (dir: string): Promise<void> => {
  const path = join(dir, 'lock');
  const holder = await holderOf(path);
  if (holder) throw inUse(dir, path, holder);
};
