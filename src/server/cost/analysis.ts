import { zero } from '../../cost/amount.ts';
import { bucketsOf } from '../../cost/analysis/buckets.ts';
import type { DaySpan } from '../../cost/analysis/buckets.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import type { CostAnalysis, CostAnalysisQuery, CostBlock } from '../../contract/cost.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import type { SharedCost } from '../config/config.ts';
import type { Deps } from '../deps.ts';
import type { Assessor } from '../rightsizing/service.ts';
import { firstOf } from '../first-of.ts';
import { blockOf, emptyBlock, largestFirst, shownChange, together } from './blocks.ts';
import type { Listed } from './blocks.ts';
import { policyCosts } from './by-policy.ts';
import type { PolicyCosts } from './by-policy.ts';
import { tagsOf, withCharges } from './charges.ts';
import type { Charges } from './charges.ts';
import type { StoredPeriod } from './collection.ts';
import { costFindings } from './findings.ts';
import type { GroupSum } from './group-sums.ts';
import { joined, readDetails, readSums, readUntagged } from './read-groups.ts';
import type { Reading } from './read-groups.ts';
import { splitShared } from './shared-cost.ts';

/** Days that one analysis is about. */
const longestRange = 3_660;
/** Entries of a series. */
const longestSeries = 1_100;
/** Days up to which a series is one of days by default. */
const mostDaily = 92;
const defaultDays = 30;
const mostIncomplete = 100;

const msPerDay = 86_400_000;

interface Asked {
  readonly query: CostAnalysisQuery;
  readonly today: number;
  readonly span: DaySpan;
  readonly granularity: CostAnalysis['granularity'];
  /** What it is compared with, where that is asked for. */
  readonly before: DaySpan | undefined;
  readonly signal: AbortSignal;
}

export interface AnalysisOptions {
  readonly assessor: Assessor;
  readonly signal: AbortSignal;
  readonly ownerTags: readonly string[];
  /** The operator's rules. */
  readonly shared?: readonly SharedCost[];
}

/** What charges cost. @throws GovctlError malformed_request */
export async function analyzeCost(
  deps: Deps,
  query: CostAnalysisQuery,
  { signal, ownerTags, assessor, shared = [] }: AnalysisOptions,
): Promise<CostAnalysis> {
  const today = Math.floor(deps.clock.now() / msPerDay);
  const asked = { query, signal, today, ...spanOf(query, today) };
  const { group_by: fields = [], metric: measure, currency } = query;
  // Charges have no policy: they are read as one group.
  const groupBy = fields.filter((field) => field !== 'policy');
  const where = currency === undefined ? {} : { currency: [currency] };
  const rules = fields.length > 1 ? [] : shared.filter(({ group_by: by }) => by === fields[0]);
  return withCharges(
    deps.store,
    { filters: query, groupBy, where, measure, ownerTags, signal },
    (charges) => analyze(deps, charges, asked, { rules, assessor }),
  );
}

function spanOf(
  query: CostAnalysisQuery,
  today: number,
): Pick<Asked, 'span' | 'granularity' | 'before'> {
  const to = query.end === undefined ? today + 1 : dayNumber(query.end);
  const from = query.start === undefined ? to - defaultDays : dayNumber(query.start);
  if (from >= to) {
    throw refuse('end', `must be after start (${dayText(from)}); end is exclusive`);
  }
  if (to - from > longestRange) throw refuse('start', 'must be at most 10 years before end');
  const granularity = query.granularity ?? (to - from <= mostDaily ? 'day' : 'month');
  if (bucketsOf({ from, to }, granularity).length > longestSeries) {
    throw refuse(
      'granularity',
      `results in a series of more than ${inThrees(longestSeries)} entries`,
      'Use granularity=month, or a shorter range.',
    );
  }
  return { span: { from, to }, granularity, before: comparedSpan(query, from) };
}

/** What is asked to be compared with. */
function comparedSpan(
  { compare_start: start, compare_end: end }: CostAnalysisQuery,
  before: number,
): DaySpan | undefined {
  if (start === undefined && end === undefined) return undefined;
  const [from, to] = [dayNumber(start ?? ''), dayNumber(end ?? '')];
  if (!(from < to)) throw refuse('compare_end', 'must be after compare_start');
  if (to > before) throw refuse('compare_end', `must not be after start (${dayText(before)})`);
  if (before - from > longestRange) throw refuse('compare_start', 'must be at most 10 years before start'); // prettier-ignore
  return { from, to };
}

const refuse = (field: string, message: string, hint?: string): GovctlError =>
  new GovctlError('malformed_request', `The query is not valid: ${field} ${message}`, {
    details: [{ field, message }],
    ...(hint === undefined ? {} : { hint }),
  });

interface Further {
  readonly assessor: Assessor;
  /** Those that split cost among the groups that are asked for. */
  readonly rules: readonly SharedCost[];
}

async function analyze(
  deps: Deps,
  { periods, reading }: Charges,
  { query, today, span, granularity, signal, ...asked }: Asked,
  { rules, assessor }: Further,
): Promise<CostAnalysis> {
  const { group_by: asGiven = [], limit, offset } = query;
  const dataUntil = lastDayOf(periods, today);
  const before = asked.before ?? spanBefore(span, dataUntil);
  const buckets = bucketsOf(span, granularity);
  const reader = reading({ span, before, buckets, rules });
  const policies = asGiven.includes('policy') ? await readPolicies(deps, periods, reader, { query, signal }) : undefined; // prettier-ignore
  const sums = await readSums(reader);
  const lists = new Map<string, Listed>();
  for (const currency of currenciesOf(periods, sums.groups)) {
    const read = sums.groups.filter((one) => one.currency === currency);
    const { groups: all, pools } = policies
      ? { groups: groupsOf(policies, currency), pools: [] }
      : splitShared(read, rules);
    const page = asGiven.length === 0 ? [] : await firstOf(all, largestFirst, offset + limit);
    const nonCompliant = policies?.total.get(currency) ?? { amount: zero, previous: zero };
    lists.set(currency, {
      total: together(read),
      all,
      shown: page.slice(offset),
      pools,
      ...(policies ? { nonCompliant } : {}),
    });
  }
  const detailed = sums.isDetailed
    ? sums
    : await readDetails(
        reader,
        [...lists.values()].flatMap(({ shown }) => shown),
      );
  const untagged = await readUntagged(reader, tagsOf(periods));
  const blocks: CostBlock[] = [];
  for (const [currency, listed] of lists) {
    blocks.push(await blockOf(currency, { query, listed, detailed, buckets, untagged }));
  }
  const [main = emptyBlock(query, buckets), ...others] = blocks;
  return {
    start: dayText(span.from),
    end: dayText(span.to),
    metric: query.metric,
    granularity,
    group_by: [...asGiven],
    compared_to: { start: dayText(before.from), end: dayText(before.to) },
    data_until: dataUntil === undefined ? null : dayText(dataUntil),
    incomplete_periods: incompleteOf(periods, span, dataUntil),
    totals: [...lists].map(([currency, { total }]) => ({ currency, ...shownChange(total) })),
    ...main,
    other_currencies: others,
    ...(await costFindings(deps, assessor, {
      start: dayText(span.from),
      end: dayText(span.to),
      filters: query,
      signal,
    })),
  };
}

/** @throws GovctlError malformed_request for filters by what the inventory says */
function readPolicies(
  deps: Deps,
  periods: readonly StoredPeriod[],
  { filter, where, span, before }: Reading,
  { query, signal }: Pick<Asked, 'query' | 'signal'>,
): Promise<PolicyCosts> {
  for (const field of ['environment', 'owner'] as const) {
    if (query[field]) throw refuse(field, 'cannot be used as a filter with group_by=policy', 'Filter by account, service, region or tag instead.'); // prettier-ignore
  }
  const charges = { measure: query.metric, where: { ...filter.where, ...where } };
  return policyCosts(deps, periods, { ...charges, span, before, signal });
}

const groupsOf = ({ policies }: PolicyCosts, currency: string): readonly GroupSum[] =>
  policies
    .filter((one) => one.currency === currency)
    .map(({ policyId, policyName, ...one }) => ({ ...one, key: [policyId, policyName], at: -1 }));

/** The last day that has charges; some, such as fees, are dated later than today. */
const lastDayOf = (periods: readonly StoredPeriod[], today: number): number | undefined =>
  periods.length === 0
    ? undefined
    : periods.reduce((last, { last_day: day }) => Math.max(last, Math.min(today, dayNumber(day))), -Infinity); // prettier-ignore

/**
 * The days before that are as many as those of the span that have data. Before whole months are as many months, which may have
 * more or fewer days: of months without all their data, the same number of days.
 */
function spanBefore({ from, to }: DaySpan, dataUntil = from - 1): DaySpan {
  const covered = dataUntil >= from ? Math.min(to, dataUntil + 1) - from : to - from;
  const [first, after] = [new Date(from * msPerDay), new Date(to * msPerDay)];
  if (first.getUTCDate() !== 1 || after.getUTCDate() !== 1) {
    return { from: from - covered, to: from };
  }
  const months = 12 * (after.getUTCFullYear() - first.getUTCFullYear()) + after.getUTCMonth() - first.getUTCMonth(); // prettier-ignore
  const before = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - months) / msPerDay;
  return { from: before, to: covered === to - from ? from : Math.min(from, before + covered) };
}

/** The currency of the most periods first. */
function currenciesOf(
  periods: readonly StoredPeriod[],
  groups: readonly GroupSum[],
): readonly string[] {
  const counts = new Map([...new Set(groups.map(({ currency }) => currency))].map((one) => [one, 0])); // prettier-ignore
  for (const { currency } of periods.flatMap(({ totals }) => totals)) {
    const count = counts.get(currency);
    if (count !== undefined) counts.set(currency, count + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([one]) => one);
}

/** Periods of the span that lack rows, or whose newest days other sources have already. */
function incompleteOf(
  periods: readonly StoredPeriod[],
  { from, to }: DaySpan,
  dataUntil = from,
): CostAnalysis['incomplete_periods'] {
  const sourceOf = ({ provider, billing_account: account }: StoredPeriod): string =>
    joined([provider, account]);
  const newest = new Map<string, number>();
  for (const period of periods) {
    const day = dayNumber(period.last_day);
    newest.set(sourceOf(period), Math.max(day, newest.get(sourceOf(period)) ?? day));
  }
  return periods
    .filter((period) => {
      const [first, last] = [dayNumber(period.first_day), dayNumber(period.last_day)];
      if (last < from - 1 || first >= to) return false;
      const isNewest = newest.get(sourceOf(period)) === last;
      return period.skipped > 0 || (isNewest && last < Math.min(dataUntil, to - 1));
    })
    .slice(0, mostIncomplete)
    .map((period) => ({
      provider: period.provider,
      billing_account: period.billing_account,
      period: period.period,
      skipped_rows: period.skipped,
      data_until: period.last_day,
    }));
}
