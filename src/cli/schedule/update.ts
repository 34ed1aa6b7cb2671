import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { channelKinds } from '../../contract/report-channels.ts';
import { ScheduleInput } from '../../contract/schedules.ts';
import type { Context } from '../context.ts';
import { parseWords } from '../flags/parse-words.ts';
import { readFields } from '../flags/read-fields.ts';
import { changeObject, checkChanges } from '../objects/change.ts';
import { lookUp } from '../objects/get.ts';
import { shownBy } from '../objects/shown-by.ts';
import { keepOwnership, warnIfOwned } from '../objects/owned.ts';
import type { Style } from '../terminal/terminal.ts';
import { schedules } from './schedules.ts';
import { scheduleFile } from './create.ts';
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
  const { client, item: before, etag } = await lookUp(context, schedules, options.args[0]);
  const fields = keepOwnership(before.tags, {
    ...fromFile,
    ...defined({ name: options.name }),
    ...changeFromFlags(before, options, remove),
  });
  checkChanges(fields, 'Pass a flag such as --cron, or -f FILE.');
  await warnIfOwned(context, before.name, before.tags);
  // Objects are sent whole, so they must not be those of an older state.
  const ifMatch = options.ifMatch ?? etag;
  const changed = await changeObject(context, client, {
    of: schedules.of,
    before,
    fields,
    ifMatch,
  });
  const headline = (style: Style): string => `${style.green('Updated')} ${changed.id}`;
  await context.show(await scheduleView(changed, await shownBy(context, changed, { headline })));
  return exitCodes.ok;
}
