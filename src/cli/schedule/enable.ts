import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context, Run } from '../context.ts';
import { warnIfOwned } from '../policy/find-policy.ts';
import { printableLine } from '../terminal/printable.ts';
import { askSchedules, findSchedule } from './find-schedule.ts';
import { inZone, zoneOf } from './schedule-view.ts';
import { changeSchedule } from './update.ts';

export interface EnableOptions {
  readonly args: readonly [string];
}

export const runEnable: Run<EnableOptions> = (context, options) => switchTo(context, options, true);
export const runDisable: Run<EnableOptions> = (context, options) =>
  switchTo(context, options, false);

async function switchTo(
  context: Context,
  { args: [named] }: EnableOptions,
  enabled: boolean,
): Promise<ExitCode> {
  const client = await context.client();
  const found = await askSchedules(() =>
    context.progress('Looking it up', () => findSchedule(context, client, named)),
  );
  const same = (found.schedule.enabled ?? true) === enabled;
  if (!same) await warnIfOwned(context, found.schedule);
  const schedule = same
    ? found.schedule
    : await changeSchedule(context, client, found, { enabled });
  const who = printableLine(`${schedule.name} (${schedule.id})`);
  const next = schedule.next_run_at
    ? `: next ${inZone(schedule.next_run_at, zoneOf(schedule))}`
    : '';
  await context.show({
    value: schedule,
    human: (style) =>
      same
        ? `${who} is ${enabled ? 'enabled' : 'disabled'} already\n`
        : `${style.green(enabled ? 'Enabled' : 'Disabled')} ${who}${printableLine(next)}\n`,
  });
  return exitCodes.ok;
}
