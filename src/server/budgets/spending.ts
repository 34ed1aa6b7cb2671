import { showAmount, showEstimate, zero } from '../../cost/amount.ts';
import { dayNumber } from '../../cost/table/days.ts';
import { expectedTotal, readSums, withCharges } from '../cost/service.ts';
import type { Charges } from '../cost/service.ts';
import { timestamp } from '../deps.ts';
import type { Deps } from '../deps.ts';
import type { Span } from './calendar.ts';
import type { BudgetEvaluation, StoredBudget } from './collection.ts';

/** What is told of the charges that were imported in part. */
const mostIncomplete = 20;

export interface SpendingOptions {
  /** The operator's. */
  readonly ownerTags: readonly string[];
  readonly signal: AbortSignal;
}

/** Finds out what was spent in a period and, while it lasts, what will be. Works in turns. */
export function spendingIn(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { filter = {}, currency, metric }: StoredBudget,
  span: Span,
  { ownerTags, signal }: SpendingOptions,
): Promise<BudgetEvaluation> {
  const { tags = {}, ...filters } = filter;
  const byTag = Object.entries(tags).map(([key, texts]) => [key.toLowerCase(), texts] as const);
  // A tag that no charge was imported with is no fault of the budget: it counts nothing.
  const where = Object.fromEntries(byTag.map(([key, texts]) => [`tag:${key}`, texts]));
  const asked = { filters, where, measure: metric, ownerTags, signal };
  return withCharges(store, asked, async (charges) => {
    const isNowhere = (keys: readonly string[]): boolean =>
      !charges.usesInventory && !keys.some((key) => charges.tags.includes(key.toLowerCase()));
    const evaluated_at = timestamp(clock.now());
    const days = { from: dayNumber(span.start), to: dayNumber(span.end) };
    const { groups } = await readSums(charges.reading({ span: days }));
    return {
      spent: showAmount(groups.find((one) => one.currency === currency)?.amount ?? zero),
      ...(evaluated_at < span.end
        ? await forecastFor(charges, { ...span, currency }, evaluated_at, signal)
        : {}),
      ...dataOf(charges, span, [
        ...(filters.environment && isNowhere(['environment']) ? ['environment'] : []),
        ...(filters.owner && isNowhere(ownerTags) ? ownerTags.slice(0, 1) : []),
        ...byTag.map(([key]) => key),
      ]),
      other_currencies: groups
        .filter((one) => one.currency !== currency)
        .map((one) => ({ currency: one.currency, spent: showAmount(one.amount) }))
        .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
      evaluated_at,
    };
  });
}

/** What is there of a period, and what of it is not whole. */
function dataOf(
  { periods }: Charges,
  { start, end }: Span,
  wantedTags: readonly string[],
): Pick<BudgetEvaluation, 'data_until' | 'incomplete' | 'missing_tags'> {
  const found = periods.filter((one) => one.first_day < end && one.last_day >= start);
  if (found.length === 0) return { incomplete: [], missing_tags: [] };
  const last = found.reduce((max, { last_day: day }) => (day > max ? day : max), '');
  const stored = new Set(found.flatMap(({ tags }) => tags));
  return {
    data_until: last < end ? last : dayBefore(end),
    incomplete: found
      .filter(({ skipped }) => skipped > 0)
      .slice(0, mostIncomplete)
      .map(({ provider, billing_account, period, skipped }) => ({
        provider,
        billing_account,
        period,
        skipped_rows: skipped,
      })),
    missing_tags: wantedTags.filter((tag) => !stored.has(tag)),
  };
}

/** Days after the last one with data in which a forecast still makes sense: exports may be monthly. */
const longestGap = 35;

async function forecastFor(
  charges: Charges,
  wanted: Span & { readonly currency: string },
  now: string,
  signal: AbortSignal,
): Promise<Pick<BudgetEvaluation, 'forecast' | 'forecast_note'>> {
  const last = charges.periods.reduce((max, { last_day: day }) => (day > max ? day : max), '');
  if (last !== '' && dayNumber(now.slice(0, 10)) - dayNumber(last) > longestGap) {
    return {
      forecast_note: `cost data ends on ${last}, more than ${longestGap} days ago`,
    };
  }
  const expected = await expectedTotal(charges, wanted, signal);
  if ('reason' in expected) return { forecast_note: expected.reason };
  const { mean, interval80, note } = expected;
  return {
    forecast: {
      amount: showEstimate(mean),
      low: showEstimate(interval80[0]),
      high: showEstimate(interval80[1]),
    },
    ...(note === undefined ? {} : { forecast_note: note }),
  };
}

const dayBefore = (day: string): string => timestamp(Date.parse(day) - 86_400_000).slice(0, 10);
