import type { ExitCode } from '../../contract/errors.ts';
import type { UnusedResource } from '../../contract/cost-unused.ts';
import { defined } from '../../contract/defined.ts';
import { showMoney } from '../../contract/money.ts';
import type { MonthlyCosts } from '../../contract/violations.ts';
import { csvLine } from '../../report/formats/csv/csv-line.ts';
import { listOf } from '../flags/parse-words.ts';
import type { Context } from '../context.ts';
import { showList } from '../objects/list.ts';

interface UnusedOptions {
  readonly kind?: readonly string[];
  readonly provider?: readonly string[];
  readonly account?: readonly string[];
  readonly type?: readonly string[];
  readonly sort: string;
  readonly limit: string;
  readonly all?: boolean;
}

export async function runUnused(context: Context, options: UnusedOptions): Promise<ExitCode> {
  const { kind, provider, account, type, sort, ...flags } = options;
  const text = (values: readonly string[] | undefined) => values && listOf(values).join(',');
  const filter = defined({
    kind: text(kind),
    provider: text(provider),
    account: text(account),
    type: text(type),
  });
  let savings: MonthlyCosts = [];
  const code = await showList<UnusedResource>(context, flags, {
    plural: 'unused resources',
    listName: 'unused_resources',
    feature: 'unused resources',
    isFiltered: Object.keys(filter).length > 0,
    formats: (rows) => ({ csv: () => csvOf(rows) }),
    columns: () => [
      {
        title: 'MONTHLY COST',
        cell: ({ monthly_cost: cost, cost_currency: currency = '' }) =>
          cost === undefined ? 'unknown' : showMoney(cost, currency),
      },
      { title: 'KIND', cell: ({ kind: word }) => word.replaceAll('_', ' ') },
      { title: 'RESOURCE', cell: ({ id }) => id, shrinks: 'middle' },
      { title: 'ACCOUNT', cell: ({ account_id: id = '' }) => id, drops: 2 },
      { title: 'REASON', cell: ({ reason }) => reason, shrinks: 'end', drops: 1 },
    ],
    async fetchPage(client, page) {
      const order = sort === 'monthly_cost' || sort === 'since' ? 'desc' : 'asc';
      const query = { ...filter, ...page, sort_by: sort, order };
      const { data, characters } = await client.costUnused.list({ query: query as never }); // the service checks the words
      savings = data.potential_savings;
      return { rows: data.unused_resources, pagination: data.pagination, characters };
    },
  });
  if (savings.length > 0) {
    const sums = savings.map(({ currency, monthly_cost: sum }) => showMoney(sum, currency));
    await context.say(`Potential savings per month: ${sums.join(', ')}.`);
  }
  return code;
}

const csvHead = ['id', 'kind', 'type', 'name', 'provider', 'account_id', 'region', 'environment', 'reason', 'since', 'monthly_cost', 'cost_currency'] as const; // prettier-ignore

const csvOf = (rows: readonly UnusedResource[]): string =>
  [csvLine(csvHead), ...rows.map((row) => csvLine(csvHead.map((name) => row[name] ?? null)))].join(
    '',
  );
