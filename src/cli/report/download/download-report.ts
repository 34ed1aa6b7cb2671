import type { Client } from '../../../client/client.ts';
import { fillPath } from '../../../client/client.ts';
import { defined } from '../../../contract/defined.ts';
import { GovctlError, reword } from '../../../contract/errors.ts';
import { headerText, reportPasswordHeader } from '../../../contract/report-downloads.ts';
import type { Context } from '../../context.ts';
import type { Downloaded } from '../../download/download.ts';
import { fetchFile } from '../../download/fetch-file.ts';
import type { PasswordFlags } from '../read-password.ts';
import { askPassword, readPassword } from '../read-password.ts';
import type { ShownReport } from '../report-objects.ts';
import { isUnderway } from '../report-objects.ts';

export interface DownloadedFile extends Downloaded {
  readonly format: string;
  readonly file: string;
  /** The detached signature, where the report has one. */
  readonly signature?: string;
}

/** Gives the password; asked for at most once, and only where the server wants it. */
export type Password = { value: string | undefined };

export const passwordOf = async (context: Context, flags: PasswordFlags): Promise<Password> => ({
  value: await readPassword(context, flags),
});

/** What was generated, else the default. */
export const formatsOf = ({ formats }: Partial<ShownReport> = {}): readonly string[] =>
  formats && formats.length > 0 ? formats.map(({ format }) => format) : ['pdf'];

/**
 * Fetches the file of a report in a format, and its detached signature, under a bar that shows how far it is.
 * @param file as the user knows it, relative to the working folder
 * @throws GovctlError report_not_ready before it is completed, and as `download`
 */
export async function downloadFormat(
  context: Context,
  client: Client,
  report: ShownReport,
  format: string,
  file: string,
  password: Password,
): Promise<DownloadedFile> {
  if (isUnderway(report)) throw notReady(report);
  if (report.status === 'failed') throw noFiles(report);
  const entry = report.formats?.find((one) => one.format === format);
  const expected = entry?.sha256 ?? report.metadata?.sha256?.[format];
  const where = fillPath('/v1/reports/:report_id/download/:format', {
    report_id: report.id,
    format,
  });
  const fetch = (from: string, to: string, hash?: string): Promise<Downloaded> =>
    askingForPassword(context, password, () =>
      fetchFile(context, client, {
        from,
        to,
        ...defined({ hash }),
        headers:
          password.value === undefined
            ? {}
            : { [reportPasswordHeader]: headerText(password.value) },
      }),
    );
  const done = await fetch(where, file, expected?.toLowerCase());
  if (entry?.signature_url === undefined) return { format, file, ...done };
  const signature = `${file}.sig`;
  await fetch(`${where}/signature`, signature);
  return { format, file, ...done, signature };
}

async function askingForPassword<T>(
  context: Context,
  password: Password,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GovctlError) || error.error !== 'report_password_required') throw error;
    if (password.value !== undefined) throw error;
    if (!context.flags.input) {
      throw reword(error, { hint: 'Pass --password-env VARIABLE or --password-file FILE.' });
    }
    password.value = await askPassword(context);
    return work();
  }
}

const notReady = ({ id, status = 'unknown' }: ShownReport): GovctlError =>
  new GovctlError('report_not_ready', `Report ${id} has no files yet: its status is ${status}`, {
    hint: `To wait for the report, run \`govctl report watch ${id}\`.`,
  });

const noFiles = ({ id, failure }: ShownReport): GovctlError =>
  new GovctlError('file_error', `Report ${id} failed and has no files`, {
    hint: `${failure ? `${failure.reason}. ` : ''}Create the report again.`,
  });
