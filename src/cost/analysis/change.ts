import { compare, subtract, toNumber, zero } from '../amount.ts';
import type { Amount } from '../amount.ts';

/** A group in two periods of equal length. */
export interface Compared {
  readonly amount: Amount;
  readonly previous: Amount;
}

export const changeOf = ({ amount, previous }: Compared): Amount => subtract(amount, previous);

/** With two decimals; null where there was nothing before. */
export function changePercent(compared: Compared): number | null {
  const before = toNumber(compared.previous);
  if (before === 0) return null;
  return rounded((toNumber(changeOf(compared)) / Math.abs(before)) * 100, 2);
}

/** From 0 to 1 with four decimals; null where the whole is nothing. */
export function shareOf(part: Amount, whole: Amount): number | null {
  const all = toNumber(whole);
  return all === 0 ? null : rounded(toNumber(part) / all, 4);
}

const rounded = (value: number, digits: number): number =>
  Math.round(value * 10 ** digits) / 10 ** digits + 0;

const isZero = (amount: Amount): boolean => compare(amount, zero) === 0;

export const isChanged = (compared: Compared): boolean => !isZero(changeOf(compared));

export function kindOfChange(compared: Compared): 'up' | 'down' | 'new' | 'gone' {
  if (isZero(compared.previous)) return 'new';
  if (isZero(compared.amount)) return 'gone';
  return compare(compared.amount, compared.previous) > 0 ? 'up' : 'down';
}
