import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '../../../client/client.ts';
import { GovctlError, reword } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { fileNameOf } from '../file-name.ts';
import type { ShownReport } from '../report-objects.ts';
import type { Password } from './download-report.ts';
import { downloadFormat } from './download-report.ts';

/**
 * Fetches the file of a report in a format into a folder that is made for it, which is removed where that fails.
 * @returns its path
 * @throws GovctlError as `downloadFormat`
 */
export async function downloadAside(
  context: Context,
  client: Client,
  report: ShownReport,
  format: string,
  password: Password,
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-report-'));
  const file = path.join(folder, fileNameOf(report, format));
  try {
    await downloadFormat(context, client, report, format, file, password);
    return file;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw keptNothing(error, file);
  }
}

/** What names the part, to go on with, names what is removed. */
const keptNothing = (error: unknown, file: string): unknown =>
  error instanceof GovctlError && error.hint?.includes(`${file}.part`)
    ? reword(error, {
        hint: 'The partial file was removed. To resume interrupted downloads, use `govctl report download --out FILE`.',
      })
    : error;
