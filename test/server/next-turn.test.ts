import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connectionAccepted, nextTurn } from '../../src/server/next-turn.ts';

/** Works in turns, and says so. */
async function work(name: string, turns: number, done: string[]): Promise<void> {
  for (let at = 0; at < turns; at++) {
    await nextTurn();
    done.push(name);
  }
}

test('of all that works in turns, one goes on in each turn of the event loop, one after the other', async () => {
  const done: string[] = [];
  const all = [work('a', 3, done), work('b', 3, done), work('c', 1, done)];
  const perTurn: number[] = [];
  for (let before = 0; before < 7; before = done.length) {
    await turnOfLoop();
    perTurn.push(done.length - before);
  }
  await Promise.all(all);
  expect(Math.max(...perTurn)).toBe(1);
  expect(done.join('')).toBe('abcabab');
});

test('work gives its turns away while connections are accepted, but not for ever', async () => {
  const done: string[] = [];
  const working = work('a', 2, done);
  for (let turn = 0; turn < 20; turn++) {
    connectionAccepted();
    await turnOfLoop();
  }
  expect(done).toEqual([]);
  for (let turn = 0; turn < 200; turn++) {
    connectionAccepted();
    await turnOfLoop();
  }
  expect(done).toEqual(['a', 'a']);
  await working;
});
