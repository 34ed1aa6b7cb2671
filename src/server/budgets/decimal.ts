/**
 * Decimals as whole numbers of 10⁻¹⁸. A sum of charges may have more digits before the point than `parseAmount` takes of one
 * charge.
 */
export type Decimal = bigint;

const one = 10n ** 18n;

/** @param text as `showAmount` writes it */
export function readDecimal(text: string): Decimal {
  const [whole = '', after = ''] = text.split('.');
  const fraction = BigInt(after.padEnd(18, '0'));
  return BigInt(whole) * one + (text.startsWith('-') ? -fraction : fraction);
}

export function showDecimal(decimal: Decimal): string {
  const size = decimal < 0n ? -decimal : decimal;
  const after = String(size % one)
    .padStart(18, '0')
    .replace(/0+$/, '');
  return `${decimal < 0n ? '-' : ''}${size / one}${after === '' ? '' : `.${after}`}`;
}

/** A percentage, with up to two digits after the point, of a positive decimal; digits beyond the 18th are cut off. */
export const percentOf = (whole: Decimal, percent: number): Decimal =>
  (whole * BigInt(Math.round(percent * 100))) / 10_000n;

/** How many percent of a positive decimal another one is, with one digit after the point, never rounded up: 79.99 is not 80. */
export const percentIn = (part: Decimal, whole: Decimal): number =>
  Number((part * 1_000n) / whole) / 10;
