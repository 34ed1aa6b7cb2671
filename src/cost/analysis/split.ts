import { amountOf, attosIn } from '../amount.ts';
import type { Amount } from '../amount.ts';

/**
 * Splits an amount by weights. The parts add up to it to the last digit: what division leaves goes to the first parts, one unit of
 * the 18th digit each.
 * @param weights whole numbers from 0 on, one of them more
 */
export function splitAmount(amount: Amount, weights: readonly bigint[]): readonly Amount[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0n);
  const whole = attosIn(amount);
  const parts = weights.map((weight) => (whole * weight) / all);
  let left = whole - parts.reduce((sum, part) => sum + part, 0n);
  const step = left < 0n ? -1n : 1n;
  return parts.map((part, at) => {
    const takes = left !== 0n && weights[at] !== 0n;
    if (takes) left -= step;
    return amountOf(takes ? part + step : part);
  });
}

/** What a part of cost weighs: its amount; nothing where it is none, or negative. */
export const weightOf = (amount: Amount): bigint => {
  const attos = attosIn(amount);
  return attos > 0n ? attos : 0n;
};
