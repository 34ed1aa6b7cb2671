import { fetchPolicyPage } from '../../client/policies.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Policy } from '../../contract/policies.ts';
import { severities } from '../../contract/policies.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import { collectPages, howMany, sayHowMany } from '../objects/collect-pages.ts';
import type { Context } from '../context.ts';
import type { Column } from '../terminal/table.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import { paintSeverity } from './policy-view.ts';

export interface ListOptions {
  readonly type?: readonly string[];
  readonly severity?: readonly string[];
  readonly tag?: readonly string[];
  readonly enabled?: boolean;
  readonly disabled?: boolean;
  readonly limit: string;
  readonly all?: boolean;
  readonly sort: string;
  readonly order: string;
}

export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const most = howMany(options);
  const query = listQuery(options);
  const client = await context.client();
  const { rows: policies, pagination } = await context.progress('Listing policies', () =>
    collectPages(most, async (place) => {
      const page = await fetchPolicyPage(client, { ...query, ...place });
      return { rows: page.policies, pagination: page.pagination };
    }),
  );
  const columns = tableColumns(context.world.terminal);
  await context.show({
    value: { policies, pagination },
    rows: () => policies,
    human: (style) =>
      policies.length === 0 ? '' : formatTable(policies, columnsFor(policies), style, columns),
  });
  await sayHowMany(context, 'policies', policies.length, pagination);
  return exitCodes.ok;
}

function listQuery(options: ListOptions): Record<string, string> {
  const severity = options.severity?.flatMap((text) => text.toUpperCase().split(','));
  for (const given of severity ?? []) {
    if ((severities as readonly string[]).includes(given)) continue;
    const nearest = nearestWord(given, severities);
    throw new GovctlError('usage_error', `--severity ${given}: there is no such severity`, {
      hint: nearest ? `Did you mean ${nearest}?` : `There are ${severities.join(', ')}.`,
    });
  }
  return {
    sort_by: options.sort,
    order: options.order,
    ...(options.type ? { resource_type: options.type.join(',') } : {}),
    ...(severity ? { severity: severity.join(',') } : {}),
    ...(options.tag ? { tags: options.tag.join(',') } : {}),
    ...(options.enabled || options.disabled ? { enabled: String(options.enabled === true) } : {}),
  };
}

function columnsFor(policies: readonly Policy[]): Column<Policy>[] {
  const owner = (policy: Policy): string => readOwnership(policy.tags ?? []).owner ?? '';
  return [
    { title: 'NAME', cell: ({ name }) => name, shrinks: 'end' },
    { title: 'TYPE', cell: (policy) => policy.resource_type, shrinks: 'middle' },
    {
      title: 'SEVERITY',
      cell: ({ severity }) => severity ?? '-',
      paint: (text, { severity }, style) => paintSeverity(text, severity, style),
    },
    {
      title: 'ENABLED',
      cell: ({ enabled }) => (enabled === undefined ? '-' : enabled ? 'yes' : 'no'),
      paint: (text, { enabled }, style) => (enabled === false ? style.yellow(text) : text),
    },
    ...(policies.some(owner)
      ? [{ title: 'PROJECT', cell: (policy: Policy) => owner(policy) || '-', drops: 2 }]
      : []),
    { title: 'ID', cell: ({ id }) => id, drops: 1 },
  ];
}
