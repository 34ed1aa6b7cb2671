import { defined } from '../../contract/defined.ts';
import type { Client } from '../../client/client.ts';
import { createObject } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes, reword } from '../../contract/errors.ts';
import { ReportInput } from '../../contract/reports.ts';
import type { Context } from '../context.ts';
import { readFields } from '../flags/read-fields.ts';
import { writesFrom } from '../flags/place-to-write.ts';
import { parseTimeout } from '../objects/wait.ts';
import { shownIn } from '../objects/noun.ts';
import type { Style } from '../terminal/terminal.ts';
import { formatsOf } from './download/download-report.ts';
import type { Destination } from '../download/destination.ts';
import { parseDestination } from '../download/destination.ts';
import { filesOf } from './file-name.ts';
import { downloadAll } from './download/run-download.ts';
import type { FieldFlags } from './report-fields.ts';
import { serviceNow } from '../service-clock.ts';
import { inputFromFlags, isRelative } from './report-fields.ts';
import type { PasswordFlags } from './read-password.ts';
import { readPassword } from './read-password.ts';
import type { ShownReport } from './report-objects.ts';
import { shownReports } from './report-objects.ts';
import { saidOfFlags } from './refused-flags.ts';
import { reportView } from './report-view.ts';
import { howItEnded, waitForReport } from './wait-for-report.ts';

export interface CreateOptions extends FieldFlags, PasswordFlags {
  readonly args: readonly [string?];
  readonly file?: string;
  readonly wait?: boolean;
  readonly timeout: string;
  readonly out?: string;
}

export async function runCreate(context: Context, options: CreateOptions): Promise<ExitCode> {
  const timeoutMs = parseTimeout(options.timeout);
  const input = await readInput(context, options);
  const { out } = options;
  const password = input.format_options?.security?.password;
  const placeOf = (formats: readonly string[]) =>
    out === undefined
      ? undefined
      : filePlace(context, out, { formats, protected: password !== undefined });
  // What can't be written is known before anything is asked for.
  await placeOf(input.format_options?.formats ?? formatsOf());
  const client = await context.client();
  const created = await context.progress('Creating report', () =>
    createOnce(client, input, options.file === undefined),
  );
  if (!created) return showUnseen(context, input);
  if (!options.wait && out === undefined) {
    await showCreated(context, created);
    return exitCodes.ok;
  }
  await context.say(`Created ${created.id}`);
  const report = await waitForReport(context, client, created, {
    timeoutMs,
    // On a terminal a spinner says it.
    onChange: (_, line) => (context.world.terminal.stderrIsTty ? nothing : context.say(line)),
  });
  const formats = formatsOf(report);
  const destination = report.status === 'completed' ? await placeOf(formats) : undefined;
  if (destination === undefined) {
    await context.show(reportView(report, shownIn(context)));
  } else {
    await downloadAll(context, client, report, {
      formats,
      destination,
      password: { value: password },
    });
  }
  return howItEnded(context, report, options.timeout);
}

const nothing = Promise.resolve();

/** @throws GovctlError usage_error where it is a pipe or a device: what waits for a report talks meanwhile */
async function filePlace(
  context: Context,
  out: string,
  files: Parameters<typeof filesOf>[0],
): Promise<Exclude<Destination, { readonly kind: 'stream' }>> {
  const place =
    out === '-' ? undefined : await parseDestination(writesFrom(context), out, filesOf(files));
  if (place !== undefined && place.kind !== 'stream') return place;
  throw new GovctlError('usage_error', `--out ${out}: must be a directory or a file`, {
    hint: 'For standard output, use --wait, then `govctl report download ID --out -`.',
  });
}

/** @throws GovctlError usage_error, or invalid_file with file:line:column of all that is wrong */
async function readInput(context: Context, options: CreateOptions): Promise<ReportInput> {
  const [name] = options.args;
  if (options.file === undefined) {
    if (!name?.trim() || options.type === undefined) {
      throw new GovctlError('usage_error', `No report ${name?.trim() ? 'type' : 'name'} given`, {
        hint: 'Run `govctl report create NAME --type TYPE`, or pass -f FILE (- for standard input).',
      });
    }
    const password = await readPassword(context, options, true);
    const now = isRelative(options)
      ? await serviceNow(context, await context.client())
      : context.world.now();
    return inputFromFlags(now, name, options, password);
  }
  const beside = fieldFlag(options);
  if (beside !== undefined) {
    throw new GovctlError('usage_error', `Use either --file or ${beside}`, {
      hint: 'Set the field in the file.',
    });
  }
  const input = await readFields(context.world, options.file, ReportFile, {
    one: 'report',
    many: 'reports',
  });
  const password = await readPassword(context, options, true);
  const { format_options: format } = input;
  return {
    ...input,
    ...defined({ name }),
    ...(password === undefined
      ? {}
      : { format_options: { ...format, security: { ...format?.security, password } } }),
  };
}

/** All that there is, where a file names no scope: flags need none either. */
const ReportFile = ReportInput.extend({ scope: ReportInput.shape.scope.default({}) });

/** A flag that says what a file would. */
function fieldFlag(options: CreateOptions): string | undefined {
  const flags: Record<keyof FieldFlags, unknown> = {
    type: options.type,
    framework: options.framework,
    environment: options.environment,
    provider: options.provider,
    format: options.format,
    description: options.description,
    preparedFor: options.preparedFor,
    from: options.from,
    to: options.to,
    range: options.range,
    timezone: options.timezone,
    at: options.at,
    notify: options.notify,
    includeCost: options.includeCost,
    watermark: options.watermark,
    sign: options.sign,
    summary: options.summary ? undefined : true,
    findings: options.findings ? undefined : true,
  };
  const [given] = Object.entries(flags).find(([, value]) => value !== undefined) ?? [];
  if (given === undefined) return undefined;
  if (given === 'includeCost') return '--include-cost';
  return given === 'summary' || given === 'findings' ? `--no-${given}` : `--${given}`;
}

/**
 * Asks for a report, once: a server without idempotency keys would make it twice.
 * @throws GovctlError as the service answers; where nobody can tell whether it was taken, the error says so
 */
async function createOnce(
  client: Client,
  input: ReportInput,
  isOfFlags: boolean,
): Promise<ShownReport | undefined> {
  try {
    return (await createObject(client, shownReports, input)).item;
  } catch (error) {
    if (!(error instanceof GovctlError)) throw error;
    if (error.error !== 'unreachable') throw isOfFlags ? saidOfFlags(error, input) : error;
    const hint = `${error.hint ?? ''} To see whether the report was created, run \`govctl report list\`.`;
    throw reword(error, { hint: hint.trim() });
  }
}

const showCreated = (context: Context, report: ShownReport): Promise<void> => {
  const headline = (style: Style): string => `${style.green('Created')} ${report.id}`;
  return context.show(reportView(report, shownIn(context, { headline })));
};

/** The description shows a body for this answer, but another server may send none. */
async function showUnseen({ show, say }: Context, input: ReportInput): Promise<ExitCode> {
  const { name, type } = input;
  await show({ value: { name, type }, human: (style) => `${style.green('Created')} ${name}\n` });
  await say('The server did not return the report ID. To see the ID, run `govctl report list`.');
  return exitCodes.ok;
}
