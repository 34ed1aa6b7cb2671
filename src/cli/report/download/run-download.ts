import type { Client } from '../../../client/client.ts';
import type { ExitCode } from '../../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { writesFrom } from '../../flags/place-to-write.ts';
import { lookUp } from '../../objects/get.ts';
import { reports } from '../reports.ts';
import type { PasswordFlags } from '../read-password.ts';
import { parseFormats } from '../report-fields.ts';
import type { ShownReport } from '../report-objects.ts';
import type { DownloadedFile, Password } from './download-report.ts';
import { downloadFormat, formatsOf, passwordOf } from './download-report.ts';
import { filesView } from './files-view.ts';
import type { Destination } from '../../download/destination.ts';
import { fileIn, parseDestination } from '../../download/destination.ts';
import { fileNameOf, filesOf } from '../file-name.ts';
import { refuseTerminal, streamFormat } from './stream-format.ts';

export interface DownloadOptions extends PasswordFlags {
  readonly args: readonly [string];
  readonly format?: readonly string[];
  readonly out?: string;
}

export async function runDownload(context: Context, options: DownloadOptions): Promise<ExitCode> {
  const asked = options.format && parseFormats(options.format);
  if (options.out === '-') refuseTerminal(context, asked);
  const password = await passwordOf(context, options);
  const { client, item: report } = await lookUp(context, reports, options.args[0]);
  const formats = asked ?? formatsOf(report);
  const destination = await parseDestination(
    writesFrom(context),
    options.out,
    filesOf({ formats, protected: report.protected }),
  );
  if (destination.kind === 'stream') {
    await streamFormat(context, client, report, formats[0] ?? 'pdf', destination.name, password);
    return exitCodes.ok;
  }
  await downloadAll(context, client, report, { formats, destination, password });
  return exitCodes.ok;
}

interface Order {
  readonly formats: readonly string[];
  readonly destination: Exclude<Destination, { readonly kind: 'stream' }>;
  readonly password: Password;
}

/**
 * Fetches one format after the other and shows what came of them; one that fails costs the others nothing.
 * @throws the first failure, after all were tried
 */
export async function downloadAll(
  context: Context,
  client: Client,
  report: ShownReport,
  { formats, destination, password }: Order,
): Promise<void> {
  const files: DownloadedFile[] = [];
  const failures: unknown[] = [];
  for (const format of formats) {
    if (context.world.signal.aborted) break;
    const file = fileIn(destination, fileNameOf(report, format));
    try {
      files.push(await downloadFormat(context, client, report, format, file, password));
    } catch (error) {
      failures.push(error);
      // It would be said of each.
      if (error instanceof GovctlError && error.error.startsWith('report_')) break;
    }
  }
  if (files.length > 0) await context.show(filesView(report, files));
  if (files.some(({ verified }) => !verified)) {
    await context.warn('the server provides no SHA-256, so the files were not verified');
  }
  if (failures.length > 0) throw failures[0];
}
