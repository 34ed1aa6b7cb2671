import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { violationSortFields } from '../../contract/violations.ts';
import type { Context } from '../context.ts';
import { joined } from '../flags/list-flags.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { findPolicyIds } from '../policy/find-policy.ts';
import { showList } from '../objects/list.ts';
import { paintViolation } from './violation-view.ts';

export interface ListOptions extends ListFlags {
  readonly status?: readonly string[];
  readonly severity?: readonly string[];
  readonly policy?: readonly string[];
  readonly resource?: string;
  readonly type?: readonly string[];
  readonly provider?: readonly string[];
  readonly account?: readonly string[];
  readonly region?: readonly string[];
  readonly environment?: readonly string[];
}

const upper = (words: readonly string[] | undefined): string[] | undefined =>
  words?.map((word) => word.toUpperCase());

export function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const query = {
    sort_by: options.sort as (typeof violationSortFields)[number], // commander knows the choices
    order: options.order,
    ...joined('status', upper(options.status) ?? ['OPEN']),
    ...joined('severity', upper(options.severity)),
    ...defined({ resource_id: options.resource }),
    ...joined('resource_type', options.type),
    ...joined('provider', options.provider),
    ...joined('account_id', options.account),
    ...joined('region', options.region),
    ...joined('environment', options.environment),
  };
  let policyIds: Promise<string[]> | undefined;
  return showList(context, options, {
    plural: 'violations',
    feature: 'violations',
    fetchPage: async (client, place) => {
      const ids =
        options.policy && (await (policyIds ??= findPolicyIds(context, client, options.policy)));
      const { data } = await client.violations.list({
        query: { ...query, ...joined('policy_id', ids), ...place },
      });
      return { rows: data.violations, pagination: data.pagination };
    },
    columns: [
      { title: 'SEVERITY', cell: ({ severity }) => severity, paint: paintViolation },
      { title: 'RESOURCE', cell: (row) => row.resource_id, shrinks: 'middle' },
      { title: 'POLICY', cell: (row) => row.policy_name, shrinks: 'end' },
      { title: 'MESSAGE', cell: ({ message }) => message, shrinks: 'end', drops: 3 },
      { title: 'STATUS', cell: ({ status }) => status, drops: 2 },
      { title: 'ID', cell: ({ id }) => id, drops: 1 },
    ],
  });
}
