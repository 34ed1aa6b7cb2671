import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { confirmDelete } from '../objects/confirm-delete.ts';
import type { Context } from '../context.ts';
import { askOurServer } from '../objects/our-server.ts';
import type { ApprovalOptions } from '../plan/approve.ts';
import { printableLine } from '../terminal/printable.ts';
import { findReport } from './find-report.ts';
import { nameOf } from './report-objects.ts';

export interface DeleteOptions extends ApprovalOptions {
  readonly args: readonly [string];
  readonly ifMatch?: string;
}

/** Removes a report, its files and its links, after asking. */
export async function runDelete(context: Context, options: DeleteOptions): Promise<ExitCode> {
  const client = await context.client();
  const report = await context.progress('Looking it up', () => findReport(client, options.args[0]));
  const who = printableLine(`${nameOf(report)} (${report.id})`);
  await confirmDelete(context, `report ${who}`, options);
  await askOurServer('deleting of reports', () =>
    context.progress('Deleting it', () =>
      client.reports
        .delete(
          { params: { report_id: report.id } },
          options.ifMatch === undefined ? {} : { ifMatch: options.ifMatch },
        )
        .catch(unlessGone),
    ),
  );
  await context.show({
    value: { deleted: report.id, name: nameOf(report) },
    human: (style) => `${style.green('Deleted')} ${who}\n`,
  });
  return exitCodes.ok;
}

/** One that is gone already is what was wanted. */
function unlessGone(error: unknown): void {
  if (!(error instanceof GovctlError && error.error === 'report_not_found')) throw error;
}
