import type { ExitCode } from '../../contract/errors.ts';
import { utcSecond } from '../../contract/utc-time.ts';
import type { Context } from '../context.ts';
import { printableLine } from '../terminal/printable.ts';
import { openRows } from '../terminal/row-writer.ts';
import { parseTimeout } from '../objects/wait.ts';
import { shownIn } from '../objects/noun.ts';
import { lookUp } from '../objects/get.ts';
import { reports } from './reports.ts';
import type { ShownReport } from './report-objects.ts';
import { reportView } from './report-view.ts';
import { howItEnded, waitForReport } from './wait-for-report.ts';

export interface WatchOptions {
  readonly args: readonly [string];
  readonly timeout: string;
}

/** On a terminal a line that moves and then the report; in a pipe a line for each change; as ndjson each state. */
export async function runWatch(context: Context, options: WatchOptions): Promise<ExitCode> {
  const timeoutMs = parseTimeout(options.timeout);
  const { world, flags, show } = context;
  const { terminal } = world;
  const [named] = options.args;
  const { client, item: begun } = await lookUp(context, reports, named);
  const rows = await openRows(flags.output, terminal);
  const toPipe = flags.output.length === 0 && !terminal.stdoutIsTty;
  const onChange = async (report: ShownReport, line: string): Promise<void> => {
    rows?.write(report);
    await rows?.flush();
    if (!toPipe) return;
    const at = utcSecond(new Date(context.serviceClock.now()).toISOString());
    await terminal.stdout.write(`${at}  ${report.id}  ${printableLine(line)}\n`);
  };
  try {
    const report = await waitForReport(context, client, begun, { timeoutMs, onChange });
    await rows?.finish();
    const view = reportView(report, shownIn(context, { named }));
    if (!toPipe) await show(rows ? { ...view, rows: 'written' } : view);
    return await howItEnded(context, report, options.timeout);
  } finally {
    await rows?.close();
  }
}
