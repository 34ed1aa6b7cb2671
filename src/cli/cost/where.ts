import { costFilters } from '../../contract/cost.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';

/** `service=S3`, `tag:team=a` → the filters of the API. @throws GovctlError usage_error */
export function filtersOf(given: readonly string[]): Readonly<Record<string, string>> {
  const filters = new Map<string, string[]>();
  const fields = costFilters.filter((field) => field !== 'tag');
  for (const text of given) {
    const [, field = text, value = ''] = /^(tag:[^=]+|[^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const isTag = field.startsWith('tag:');
    if (!isTag && (!fields.some((one) => one === field) || value === '')) {
      const nearest = nearestWord(field, fields);
      throw new GovctlError('usage_error', `--where ${text}: must be FIELD=VALUE`, {
        hint: `${nearest !== undefined && nearest !== field ? `Did you mean ${nearest}? ` : ''}Fields: ${fields.join(', ')}, tag:KEY.`,
      });
    }
    const name = isTag ? 'tag' : field;
    filters.set(name, [...(filters.get(name) ?? []), isTag ? text.slice('tag:'.length) : value]);
  }
  return Object.fromEntries([...filters].map(([name, values]) => [name, values.join(',')]));
}
