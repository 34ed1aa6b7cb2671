import { costGroupings } from '../../contract/cost-fields.ts';
import type { CostGrouping, costFilters } from '../../contract/cost-fields.ts';
import type { CostField, CostQuery } from './query.ts';

/** The column that charges are grouped by. */
export function fieldOf(grouping: CostGrouping): CostField {
  switch (grouping) {
    case 'account':
      return 'sub_account';
    case 'environment':
    case 'owner':
      return `tag:${grouping}`;
    default:
      // One of the other words, or a tag, as the contract has checked.
      return grouping as CostField;
  }
}

type Filters = {
  readonly [Name in keyof typeof costFilters]?: readonly string[] | undefined;
};

/** The columns, and their texts, that the filters of a query ask for. */
export function whereOf({ tag = [], ...filters }: Filters): NonNullable<CostQuery['where']> {
  const where: Partial<Record<CostField, string[]>> = {};
  for (const name of costGroupings) {
    const texts = filters[name];
    if (texts) where[fieldOf(name)] = [...texts];
  }
  for (const pair of tag) {
    const at = pair.indexOf('=');
    const field = `tag:${pair.slice(0, at).toLowerCase()}` as const;
    (where[field] ??= []).push(pair.slice(at + 1));
  }
  return where;
}
