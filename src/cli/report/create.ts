import type { Client } from '../../client/client.ts';
import { createObject } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { ReportInput } from '../../contract/reports.ts';
import { connect } from '../connect.ts';
import type { Context } from '../context.ts';
import { projectBaseUrl } from '../project-base-url.ts';
import { readFields } from '../read-fields.ts';
import { tableColumns } from '../table.ts';
import type { FieldFlags } from './report-fields.ts';
import { inputFromFlags } from './report-fields.ts';
import type { PasswordFlags } from './read-password.ts';
import { readPassword } from './read-password.ts';
import type { ShownReport } from './report-objects.ts';
import { shownReports } from './report-objects.ts';
import { reportView } from './report-view.ts';

export interface CreateOptions extends FieldFlags, PasswordFlags {
  readonly args: readonly [string?];
  readonly file?: string;
}

export async function runCreate(context: Context, options: CreateOptions): Promise<ExitCode> {
  const input = await readInput(context, options);
  const { client } = await connect(context, await projectBaseUrl(context));
  const created = await context.progress('Asking for it', () => createOnce(client, input));
  await showCreated(context, input, created);
  return exitCodes.ok;
}

/** @throws GovctlError usage_error, or invalid_file with file:line:column of all that is wrong */
async function readInput(context: Context, options: CreateOptions): Promise<ReportInput> {
  const [name] = options.args;
  if (options.file === undefined) {
    if (name === undefined || options.type === undefined) {
      throw new GovctlError(
        'usage_error',
        `The report's ${name ? '--type' : 'name'} is not given`,
        {
          hint: 'Write `govctl report create NAME --type compliance`, or give -f FILE (- for standard input).',
        },
      );
    }
    return inputFromFlags(context.world, name, options, await readPassword(context, options, true));
  }
  const beside = fieldFlag(options);
  if (beside !== undefined) {
    throw new GovctlError('usage_error', `--file and ${beside} exclude each other`, {
      hint: 'Write the field into the file.',
    });
  }
  const input = await readFields(context.world, options.file, ReportInput, {
    one: 'report',
    many: 'reports',
  });
  const password = await readPassword(context, options, true);
  const { format_options: format } = input;
  return {
    ...input,
    ...(name === undefined ? {} : { name }),
    ...(password === undefined
      ? {}
      : { format_options: { ...format, security: { ...format?.security, password } } }),
  };
}

/** A flag that says what a file would. */
function fieldFlag(options: CreateOptions): string | undefined {
  const flags: Record<keyof FieldFlags, unknown> = {
    type: options.type,
    framework: options.framework,
    environment: options.environment,
    provider: options.provider,
    format: options.format,
    description: options.description,
    from: options.from,
    to: options.to,
    range: options.range,
    timezone: options.timezone,
    at: options.at,
    notify: options.notify,
    watermark: options.watermark,
    sign: options.sign,
    summary: options.summary ? undefined : true,
    findings: options.findings ? undefined : true,
  };
  const [given] = Object.entries(flags).find(([, value]) => value !== undefined) ?? [];
  if (given === undefined) return undefined;
  return given === 'summary' || given === 'findings' ? `--no-${given}` : `--${given}`;
}

/**
 * Asks for a report, once: a server without idempotency keys would make it twice.
 * @throws GovctlError as the service answers; where nobody can tell whether it was taken, the error says so
 */
async function createOnce(client: Client, input: ReportInput): Promise<ShownReport | undefined> {
  try {
    return (await createObject(client, shownReports, input)).item;
  } catch (error) {
    if (!(error instanceof GovctlError) || error.error !== 'unreachable') throw error;
    throw new GovctlError(error.error, error.message, {
      hint: `${error.hint ?? ''} \`govctl report list\` shows whether it was taken.`.trim(),
      cause: error,
    });
  }
}

async function showCreated(
  { world, show, say }: Context,
  input: ReportInput,
  created: ShownReport | undefined,
): Promise<void> {
  if (created) {
    await show(
      reportView(created, {
        room: tableColumns(world.terminal),
        now: world.now(),
        headline: (style) => `${style.green('Created')} ${created.id}`,
      }),
    );
    return;
  }
  const { name, type } = input;
  await show({ value: { name, type }, human: (style) => `${style.green('Created')} ${name}\n` });
  await say('The server did not say its id: `govctl report list` shows it.');
}
