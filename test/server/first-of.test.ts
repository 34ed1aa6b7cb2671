import { expect, it } from 'vitest';
import { firstOf } from '../../src/server/first-of.ts';

const count = 100_000;
/** In an order that no sort knows already. */
const mixed = Array.from({ length: count }, (_, n) => (n * 7_919) % count);

it.each([1, 10, 10_000])(
  'finds the first %i of very many, and compares few of them before others have their turn',
  async (most) => {
    let compared = 0;
    let longest = 0;
    let isOver = false;
    const turn = (): void => {
      longest = Math.max(longest, compared);
      compared = 0;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const first = await firstOf(
      mixed,
      (a, b) => {
        compared += 1;
        return a - b;
      },
      most,
    );
    turn();
    isOver = true;
    expect(first).toEqual(Array.from({ length: most }, (_, n) => n));
    // All of them at once take some 1,600,000.
    expect(longest).toBeLessThan(120_000);
  },
);

it('finds all where there are fewer', async () => {
  expect(await firstOf([3, 1, 2], (a, b) => a - b, 10)).toEqual([1, 2, 3]);
  expect(await firstOf([], () => 0, 10)).toEqual([]);
});
