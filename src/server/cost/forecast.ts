import type { CostAnalysisQuery, CostGrouping, costFilters } from '../../contract/cost.ts';
import type { CostForecast } from '../../contract/cost-forecast.ts';
import { GovctlError } from '../../contract/errors.ts';
import {
  add,
  AmountSum,
  showAmount,
  showEstimate,
  subtract,
  toNumber,
  zero,
} from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import { forecastDaily, sumOfDays } from '../../cost/forecast/forecast.ts';
import type { Backtest, Forecast, ForecastPoint } from '../../cost/forecast/forecast.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import { nextTurn } from '../next-turn.ts';
import { allRows } from '../store/all-rows.ts';
import type { Store } from '../store/store.ts';
import { costPeriods } from './collection.ts';
import type { StoredPeriod } from './collection.ts';
import { completeDays } from './complete-days.ts';
import type { Days } from './complete-days.ts';
import { checkGrouping, fieldOf, whereOf } from './fields.ts';
import { recall } from './kept-answers.ts';
import { costSums } from './query.ts';
import type { CostField, CostQuery } from './query.ts';

/** What forecasts are made of: the rest (purchases, taxes, credits, adjustments) comes at times of its own. Absent: usage. */
export const usageCategories: readonly string[] = ['Usage', ''];

/** Groups of a currency that have a forecast of their own. */
const mostGroups = 10;
/** Days by whose sum these are chosen. */
const rankedDays = 28;
const mostCurrencies = 20;
/** Days of history that are answered. */
const shownDays = 56;

interface Asked {
  readonly where: NonNullable<CostQuery['where']>;
  readonly measure: CostAnalysisQuery['metric'];
  readonly signal?: AbortSignal;
}

export interface ForecastQuery extends Omit<Asked, 'where'> {
  readonly horizonDays: number;
  readonly filters: Partial<Pick<CostAnalysisQuery, (typeof costFilters)[number]>>;
  readonly groupBy?: CostGrouping;
  readonly currency?: string;
}

interface Forecasts {
  readonly history: Days | null;
  readonly forecasts: CostForecast[];
}

/**
 * Forecasts of each currency: of all charges, and of each of the largest groups. Works in turns.
 * @throws GovctlError malformed_request
 */
export async function forecastCost(
  store: Store,
  { signal, ...query }: ForecastQuery,
): Promise<Forecasts> {
  const { filters, groupBy, currency, measure } = query;
  const periods = await periodsOf(store, filters);
  return recall<Forecasts>(store, [contentOf(periods), query], async () => {
    const days = completeDays(periods);
    if (!days) return { size: 1, value: { history: null, forecasts: [] } };
    const tags = [...new Set(periods.flatMap((one) => one.tags))].sort();
    if (groupBy !== undefined) checkGrouping(groupBy, tags);
    const all = await readSeries(store, days, {
      where: whereOf(filters, tags),
      measure,
      ...(groupBy === undefined ? {} : { groupBy: fieldOf(groupBy) }),
      ...(currency === undefined ? {} : { currency }),
      ...(signal && { signal }),
    });
    const forecasts: CostForecast[] = [];
    for (const one of all) {
      const forecast = await forecastDaily(
        one.costs.map(toNumber),
        query.horizonDays,
        pauseOf(signal),
      );
      forecasts.push(shown(one, forecast, days));
    }
    return {
      size: forecasts.length * (query.horizonDays + shownDays),
      value: { history: days, forecasts },
    };
  });
}

/** What a part of the cost will be at the end of a period. */
export interface ExpectedTotal extends ForecastPoint {
  /** ISO day: the charges of earlier days are all there, and counted as they are. */
  readonly from: string;
  readonly method: Exclude<Forecast['method'], 'none'>;
  readonly note?: string;
}

/**
 * What the charges of a period will be together, whatever their category: those of complete days and those that are
 * no usage as they are, usage of the other days as it is forecast.
 * @param query ISO days: the first, and the one after the last, at most about a year ahead; where `where` has no
 *   currency, `currency` is required: currencies are never added together
 * @returns or why there is no forecast
 */
export async function expectedTotal(
  store: Store,
  { signal, ...query }: Asked & Days & { readonly currency: string },
): Promise<ExpectedTotal | { readonly reason: string }> {
  const { start, end, measure, currency } = query;
  const periods = await periodsOf(store, query.where);
  return recall<ExpectedTotal | { reason: string }>(
    store,
    [contentOf(periods), 'expected', query],
    async () => {
      const days = completeDays(periods);
      if (!days) return { size: 1, value: { reason: 'no day with complete data' } };
      const where = { ...query.where, currency: [currency] };
      const asked = { where, measure, ...(signal && { signal }) };
      const horizon = Math.max(0, dayNumber(end) - dayNumber(days.end));
      const [series] = await readSeries(store, days, asked);
      const forecast = await forecastDaily(
        (series?.costs ?? []).map(toNumber),
        Math.max(1, horizon),
        pauseOf(signal),
      );
      if (forecast.method === 'none') return { size: 1, value: { reason: forecast.reason } };
      const from = days.end < start ? start : days.end < end ? days.end : end;
      const known = new AmountSum();
      for (const { key, total } of await costSums(store, {
        ...asked,
        start,
        end,
        groupBy: ['day', 'category'],
      })) {
        const [day = '', category = ''] = key;
        if (day < from || !usageCategories.includes(category)) known.add(total);
      }
      const rest = sumOfDays(forecast, Math.max(0, dayNumber(from) - dayNumber(days.end)), horizon);
      const sum = toNumber(known.total);
      const value: ExpectedTotal = {
        ...moved(rest, sum),
        from,
        method: forecast.method,
        ...(forecast.note === undefined ? {} : { note: forecast.note }),
      };
      return { size: 1, value };
    },
  );
}

const pauseOf = (signal: AbortSignal | undefined) => async (): Promise<void> => {
  signal?.throwIfAborted();
  await nextTurn();
};

/** The periods that charges of these filters may be in. */
async function periodsOf(
  store: Store,
  { provider }: { readonly provider?: readonly string[] | undefined },
): Promise<readonly StoredPeriod[]> {
  const found: StoredPeriod[] = [];
  for await (const { doc } of allRows(store, costPeriods, {})) {
    if (!provider || provider.includes(doc.provider)) found.push(doc);
  }
  return found;
}

/** Changes where any charge does, or another day is complete. */
const contentOf = (periods: readonly StoredPeriod[]) =>
  periods.map(({ id, content, imported_at: at }) => [id, content, at]);

interface Series extends Pick<CostForecast, 'currency' | 'part' | 'key'> {
  /** One a day. */
  readonly costs: readonly Amount[];
}

type Sought = Asked & { readonly groupBy?: CostField; readonly currency?: string };

/** Daily sums by currency: of all charges, of the largest groups, of the others. */
async function readSeries(
  store: Store,
  { start, end }: Days,
  { where: given, measure, groupBy, currency, signal }: Sought,
): Promise<readonly Series[]> {
  const where = {
    ...given,
    category: usageCategories,
    ...(currency === undefined ? {} : { currency: [currency] }),
  };
  const asked = { start, end, measure, where, ...(signal && { signal }) };
  const totals = await daily(store, asked, []);
  if (totals.length > mostCurrencies) {
    throw new GovctlError(
      'malformed_request',
      `The charges have ${totals.length} currencies; a forecast supports at most ${mostCurrencies}`,
      { hint: 'Select one with currency (--currency), such as currency=USD.' },
    );
  }
  const groups = groupBy ? await largest(store, asked, groupBy) : new Map<string, string[]>();
  const keys = [...new Set([...groups.values()].flat())];
  const grouped =
    groupBy && keys.length > 0
      ? await daily(store, { ...asked, where: { ...where, [groupBy]: keys } }, [groupBy])
      : [];
  return totals.flatMap(({ currency: unit, costs }): readonly Series[] => {
    const own = (groups.get(unit) ?? []).flatMap((key) =>
      grouped.filter((one) => one.currency === unit && one.key === key),
    );
    const rest = costs.map((cost, day) =>
      own.reduce((left, one) => subtract(left, one.costs[day] ?? zero), cost),
    );
    const hasRest = rest.some(
      ({ units, nanos, attos }) => units !== 0 || nanos !== 0 || attos !== 0,
    );
    return [
      { currency: unit, part: 'total', costs },
      ...own.map((one): Series => ({ ...one, part: 'group' })),
      ...(own.length > 0 && hasRest
        ? [{ currency: unit, part: 'other', costs: rest } as const]
        : []),
    ];
  });
}

type Summed = Omit<CostQuery, 'groupBy'>;

/** Sums of each day by currency, and group. */
async function daily(store: Store, query: Summed, groupBy: readonly CostField[]) {
  const first = dayNumber(query.start);
  const length = dayNumber(query.end) - first;
  const sums = await costSums(store, { ...query, groupBy: ['day', 'currency', ...groupBy] });
  const found = new Map<string, { currency: string; key: string; costs: Amount[] }>();
  for (const {
    key: [day = '', currency = '', key = ''],
    total,
  } of sums) {
    const id = JSON.stringify([currency, key]);
    const known = found.get(id) ?? { currency, key, costs: new Array<Amount>(length).fill(zero) };
    known.costs[dayNumber(day) - first] = total;
    found.set(id, known);
  }
  return [...found.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** The groups that cost most in the last weeks, by currency, the largest first. */
async function largest(
  store: Store,
  query: Summed,
  groupBy: CostField,
): Promise<ReadonlyMap<string, string[]>> {
  const recent = dayText(dayNumber(query.end) - rankedDays);
  const start = recent > query.start ? recent : query.start;
  const sums = await costSums(store, { ...query, start, groupBy: ['currency', groupBy] });
  const sizeOf = (total: Amount): number => Math.abs(toNumber(total));
  const groups = new Map<string, string[]>();
  for (const {
    key: [currency = '', key = ''],
  } of sums
    .filter(({ total }) => sizeOf(total) > 0)
    .sort((a, b) => sizeOf(b.total) - sizeOf(a.total) || (a.key.join() < b.key.join() ? -1 : 1))) {
    const known = groups.get(currency) ?? [];
    if (known.length < mostGroups) known.push(key);
    groups.set(currency, known);
  }
  return groups;
}

function shown(
  { currency, part, key, costs }: Series,
  forecast: Forecast,
  days: Days,
): CostForecast {
  const first = dayNumber(days.end);
  const from = Math.max(0, costs.length - shownDays);
  const head = {
    currency,
    part,
    ...(part === 'group' ? { key: key ?? '' } : {}),
    method: forecast.method,
    history: costs.slice(from).map((cost, at) => ({
      date: dayText(dayNumber(days.start) + from + at),
      cost: showAmount(cost),
    })),
  };
  if (forecast.method === 'none') {
    return { ...head, reason: forecast.reason, points: [], months: [] };
  }
  const { points, backtest, note } = forecast;
  return {
    ...head,
    ...(note === undefined ? {} : { note }),
    points: points.map((point, ahead) => ({ date: dayText(first + ahead), ...estimateOf(point) })),
    total: {
      start: days.end,
      end: dayText(first + points.length),
      ...estimateOf(sumOfDays(forecast, 0, points.length)),
    },
    months: monthsOf(costs, forecast, days),
    ...(backtest ? { backtest: backtestOf(backtest) } : {}),
  };
}

/** The months that end within the horizon. */
function monthsOf(
  costs: readonly Amount[],
  forecast: Extract<Forecast, { readonly points: unknown }>,
  { start, end }: Days,
): CostForecast['months'] {
  const first = dayNumber(end);
  const months: CostForecast['months'] = [];
  for (let from = first; ;) {
    const month = dayText(from).slice(0, 7);
    const begin = dayNumber(`${month}-01`);
    const next = dayNumber(`${dayText(begin + 31).slice(0, 7)}-01`);
    if (next - first > forecast.points.length) return months;
    const soFar = costs.slice(Math.max(0, begin - dayNumber(start))).reduce(add, zero);
    const known = from === first ? soFar : zero;
    const rest = sumOfDays(forecast, from - first, next - first);
    months.push({ month, so_far: showAmount(known), ...estimateOf(moved(rest, toNumber(known))) });
    from = next;
  }
}

const moved = ({ mean, interval80, interval95 }: ForecastPoint, by: number): ForecastPoint => ({
  mean: mean + by,
  interval80: [interval80[0] + by, interval80[1] + by],
  interval95: [interval95[0] + by, interval95[1] + by],
});

const intervalOf = ([low, high]: readonly [number, number]): [string, string] => [
  showEstimate(low),
  showEstimate(high),
];

const estimateOf = ({ mean, interval80, interval95 }: ForecastPoint) => ({
  mean: showEstimate(mean),
  interval_80: intervalOf(interval80),
  interval_95: intervalOf(interval95),
});

const share = (value: number): number => Math.round(value * 1_000) / 1_000;

const backtestOf = ({ origins, mae, seasonalNaiveMae, coverage }: Backtest) => ({
  forecasts: origins,
  mae: showEstimate(mae),
  seasonal_naive_mae: showEstimate(seasonalNaiveMae),
  coverage: coverage ? share(coverage[0]) : null,
  coverage_95: coverage ? share(coverage[1]) : null,
});
