import { AmountSum } from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import type { DaySpan } from '../../cost/analysis/buckets.ts';
import type { Query, Scan } from '../../cost/table/scan.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { groupSums, slotsOf } from './group-sums.ts';
import type { GroupSum, GroupSums } from './group-sums.ts';
import type { Grouping } from './grouping.ts';

/** Sums that are made at once: some tens of megabytes. Beyond it, those of each group are read in a second pass. */
const mostSums = 1 << 20;
const mostGroups = 500_000;

/** What is read of which days, and how. */
export interface Reading {
  /** How many fields it groups by. */
  readonly fields: number;
  readonly grouping: Grouping;
  /** The same without groups. */
  readonly filter: Grouping;
  readonly where: Query['where'];
  readonly span: DaySpan;
  readonly before: DaySpan;
  readonly buckets: readonly DaySpan[];
  readonly scan: (query: Omit<Query, 'measure'>) => Promise<Scan>;
  readonly signal: AbortSignal;
}

/** @throws GovctlError malformed_request where there are too many groups */
export async function readSums(
  reading: Reading,
): Promise<GroupSums & { readonly isDetailed: boolean }> {
  const { buckets, span } = reading;
  for (const [series, most] of [
    [buckets, mostSums],
    [[span], 2 * mostGroups],
  ] as const) {
    const slots = slotsOf(reading.before, series);
    const scan = await reading.scan({ ...queryOf(reading), slots, mostSums: most });
    if (!scan.isFull)
      return { ...(await groupSums(scan, slots, reading.signal)), isDetailed: series === buckets };
  }
  throw new GovctlError('malformed_request', `There are more than ${inThrees(mostGroups)} groups`, {
    hint: 'Add a filter such as service or account, shorten the range, or group by something else.',
  });
}

const queryOf = ({ grouping, where, span, before }: Reading) => ({
  from: before.from,
  to: span.to,
  where: { ...grouping.where, ...where },
  groupBy: [...grouping.columns, 'currency'],
  regroup: (texts: readonly string[]) => {
    const key = grouping.label(texts);
    return key && [...key, texts.at(-1) ?? ''];
  },
});

/** The sums of some groups in each bucket, and those of all others together. */
export async function readDetails(
  reading: Reading,
  shown: readonly GroupSum[],
): Promise<GroupSums> {
  const query = queryOf(reading);
  const kept = new Set(shown.map(({ key, currency }) => joined([...key, currency])));
  const slots = slotsOf(reading.before, reading.buckets);
  const scan = await reading.scan({
    ...query,
    slots,
    regroup: (texts) => {
      const key = query.regroup(texts);
      if (!key || kept.has(joined(key))) return key;
      // Shared cost is no group's own.
      const isShared = key.length > reading.fields + 1 && key.at(-2) !== '';
      return isShared ? key : [key.at(-1) ?? ''];
    },
  });
  const { groups, series } = await groupSums(scan, slots, reading.signal);
  const found = new Map(groups.map((one) => [joined([...one.key, one.currency]), one]));
  return {
    groups,
    series: (some) => series(some.flatMap(({ key, currency }) => found.get(joined([...key, currency])) ?? [])), // prettier-ignore
  };
}

export const joined = (key: readonly string[]): string => key.join('\0');

/** By currency and tag. */
type Untagged = ReadonlyMap<string, ReadonlyMap<string, Amount>>;

/** What charges without a tag cost, for each tag. */
export async function readUntagged(
  { filter, where, span, scan }: Reading,
  tags: readonly string[],
): Promise<Untagged> {
  const sums = new Map<string, Map<string, AmountSum>>();
  // Roll-ups have the sums of single tags; else all rows are read, once.
  const isRolledUp = filter.columns.length === 0 && Object.keys(filter.where).every((name) => name === 'provider' || name === 'billing_account'); // prettier-ignore
  for (const read of isRolledUp ? tags.map((tag) => [tag]) : [tags]) {
    const found = await scan({
      ...span,
      where: { ...filter.where, ...where },
      groupBy: [...filter.columns, 'currency', ...read.map((tag) => `has:tag:${tag}`)],
      regroup: (texts) => filter.label(texts) && texts.slice(filter.columns.length),
    });
    for (const { key, total } of found.groups()) {
      const [currency = '', ...has] = key;
      const own = sums.get(currency) ?? new Map(tags.map((tag) => [tag, new AmountSum()]));
      sums.set(currency, own);
      for (const [at, tag] of read.entries()) if (has[at] === '') own.get(tag)?.add(total);
    }
  }
  return new Map(
    [...sums].map(([currency, own]) => [
      currency,
      new Map([...own].map(([tag, sum]) => [tag, sum.total])),
    ]),
  );
}
