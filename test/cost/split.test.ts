import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AmountSum, parseAmount, showAmount } from '../../src/cost/amount.ts';
import type { Amount } from '../../src/cost/amount.ts';
import { splitAmount, weightOf } from '../../src/cost/analysis/split.ts';

const amountOf = (text: string): Amount => {
  const parsed = parseAmount(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

describe('a split of shared cost', () => {
  it('gives each its part', () => {
    const parts = (amount: string, ...weights: bigint[]) =>
      splitAmount(amountOf(amount), weights).map(showAmount);
    expect(parts('10', 60n, 40n)).toEqual(['6', '4']);
    expect(parts('-1', 1n, 1n, 1n)).toEqual([
      '-0.333333333333333334',
      '-0.333333333333333333',
      '-0.333333333333333333',
    ]);
    expect(parts('0.000000000000000001', 0n, 1n, 1n)).toEqual(['0', '0.000000000000000001', '0']);
  });

  it('adds up to the whole, to the last digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 28n), max: 10n ** 28n }),
        fc.array(fc.bigInt({ min: 0n, max: 10n ** 24n }), { minLength: 1, maxLength: 30 }),
        (attos, weights) => {
          fc.pre(weights.some((weight) => weight > 0n));
          const whole = amountOf(`${attos}e-18`);
          const sum = new AmountSum();
          for (const [at, part] of splitAmount(whole, weights).entries()) {
            if (weights[at] === 0n) expect(showAmount(part)).toBe('0');
            sum.add(part);
          }
          expect(showAmount(sum.total)).toBe(showAmount(whole));
        },
      ),
    );
  });

  it('gives nothing to who has credits alone', () => {
    expect([weightOf(amountOf('-3')), weightOf(amountOf('2'))]).toEqual([0n, 2n * 10n ** 18n]);
  });
});
