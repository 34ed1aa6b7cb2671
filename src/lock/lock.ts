import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { defined } from '../contract/defined.ts';

/** A process, told apart from a later one that got the same number. */
export interface Holder {
  readonly pid: number;
  /** Clock ticks since boot, from /proc; absent where there is none. */
  readonly started?: string | undefined;
  readonly boot?: string | undefined;
  /** Where its number means something: the machine, and the container on it. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Tells two locks of one process apart. */
  readonly token: string;
}

export interface Lock {
  release(): Promise<void>;
}

/** Whether a holder still has what it locked. */
type IsHeld = (holder: Holder) => Promise<boolean>;

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const readText = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // No such file, process or system: nothing is known. ESRCH: the process went while we read.
    if (['ENOENT', 'ESRCH'].includes(String(codeOf(error)))) return undefined;
    throw error;
  }
};

/** Fields 3 and 22 of /proc/<pid>/stat; the name in field 2 may hold spaces and brackets. */
const statOf = async (pid: number): Promise<{ state?: string; started?: string }> => {
  const stat = await readText(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, started] = [fields[0], fields[19]];
  return {
    ...defined({ state, started }),
  };
};

/** A zombie holds nothing any more: it waits for a parent that may never ask for its exit code. */
const isOver = (state: string | undefined): boolean => state === 'Z' || state === 'X';

const bootId = async (): Promise<string | undefined> =>
  (await readText('/proc/sys/kernel/random/boot_id'))?.trim();

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, but someone else's.
    return codeOf(error) === 'EPERM';
  }
};

/** Whether the process is there. One of an earlier boot, or of another container, is not. */
export const isAlive = async ({ pid, started, boot }: Holder): Promise<boolean> => {
  if (boot !== undefined && boot !== (await bootId())) return false;
  const now = await statOf(pid);
  if (isOver(now.state)) return false;
  if (started !== undefined && now.started !== undefined) return started === now.started;
  return exists(pid);
};

/** @returns undefined where there is no lock, or one that was cut off while being written */
const readHolder = async (path: string): Promise<Holder | undefined> => {
  const text = await readText(path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // Checked as far as it is used: without a pid it says nothing.
    const holder = value as Partial<Holder> | null;
    return typeof holder?.pid === 'number' ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
};

/** Who has the lock that is the file `path`, without taking it. */
export const holderOf = async (path: string): Promise<Holder | undefined> => {
  const holder = await readHolder(path);
  return holder && (await isAlive(holder)) ? holder : undefined;
};

/** Creates a file, of which a disk that gets full leaves nothing. */
const createWhole = async (path: string, content: string | Uint8Array): Promise<void> => {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
};

/** Puts the lock there unless one is there; never half-written. */
const place = async (temp: string, path: string): Promise<boolean> => {
  try {
    await link(temp, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // No hard links here: creating it exclusively is the next best.
    await createWhole(path, await readFile(temp));
    return true;
  }
};

const take = async (path: string, self: Holder, isHeld: IsHeld): Promise<Lock | Holder> => {
  const temp = `${path}.${self.token}`;
  await createWhole(temp, JSON.stringify(self));
  const lock: Lock = {
    async release() {
      if ((await readHolder(path))?.token === self.token) await rm(path, { force: true });
    },
  };
  try {
    if (await place(temp, path)) return lock;
    const holder = await readHolder(path);
    if (holder && (await isHeld(holder))) return holder;
    // Its process is gone. Of all that see this now, only the holder of the second lock may replace
    // the first, and only if it is still the one that was looked at.
    const takeover = await take(`${path}.takeover`, { ...self, token: randomUUID() }, isHeld);
    if (!('release' in takeover)) return takeover;
    try {
      const current = await readHolder(path);
      if (current && current.token !== holder?.token) return current;
      await rename(temp, path);
      return lock;
    } finally {
      await takeover.release();
    }
  } finally {
    await rm(temp, { force: true });
  }
};

/** The namespace of process numbers: containers of one machine have their own. */
const pidNamespace = async (): Promise<string> => readlink('/proc/self/ns/pid').catch(() => '');

/** This machine, and the container on it. */
export const placeHere = async (): Promise<string> => `${hostname()} ${await pidNamespace()}`;

/**
 * Takes the lock that is the file `path`, in a folder that is there.
 * @param isHeld default: as long as the process is there
 * @returns who has it, where somebody does
 */
export const takeLock = async (path: string, isHeld: IsHeld = isAlive): Promise<Lock | Holder> =>
  take(
    path,
    {
      pid: process.pid,
      started: (await statOf(process.pid)).started,
      boot: await bootId(),
      place: await placeHere(),
      since: Date.now(),
      token: randomUUID(),
    },
    isHeld,
  );
