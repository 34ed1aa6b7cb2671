import { fetchPage } from '../../client/list-all.ts';
import type { AnySchedule } from '../../client/objects.ts';
import { scheduleObjects } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { reportTypes } from '../../contract/reports.ts';
import { shortTime } from '../terminal/ages.ts';
import { collectPages, howMany, sayHowMany } from '../objects/collect-pages.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { joined } from '../flags/list-flags.ts';
import { parseWords } from '../flags/parse-words.ts';
import type { Column } from '../terminal/table.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import { withSchedules } from './find-schedule.ts';

export interface ListOptions extends ListFlags {
  readonly type?: readonly string[];
  readonly tag?: readonly string[];
  readonly enabled?: boolean;
  readonly disabled?: boolean;
}

export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const most = howMany(options);
  const filter = {
    ...joined('type', options.type && parseWords('--type', options.type, reportTypes)),
    ...joined('tags', options.tag),
    ...(options.enabled || options.disabled ? { enabled: String(options.enabled === true) } : {}),
  };
  const query = { ...filter, sort_by: options.sort, order: options.order };
  const { rows, pagination } = await withSchedules(context, 'Listing schedules', (client) =>
    collectPages(most, async (place) => {
      const page = await fetchPage(client, scheduleObjects, { ...query, ...place });
      return { rows: page.items, pagination: page.pagination };
    }),
  );
  const room = tableColumns(context.world.terminal);
  await context.show({
    value: { schedules: rows, pagination },
    rows: () => rows,
    human: (style) =>
      rows.length === 0 ? '' : formatTable(rows, columnsFor(context, room), style, room),
  });
  await sayHowMany(context, 'schedules', rows.length, pagination, Object.keys(filter).length > 0);
  return exitCodes.ok;
}

function columnsFor({ world }: Context, room: number): readonly Column<AnySchedule>[] {
  const time = shortTime(world.now(), room);
  return [
    { title: 'NAME', cell: ({ name }) => name, shrinks: 'end' },
    { title: 'CRON', cell: ({ schedule: { cron } }) => cron, shrinks: 'end' },
    { title: 'ZONE', cell: ({ schedule: { timezone } }) => timezone ?? 'UTC', drops: 1 },
    {
      title: 'NEXT',
      cell: ({ next_run_at: at, enabled }) => (enabled === false ? 'disabled' : time(at)),
      paint: (text, { enabled }, style) => (enabled === false ? style.yellow(text) : text),
    },
    {
      title: 'LAST',
      cell: ({ last_status: status }) => status ?? '-',
      paint: (text, { last_status: status }, style) =>
        status === 'failed' ? style.red(text) : text,
      drops: 2,
    },
    { title: 'ID', cell: ({ id }) => id },
  ];
}
