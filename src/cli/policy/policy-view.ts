import type { Policy } from '../../contract/policies.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { describeApplied } from '../../project/plan/applied-elsewhere.ts';
import { readOwnership, withoutOwnership } from '../../project/compare/ownership.ts';
import type { Shown } from '../objects/noun.ts';
import type { View } from '../terminal/output.ts';
import { count, printable, printableLine } from '../terminal/printable.ts';
import { paintSeverity } from '../terminal/severity.ts';
import type { Style } from '../terminal/terminal.ts';
import { policyFlag } from '../terminal/typed.ts';

/** One policy: for people without govctl's own tags, for machines as the API says it. */
export function policyView(
  policy: Policy,
  { headline, userName }: Pick<Shown, 'headline' | 'userName'>,
): View {
  return {
    value: policy,
    human: (style) =>
      (headline ? `${headline(style)}\n` : '') + describePolicy(policy, style, userName),
  };
}

export function describePolicy(policy: Policy, style: Style, userName: Shown['userName']): string {
  const { owner, key } = readOwnership(policy.tags ?? []);
  const tags = withoutOwnership(policy.tags ?? []);
  const fields: [string, string | undefined][] = [
    ['id', printableLine(policy.id)],
    ['type', printableLine(policy.resource_type)],
    ['severity', policy.severity && paintSeverity(policy.severity, policy.severity, style)],
    [
      'enabled',
      policy.enabled === undefined ? undefined : policy.enabled ? 'yes' : style.yellow('no'),
    ],
    ['frameworks', policy.compliance_frameworks?.map(printableLine).join(', ')],
    ['tags', tags.map(printableLine).join(', ')],
    ['remediation', remediation(policy)],
    [
      'git',
      owner &&
        `managed by project ${printableLine(owner)}${key ? `, key ${printableLine(key)}` : ''}`,
    ],
    [
      'created',
      [
        utcMinute(policy.created_at),
        policy.created_by && `by ${printableLine(userName(policy.created_by))}`,
      ]
        .filter(Boolean)
        .join(' '),
    ],
    ['updated', utcMinute(policy.updated_at)],
    [
      'applied',
      policy.applied &&
        `${printableLine(describeApplied(policy.applied))}, by ${printableLine(userName(policy.applied.by))}`,
    ],
    ['quarantine', quarantine(policy, style)],
    ['problem', remediationProblem(policy, style)],
  ];
  const width = Math.max(...fields.map(([name]) => name.length));
  const lines = fields
    .filter(([, text]) => text)
    .map(([name, text]) => `  ${style.dim(name.padEnd(width))}  ${text}`);
  const rules = policy.rules.flatMap(({ effect, condition, message }) => [
    `  ${effect === 'DENY' ? style.red(effect) : style.green(effect)}  ${indent(condition)}`,
    ...(message ? [`        ${style.dim(indent(message))}`] : []),
  ]);
  const description = policy.description ? [`  ${indent(policy.description.trim())}`] : [];
  return [style.bold(printableLine(policy.name)), ...description, ...lines, ...rules, ''].join(
    '\n',
  );
}

const indent = (text: string): string => printable(text.trimEnd()).replaceAll('\n', '\n        ');

/** Continues the text of a field on the next line, below its beginning. */
const below = `\n${' '.repeat('  remediation  '.length)}`;

/** Why it is not evaluated, and what ends that. */
function quarantine({ quarantined }: Policy, style: Style): string | undefined {
  if (!quarantined) return undefined;
  const { since, resources, example, reason } = quarantined;
  const where = `on ${count(resources, 'resource')}, such as ${printableLine(example)}`;
  return [
    style.red(`not evaluated since ${printableLine(utcMinute(since))}`),
    `${printableLine(reason)} ${where}`,
    "To resume evaluation, change the policy's conditions.",
  ].join(below);
}

/** Why its violations are not remediated automatically, and what ends that. */
function remediationProblem(policy: Policy, style: Style) {
  const { remediation_problem } = policy;
  if (!remediation_problem) return undefined;
  const { since, reason, stopped, remediation_id: id } = remediation_problem;
  const what = stopped ? 'automatic remediation stopped at' : 'automatic remediation failing since';
  return [
    style.red(`${what} ${printableLine(utcMinute(since))}`),
    printableLine(reason),
    ...(id === undefined
      ? []
      : [`For details, run \`govctl remediate show ${printableLine(id)}\`.`]),
    stopped
      ? "To resume remediation, change the policy's rules or remediation_action, or turn auto_remediation off and on."
      : `To remediate manually, run \`govctl remediate apply ${policyFlag(policy)}\`.`,
  ].join(below);
}

function remediation({ auto_remediation, remediation_action }: Policy): string | undefined {
  if (auto_remediation === undefined && !remediation_action) return undefined;
  const how = remediation_action ? printableLine(remediation_action) : 'no action';
  return `${auto_remediation ? 'automatic' : 'manual'}: ${how}`;
}
