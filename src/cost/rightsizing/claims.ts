import { AmountSum, compare } from '../amount.ts';
import type { Amount } from '../amount.ts';

/** What could be saved on a resource, as one recommendation says. */
export interface Claim {
  readonly resource_id: string;
  readonly currency: string;
  readonly amount: Amount;
}

/**
 * What could be saved in all, by currency. Of several recommendations on one resource only the largest counts: it can't
 * be both removed and made smaller.
 */
export function totalOfClaims(claims: Iterable<Claim>): ReadonlyMap<string, Amount> {
  const largest = new Map<string, Claim>();
  for (const claim of claims) {
    const key = `${claim.currency}\0${claim.resource_id}`;
    const before = largest.get(key);
    if (!before || compare(claim.amount, before.amount) > 0) largest.set(key, claim);
  }
  const sums = new Map<string, AmountSum>();
  for (const { currency, amount } of largest.values()) {
    let sum = sums.get(currency);
    if (!sum) sums.set(currency, (sum = new AmountSum()));
    sum.add(amount);
  }
  return new Map([...sums].map(([currency, sum]) => [currency, sum.total]));
}
