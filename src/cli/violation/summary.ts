import { showMoney } from '../../contract/money.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { MonthlyCosts, ViolationGroup } from '../../contract/violations.ts';
import { listOf } from '../flags/parse-words.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { warnOfPending } from '../objects/pending.ts';
import { shortTime } from '../terminal/ages.ts';
import { count } from '../terminal/printable.ts';
import { formatTable, tableColumns, numberColumn } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';
import { asQuery, policyFilterOf, violationFilterOf } from './filter-flags.ts';
import type { ViolationFlags } from './filter-flags.ts';
import { sayUnknownFilters } from './unknown-filters.ts';

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
  const now = context.serviceClock.now();
  await context.show({
    value: data,
    rows: () => groups,
    human: (style) =>
      groups.length === 0
        ? 'No violations match.\n'
        : formatTable(groups, columnsOf(by, costs !== undefined, now, room), style, room),
  });
  await warnOfPending(context, data.pending);
  if (groups.length === 0) {
    await sayUnknownFilters(context, flags);
    return exitCodes.ok;
  }
  const shown = groups.length < all ? `Showing ${groups.length} of ${count(all, 'group')}. ` : '';
  const cost = costs ? ` Their resources cost ${costText(costs)} in the last 30 days of data.` : '';
  await context.say(`${shown}${count(total, 'violation')}.${cost}`);
  if (groups.some(({ key }) => key === null)) {
    await context.say(
      `To list the violations in the group none, add \`--without ${shellWord(by)}\` to \`govctl violation list\`.`,
    );
  }
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
  numberColumn('TOTAL', ({ total }) => total),
  numberColumn('CRITICAL', ({ critical }) => critical, { drops: 4 }),
  numberColumn('HIGH', ({ high }) => high, { drops: 3 }),
  numberColumn('MEDIUM', ({ medium }) => medium, { drops: 2 }),
  numberColumn('LOW', ({ low }) => low, { drops: 1 }),
  numberColumn('RISK', ({ weighted_risk: risk }) => risk),
  { title: 'OLDEST', cell: ({ oldest }) => shortTime(now, room)(oldest), drops: 5 },
  ...(hasCosts
    ? [
        {
          title: 'MONTHLY COST',
          cell: (group: ViolationGroup) => costText(group.monthly_costs),
          isRight: true as const,
        },
      ]
    : []),
];
