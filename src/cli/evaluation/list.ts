import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { Evaluation, evaluationSortFields } from '../../contract/governance.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { parseTypes } from '../flags/parse-types.ts';
import { listOf } from '../flags/parse-words.ts';
import { showList } from '../objects/list.ts';
import { paintSeverity } from '../terminal/severity.ts';
import type { Column } from '../terminal/table.ts';
import { asQuery, policyFilterOf } from '../violation/filter-flags.ts';
import { sayUnknownFilters } from '../violation/unknown-filters.ts';

interface ListOptions extends ListFlags {
  readonly status?: readonly string[];
  readonly reason?: readonly string[];
  readonly severity?: readonly string[];
  readonly policy?: readonly string[];
  readonly type?: readonly string[];
  readonly environment?: readonly string[];
  readonly account?: readonly string[];
  readonly provider?: readonly string[];
  readonly region?: readonly string[];
  readonly resource?: string;
}

type SortField = (typeof evaluationSortFields)[number];

export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const filter = {
    sort_by: options.sort as SortField, // commander knows the choices
    order: options.order,
    ...filterOf(options),
  };
  let policies: Record<string, string> | undefined;
  return showList<Evaluation>(context, options, {
    plural: 'evaluations',
    feature: 'evaluations',
    fetchPage: async (client, place) => {
      policies ??= asQuery(await policyFilterOf(options, context, client));
      const { data, characters } = await client.evaluations.list({
        query: { ...filter, ...policies, ...place },
      });
      const { evaluations: rows, pagination, pending } = data;
      return { rows, pagination, pending, characters };
    },
    columns: columnsFor,
    sayIfEmpty: () => sayUnknownFilters(context, options),
  });
}

const joined = (values: readonly string[] | undefined): string | undefined =>
  values && listOf(values).join(',');

/** What the flags say, but for the policy, as the service takes it. */
const filterOf = ({ status = ['ERROR'], reason, severity, type, ...where }: ListOptions) =>
  defined({
    status: joined(status)?.toUpperCase(),
    reason: joined(reason),
    severity: joined(severity)?.toUpperCase(),
    resource_type: type && parseTypes(type, '--provider').join(','),
    environment: joined(where.environment),
    account_id: joined(where.account),
    provider: joined(where.provider),
    region: joined(where.region),
    resource_id: where.resource,
  });

const columnsFor = (_: unknown, rows: readonly Evaluation[]): readonly Column<Evaluation>[] => [
  {
    title: 'SEVERITY',
    cell: ({ severity }) => severity,
    paint: (text, { severity }, style) => paintSeverity(text, severity, style),
  },
  ...(rows.some(({ status }) => status !== 'ERROR')
    ? [{ title: 'STATUS', cell: ({ status }: Evaluation) => status }]
    : []),
  { title: 'RESOURCE', cell: (row) => row.resource_id, shrinks: 'middle' },
  { title: 'POLICY', cell: (row) => row.policy_name, shrinks: 'wrap' },
  { title: 'REASON', cell: ({ reason = '-' }) => reason },
  { title: 'ATTRIBUTE', cell: ({ path = '-' }) => path, shrinks: 'middle' },
  { title: 'MESSAGE', cell: ({ message = '-' }) => message, shrinks: 'end', least: 20, drops: 1 },
];
