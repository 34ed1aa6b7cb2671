import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { tableColumns } from '../terminal/table.ts';
import { findSchedule, withSchedules } from './find-schedule.ts';
import { scheduleView } from './schedule-view.ts';

export interface GetOptions {
  readonly args: readonly [string];
}

export async function runGet(context: Context, { args: [named] }: GetOptions): Promise<ExitCode> {
  const { schedule } = await withSchedules(context, 'Looking it up', (client) =>
    findSchedule(context, client, named),
  );
  await context.show(await scheduleView(schedule, tableColumns(context.world.terminal)));
  return exitCodes.ok;
}
