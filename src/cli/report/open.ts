import path from 'node:path';
import type { ExitCode } from '../../contract/errors.ts';
import { reportFormats } from '../../contract/reports.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { downloadAside } from './download/download-aside.ts';
import { formatsOf, passwordOf } from './download/download-report.ts';
import { openOutside } from '../terminal/open-outside.ts';
import { lookUp } from '../objects/get.ts';
import type { ShownReport } from './report-objects.ts';
import { reports } from './reports.ts';
import type { PasswordFlags } from './read-password.ts';
import { parseFormats } from './report-fields.ts';

export interface OpenOptions extends PasswordFlags {
  readonly args: readonly [string];
  readonly format?: readonly string[];
}

/** What shows a report best, where it has it, comes first. */
const shown: readonly string[] = [...new Set(['html', 'pdf', ...reportFormats])];

/** Fetches a report into a folder of its own and shows it; off a terminal it says where it is. */
export async function runOpen(context: Context, options: OpenOptions): Promise<ExitCode> {
  const { world } = context;
  const [asked, second] = options.format ? parseFormats(options.format) : [];
  if (second !== undefined) throw new GovctlError('usage_error', 'Use a single --format');
  const password = await passwordOf(context, options);
  const { client, item: report } = await lookUp(context, reports, options.args[0]);
  const formats = formatsOf(report);
  // A server could name anything, and systems run files of some types: exe, terminal, desktop.
  const format = asked ?? shown.find((one) => formats.includes(one));
  if (format === undefined) throw nothingToOpen(report, formats);
  const file = await downloadAside(context, client, report, format, password);
  await context.show({
    value: { report_id: report.id, format, file },
    human: () => `${file}\n`,
  });
  if (world.terminal.stdoutIsTty && !(await openOutside(world, file, path.dirname(file)))) {
    await context.say('No application found to open the file.');
  }
  return exitCodes.ok;
}

const nothingToOpen = ({ id }: ShownReport, formats: readonly string[]): GovctlError =>
  new GovctlError(
    'file_error',
    `Report ${id} has no format that can be opened: ${formats.join(', ')}`,
    { hint: `To download the files, run \`govctl report download ${id}\`.` },
  );
