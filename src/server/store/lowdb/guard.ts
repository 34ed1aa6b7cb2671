import { join } from 'node:path';
import { holderOf } from '../../../lock/lock.ts';
import { StoreRefusal } from '../store.ts';
import { isMissing } from './checkpoint.ts';
import { unlessNoChanges } from './file-layer.ts';
import type { FileLayer, OpenFile } from './file-layer.ts';
import { inUse } from './lock.ts';
import { segmentsIn } from './segments.ts';

/**
 * The kernel's lock on the newest file of the journal. Unlike the file `lock`, which says who has the folder, it ends with the
 * process, counts between containers, and is not lost when somebody removes a file that looks left over.
 */
export interface Guard {
  /** Whether it keeps all others out: a file of a read-only disk can only be locked against those who write it. */
  isExclusive(): boolean;
  /** Takes the lock for itself alone, where that was not possible before. @throws StoreRefusal where another process has it */
  claim(): Promise<void>;
  /** Goes on to another file of the journal. @throws StoreRefusal where another process has that */
  move(path: string): Promise<void>;
  release(): Promise<void>;
}

/** By name where the file `lock` has one that is seen from here. */
const refusal = async (dir: string, path: string): Promise<StoreRefusal> => {
  const holder = await holderOf(join(dir, 'lock'));
  if (holder) return inUse(dir, join(dir, 'lock'), holder);
  return new StoreRefusal(
    `${dir} is in use by another process, possibly in another container, which has locked ${path}.\n` +
      'Fix: stop that process (lsof shows it), or use another data directory (--data-dir).',
  );
};

/**
 * @param warn told where the system has no such locks
 * @throws StoreRefusal while another process has the folder
 */
export const guardFolder = async (
  files: FileLayer,
  dir: string,
  warn: (message: string) => void,
): Promise<Guard> => {
  let held:
    { readonly path: string; readonly file: OpenFile; readonly isExclusive: boolean } | undefined;
  let isTold = false;
  const guard: Guard = {
    isExclusive: () => held?.isExclusive ?? true,
    async claim() {
      if (!held || held.isExclusive) return;
      const { path, file } = held;
      // Its own lock would keep it out, too.
      await file.close();
      held = undefined;
      try {
        await guard.move(path);
      } catch (error) {
        const again = await files.open(path, 'read');
        await again.tryLock();
        held = { path, file: again, isExclusive: false };
        throw error;
      }
    },
    async move(path) {
      if (held?.path === path) return;
      let isWritable = true;
      const file = await files.open(path, 'append').catch((error: unknown) => {
        unlessNoChanges(error);
        isWritable = false;
        return files.open(path, 'read');
      });
      const outcome = await file.tryLock();
      if (outcome === 'held') {
        await file.close();
        throw await refusal(dir, path);
      }
      if (outcome === 'unavailable' && !isTold) {
        isTold = true;
        warn(
          `${dir}: files cannot be locked here; only the file "lock" in it prevents a second server on this machine`,
        );
      }
      await held?.file.close();
      held = { path, file, isExclusive: isWritable && outcome === 'locked' };
    },
    async release() {
      await held?.file.close();
      held = undefined;
    },
  };
  const segments = async (): Promise<string[]> =>
    segmentsIn(await files.list(dir)).flatMap(({ name, folded }) => (folded ? [] : [name]));
  try {
    // From the oldest on: whoever has the folder keeps one until it has the next, so it is met in any case. In a new folder,
    // only one can create the first.
    for (let names = await segments(); names.length > 0;) {
      for (const name of names) {
        await guard.move(join(dir, name)).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
      }
      const now = await segments();
      if (now.at(-1) === names.at(-1)) break;
      names = now;
    }
  } catch (error) {
    await guard.release();
    throw error;
  }
  return guard;
};
