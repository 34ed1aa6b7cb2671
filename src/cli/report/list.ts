import type { Client } from '../../client/client.ts';
import { fetchPage } from '../../client/list-all.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { reportStatuses, reportTypes } from '../../contract/reports.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import { collectPages, howMany, sayHowMany } from '../objects/collect-pages.ts';
import type { Context } from '../context.ts';
import { joined } from '../flags/list-flags.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { parseWords } from '../flags/parse-words.ts';
import { askSchedules, findSchedule } from '../schedule/find-schedule.ts';
import type { Column } from '../terminal/table.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import type { ShownReport } from './report-objects.ts';
import { nameOf, shownReports } from './report-objects.ts';
import { paintStatus, scoreOf } from './report-view.ts';

export interface ListOptions extends ListFlags {
  readonly type?: readonly string[];
  readonly framework?: readonly string[];
  readonly status?: readonly string[];
  readonly schedule?: string;
}

export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const most = howMany(options);
  const filter = {
    ...joined('type', options.type && parseWords('--type', options.type, reportTypes)),
    ...joined('framework', options.framework),
    ...joined('status', options.status && parseWords('--status', options.status, reportStatuses)),
  };
  const client = await context.client();
  const { schedule } = options;
  const made = schedule === undefined ? {} : { schedule_id: await idOf(context, client, schedule) };
  const query = { ...filter, ...made, ...orderOf(options) };
  const { rows, pagination } = await context.progress('Listing reports', () =>
    collectPages(most, async (place) => {
      const { items, pagination: its } = await fetchPage(client, shownReports, {
        ...query,
        ...place,
      });
      return { rows: items, pagination: its };
    }),
  );
  const room = tableColumns(context.world.terminal);
  await context.show({
    value: { reports: rows, pagination },
    rows: () => rows,
    human: (style) =>
      rows.length === 0 ? '' : formatTable(rows, columnsFor(context, room), style, room),
  });
  const isFiltered = Object.keys({ ...filter, ...made }).length > 0;
  await sayHowMany(context, 'reports', rows.length, pagination, isFiltered);
  return exitCodes.ok;
}

/** What made a report may be gone by now, so an id is taken as it is. */
const idOf = async (context: Context, client: Client, named: string): Promise<string> =>
  named.startsWith('sch_')
    ? named
    : (await askSchedules(() => findSchedule(context, client, named))).schedule.id;

/** The description gives the list no order, so one is asked for only where it is another than a list has anyway. */
const orderOf = ({ sort, order }: ListFlags): Record<string, string> =>
  sort === 'created_at' && order === 'desc' ? {} : { sort_by: sort, order };

function columnsFor({ world }: Context, room: number): readonly Column<ShownReport>[] {
  const time = shortTime(world.now(), room);
  return [
    { title: 'NAME', cell: nameOf, shrinks: 'end' },
    { title: 'TYPE', cell: ({ type }) => type ?? '-', drops: 3 },
    { title: 'FRAMEWORK', cell: ({ framework }) => framework ?? '-', drops: 1 },
    { title: 'STATUS', cell: ({ status }) => status ?? '-', paint: paintStatus },
    { title: 'SCORE', cell: (report) => String(scoreOf(report) ?? '-'), drops: 4 },
    {
      title: 'VIOLATIONS',
      cell: ({ summary }) => String(summary?.total_violations ?? '-'),
      drops: 2,
    },
    { title: ageTitle(room), cell: ({ created_at: at }) => time(at), drops: 5 },
    { title: 'ID', cell: ({ id }) => id },
  ];
}
