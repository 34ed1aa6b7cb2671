import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { exemptionSortFields } from '../../contract/exemptions.ts';
import type { Context } from '../context.ts';
import { joined } from '../flags/list-flags.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { showList } from '../objects/list.ts';

export interface ListOptions extends ListFlags {
  readonly policy?: string;
  readonly owner?: readonly string[];
  readonly status?: string;
}

export function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const query = {
    sort_by: options.sort as (typeof exemptionSortFields)[number], // commander knows the choices
    order: options.order,
    ...defined({ policy: options.policy }),
    ...joined('owner', options.owner),
    ...defined({ status: options.status }),
  };
  return showList(context, options, {
    plural: 'exemptions',
    feature: 'exemptions',
    fetchPage: async (client, place) => {
      const { data } = await client.exemptions.list({ query: { ...query, ...place } });
      return { rows: data.exemptions, pagination: data.pagination };
    },
    columns: [
      { title: 'POLICY', cell: ({ policy }) => policy, shrinks: 'end' },
      { title: 'RESOURCES', cell: (row) => row.resources.join(', '), shrinks: 'middle' },
      { title: 'EXPIRES', cell: ({ expires }) => expires },
      {
        title: 'STATUS',
        cell: ({ status }) => status,
        paint: (text, { status }, style) => (status === 'expired' ? style.dim(text) : text),
      },
      { title: 'OWNER', cell: ({ owner }) => owner, drops: 2 },
      { title: 'ID', cell: ({ id }) => id, drops: 1 },
    ],
  });
}
