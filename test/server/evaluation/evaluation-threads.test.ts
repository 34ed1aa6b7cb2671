import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEvaluationThreads } from '../../../src/server/evaluation/thread/threads.ts';
import type {
  EvaluationThreads,
  EvaluationThreadsOptions,
} from '../../../src/server/evaluation/thread/threads.ts';
import { ThreadGone } from '../../../src/server/threads/threads.ts';
import { TimeUp } from '../../../src/server/threads/time-up.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';
import type { TempFolder } from '../store/lowdb/temp-folder.ts';

/** A thread that does what the first condition says, and passes all resources. */
const thread = `
import { parentPort, threadId } from 'node:worker_threads';
parentPort.on('message', ({ kind, conditions: [first] = [], subjects, given }) => {
  if (kind === 'decide') {
    parentPort.postMessage({
      ...{ kind: 'decided', verdicts: subjects.map(() => null), steps: 1, broken: [] },
      ...{ ready: given.length, isFull: false },
    });
    return;
  }
  if (first === 'loop') for (;;);
  if (first === 'exit') process.exit(3);
  parentPort.postMessage({ kind: 'checked', problems: [{ message: String(threadId) }] });
});
`;

let folder: TempFolder;
let threads: EvaluationThreads;
async function start(options: EvaluationThreadsOptions = {}): Promise<void> {
  const script = path.join(folder.path, 'thread.mjs');
  await writeFile(script, thread);
  threads = createEvaluationThreads({ file: pathToFileURL(script), ...options });
}
beforeEach(async () => void (folder = await tempFolder()));
afterEach(async () => {
  await threads.close();
  await folder.remove();
});

/** Milliseconds: a busy machine takes some seconds to start a thread. */
const turnWithin = 6_000;

const { signal } = new AbortController();
const request = { owner: 'key_1', signal };
const background = { signal };
const check = async (asker: typeof request | typeof background, condition: string) =>
  (await threads.check(asker, [condition]))[0]?.message;

test('a turn that does not end is ended with its thread, and the next has another', async () => {
  await start({ turnWithin });
  const first = await check(request, 'a');
  const hung = [check(request, 'loop'), check(background, 'loop')] as const;
  await Promise.allSettled(hung);
  await expect(hung[0]).rejects.toMatchObject({
    error: 'unavailable',
    headers: { 'Retry-After': '5' },
  });
  await expect(hung[1]).rejects.toBeInstanceOf(TimeUp);
  const second = await check(request, 'b');
  expect(second).toMatch(/^\d+$/);
  expect(second).not.toBe(first);
});

test('a thread that ends by itself fails its turn only', async () => {
  await start();
  await expect(check(request, 'exit')).rejects.toMatchObject({ error: 'unavailable' });
  await expect(check(background, 'exit')).rejects.toBeInstanceOf(ThreadGone);
  expect(await check(request, 'a')).toMatch(/^\d+$/);
});

test('a request that waits too long is told to come again; the background waits for nothing of it', async () => {
  await start({ turnWithin, waitWithin: 20 });
  const hung = Array.from({ length: 8 }, () => check(request, 'loop').catch(() => 'ended'));
  await expect(check({ ...request, owner: 'key_2' }, 'a')).rejects.toMatchObject({
    error: 'unavailable',
    status: 503,
  });
  expect(await check(background, 'a')).toMatch(/^\d+$/);
  expect(new Set(await Promise.all(hung))).toEqual(new Set(['ended']));
});

test('a turn is given as many resources as are copied in no time, and one at least', async () => {
  await start({ turnWithin });
  const given = async (values: number) => {
    const subjects = Array.from({ length: 100 }, (_, at) => ({
      resource: {
        ...{ id: `r${at}`, type: 'A::B', provider: 'a', tags: {}, properties: {} },
        n: Array.from({ length: values }, () => ({ of: 1 })),
      },
      keys: ['p'],
    }));
    const rulesOf = new Map([['p', []]]);
    return (await threads.decide(background, { now: 0, subjects, rulesOf })).verdicts.length;
  };
  expect(await given(0)).toBe(100);
  expect(await given(1_000)).toBeGreaterThan(1);
  expect(await given(1_000)).toBeLessThan(20);
  expect(await given(100_000)).toBe(1);
});
