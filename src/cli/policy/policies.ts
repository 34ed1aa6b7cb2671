import { policyObjects } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Policy } from '../../contract/policies.ts';
import { severities } from '../../contract/policies.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import { ownField } from '../objects/noun.ts';
import type { DescribedNoun } from '../objects/noun.ts';
import { paintSeverity } from '../terminal/severity.ts';
import type { Column } from '../terminal/table.ts';
import { policyView } from './policy-view.ts';

interface ListOptions {
  readonly type?: readonly string[];
  readonly severity?: readonly string[];
  readonly tag?: readonly string[];
  readonly enabled?: boolean;
  readonly disabled?: boolean;
}

export const policies: DescribedNoun<Policy, ListOptions> = {
  of: policyObjects,
  names: {
    prefix: 'pol_',
    knownBy: 'ID, name or key',
    nameOf: ({ name }) => name,
    tagsOf: ({ tags }) => tags,
    suggested: ({ name }) => [name],
    notFound: 'policy_not_found',
  },
  list: {
    columns: (_, rows) => columnsFor(rows),
    filter: ({ type, severity, tag, enabled, disabled }) => ({
      resource_type: type?.join(','),
      severity: severity && parseSeverities(severity).join(','),
      tags: tag?.join(','),
      enabled: enabled || disabled ? String(enabled === true) : undefined,
    }),
    serverSorts: ['created_at', 'updated_at'],
    filtersTakeOne: true,
    sortKeyOf: (policy, field) => {
      if (field === 'severity') return policy.severity && String(severities.indexOf(policy.severity)); // prettier-ignore
      const value = (policy as Readonly<Record<string, unknown>>)[field]; // an object of the API
      return typeof value === 'boolean' ? String(value) : ownField(policy, field);
    },
  },
  view: policyView,
  removal: {
    asked: (_, who, { baseUrl }) => ({ what: who, where: baseUrl }),
  },
  switch: {
    field: 'enabled',
    isOn: ({ enabled }) => enabled,
    words: {
      on: { state: 'enabled', done: 'Enabled' },
      off: { state: 'disabled', done: 'Disabled', verb: 'disable' },
    },
  },
};

/** @throws GovctlError usage_error, with the nearest one */
function parseSeverities(given: readonly string[]): readonly string[] {
  const words = given.flatMap((text) => text.toUpperCase().split(','));
  for (const word of words) {
    if ((severities as readonly string[]).includes(word)) continue;
    const nearest = nearestWord(word, severities);
    throw new GovctlError('usage_error', `--severity ${word}: unknown severity`, {
      hint: nearest ? `Did you mean ${nearest}?` : `Use ${severities.join(', ')}.`,
    });
  }
  return words;
}

function columnsFor(policies: readonly Policy[]): Column<Policy>[] {
  const owner = (policy: Policy): string => readOwnership(policy.tags ?? []).owner ?? '';
  return [
    { title: 'NAME', cell: ({ name }) => name, shrinks: 'end', least: 18 },
    { title: 'TYPE', cell: (policy) => policy.resource_type, shrinks: 'middle', drops: 2 },
    {
      title: 'SEVERITY',
      cell: ({ severity }) => severity ?? '-',
      paint: (text, { severity }, style) => paintSeverity(text, severity, style),
    },
    {
      title: 'ENABLED',
      cell: ({ enabled, quarantined }) => {
        if (enabled === undefined) return '-';
        return enabled ? `yes${quarantined ? ', quarantined' : ''}` : 'no';
      },
      paint: (text, { enabled, quarantined }, style) =>
        enabled === false || quarantined ? style.yellow(text) : text,
      drops: 3,
    },
    ...(policies.some(owner)
      ? [{ title: 'PROJECT', cell: (policy: Policy) => owner(policy) || '-', drops: 1 }]
      : []),
    { title: 'ID', cell: ({ id }) => id },
  ];
}
