import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Amount } from '../../src/cost/amount.ts';
import {
  AmountSum,
  add,
  compare,
  parseAmount,
  readPlainAmount,
  showAmount,
  subtract,
  toNumber,
  zero,
} from '../../src/cost/amount.ts';

function amountOf(text: string): Amount {
  const parsed = parseAmount(text);
  if (typeof parsed === 'string') throw new Error(`${text} ${parsed}`);
  return parsed;
}

function plainAmount(bytes: Uint8Array, start: number, end: number): Amount | undefined {
  const lanes = new Float64Array(3);
  if (!readPlainAmount(bytes, start, end, lanes, 0)) return undefined;
  const [units = 0, nanos = 0, attos = 0] = lanes;
  return { units, nanos, attos };
}

/** In units of 10⁻¹⁸. */
const bigOf = ({ units, nanos, attos }: Amount): bigint =>
  (BigInt(units) * 1_000_000_000n + BigInt(nanos)) * 1_000_000_000n + BigInt(attos);

const limit = 10n ** 30n - 1n;
const big = fc.bigInt({ min: -limit, max: limit });
const textOf = (value: bigint): string => {
  const digits = String(value < 0n ? -value : value).padStart(19, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`;
};

describe('an amount', () => {
  it('reads and shows decimals of 12 digits before and 18 after the point', () => {
    fc.assert(
      fc.property(big, (value) => {
        const amount = amountOf(textOf(value));
        expect(bigOf(amount)).toBe(value);
        expect(bigOf(amountOf(showAmount(amount)))).toBe(value);
      }),
    );
  });

  it('shows no needless digit', () => {
    for (const [text, shown] of [
      ['0.00001605990', '0.0000160599'],
      ['-0.5', '-0.5'],
      ['-0', '0'],
      ['.5', '0.5'],
      ['5.', '5'],
      ['+7', '7'],
      [' 12.50 ', '12.5'],
      ['007.10', '7.1'],
      ['1.2E-05', '0.000012'],
      ['1e3', '1000'],
      ['-4.440892098500626E-16', '-0.000000000000000444'],
    ] as const) {
      expect([text, showAmount(amountOf(text))]).toEqual([text, shown]);
    }
  });

  it('rounds what is beyond the 18th digit half to even, and says so', () => {
    for (const [text, shown] of [
      ['0.0000000000000000005', '0'],
      ['0.0000000000000000015', '0.000000000000000002'],
      ['-0.0000000000000000015', '-0.000000000000000002'],
      ['0.00000000000000000050001', '0.000000000000000001'],
      ['0.9999999999999999999', '1'],
    ] as const) {
      const parsed = parseAmount(text);
      expect(parsed).toMatchObject({ isRounded: true });
      expect([text, showAmount(amountOf(text))]).toEqual([text, shown]);
    }
    expect(parseAmount('0.10000000000000000000')).toMatchObject({ isRounded: false });
  });

  it('is none where it is not a decimal, or too large, and says why', () => {
    for (const text of [
      '',
      '.',
      '-',
      'NaN',
      'Infinity',
      '1,5',
      '1.2.3',
      '0x1f',
      '1e',
      '$1',
      '١',
      '1 2',
    ]) {
      expect([text, parseAmount(text)]).toEqual([text, 'is not a decimal number']);
    }
    expect(parseAmount('1e308')).toMatch(/more than 12 digits/);
    expect(parseAmount('1000000000000')).toMatch(/more than 12 digits/);
    expect(parseAmount('1e999')).toBe('is out of range');
    expect(parseAmount('1'.repeat(401))).toMatch(/longer than 400/);
  });

  it('adds, subtracts and compares as whole numbers do', () => {
    fc.assert(
      fc.property(fc.array(big, { maxLength: 50 }), big, (values, other) => {
        const sum = new AmountSum();
        for (const value of values) sum.add(amountOf(textOf(value)));
        const total = values.reduce((all, value) => all + value, 0n);
        expect(bigOf(sum.total)).toBe(total);
        const one = amountOf(textOf(other));
        expect(bigOf(add(sum.total, one))).toBe(total + other);
        expect(bigOf(subtract(sum.total, one))).toBe(total - other);
        expect(Math.sign(compare(sum.total, one))).toBe(total < other ? -1 : total > other ? 1 : 0);
      }),
    );
  });

  it('stays exact over more amounts than one carry covers', () => {
    const sum = new AmountSum();
    const one = amountOf('999999.999999999999999999');
    const many = (1 << 22) + 5;
    for (let at = 0; at < many; at++) sum.add(one);
    expect(bigOf(sum.total)).toBe(bigOf(one) * BigInt(many));
  });

  it('is near the double of the same digits', () => {
    expect(toNumber(amountOf('-12.25'))).toBe(-12.25);
    expect(toNumber(zero)).toBe(0);
    expect(toNumber(amountOf('0.1'))).toBeCloseTo(0.1, 15);
  });
});

it('reads plain amounts from bytes as it reads them from text, and leaves all others to the text', () => {
  const part = fc.stringMatching(/^[0-9]{0,14}$/);
  const text = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      part,
      fc.option(fc.stringMatching(/^[0-9]{0,20}$/)),
      fc.constantFrom('', 'e3', ' '),
    )
    .map(
      ([sign, units, after, end]) => `${sign}${units}${after === null ? '' : `.${after}`}${end}`,
    );
  fc.assert(
    fc.property(text, (given) => {
      const bytes = Buffer.from(`x${given},`);
      const quick = plainAmount(bytes, 1, bytes.length - 1);
      if (!quick) return;
      const { isRounded, ...slow } = parseAmount(given) as Amount & { isRounded: boolean };
      expect(isRounded).toBe(false);
      expect(quick).toEqual(slow);
    }),
  );
  expect(plainAmount(Buffer.from('-1.000000002000000003'), 0, 21)).toEqual({
    units: -2,
    nanos: 999_999_997,
    attos: 999_999_997,
  });
  expect(plainAmount(Buffer.from('1e3'), 0, 3)).toBeUndefined();
});
