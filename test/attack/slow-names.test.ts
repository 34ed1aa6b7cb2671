import { expect, test } from 'vitest';
import { resolveInTurn } from '../../src/server/outbound/resolve.ts';
import { until } from '../support/until.ts';
import type { Resolve } from '../../src/server/outbound/resolve.ts';

// Somebody names hosts whose name servers never answer; each lookup of one takes a thread that others need, too.

const found = [{ address: '192.0.2.1', family: 4 }];
const never = new Promise<never>(() => {});

/** What is looked up, and a clock that stands still. */
function world(look: Resolve, slowFrom = 1_000_000) {
  const asked: string[] = [];
  let now = 0;
  const resolve = resolveInTurn(
    (host) => {
      asked.push(host);
      return look(host);
    },
    { now: () => now, slowFrom },
  );
  return { resolve, asked, pass: (ms: number) => void (now += ms) };
}

/** They end as too slow half a minute on, when no test is there to see it. */
const leave = (looking: Promise<unknown>): void => void looking.catch(() => undefined);

const hangs: Resolve = (host) => (host.startsWith('slow') ? never : Promise.resolve(found));

test('names that were found are found again beside any number whose servers never answer', async () => {
  const { resolve } = world(hangs);
  expect(await resolve('good.example')).toEqual(found);
  for (let n = 0; n < 100; n += 1) leave(resolve(`slow${n}.example`));
  for (let n = 0; n < 3; n += 1) expect(await resolve('good.example')).toEqual(found);
});

test('new names are found beside those that were slow before', async () => {
  let answer: (() => void)[] = [];
  const { resolve, pass } = world(
    (host) =>
      host.startsWith('slow')
        ? new Promise((_, reject) => answer.push(() => reject(new Error('no answer'))))
        : Promise.resolve(found),
    1_000,
  );
  for (let n = 0; n < 3; n += 1) {
    const failed = expect(resolve(`slow${n}.example`)).rejects.toThrow('no answer');
    await until(() => answer.length > 0);
    pass(20_000);
    for (const one of answer) one();
    answer = [];
    await failed;
  }
  for (let n = 0; n < 3; n += 1) leave(resolve(`slow${n}.example`));
  expect(await resolve('new.example')).toEqual(found);
  expect(await resolve('newer.example')).toEqual(found);
});

test('where a lookup hangs, the last addresses of a name will do', async () => {
  let isUp = true;
  const { resolve, pass } = world(() => (isUp ? Promise.resolve(found) : never), 5);
  expect(await resolve('good.example')).toEqual(found);
  isUp = false;
  expect(await resolve('good.example')).toEqual(found);
  pass(2 * 3_600_000);
  const tooOld = await Promise.race([
    resolve('good.example'),
    new Promise((tell) => setTimeout(tell, 50, 'none')),
  ]);
  expect(tooOld).toBe('none');
});

test('a name that is not found is not found, whatever it was before, and one lookup is for all who ask', async () => {
  let isThere = true;
  const { resolve, asked } = world(() =>
    isThere ? Promise.resolve(found) : Promise.reject(new Error('ENOTFOUND')),
  );
  const all = Array.from({ length: 5 }, () => resolve('good.example'));
  expect(await Promise.all(all)).toEqual(Array(5).fill(found));
  expect(asked).toHaveLength(1);
  isThere = false;
  await expect(resolve('good.example')).rejects.toThrow('ENOTFOUND');
});
