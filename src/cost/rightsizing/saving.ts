import { zero } from '../amount.ts';
import type { Amount } from '../amount.ts';
import type { Size } from './catalog.ts';

const hoursPerMonth = 730;

/** Digits after the point of what is estimated; the rest is cut off. */
const places = 6;
const lane = 1_000_000_000n;
const scale = lane * lane;
const kept = 10n ** BigInt(18 - places);

/** Prices are decimals with few digits. */
const pricesPerUnit = 1_000;
const whole = (price: number): bigint => BigInt(Math.round(price * pricesPerUnit));

const toBig = ({ units, nanos, attos }: Amount): bigint =>
  BigInt(units) * scale + BigInt(nanos) * lane + BigInt(attos);

/** @param value not negative, in units of 10⁻¹⁸ */
function fromBig(value: bigint): Amount {
  const cut = (value / kept) * kept;
  return {
    units: Number(cut / scale),
    nanos: Number((cut / lane) % lane),
    attos: Number(cut % lane),
  };
}

export interface Saving {
  readonly cost_per_hour: Amount;
  readonly monthly_cost: Amount;
  readonly monthly_saving: Amount;
}

/**
 * What a smaller size would save in a month of 730 hours, at the rate that was paid: rounded down, never more than the cost.
 * @param cost of the resource over so many hours
 * @returns undefined where nothing was paid
 */
export function savingOf(
  cost: Amount,
  hours: number,
  from: Pick<Size, 'price'>,
  to: Pick<Size, 'price'>,
): Saving | undefined {
  const paid = toBig(cost);
  if (paid <= 0n || hours <= 0) return undefined;
  const time = BigInt(hours);
  const monthly = paid * BigInt(hoursPerMonth);
  const before = whole(from.price);
  const saved = before - whole(to.price);
  return {
    cost_per_hour: fromBig(paid / time),
    monthly_cost: fromBig(monthly / time),
    monthly_saving: saved > 0n ? fromBig((monthly * saved) / (time * before)) : zero,
  };
}
