import type { ExitCode } from '../../contract/errors.ts';
import type { resourceSortFields } from '../../contract/resources.ts';
import type { Context } from '../context.ts';
import { joined } from '../flags/list-flags.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { showList } from '../objects/list.ts';

export interface ListOptions extends ListFlags {
  readonly type?: readonly string[];
  readonly provider?: readonly string[];
  readonly account?: readonly string[];
  readonly region?: readonly string[];
  readonly environment?: readonly string[];
  readonly tag?: readonly string[];
}

export function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const query = {
    sort_by: options.sort as (typeof resourceSortFields)[number], // commander knows the choices
    order: options.order,
    ...joined('type', options.type),
    ...joined('provider', options.provider),
    ...joined('account_id', options.account),
    ...joined('region', options.region),
    ...joined('environment', options.environment),
    ...joined('tags', options.tag),
  };
  return showList(context, options, {
    plural: 'resources',
    feature: 'an inventory',
    fetchPage: async (client, place) => {
      const { data } = await client.resources.list({ query: { ...query, ...place } });
      return { rows: data.resources, pagination: data.pagination };
    },
    columns: [
      { title: 'ID', cell: ({ id }) => id, shrinks: 'middle' },
      { title: 'TYPE', cell: ({ type }) => type, shrinks: 'middle' },
      { title: 'ACCOUNT', cell: (row) => row.account_id ?? '-', drops: 2 },
      { title: 'REGION', cell: (row) => row.region ?? '-', drops: 3 },
      { title: 'ENVIRONMENT', cell: (row) => row.environment ?? '-', drops: 1 },
    ],
  });
}
