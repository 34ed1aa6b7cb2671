import { showMoney } from '../../contract/money.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { MonthlyCosts, ViolationGroup } from '../../contract/violations.ts';
import { listOf } from '../flags/parse-words.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { shortTime } from '../terminal/ages.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';
import { asQuery, policyFilterOf, violationFilterOf } from './filter-flags.ts';
import type { ViolationFlags } from './filter-flags.ts';

interface SummaryOptions extends ViolationFlags {
  readonly by: string;
  readonly limit: string;
  readonly status?: readonly string[];
}

export async function runSummary(
  context: Context,
  { by, limit, status = ['OPEN'], ...flags }: SummaryOptions,
): Promise<ExitCode> {
  const { data } = await withOurServer(
    context,
    'violations',
    'Counting violations',
    async (client) =>
      client.violations.summary({
        query: {
          ...asQuery({
            ...violationFilterOf(flags),
            ...(await policyFilterOf(flags, context, client)),
          }),
          status: listOf(status).join(',').toUpperCase(),
          group_by: by,
          limit,
        },
      }),
  );
  const { groups, groups_total: all, total, monthly_costs: costs } = data;
  const room = tableColumns(context.world.terminal);
  const now = context.world.now();
  await context.show({
    value: data,
    rows: () => groups,
    human: (style) =>
      groups.length === 0
        ? 'No violations match.\n'
        : formatTable(groups, columnsOf(by, costs !== undefined, now, room), style, room),
  });
  if (groups.length === 0) return exitCodes.ok;
  const shown = groups.length < all ? `Showing ${groups.length} of ${count(all, 'group')}. ` : '';
  const cost = costs ? ` Their resources cost ${costText(costs)} in the last 30 days of data.` : '';
  await context.say(`${shown}${count(total, 'violation')}.${cost}`);
  return exitCodes.ok;
}

const costText = (costs: MonthlyCosts = []): string =>
  costs.map(({ currency, monthly_cost: cost }) => showMoney(cost, currency)).join(', ');

export const columnsOf = (
  by: string,
  hasCosts: boolean,
  now: number,
  room: number,
): Column<ViolationGroup>[] => [
  {
    title: by.startsWith('tag:') ? by : by.toUpperCase(),
    cell: ({ key, label }) => label ?? key ?? 'none',
    shrinks: 'middle',
  },
  { title: 'TOTAL', cell: ({ total }) => inThrees(total) },
  { title: 'CRITICAL', cell: ({ critical }) => inThrees(critical), drops: 4 },
  { title: 'HIGH', cell: ({ high }) => inThrees(high), drops: 3 },
  { title: 'MEDIUM', cell: ({ medium }) => inThrees(medium), drops: 2 },
  { title: 'LOW', cell: ({ low }) => inThrees(low), drops: 1 },
  { title: 'RISK', cell: ({ weighted_risk: risk }) => inThrees(risk) },
  { title: 'OLDEST', cell: ({ oldest }) => shortTime(now, room)(oldest), drops: 5 },
  ...(hasCosts
    ? [{ title: 'MONTHLY COST', cell: (group: ViolationGroup) => costText(group.monthly_costs) }]
    : []),
];
