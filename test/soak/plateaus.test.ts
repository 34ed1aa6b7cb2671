import { describe, expect, it } from 'vitest';
import { grown, plateausOf } from './plateaus.ts';

/** Forty samples while it fills up, then twenty of each of these. */
const samples = (...windows: readonly number[]) => [
  ...Array.from({ length: 40 }, (_, at) => ({ memory: at })),
  ...windows.flatMap((memory) => Array.from({ length: 20 }, () => ({ memory }))),
];
const judged = (...windows: readonly number[]) =>
  grown(plateausOf(samples(...windows), new Set())).map(({ name }) => name);

describe('plateaus', () => {
  it('are three windows after the warm-up, none more than 5 % above the one before', () => {
    expect(judged(100, 100, 100)).toEqual([]);
    expect(judged(100, 104, 108)).toEqual([]);
    expect(judged(100, 80, 83)).toEqual([]);
    expect(judged(100, 106, 100)).toEqual(['memory']);
    expect(judged(100, 100, 106)).toEqual(['memory']);
    expect(judged(0, 0, 1)).toEqual(['memory']);
  });

  it('are medians: a peak is no growth', () => {
    const some = samples(100, 100, 100).map((one, at) => (at % 5 === 0 ? { memory: 1e6 } : one));
    expect(plateausOf(some, new Set())).toEqual([
      { name: 'memory', windows: [100, 100, 100], growth: 0 },
    ]);
  });

  it('are what is lowest, where the rest is not collected yet', () => {
    const some = samples(100, 100, 100).map((one, at) => (at === 70 ? { memory: 50 } : one));
    expect(plateausOf(some, new Set(['memory']))).toEqual([
      { name: 'memory', windows: [100, 50, 100], growth: 100 },
    ]);
  });
});
