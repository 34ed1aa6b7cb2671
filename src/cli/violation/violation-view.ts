import type { Violation } from '../../contract/violations.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';

export const violationView = (violation: Violation): View => ({
  value: violation,
  human: (style) => describeViolation(violation, style),
});

function describeViolation(violation: Violation, style: Style): string {
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
      ['frameworks', violation.compliance_frameworks.join(', ')],
      ['exemption', violation.exemption_id],
      ['undecided', violation.undecided?.message],
      ['reason', violation.reason],
      ['remediation', violation.remediation_id],
      ['detected', violation.detected_at],
      ['resolved', violation.resolved_at],
    ],
    style,
  );
  const changes = history.map(
    ({ at, status, cause, reason }) =>
      `  ${style.dim(at)}  ${status}  ${printableLine(reason === undefined ? cause : `${cause}: ${reason}`)}\n`,
  );
  return details + changes.join('');
}
