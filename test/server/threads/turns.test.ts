import { expect, test } from 'vitest';
import { TimeUp } from '../../../src/server/threads/time-up.ts';
import { createTurns } from '../../../src/server/threads/turns.ts';

const { signal } = new AbortController();

test('who waits is served in turn with others, however much each waits for', async () => {
  const turns = createTurns(1);
  const giveBack = await turns.take(signal, 'first');
  const served: string[] = [];
  const wait = async (owner: string, name: string): Promise<void> => {
    const done = await turns.take(signal, owner);
    served.push(name);
    done();
  };
  const all = [
    wait('greedy', 'greedy 1'),
    wait('greedy', 'greedy 2'),
    wait('greedy', 'greedy 3'),
    wait('modest', 'modest 1'),
    wait('other', 'other 1'),
    wait('modest', 'modest 2'),
  ];
  giveBack();
  await Promise.all(all);
  expect(served).toEqual(['greedy 1', 'modest 1', 'other 1', 'greedy 2', 'modest 2', 'greedy 3']);
});

test('who gives up waiting, or waits too long, leaves its place to others', async () => {
  const turns = createTurns(1);
  const giveBack = await turns.take(signal, 'a');
  const gone = new AbortController();
  const left = turns.take(gone.signal, 'b');
  const late = turns.take(signal, 'b', 1);
  const stays = turns.take(signal, 'b');
  gone.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await expect(late).rejects.toBeInstanceOf(TimeUp);
  giveBack();
  (await stays)();
  (await turns.take(signal, 'c'))();
});

test('an owner that has as many places as one may have waits, and others do not', async () => {
  const turns = createTurns(3, 2);
  const [first] = [await turns.take(signal, 'greedy'), await turns.take(signal, 'greedy')];
  let isServed = false;
  const third = turns.take(signal, 'greedy').then((giveBack) => {
    isServed = true;
    return giveBack;
  });
  const modest = await turns.take(signal, 'modest');
  modest();
  await turns.take(signal, 'other');
  expect(isServed).toBe(false);
  first();
  (await third)();
});

test('places that are given back can be had again, as many as there are', async () => {
  const turns = createTurns(2);
  const [one, two] = [await turns.take(signal), await turns.take(signal)];
  const third = turns.take(signal, 'x');
  one();
  (await third)();
  two();
  const again = [await turns.take(signal), await turns.take(signal)];
  await expect(turns.take(signal, 'y', 1)).rejects.toBeInstanceOf(TimeUp);
  for (const giveBack of again) giveBack();
});
