import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { scanSortFields } from '../../contract/scans.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { showList } from '../objects/list.ts';

export interface ListOptions extends ListFlags {
  readonly status?: string;
}

export function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const query = {
    sort_by: options.sort as (typeof scanSortFields)[number], // commander knows the choices
    order: options.order,
    ...defined({ status: options.status }),
  };
  return showList(context, options, {
    plural: 'scans',
    feature: 'scans',
    fetchPage: async (client, place) => {
      const { data } = await client.scans.list({ query: { ...query, ...place } });
      return { rows: data.scans, pagination: data.pagination };
    },
    columns: [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'NAME', cell: ({ name }) => name ?? '-', shrinks: 'end', drops: 1 },
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'SCORE', cell: (scan) => String(scan.compliance_score ?? '-') },
      { title: 'RESOURCES', cell: (scan) => String(scan.resources_scanned), drops: 2 },
      { title: 'FAIL', cell: ({ summary }) => String(summary.fail), drops: 3 },
      { title: 'CREATED', cell: (scan) => scan.created_at, drops: 4 },
    ],
  });
}
