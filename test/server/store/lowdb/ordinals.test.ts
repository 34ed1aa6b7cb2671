import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Bits,
  inAll,
  withOrdinal,
  withoutOrdinal,
} from '../../../../src/server/store/lowdb/ordinals.ts';
import type { Ordinals } from '../../../../src/server/store/lowdb/ordinals.ts';

/** Rows there are: sets of some of them are bits, of others lists. */
const ROWS = 20_000;

/** Runs of rows that come, or go again: close together, far apart, or a few of them. */
const aRun = fc.record({
  adds: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  from: fc.nat(ROWS - 1),
  step: fc.constantFrom(1, 2, 7, 100, 501),
  count: fc.constantFrom(1, 2, 3, 9, 70, 400),
});

const aHistory = fc.array(aRun, { maxLength: 12 });

const play = (history: readonly (typeof aRun extends fc.Arbitrary<infer R> ? R : never)[]) => {
  const expected = new Set<number>();
  let set: Ordinals | undefined;
  for (const { adds, from, step, count } of history) {
    for (let n = 0; n < count; n += 1) {
      const ordinal = (from + n * step) % ROWS;
      if (adds) {
        expected.add(ordinal);
        set = withOrdinal(set, ordinal);
      } else {
        expected.delete(ordinal);
        set = set === undefined ? undefined : withoutOrdinal(set, ordinal);
      }
    }
  }
  return { set, expected };
};

const sorted = (ordinals: Iterable<number>): number[] => [...ordinals].sort((a, b) => a - b);

const listOf = (rows: readonly number[] | Bits): number[] =>
  sorted(rows instanceof Bits ? rows.toList() : rows);

test('a set has what came and did not go, whatever form it takes', () => {
  fc.assert(
    fc.property(aHistory, fc.constantFrom(0, 50, ROWS), (history, few) => {
      const { set, expected } = play(history);
      const groups = [set === undefined ? [] : [set]];
      expect(listOf(inAll(groups, ROWS, few))).toEqual(sorted(expected));
    }),
    { numRuns: 300 },
  );
});

test('rows in any set of each group are found and counted, in few and in many', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(aHistory, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(0, 50, ROWS),
      (histories, few) => {
        const groups = histories.map((group) => group.map(play));
        const expected = sorted(
          Array.from({ length: ROWS }, (_, ordinal) => ordinal).filter((ordinal) =>
            groups.every((group) => group.some((one) => one.expected.has(ordinal))),
          ),
        );
        const sets = groups.map((group) => group.flatMap(({ set }) => set ?? []));
        const found = inAll(sets, ROWS, few);
        expect(listOf(found)).toEqual(expected);
        expect(found instanceof Bits).toBe(expected.length > few);
        if (found instanceof Bits) expect(found.size).toBe(expected.length);
      },
    ),
    { numRuns: 100 },
  );
});
