import type { BudgetThreshold } from '../../contract/budgets.ts';
import { budgetFilterFields } from '../../contract/budgets.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';

/** The flags of `create` and `update`. */
export interface FieldFlags {
  readonly name?: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly period?: string;
  readonly metric?: string;
  /** False: all charges count. */
  readonly filter?: readonly string[] | false;
  /** False: none. */
  readonly threshold?: readonly string[] | false;
  readonly owner?: string;
  readonly description?: string;
  readonly tag?: readonly string[];
}

/** The API's fields. @throws GovctlError usage_error */
export const fieldsFrom = ({ filter, threshold, tag, ...flags }: FieldFlags) =>
  defined({
    name: flags.name,
    description: flags.description,
    owner: flags.owner,
    amount: flags.amount?.replace(/(?<=\d),(?=\d{3}(?!\d))/g, ''),
    currency: flags.currency,
    period: flags.period,
    metric: flags.metric,
    filter: filter === false ? null : filter && parseFilter(filter),
    thresholds: threshold === false ? [] : threshold?.map(parseThreshold),
    tags: tag && [...tag],
  });

/** `provider=aws`, `tag:team=platform`; a field that is given again has any of its values. */
function parseFilter(given: readonly string[]) {
  const fields: Record<string, string[]> = {};
  const tags: Record<string, string[]> = {};
  for (const text of given) {
    const [, isTag, name = '', value = ''] = /^(tag:)?([^=]*)=(.*)$/s.exec(text) ?? [];
    if (name === '' || value === '') {
      throw new GovctlError('usage_error', `--filter ${text}: must be FIELD=VALUE`, {
        hint: 'For example, use --filter provider=aws or --filter tag:team=platform.',
      });
    }
    if (isTag === undefined && !(budgetFilterFields as readonly string[]).includes(name)) {
      const near = nearestWord(name, budgetFilterFields);
      throw new GovctlError('usage_error', `--filter ${text}: unknown field ${name}`, {
        hint: near
          ? `Did you mean ${near}?`
          : `Fields: ${budgetFilterFields.join(', ')}, and tag:KEY for a tag.`,
      });
    }
    ((isTag === undefined ? fields : tags)[name] ??= []).push(value);
  }
  return { ...fields, ...(Object.keys(tags).length > 0 ? { tags } : {}) };
}

/** `80`, `80%`, `forecast:100`. */
function parseThreshold(text: string): BudgetThreshold {
  const [, basis, percent] = /^(?:(actual|forecast):)?(\d+(?:\.\d+)?)%?$/.exec(text) ?? [];
  if (percent === undefined) {
    throw new GovctlError('usage_error', `--threshold ${text}: must be a percentage`, {
      hint: 'For example, use --threshold 80 or --threshold forecast:100.',
    });
  }
  return { percent: Number(percent), on: basis === 'forecast' ? 'forecast' : 'actual' };
}
