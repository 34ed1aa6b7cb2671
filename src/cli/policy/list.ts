import type { Client } from '../../client/client.ts';
import { fetchPolicyPage } from '../../client/policies.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Policy } from '../../contract/policies.ts';
import { severities } from '../../contract/policies.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import { connect } from '../connect.ts';
import type { Context } from '../context.ts';
import { projectBaseUrl } from '../project-base-url.ts';
import type { Column } from '../table.ts';
import { formatTable, tableColumns } from '../table.ts';
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

const pageSize = 100;

export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const most = options.all ? Infinity : parseLimit(options.limit);
  const query = listQuery(options);
  const { client } = await connect(context, await projectBaseUrl(context));
  const list = await context.progress('Listing policies', () => collectPages(client, query, most));
  const { policies, pagination } = list;
  const columns = tableColumns(context.world.terminal);
  await context.show({
    value: list,
    rows: () => policies,
    human: (style) =>
      policies.length === 0 ? '' : formatTable(policies, columnsFor(policies), style, columns),
  });
  if (policies.length === 0) await context.say('No policies match.');
  else if (pagination.has_more) {
    const of =
      pagination.total === undefined ? 'more' : `${policies.length} of ${pagination.total}`;
    await context.say(`Shown: ${of}. --limit N shows so many, --all every one.`);
  }
  return exitCodes.ok;
}

/** @throws GovctlError usage_error */
function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && Number.isSafeInteger(limit)) return limit;
  throw new GovctlError('usage_error', `--limit ${text}: give a whole number from 1 on, or --all`);
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

/** The first `most` policies in the API's own list shape, over as many pages as that takes. */
async function collectPages(client: Client, query: Readonly<Record<string, string>>, most: number) {
  const found = new Map<string, Policy>();
  let cursor: string | undefined;
  let total: number | undefined;
  let hasMore = true;
  for (let offset = 0; hasMore && found.size < most;) {
    const limit = Math.min(pageSize, most - found.size);
    const place = cursor === undefined ? { offset } : { cursor };
    const { policies, pagination } = await fetchPolicyPage(client, { ...query, limit, ...place });
    const before = found.size;
    for (const policy of policies) if (found.size < most) found.set(policy.id, policy);
    offset += policies.length;
    total = pagination?.total ?? total;
    cursor = pagination?.next_cursor ?? undefined;
    // A page that brings nothing new is the last, whatever its server says.
    hasMore =
      found.size > before && (pagination?.has_more ?? (total === undefined || offset < total));
  }
  return {
    policies: [...found.values()],
    pagination: {
      ...(total === undefined ? {} : { total }),
      limit: found.size,
      offset: 0,
      has_more: hasMore,
    },
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
