import type { Action, Remediation, RemediationWithActions } from '../../contract/remediations.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { View } from '../terminal/output.ts';
import { count, printableLine, inThrees } from '../terminal/printable.ts';
import { paintSeverity } from '../terminal/severity.ts';
import type { Style } from '../terminal/terminal.ts';

export const remediationView = (remediation: RemediationWithActions): View => ({
  value: remediation,
  human: (style) => describeRemediation(remediation, style),
});

/** Whether actions are still to be attempted; those that wait to be verified may wait for a day. */
export const isAtWork = ({ status, counts }: Remediation): boolean =>
  status === 'approved' ||
  (status === 'running' && (counts.planned ?? 0) + (counts.attempting ?? 0) > 0);

/** Whether nothing is known of its end yet. */
export const isUnderway = ({ status }: Remediation): boolean =>
  status === 'approved' || status === 'running';

const signs = {
  planned: '~',
  attempting: '…',
  unverified: '…',
  completed: '✓',
  failed: '✗',
  skipped: '-',
  cancelled: '-',
} as const satisfies Record<Action['status'], string>;

function describeRemediation(remediation: RemediationWithActions, style: Style): string {
  const { actions, counts, why_not: guards } = remediation;
  const all = Object.values(counts).reduce<number>((sum, one) => sum + Number(one), 0);
  const more = all - actions.length;
  return [
    headline(remediation, style),
    '',
    ...actions.flatMap((action) => describeAction(action, style)),
    ...(more > 0
      ? [
          style.dim(
            `  … and ${count(more, 'more action')}. Run \`govctl remediate show ${remediation.id}\` to list all.`,
          ),
        ]
      : []),
    '',
    ...guards.map((guard) => style.red(`Refused by a guard: ${printableLine(guard)}`)),
    summary(remediation),
    '',
  ].join('\n');
}

function headline({ id, blast, note, rolls_back: undone, automatic }: Remediation, style: Style) {
  const reach = [
    count(blast.resources, 'resource'),
    ...(blast.accounts > 0 ? [count(blast.accounts, 'account')] : []),
    ...(blast.environments > 0 ? [count(blast.environments, 'environment')] : []),
  ].join(', ');
  const extra = [automatic ? 'automatic' : undefined, undone && `rolls back ${undone}`, note]
    .flatMap((one) => (one ? [` · ${printableLine(one)}`] : []))
    .join('');
  return `${style.bold(id)}  ${reach} (${blast.percent}% of its type)${extra}`;
}

function describeAction(action: Action, style: Style): string[] {
  const { status, resource_id: id, policy_name: policy, severity, why, executor, method } = action;
  const { attempt = 1 } = action;
  const retried = attempt > 1 ? `, attempt ${attempt}` : '';
  const paint =
    status === 'completed' ? style.green : status === 'failed' ? style.red : (text: string) => text;
  const by = method === 'patch' ? `patch, ${executor ?? 'no executor'}` : (executor ?? method);
  const lines = action.changes.map(
    ({ path, before, after }) =>
      `      ${printableLine(path)}: ${showValue(before)} → ${showValue(after)}`,
  );
  return [
    `  ${paint(signs[status])} ${printableLine(id)}  ${printableLine(policy)}  ${paintSeverity(severity, severity, style)}`,
    ...(status === 'skipped'
      ? []
      : [...lines, style.dim(`      by ${printableLine(by)}${retried}`)]),
    ...(why === undefined && (status === 'planned' || status === 'completed')
      ? []
      : [`      ${status}${why === undefined ? '' : `: ${printableLine(why)}`}`]),
    ...describeOutcome(action).map((line) => style.dim(`      ${printableLine(line)}`)),
  ];
}

/** What the command or the receiver answered, unless the reason of a failure says it. */
function describeOutcome({ status, outcome = {}, unsent = 0 }: Action): string[] {
  const { exit_code: exit, http_status: answered, last_line: said, ignored } = outcome;
  if (status === 'planned' && unsent > 0) {
    return [`could not be sent ${count(unsent, 'time')}; will be retried`];
  }
  return [
    ...(exit === 0 ? [`exit code 0${said === undefined ? '' : `: ${said}`}`] : []),
    ...(answered !== undefined && status !== 'failed' ? [`returned ${answered}`] : []),
    ...(ignored === undefined ? [] : [`output ignored: ${ignored}`]),
  ];
}

const showValue = (value: unknown): string =>
  value === undefined ? '(absent)' : printableLine(JSON.stringify(value));

function summary(remediation: Remediation): string {
  const { status, counts, expires_at: expires, dry_run: isDry } = remediation;
  const some = (['completed', 'unverified', 'failed', 'skipped', 'planned', 'cancelled'] as const)
    .filter((one) => Number(counts[one]) > 0)
    .map((one) => `${inThrees(Number(counts[one]))} ${one}`)
    .join(', ');
  if (status === 'planned') {
    const what = isDry
      ? 'Dry run: nothing was changed.'
      : remediation.why_not.length > 0
        ? 'Nothing was changed.'
        : 'Waiting for approval.';
    return `${some}. ${what} Expires ${utcMinute(expires)}.`;
  }
  const isWaiting = status === 'running' && counts.unverified > 0 && counts.planned === 0;
  const waits = isWaiting ? ' To verify the actions, import the resources again.' : '';
  return `${status}: ${some}.${waits}`;
}
