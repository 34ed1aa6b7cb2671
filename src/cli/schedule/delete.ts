import { deleteObject, scheduleObjects } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { confirmDelete } from '../objects/confirm-delete.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../plan/approve.ts';
import { warnIfOwned } from '../policy/find-policy.ts';
import { printableLine } from '../terminal/printable.ts';
import { askSchedules, findSchedule } from './find-schedule.ts';

export interface DeleteOptions extends ApprovalOptions {
  readonly args: readonly [string];
  readonly ifMatch?: string;
}

/** Removes a schedule after asking; the reports it made stay. */
export async function runDelete(context: Context, options: DeleteOptions): Promise<ExitCode> {
  const client = await context.client();
  const { schedule } = await askSchedules(() =>
    context.progress('Looking it up', () => findSchedule(context, client, options.args[0])),
  );
  await warnIfOwned(context, schedule);
  const who = printableLine(`${schedule.name} (${schedule.id})`);
  await confirmDelete(context, `schedule ${who}`, options);
  await context.progress('Deleting it', () =>
    deleteObject(
      client,
      scheduleObjects,
      schedule.id,
      options.ifMatch === undefined ? {} : { ifMatch: options.ifMatch },
    ),
  );
  await context.show({
    value: { deleted: schedule.id, name: schedule.name },
    human: (style) => `${style.green('Deleted')} ${who}; the reports it made stay\n`,
  });
  return exitCodes.ok;
}
