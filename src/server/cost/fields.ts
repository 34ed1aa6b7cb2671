import { costFilters } from '../../contract/cost.ts';
import type { CostAnalysisQuery, CostGrouping } from '../../contract/cost.ts';
import { checkTag, tagsWanted } from './grouping.ts';
import type { CostField, CostQuery } from './query.ts';

/** The column that charges are grouped by; environment and owner are those of the tags of these names. */
export function fieldOf(grouping: CostGrouping): CostField {
  switch (grouping) {
    case 'account':
      return 'sub_account';
    case 'environment':
    case 'owner':
      return `tag:${grouping}`;
    default:
      // A tag, or one of the other words, which are columns.
      return grouping as CostField;
  }
}

/**
 * The columns, and their texts, that the filters of a query ask for.
 * @param tags that charges were imported with, lower-case
 * @throws GovctlError malformed_request for another tag
 */
export function whereOf(
  filters: Partial<Pick<CostAnalysisQuery, (typeof costFilters)[number]>>,
  tags: readonly string[],
): NonNullable<CostQuery['where']> {
  const where: Partial<Record<CostField, readonly string[]>> = {};
  for (const name of costFilters) {
    const texts = filters[name];
    if (!texts) continue;
    if (name === 'tag') Object.assign(where, tagsWanted(texts, tags));
    else where[fieldOf(name)] = texts;
  }
  return where;
}

/** @throws GovctlError malformed_request for a tag that no charge was imported with */
export function checkGrouping(grouping: CostGrouping, tags: readonly string[]): void {
  if (grouping.startsWith('tag:')) checkTag(grouping.slice('tag:'.length), tags);
}
