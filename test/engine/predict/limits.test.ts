import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beyond, limitsOf, numberAt, withNumber } from '../../../src/engine/predict/limits.ts';
import type { Limit } from '../../../src/engine/predict/limits.ts';

const limits = (condition: string): string =>
  limitsOf([{ condition, effect: 'DENY' }])
    .map(({ path, op, value }) => `${path.join('.')} ${op} ${value}`)
    .sort()
    .join(', ');

describe('the limits of a condition', () => {
  it.each([
    ['resource.days < 30', 'days < 30'],
    ['30 > resource.days', 'days < 30'],
    ['resource.disk["used %"] >= 90.5', 'disk.used % >= 90.5'],
    ['has(resource.a.b) && int(resource.a.b) <= -1', 'a.b <= -1'],
    ['resource.n > 5u || resource.m < 2', 'm < 2, n > 5'],
    ['!(resource.n > 5) ? resource.n < 1 : false', 'n < 1, n > 5'],
    ['resource.n == 5', ''],
    ['resource.items.exists(i, i.n > 5)', ''],
    ['resource.items[0].n > 5', ''],
    ['size(resource.items) > 5', ''],
    ['resource.n > resource.m', ''],
    ['timestamp(resource.ends) < now', ''],
    ['resource.n + 1 > 5', ''],
  ])('of %s are [%s]', (condition, expected) => {
    expect(limits(condition)).toBe(expected);
  });
});

const holds: Record<Limit['op'], (a: number, b: number) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

describe('the value beyond a limit', () => {
  it('is the first at which the comparison answers otherwise', () => {
    const ops = fc.constantFrom<Limit['op'][]>('<', '<=', '>', '>=');
    const halves = fc.integer({ min: -200, max: 200 }).map((n) => n / 2);
    fc.assert(
      fc.property(ops, halves, fc.integer({ min: -100, max: 100 }), (op, value, from) => {
        const answer = (at: number): boolean => holds[op](at, value);
        const whole = beyond({ path: ['n'], op, value }, from, true);
        expect(answer(whole)).not.toBe(answer(from));
        expect(answer(whole - Math.sign(whole - from))).toBe(answer(from));
        const any = beyond({ path: ['n'], op, value }, from, false);
        expect(answer(any)).not.toBe(answer(from));
        expect(Math.abs(any - value)).toBeLessThan(1e-6);
      }),
    );
  });
});

describe('a number of a resource', () => {
  const resource = { a: { b: 1, c: 'x' }, d: 2 };

  it('is read and replaced by its path', () => {
    expect(numberAt(resource, ['a', 'b'])).toBe(1);
    expect(withNumber(resource, ['a', 'b'], 5)).toEqual({ a: { b: 5, c: 'x' }, d: 2 });
    expect(withNumber(resource, ['d'], 5)).toEqual({ a: { b: 1, c: 'x' }, d: 5 });
  });

  it.each([[['a']], [['a', 'c']], [['x', 'y']], [['toString']], [['d', 'e']]])(
    'is not at %o',
    (path) => {
      expect(numberAt(resource, path)).toBeUndefined();
    },
  );
});
