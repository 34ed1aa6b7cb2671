import { defined } from '../../contract/defined.ts';
import type { Client } from '../../client/client.ts';
import type { AnySchedule } from '../../client/objects.ts';
import { readObject, scheduleObjects, updateObject } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { channelKinds } from '../../contract/report-channels.ts';
import { ScheduleInput } from '../../contract/schedules.ts';
import { isOwnershipTag } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import { parseWords } from '../flags/parse-words.ts';
import { warnIfOwned } from '../policy/find-policy.ts';
import { readFields } from '../flags/read-fields.ts';
import { tableColumns } from '../terminal/table.ts';
import { scheduleFile } from './create.ts';
import type { FoundSchedule } from './find-schedule.ts';
import { askSchedules, findSchedule } from './find-schedule.ts';
import type { FieldFlags } from './schedule-fields.ts';
import { changeFromFlags } from './schedule-fields.ts';
import { scheduleView } from './schedule-view.ts';

export interface UpdateOptions extends FieldFlags {
  readonly args: readonly [string];
  readonly name?: string;
  readonly file?: string;
  readonly remove?: readonly string[];
  readonly ifMatch?: string;
}

export async function runUpdate(context: Context, options: UpdateOptions): Promise<ExitCode> {
  const remove = options.remove ? parseWords('--remove', options.remove, channelKinds) : [];
  const fromFile =
    options.file === undefined
      ? {}
      : await readFields(context.world, options.file, ScheduleInput.partial(), scheduleFile);
  const client = await context.client();
  const found = await askSchedules(() =>
    context.progress('Looking it up', () => findSchedule(context, client, options.args[0])),
  );
  const change = withOwnTags(found.schedule, {
    ...fromFile,
    ...defined({ name: options.name }),
    ...changeFromFlags(found.schedule, options, remove),
  });
  if (Object.keys(change).length === 0) {
    throw new GovctlError('usage_error', 'Nothing to change is given', {
      hint: 'Give what it should be, such as --cron, or -f FILE.',
    });
  }
  await warnIfOwned(context, found.schedule);
  const changed = await changeSchedule(context, client, found, change, options.ifMatch);
  const room = tableColumns(context.world.terminal);
  await context.show(
    await scheduleView(changed, room, (style) => `${style.green('Updated')} ${changed.id}`),
  );
  return exitCodes.ok;
}

/** Sends a change; the schedule as it is then, read again where the server's answer did not show it. */
export async function changeSchedule(
  context: Context,
  client: Client,
  { schedule, etag }: FoundSchedule,
  change: Readonly<Record<string, unknown>>,
  ifMatch?: string,
): Promise<AnySchedule> {
  // Objects are sent whole, so they must not be those of an older state.
  const match = ifMatch ?? etag;
  const { item } = await context.progress('Changing it', () =>
    updateObject(
      client,
      scheduleObjects,
      schedule.id,
      change,
      match === undefined ? {} : { ifMatch: match },
    ),
  );
  return item ?? (await readObject(client, scheduleObjects, schedule.id))?.item ?? schedule;
}

/** New tags leave govctl's own in place: people neither see nor write them. */
function withOwnTags(
  { tags: before = [] }: AnySchedule,
  change: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const owned = before.filter(isOwnershipTag);
  if (!Array.isArray(change.tags) || owned.length === 0) return change;
  return { ...change, tags: [...(change.tags as string[]), ...owned] }; // given as texts
}
