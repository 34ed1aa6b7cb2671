import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { tableColumns } from '../terminal/table.ts';
import { findReport } from './find-report.ts';
import { isUnderway } from './report-objects.ts';
import { reportView } from './report-view.ts';

export interface GetOptions {
  readonly args: readonly [string];
}

export async function runGet(context: Context, { args: [named] }: GetOptions): Promise<ExitCode> {
  const client = await context.client();
  const report = await context.progress('Looking it up', () => findReport(client, named));
  const { terminal, now } = context.world;
  await context.show(reportView(report, { room: tableColumns(terminal), now: now(), named }));
  return isUnderway(report) ? exitCodes.pending : exitCodes.ok;
}
