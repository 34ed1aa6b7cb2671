import type { Client } from '../../client/client.ts';
import { readObject } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { showTimeout, waitUntilEnded } from '../objects/wait.ts';
import { noSuchObject } from '../objects/find.ts';
import { reports } from './reports.ts';
import { progressBar } from '../download/progress-bar.ts';
import type { ShownReport } from './report-objects.ts';
import { isUnderway, nameOf, shownReports } from './report-objects.ts';
import { describeState } from './report-view.ts';

interface Waiting {
  readonly timeoutMs: number;
  /** Told of each change that a person would notice, the first look too. */
  readonly onChange?: (report: ShownReport, line: string) => Promise<void>;
}

/**
 * Waits under a spinner that shows how far the report is; gives it as it was seen last.
 * @throws GovctlError report_not_found where it is deleted meanwhile
 */
export function waitForReport(
  context: Context,
  client: Client,
  begun: ShownReport,
  { timeoutMs, onChange }: Waiting,
): Promise<ShownReport> {
  const { world, serviceClock } = context;
  let said: string | undefined;
  const tell = async (report: ShownReport, update: (text: string) => void): Promise<void> => {
    const line = describeState(report, serviceClock.now());
    update(spinnerText(report, line));
    const state = stateOf(report);
    if (state === said) return;
    said = state;
    await onChange?.(report, line);
  };
  return context.progress('Waiting for report', async (update) => {
    await tell(begun, update);
    return waitUntilEnded(world, begun, {
      timeoutMs,
      isUnderway,
      lookLater: `To keep waiting, run \`govctl report watch ${begun.id}\`.`,
      look: async () => {
        const found = await readObject(client, shownReports, begun.id);
        if (!found) throw noSuchObject(reports, begun.id);
        await tell(found.item, update);
        return found.item;
      },
    });
  });
}

/** What makes a line worth printing: time that passes alone does not. */
const stateOf = ({ status, progress, queue_position: position }: ShownReport): string =>
  JSON.stringify([status, progress === undefined ? undefined : Math.floor(progress), position]);

function spinnerText(report: ShownReport, line: string): string {
  if (report.status !== 'generating' || report.progress === undefined) {
    return `${nameOf(report)}: ${line}`;
  }
  return `${progressBar(report.progress / 100)}  ${nameOf(report)}: ${line}`;
}

/** 0 completed, 1 failed, 8 still under way. What is under way is said. */
export async function howItEnded(
  { say, warn }: Context,
  report: ShownReport,
  timeout: string,
): Promise<ExitCode> {
  // What has no score was most likely asked for by a wrong name.
  if (report.status === 'completed' && report.summary?.overall_compliance_score === null) {
    for (const notice of report.notices ?? []) await warn(notice);
  }
  if (!isUnderway(report)) return report.status === 'failed' ? exitCodes.error : exitCodes.ok;
  await warn(
    `the report was not completed within ${showTimeout(timeout)}; the service is still generating it`,
  );
  await say(`To keep waiting, run \`govctl report watch ${report.id}\`.`);
  return exitCodes.pending;
}
