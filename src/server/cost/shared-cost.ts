import { AmountSum, add, compare, zero } from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import { splitAmount, weightOf } from '../../cost/analysis/split.ts';
import type { SharedCost } from '../config/config.ts';
import type { GroupSum } from './group-sums.ts';

/** What a rule splits in one currency. */
export interface SharedPool {
  readonly rule: SharedCost;
  readonly amount: Amount;
  /** What nobody gets a part of. */
  readonly unsplit: Amount;
}

/** Groups with their parts, and what was split. */
export interface SplitGroups {
  readonly groups: readonly GroupSum[];
  readonly pools: readonly SharedPool[];
}

/**
 * Splits shared cost among the groups of one currency. Groups without a value get nothing.
 * @param sums with the name of their rule, or nothing, after the text of the field
 */
export function splitShared(sums: readonly GroupSum[], rules: readonly SharedCost[]): SplitGroups {
  if (rules.length === 0) return { groups: sums, pools: [] };
  const own = new Map<string, GroupSum>();
  const amounts = new Map(rules.map((rule) => [rule.name, new AmountSum()]));
  for (const sum of sums) {
    const [text = '', name = ''] = sum.key;
    if (name === '') own.set(text, sum);
    else amounts.get(name)?.add(sum.amount);
  }
  const parts = new Map<string, Amount>();
  const pools = rules.flatMap((rule): SharedPool[] => {
    const amount = amounts.get(rule.name)?.total ?? zero;
    if (compare(amount, zero) === 0) return [];
    const weights = weightsOf(rule, own);
    if (weights.size === 0) return [{ rule, amount, unsplit: amount }];
    const split = splitAmount(amount, [...weights.values()]);
    for (const [at, text] of [...weights.keys()].entries()) {
      parts.set(text, add(parts.get(text) ?? zero, split[at] ?? zero));
    }
    return [{ rule, amount, unsplit: zero }];
  });
  const currency = sums[0]?.currency ?? '';
  for (const text of parts.keys()) {
    if (!own.has(text)) own.set(text, { currency, key: [text, ''], at: -1, amount: zero, previous: zero }); // prettier-ignore
  }
  const groups = [...own].map(([text, sum]) => ({ ...sum, shared: parts.get(text) ?? zero }));
  return { groups, pools };
}

function weightsOf({ split }: SharedCost, own: ReadonlyMap<string, GroupSum>): Map<string, bigint> {
  if (typeof split === 'object') {
    return new Map(Object.entries(split.fixed).map(([text, percent]) => [text, BigInt(Math.round(percent * 1e4))])); // prettier-ignore
  }
  return new Map(
    [...own]
      .filter(([text, { amount }]) => text !== '' && weightOf(amount) > 0n)
      .map(([text, { amount }]): [string, bigint] => [
        text,
        split === 'even' ? 1n : weightOf(amount),
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
