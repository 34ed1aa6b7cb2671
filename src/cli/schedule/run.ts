import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { ScheduleRun } from '../../contract/schedules.ts';
import type { Context } from '../context.ts';
import { count } from '../terminal/printable.ts';
import { typed } from '../terminal/typed.ts';
import { parseTimeout, showTimeout, waitUntilEnded } from '../objects/wait.ts';
import { findObject } from '../objects/find.ts';
import { withServer } from '../objects/our-server.ts';
import { schedules } from './schedules.ts';
import { runView } from './run-view.ts';

export interface RunOptions {
  readonly args: readonly [string];
  readonly wait?: boolean;
  readonly timeout: string;
}

/** Makes and sends the report now, beside the schedule. */
export async function runRun(context: Context, options: RunOptions): Promise<ExitCode> {
  const timeoutMs = parseTimeout(options.timeout);
  const [named] = options.args;
  const run = await withServer(context, schedules, 'Starting run', async (client, update) => {
    const { item: schedule } = await findObject(context, client, schedules, named);
    const { data: begun } = await client.schedules.run({ params: { id: schedule.id } });
    if (!options.wait) return begun;
    return waitUntilEnded(context.world, begun, {
      timeoutMs,
      isUnderway,
      lookLater: `To show the run, use \`govctl schedule runs ${typed(named)}\`.`,
      look: async () => {
        const seen = (await findRun(client, schedule.id, begun)) ?? begun;
        update(describe(seen));
        return seen;
      },
    });
  });
  await context.show(runView(run));
  if (run.status === 'failed') return exitCodes.error;
  if (!isUnderway(run)) return exitCodes.ok;
  if (options.wait)
    await context.warn(`the run did not finish within ${showTimeout(options.timeout)}`);
  await context.say(`To show the run, use \`govctl schedule runs ${typed(named)}\`.`);
  return options.wait ? exitCodes.pending : exitCodes.ok;
}

const isUnderway = ({ status }: ScheduleRun): boolean => status === 'pending';

/** Among the latest runs; undefined where many came after it. */
async function findRun(
  client: Client,
  schedule: string,
  { id }: ScheduleRun,
): Promise<ScheduleRun | undefined> {
  const { data } = await client.schedules.runs({
    params: { id: schedule },
    query: { limit: 100, order: 'desc' },
  });
  return data.runs.find((one) => one.id === id);
}

function describe({ report_status: status, deliveries }: ScheduleRun): string {
  if (deliveries.length === 0) return `Report ${status ?? 'pending'}`;
  const done = deliveries.filter((one) => one.status !== 'pending').length;
  return `Delivering: ${done} of ${count(deliveries.length, 'channel')}`;
}
