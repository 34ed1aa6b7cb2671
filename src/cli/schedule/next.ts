import { nextFires } from '../../calendar/fires.ts';
import { describeCron, sayTime } from '../../calendar/words.ts';
import { offsetAt } from '../../calendar/zone.ts';
import { cronFault } from '../../contract/cron.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { printableLine } from '../terminal/printable.ts';
import { tableColumns } from '../terminal/table.ts';
import { parseTimeZone } from '../flags/time-zone.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { lookUp } from '../objects/get.ts';
import { serviceNow } from '../service-clock.ts';
import { schedules } from './schedules.ts';
import { zoneOf } from './schedule-view.ts';

export interface NextOptions {
  readonly args: readonly [string?];
  readonly cron?: string;
  readonly timezone?: string;
  readonly count: string;
}

const mostFires = 1_000;

/** When a schedule, or a cron that is being thought of, fires next; the latter without any server. */
export async function runNext(context: Context, options: NextOptions): Promise<ExitCode> {
  const count = parseCount(options.count);
  const { cron, zone, about, now } = await timingOf(context, options);
  const fault = cronFault(cron);
  if (fault !== undefined) {
    throw new GovctlError('usage_error', `--cron ${JSON.stringify(cron)} ${fault}`);
  }
  const fires = nextFires(cron, zone, now, count);
  const rows = fires.map((at, index) => fireOf(zone, at, fires[index - 1] ?? now));
  const words = await describeCron(cron);
  const room = tableColumns(context.world.terminal);
  await context.show({
    value: { ...about, cron, timezone: zone, description: words, fires: rows },
    rows: () => rows,
    human: (style) =>
      wrapWords(
        [
          style.bold(printableLine(`${words} (${cron}, ${zone})`)),
          ...rows.map(({ at, local, clocks }) =>
            [
              `  ${local}`,
              ...(zone === 'UTC' ? [] : [at]),
              ...(clocks ? [style.yellow(clocks)] : []),
            ].join('  '),
          ),
          '',
        ].join('\n'),
        room,
      ),
  });
  if (fires.length < count) await context.warn('no further runs');
  return exitCodes.ok;
}

async function timingOf(context: Context, { args: [named], cron, timezone }: NextOptions) {
  if ((named === undefined) === (cron === undefined)) {
    throw new GovctlError('usage_error', 'Use either a schedule or --cron');
  }
  const zone = timezone === undefined ? undefined : parseTimeZone(timezone);
  if (cron !== undefined) return { cron, zone: zone ?? 'UTC', about: {}, now: context.world.now() };
  const { item: schedule, client } = await lookUp(context, schedules, named ?? '');
  if (schedule.enabled === false) {
    await context.warn(`${schedule.name} is disabled; if enabled, it would run at these times`);
  }
  return {
    cron: schedule.schedule.cron,
    zone: zone ?? zoneOf(schedule),
    about: { schedule_id: schedule.id, name: schedule.name },
    now: await serviceNow(context, client),
  };
}

/** One fire, and whether the clocks are changed between the one before and it. */
function fireOf(zone: string, at: number, before: number) {
  const change = offsetAt(zone, at) - offsetAt(zone, before);
  return {
    at: new Date(at).toISOString(),
    local: sayTime(at, zone),
    ...(change === 0 ? {} : { clocks: describeChange(change) }),
  };
}

function describeChange(change: number): string {
  const minutes = Math.abs(change) / 60_000;
  const amount = minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
  return `after clocks go ${change > 0 ? 'forward' : 'back'} ${amount}`;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= mostFires) return count;
  throw new GovctlError(
    'usage_error',
    `--count ${text}: must be a whole number from 1 to ${mostFires}`,
  );
}
