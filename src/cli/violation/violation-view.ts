import { showMoney } from '../../contract/money.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { AnsweredViolation } from '../../contract/violations.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';

export const violationView = (violation: AnsweredViolation): View => ({
  value: violation,
  human: (style) => describeViolation(violation, style),
});

function describeViolation(violation: AnsweredViolation, style: Style): string {
  const { history } = violation;
  const details = formatDetails(
    violation.message,
    [
      ['id', violation.id],
      ['status', violation.status],
      ['severity', violation.severity],
      ['policy', `${violation.policy_name} (${violation.policy_id})`],
      ['resource', violation.resource_id],
      ['type', violation.resource_type],
      ['account', violation.account_id],
      ['region', violation.region],
      ['environment', violation.environment],
      [
        'cost',
        violation.monthly_cost === undefined
          ? undefined
          : `${showMoney(violation.monthly_cost, violation.cost_currency ?? '')} in the last 30 days of data`,
      ],
      ['frameworks', violation.compliance_frameworks.join(', ')],
      ['exemption', violation.exemption_id],
      ['undecided', violation.undecided?.message],
      ['reason', violation.reason],
      ['remediation', violation.remediation_id],
      ['detected', utcMinute(violation.detected_at)],
      ['resolved', utcMinute(violation.resolved_at)],
    ],
    style,
  );
  const changes = history.map(
    ({ at, status, cause, reason }) =>
      `  ${style.dim(utcMinute(at))}  ${status}  ${printableLine(reason === undefined ? cause : `${cause}: ${reason}`)}\n`,
  );
  return details + changes.join('');
}
