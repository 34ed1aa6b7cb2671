import { getEventListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ThreadGone, ask, createThreadPool } from '../../../src/server/threads/threads.ts';
import type { ThreadPool, Use } from '../../../src/server/threads/threads.ts';
import { TimeUp } from '../../../src/server/threads/time-up.ts';
import { createTurns } from '../../../src/server/threads/turns.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';
import type { TempFolder } from '../store/lowdb/temp-folder.ts';

/** A thread that answers with its number, but for what it is told to do instead. */
const thread = `
import { parentPort, threadId } from 'node:worker_threads';
parentPort.on('message', (told) => {
  if (told === 'exit') process.exit(3);
  if (told !== 'be silent') parentPort.postMessage(threadId);
});
`;

let folder: TempFolder;
let pool: ThreadPool<number, string>;
beforeEach(async () => {
  folder = await tempFolder();
  const script = path.join(folder.path, 'thread.mjs');
  await writeFile(script, thread);
  pool = createThreadPool({ file: pathToFileURL(script), mostMemory: 64, keptIdle: 60_000 });
});
afterEach(async () => {
  await pool.close();
  await folder.remove();
});

const turns = createTurns(1);
const asker = () => new AbortController();
const tell = (told: string, use: Partial<Use> = {}, withinMs = 60_000): Promise<number> =>
  pool.use({ turns, signal: asker().signal, isEnded: true, ...use }, (port, ended) =>
    ask(port, ended, told, withinMs),
  );

test('work takes turns, with one thread for all that goes well', async () => {
  const numbers = await Promise.all([tell('a'), tell('b'), tell('c')]);
  expect(new Set(numbers).size).toBe(1);
});

test('a thread that ends, and one that does not answer in time, fail their work only', async () => {
  const first = await tell('a');
  await expect(tell('exit')).rejects.toBeInstanceOf(ThreadGone);
  await expect(tell('be silent', {}, 1)).rejects.toBeInstanceOf(TimeUp);
  expect(await tell('a')).not.toBe(first);
});

test('the caller is told of either, and of a turn that does not come, what it says itself', async () => {
  const explain = ({ name }: Error) => new Error(`busy: ${name}`);
  await expect(tell('exit', { explain })).rejects.toThrow('busy: ThreadGone');
  await expect(tell('be silent', { explain }, 1)).rejects.toThrow('busy: TimeUp');
  const giveBack = await turns.take(asker().signal);
  await expect(tell('a', { explain, within: 1 })).rejects.toThrow('busy: TimeUp');
  giveBack();
  const failing = pool.use({ turns, signal: asker().signal, isEnded: true, explain }, () =>
    Promise.reject(new Error('its own')),
  );
  await expect(failing).rejects.toThrow('its own');
});

test('an asker that leaves ends its work, or waits for it, as the work says', async () => {
  const left = new Error('left');
  const leaving = asker();
  const ended = tell('be silent', { signal: leaving.signal });
  leaving.abort(left);
  await expect(ended).rejects.toBe(left);

  const alsoLeaving = asker();
  const use = { turns, signal: alsoLeaving.signal, isEnded: false };
  const done = pool.use(use, async (port, signal) => {
    alsoLeaving.abort(left);
    return ask(port, signal, 'a', 60_000);
  });
  expect(await done).toBeGreaterThan(0);
});

test('an asker with many pieces of work is left nothing to listen', async () => {
  const one = asker();
  const use = { signal: one.signal };
  for (let n = 0; n < 100; n += 1) await tell('a', use);
  expect(getEventListeners(one.signal, 'abort')).toEqual([]);
});
