import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import type { AnySchedule } from '../../client/objects.ts';
import { createObject, scheduleObjects } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { ScheduleInput } from '../../contract/schedules.ts';
import type { Context } from '../context.ts';
import type { FieldsOf } from '../flags/read-fields.ts';
import { readFields } from '../flags/read-fields.ts';
import type { PasswordFlags } from '../report/read-password.ts';
import { readPassword } from '../report/read-password.ts';
import { shownBy } from '../objects/shown-by.ts';
import type { Style } from '../terminal/terminal.ts';
import type { FieldFlags } from './schedule-fields.ts';
import { inputFromFlags } from './schedule-fields.ts';
import { scheduleView } from './schedule-view.ts';

export interface CreateOptions extends FieldFlags, PasswordFlags {
  readonly args: readonly [string?];
  readonly file?: string;
  readonly disabled?: boolean;
}

export const scheduleFile: FieldsOf = { one: 'schedule', many: 'schedules', kind: 'Schedule' };

export async function runCreate(context: Context, options: CreateOptions): Promise<ExitCode> {
  const input = await readInput(context, options);
  if (Object.keys(input.delivery ?? {}).length === 0) {
    await context.warn(
      'the schedule has no delivery channel: its reports are stored, but not sent. Add one, for example with --email.',
    );
  }
  const client = await context.client();
  const { item } = await context.progress('Creating schedule', () =>
    createObject(client, scheduleObjects, input),
  );
  if (item) {
    await warnOfNamesakes(context, client, item);
    const headline = (style: Style): string => `${style.green('Created')} ${item.id}`;
    await context.show(await scheduleView(item, await shownBy(context, item, { headline })));
  } else {
    // The description shows no body for this answer: another server may send none.
    await context.show({
      value: { name: input.name },
      human: (style) => `${style.green('Created')} ${input.name}\n`,
    });
  }
  return exitCodes.ok;
}

/** Names need not be unique, but one that is there twice was most likely made twice. */
async function warnOfNamesakes(
  { warn }: Context,
  client: Client,
  { id, name }: AnySchedule,
): Promise<void> {
  const others: string[] = [];
  try {
    for await (const one of listAll(client, scheduleObjects)) {
      if (one.name === name && one.id !== id) others.push(one.id);
    }
  } catch (error) {
    if (!(error instanceof GovctlError)) throw error;
    return; // Other servers list none, and the schedule is there all the same.
  }
  const [other] = others;
  if (other === undefined) return;
  await warn(
    `another schedule already has the name ${JSON.stringify(name)}: ${others.slice(0, 3).join(', ')}. To delete one, run \`govctl schedule delete ID\`.`,
  );
}

async function readInput(context: Context, options: CreateOptions): Promise<ScheduleInput> {
  const [name] = options.args;
  const { file, cron, type = options.reportType } = options;
  if (file !== undefined) {
    const beside = name === undefined ? flagBeside(options) : 'a name';
    if (beside !== undefined) {
      throw new GovctlError('usage_error', `Use either --file or ${beside}`, {
        hint: 'Set the field in the file.',
      });
    }
    return readFields(context.world, file, ScheduleInput, scheduleFile);
  }
  const missing = [
    !name?.trim() && 'a name',
    cron === undefined && '--cron',
    type === undefined && '--type',
  ].find((one) => typeof one === 'string');
  if (name === undefined || missing !== undefined) {
    throw new GovctlError('usage_error', `A schedule requires ${missing ?? 'a name'}`, {
      hint: "Run `govctl schedule create NAME --cron '0 9 * * 1' --type compliance`, or pass -f FILE.",
    });
  }
  const password = await readPassword(context, options, true);
  return inputFromFlags(name, options, {
    password,
    disabled: options.disabled ?? false,
  });
}

/** A flag that says what a file would. */
function flagBeside(options: CreateOptions): string | undefined {
  const [flag] =
    Object.entries(options).find(
      ([name, value]) =>
        !['args', 'file'].includes(name) &&
        value !== undefined &&
        // Those that are on until they are taken away.
        !(value === true && ['summary', 'findings'].includes(name)),
    ) ?? [];
  if (flag === undefined) return undefined;
  const word = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return ['summary', 'findings'].includes(flag) ? `--no-${word}` : `--${word}`;
}
