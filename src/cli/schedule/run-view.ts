import type { ReportDelivery } from '../../contract/report-answers.ts';
import type { ScheduleRun } from '../../contract/schedules.ts';
import { utcMinute, utcSecond } from '../../contract/utc-time.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';

export const runView = (run: ScheduleRun): View => ({
  value: run,
  human: (style) => describeRun(run, style),
});

function describeRun(run: ScheduleRun, style: Style): string {
  const details = formatDetails(
    run.id,
    [
      ['status', run.status],
      ['cause', run.cause],
      ['due', utcMinute(run.fire_at)],
      ['report', [run.report_id, run.report_status].filter(Boolean).join(', ')],
      ['error', run.error],
      ['completed', utcMinute(run.completed_at)],
    ],
    style,
  );
  return details + run.deliveries.map((one) => deliveryLine(one, style)).join('');
}

/** One run in a list: what became of it, and under it each channel. */
export function runLines(run: ScheduleRun, style: Style): string {
  const report = run.report_id
    ? `${run.report_id}${run.report_status ? ` ${run.report_status}` : ''}`
    : '-';
  const head = [utcMinute(run.fire_at), run.cause, run.status, report, run.error]
    .filter((part) => part !== undefined)
    .map(printableLine)
    .join('  ');
  const painted = run.status === 'failed' ? style.red(head) : head;
  return `${painted}\n${run.deliveries.map((one) => deliveryLine(one, style)).join('')}`;
}

function deliveryLine(delivery: ReportDelivery, style: Style): string {
  const { channel, target, status, attempts, next_attempt_at: next, error } = delivery;
  const mark =
    status === 'delivered'
      ? style.green('✓')
      : status === 'failed'
        ? style.red('✗')
        : style.yellow('…');
  const text = [
    `${channel} ${target}: ${status} at ${utcMinute(delivery.delivered_at) ?? ''}`.replace(
      / at $/,
      '',
    ),
    attempts > 1 || status !== 'delivered' ? count(attempts, 'attempt') : undefined,
    status === 'pending' && next ? `next attempt at ${utcSecond(next)}` : undefined,
    error,
  ];
  return `  ${mark} ${printableLine(text.filter((part) => part !== undefined).join(', '))}\n`;
}
