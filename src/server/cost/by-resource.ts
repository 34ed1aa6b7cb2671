import { permits } from '../../contract/endpoint.ts';
import type { Measure } from '../../cost/focus/record.ts';
import { ResourceCosts } from '../../cost/resource-costs.ts';
import { dayNumber } from '../../cost/table/days.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Principal } from '../http/call.ts';
import { nextTurn } from '../next-turn.ts';
import type { Store } from '../store/store.ts';
import type { StoredPeriod } from './collection.ts';
import { withPeriods } from './periods.ts';
import { openTable } from './tables.ts';

/** Days of a month, whichever it is. */
const monthDays = 30;
/** Days: what a billing account charged longer before the newest data of all is no cost of today. */
const staleAfter = 62;

/** Whether a caller may see what anything costs. */
export const seesCost = ({ principal }: { readonly principal: Principal }): boolean =>
  permits(principal.scopes, 'cost:read');

/** The days of a period that count, as days since 1970-01-01. */
interface Part {
  readonly period: StoredPeriod;
  readonly from: number;
  readonly to: number;
}

interface Built {
  /** The content of all that was added, and its days. */
  readonly of: string;
  readonly costs: Promise<ResourceCosts>;
}

/** The last one of each store: a page of violations needs no scan. */
const built = new WeakMap<Store, Built>();

/**
 * The effective cost of each resource in a month: the last 30 whole days of which its billing account has data, with nothing
 * scaled. Made once for the same charges, in turns. Undefined: there are no charges.
 */
export const monthlyCosts = (
  deps: Pick<Deps, 'store' | 'clock' | 'log'>,
): Promise<ResourceCosts | undefined> =>
  withPeriods(deps.store, async (periods) => {
    const parts = partsOf(periods, timestamp(deps.clock.now()));
    if (parts.length === 0) return undefined;
    const of = JSON.stringify(
      parts.map(({ period: { id, content }, from, to }) => [id, content, from, to]),
    );
    const known = built.get(deps.store);
    if (known?.of === of) return known.costs;
    const made = { of, costs: addUp(deps, parts, new ResourceCosts('effective')) };
    built.set(deps.store, made);
    made.costs.catch(() => {
      if (built.get(deps.store) === made) built.delete(deps.store);
    });
    return made.costs;
  });

function partsOf(periods: readonly StoredPeriod[], now: string): readonly Part[] {
  const ends = new Map<string, number>();
  const today = dayNumber(now.slice(0, 10));
  for (const doc of periods) {
    // Today is not over.
    const end = Math.min(dayNumber(doc.last_day) + 1, today);
    ends.set(payer(doc), Math.max(end, ends.get(payer(doc)) ?? 0));
  }
  const newest = [...ends.values()].reduce((last, end) => Math.max(last, end), 0);
  return periods.flatMap((period) => {
    const to = ends.get(payer(period)) ?? 0;
    const from = to - monthDays;
    const isOf = dayNumber(period.last_day) >= from && dayNumber(period.first_day) < to;
    return isOf && to > newest - staleAfter ? [{ period, from, to }] : [];
  });
}

const payer = ({ provider, billing_account: account }: StoredPeriod): string =>
  JSON.stringify([provider, account]);

export interface CostsBetween {
  /** Days since 1970-01-01: from, and up to without. */
  readonly from: number;
  readonly to: number;
  readonly measure: Measure;
  readonly where?: Readonly<Record<string, readonly string[]>>;
  readonly signal: AbortSignal;
}

/** The cost of each resource between two days, of periods of one moment. Nothing of it is kept. */
export async function costsBetween(
  deps: Pick<Deps, 'store' | 'log'>,
  periods: readonly StoredPeriod[],
  { from, to, measure, where = {}, signal }: CostsBetween,
): Promise<ResourceCosts> {
  const parts = periods
    .filter((one) => dayNumber(one.last_day) >= from && dayNumber(one.first_day) < to)
    .map((period) => ({ period, from, to }));
  return addUp(deps, parts, new ResourceCosts(measure, where), signal);
}

async function addUp(
  { store, log }: Pick<Deps, 'store' | 'log'>,
  parts: readonly Part[],
  costs: ResourceCosts,
  signal?: AbortSignal,
): Promise<ResourceCosts> {
  for (const { period, from, to } of parts) {
    const { provider, billing_account: billingAccount, charges } = period;
    const table = await openTable(store.blobs, charges);
    await costs.add({ provider, billingAccount, from, to, table }, async () => {
      signal?.throwIfAborted();
      await nextTurn();
    });
  }
  if (costs.left > 0) {
    log.warn(
      { resources: costs.size },
      'too many resources have charges; the cost of some is unknown',
    );
  }
  return costs;
}
