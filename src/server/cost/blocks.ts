import {
  AmountSum,
  add,
  compare,
  showAmount,
  subtract,
  toNumber,
  zero,
} from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import type { DaySpan } from '../../cost/analysis/buckets.ts';
import { changeOf, changePercent, isChanged, kindOfChange, shareOf } from '../../cost/analysis/change.ts'; // prettier-ignore
import type { Compared } from '../../cost/analysis/change.ts';
import { dayText } from '../../cost/table/days.ts';
import type { CostAnalysisQuery, CostBlock } from '../../contract/cost.ts';
import { firstOf } from '../first-of.ts';
import type { GroupSum, GroupSums } from './group-sums.ts';
import { joined } from './read-groups.ts';
import type { SharedPool } from './shared-cost.ts';

const mostMovers = 10;

const byKey = (a: GroupSum, b: GroupSum): number => (joined(a.key) < joined(b.key) ? -1 : 1);

export const largestFirst = (a: GroupSum, b: GroupSum): number =>
  compare(withShared(b), withShared(a)) || compare(b.previous, a.previous) || byKey(a, b);

const mostChangedFirst = (a: GroupSum, b: GroupSum): number =>
  Math.abs(toNumber(changeOf(b))) - Math.abs(toNumber(changeOf(a))) || byKey(a, b);

/** What groups of one currency have together. */
export function together(groups: readonly Compared[]): Compared {
  const amount = new AmountSum();
  const previous = new AmountSum();
  for (const one of groups) {
    amount.add(one.amount);
    previous.add(one.previous);
  }
  return { amount: amount.total, previous: previous.total };
}

export const shownChange = (one: Compared) => ({
  amount: showAmount(one.amount),
  previous: showAmount(one.previous),
  change: showAmount(changeOf(one)),
  change_percent: changePercent(one),
});

/** The groups of a currency. */
export interface Listed {
  /** With shared cost. */
  readonly total: Compared;
  readonly pools: readonly SharedPool[];
  readonly all: readonly GroupSum[];
  readonly shown: readonly GroupSum[];
  /** By policy: what resources that fail any cost, each once. */
  readonly nonCompliant?: Compared;
}

interface BlockParts {
  readonly query: CostAnalysisQuery;
  readonly listed: Listed;
  readonly detailed: GroupSums;
  readonly buckets: readonly DaySpan[];
  /** By currency and tag. */
  readonly untagged: ReadonlyMap<string, ReadonlyMap<string, Amount>>;
}

export async function blockOf(
  currency: string,
  { query, listed, detailed, buckets, untagged }: BlockParts,
): Promise<CostBlock> {
  const { group_by: fields = [], limit, offset } = query;
  const { all, shown, total, pools, nonCompliant } = listed;
  const names = nonCompliant ? ['policy', 'policy_name'] : fields;
  const series = await detailed.series(detailed.groups.filter((one) => one.currency === currency));
  const keyOf = ({ key }: GroupSum) =>
    Object.fromEntries(names.map((name, at) => [name, key[at] || null]));
  const groups: CostBlock['groups'] = [];
  for (const one of shown) {
    groups.push({
      key: keyOf(one),
      ...shownChange(one),
      ...(one.shared ? { shared: showAmount(one.shared) } : {}),
      share: shareOf(withShared(one), total.amount),
      series: nonCompliant ? [] : (await detailed.series([one])).map(showAmount),
      ...(one.resources === undefined
        ? {}
        : { resources: one.resources, without_cost: one.withoutCost }),
    });
  }
  const others = subtractAll(together(all), together(shown));
  const ownSeries = nonCompliant
    ? []
    : await detailed.series([...shown, ...sharedOf(detailed, currency, pools)]);
  const left = fields.length === 0 ? 0 : all.length - shown.length;
  const movers = fields.length === 0 ? [] : await firstOf(all.filter(isChanged), mostChangedFirst, mostMovers); // prettier-ignore
  return {
    currency,
    series: showSeries(buckets, series),
    groups,
    other:
      left === 0
        ? null
        : {
            groups: left,
            amount: showAmount(others.amount),
            previous: showAmount(others.previous),
            ...(pools.length > 0 ? { shared: showAmount(subtract(sharedIn(all), sharedIn(shown))) } : {}), // prettier-ignore
            series: nonCompliant ? [] : series.map((one, at) => showAmount(subtract(one, ownSeries[at] ?? one))), // prettier-ignore
          },
    pagination: {
      total: fields.length === 0 ? 0 : all.length,
      limit,
      offset,
      has_more: fields.length > 0 && offset + shown.length < all.length,
    },
    ...(nonCompliant
      ? {
          non_compliant: {
            ...shownChange(nonCompliant),
            share: shareOf(nonCompliant.amount, total.amount),
          },
        }
      : {}),
    shared: pools.map(({ rule, amount, unsplit }) => ({
      name: rule.name,
      split: typeof rule.split === 'object' ? 'fixed' : rule.split,
      amount: showAmount(amount),
      unsplit: showAmount(unsplit),
    })),
    movers: movers.map((one) => ({
      key: keyOf(one),
      ...shownChange(one),
      kind: kindOfChange(one),
    })),
    untagged: [...(untagged.get(currency) ?? [])].map(([tag, amount]) => ({
      tag,
      amount: showAmount(amount),
      share: shareOf(amount, total.amount),
    })),
  };
}

const subtractAll = (a: Compared, b: Compared): Compared => ({
  amount: subtract(a.amount, b.amount),
  previous: subtract(a.previous, b.previous),
});

const withShared = ({ amount, shared }: GroupSum): Amount =>
  shared ? add(amount, shared) : amount;

function sharedIn(groups: readonly GroupSum[]): Amount {
  const sum = new AmountSum();
  for (const { shared } of groups) if (shared) sum.add(shared);
  return sum.total;
}

/** The sums of shared cost of a currency. */
const sharedOf = ({ groups }: GroupSums, currency: string, pools: readonly SharedPool[]) =>
  pools.length === 0
    ? []
    : groups.filter((one) => one.currency === currency && (one.key[1] ?? '') !== '');

const showSeries = (buckets: readonly DaySpan[], amounts: readonly Amount[]) =>
  buckets.map(({ from, to }, at) => ({
    start: dayText(from),
    end: dayText(to),
    amount: showAmount(amounts[at] ?? zero),
  }));

export const emptyBlock = (
  { limit, offset, currency = null }: Omit<CostAnalysisQuery, 'currency'> & { readonly currency?: string | null | undefined }, // prettier-ignore
  buckets: readonly DaySpan[],
): CostBlock => ({
  currency,
  series: showSeries(buckets, []),
  groups: [],
  other: null,
  pagination: { total: 0, limit, offset, has_more: false },
  shared: [],
  movers: [],
  untagged: [],
});
