import type { CostGrouping } from '../../contract/cost.ts';
import type { CostForecast } from '../../contract/cost-forecast.ts';
import { GovctlError } from '../../contract/errors.ts';
import { add, AmountSum, showAmount, showEstimate, toNumber, zero } from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import { forecastDaily, sumOfDays } from '../../cost/forecast/forecast.ts';
import type { Backtest, Forecast, ForecastPoint } from '../../cost/forecast/forecast.ts';
import { bucketsOf } from '../../cost/analysis/buckets.ts';
import type { DaySpan } from '../../cost/analysis/buckets.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import { nextTurn } from '../next-turn.ts';
import type { Store } from '../store/store.ts';
import { withCharges } from './charges.ts';
import type { Charges, ChargesQuery } from './charges.ts';
import { completeDays } from './complete-days.ts';
import type { Days } from './complete-days.ts';
import type { GroupSum } from './group-sums.ts';
import { joined, readDetails, readSums } from './read-groups.ts';
import type { Reading } from './read-groups.ts';

/** What forecasts are made of: the rest (purchases, taxes, credits, adjustments) comes at times of its own. Absent: usage. */
export const usageCategories: readonly string[] = ['Usage', ''];

/** Groups of a currency that have a forecast of their own. */
const mostGroups = 10;
/** Days by whose sum these are chosen. */
const rankedDays = 28;
const mostCurrencies = 20;
/** Days of history that are answered. */
const shownDays = 56;

export interface ForecastQuery extends Pick<
  ChargesQuery,
  'filters' | 'measure' | 'ownerTags' | 'signal'
> {
  readonly horizonDays: number;
  readonly groupBy?: CostGrouping;
  readonly currency?: string;
}

export interface Forecasts {
  readonly history: Days | null;
  readonly forecasts: CostForecast[];
}

/**
 * Forecasts of each currency: of all charges, and of each of the largest groups. Works in turns.
 * @throws GovctlError malformed_request
 */
export const forecastCost = (
  store: Store,
  { horizonDays, groupBy, currency, ...query }: ForecastQuery,
): Promise<Forecasts> => {
  const fields = groupBy === undefined ? [] : [groupBy];
  const where = currency === undefined ? {} : { currency: [currency] };
  return withCharges(store, { ...query, groupBy: fields, where }, (charges) =>
    charges.remember<Forecasts>(['forecast', horizonDays], async () => {
      const days = completeDays(charges.periods);
      if (!days) return { size: 1, value: { history: null, forecasts: [] } };
      const forecasts: CostForecast[] = [];
      for (const one of await readSeries(charges, days, { fields })) {
        const forecast = await forecastDaily(
          one.costs.map(toNumber),
          horizonDays,
          pauseOf(query.signal),
        );
        forecasts.push(shown(one, forecast, days));
      }
      return {
        size: forecasts.length * (horizonDays + shownDays),
        value: { history: days, forecasts },
      };
    }),
  );
};

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
 * @param period ISO days: the first, and the one after the last, at most about a year ahead; currencies are never added
 *   together
 * @returns or why there is no forecast
 */
export const expectedTotal = (
  charges: Charges,
  { start, end, currency }: Days & { readonly currency: string },
  signal: AbortSignal,
): Promise<ExpectedTotal | { readonly reason: string }> =>
  charges.remember<ExpectedTotal | { readonly reason: string }>(
    ['expected', start, end, currency],
    async () => {
      const days = completeDays(charges.periods);
      if (!days) return { size: 1, value: { reason: 'no day with complete data' } };
      const where = { currency: [currency] };
      const horizon = Math.max(0, dayNumber(end) - dayNumber(days.end));
      const [series] = await readSeries(charges, days, { where });
      const forecast = await forecastDaily(
        (series?.costs ?? []).map(toNumber),
        Math.max(1, horizon),
        pauseOf(signal),
      );
      if (forecast.method === 'none') return { size: 1, value: { reason: forecast.reason } };
      const from = days.end < start ? start : days.end < end ? days.end : end;
      const [first, next, last] = [start, from, end].map(dayNumber) as [number, number, number];
      const buckets = [{ from: first, to: next }, { from: next, to: last }]; // prettier-ignore
      const { groups, series: costsOf } = await readSums(
        charges.reading({ span: { from: first, to: last }, buckets, groupBy: ['category'], where }),
      );
      const known = new AmountSum();
      for (const group of groups) {
        const [complete = zero, late = zero] = await costsOf([group]);
        known.add(complete);
        if (!usageCategories.includes(group.key[0] ?? '')) known.add(late);
      }
      const rest = sumOfDays(forecast, Math.max(0, next - dayNumber(days.end)), horizon);
      const value: ExpectedTotal = {
        ...moved(rest, toNumber(known.total)),
        from,
        method: forecast.method,
        ...(forecast.note === undefined ? {} : { note: forecast.note }),
      };
      return { size: 1, value };
    },
  );

const pauseOf = (signal: AbortSignal) => async (): Promise<void> => {
  signal.throwIfAborted();
  await nextTurn();
};

interface Series extends Pick<CostForecast, 'currency' | 'part' | 'key'> {
  /** One a day. */
  readonly costs: readonly Amount[];
}

interface SeriesQuery {
  /** None: only of all charges. */
  readonly fields?: readonly CostGrouping[];
  readonly where?: Reading['where'];
}

/** Daily sums of usage by currency: of all charges, of the largest groups, of the others. */
async function readSeries(
  { reading }: Charges,
  days: Days,
  { fields = [], where = {} }: SeriesQuery,
): Promise<readonly Series[]> {
  const span = { from: dayNumber(days.start), to: dayNumber(days.end) };
  const asked = { groupBy: fields, where: { ...where, category: usageCategories } };
  const chosen =
    fields.length === 0 ? [] : await largest(reading({ ...asked, span: recent(span) }));
  const { groups, series } = await readDetails(
    reading({ ...asked, span, buckets: bucketsOf(span, 'day') }),
    chosen,
  );
  const currencies = [...new Set(groups.map(({ currency }) => currency))].sort();
  if (currencies.length > mostCurrencies) {
    throw new GovctlError(
      'malformed_request',
      `The charges have ${currencies.length} currencies; a forecast supports at most ${mostCurrencies}`,
      { hint: 'Select one with currency (--currency), such as currency=USD.' },
    );
  }
  const all: Series[] = [];
  for (const currency of currencies) {
    const own = groups.filter((one) => one.currency === currency);
    all.push({ currency, part: 'total', costs: await series(own) });
    const shares = chosen.filter((one) => one.currency === currency);
    for (const one of shares) {
      all.push({ currency, part: 'group', key: one.key[0] ?? '', costs: await series([one]) });
    }
    // The others have no text.
    const costs = await series(own.filter(({ key }) => key.length === 0));
    if (shares.length > 0 && costs.some(isCost)) all.push({ currency, part: 'other', costs });
  }
  return all;
}

const isCost = ({ units, nanos, attos }: Amount): boolean =>
  units !== 0 || nanos !== 0 || attos !== 0;

const recent = ({ from, to }: DaySpan): DaySpan => ({ from: Math.max(from, to - rankedDays), to });

/** The groups of each currency that cost most, the largest first. */
async function largest(reading: Reading): Promise<readonly GroupSum[]> {
  const sizeOf = ({ amount }: GroupSum): number => Math.abs(toNumber(amount));
  const counts = new Map<string, number>();
  const { groups } = await readSums(reading);
  return groups
    .filter((one) => sizeOf(one) > 0)
    .sort((a, b) => sizeOf(b) - sizeOf(a) || (joined(a.key) < joined(b.key) ? -1 : 1))
    .filter(({ currency }) => {
      const count = (counts.get(currency) ?? 0) + 1;
      counts.set(currency, count);
      return count <= mostGroups;
    });
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
