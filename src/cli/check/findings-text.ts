import type { Finding } from '../../contract/findings.ts';
import { unrecorded } from '../../inventory/attributes/aws/config-item.ts';
import { count, inThrees, printable, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import type { PlacedFinding } from './placed-finding.ts';
import { renderExplanation } from './explanation-text.ts';
import { compareSeverity } from './verdict.ts';
import type { Severity } from './verdict.ts';

/** Resources that are shown with their findings; of the others only how often each policy found something. */
const mostResources = 100;
const mostPolicies = 20;

/**
 * Findings under their resource, resources under their file: in a file the worst resource first. Where there are more
 * than people read, the worst of all are shown.
 */
export function renderFindings(
  findings: readonly PlacedFinding[],
  style: Style,
  columns: number,
): string {
  const { shared, own } = apart(findings);
  const resources = groupBy(own, ({ file }) => file).flatMap((ofFile) =>
    groupBy(ofFile, ({ resource, line, column }) => `${line}:${column}:${resource}`).sort(compare),
  );
  const kept = new Set(resources.toSorted(compare).slice(0, mostResources));
  const rest = resources.filter((one) => !kept.has(one));
  return [
    ...resources.filter((one) => kept.has(one)).map((one) => renderResource(one, style, columns)),
    ...(rest.length > 0 ? [renderRest(rest, style, columns)] : []),
    ...(shared.length > 0 ? [renderUnrecorded(shared, style, columns)] : []),
  ].join('\n');
}

/**
 * Errors about what AWS Config records of no resource, where a policy has several: they differ in nothing that helps, so
 * each policy is shown once. All other findings are their resource's own.
 */
function apart(findings: readonly PlacedFinding[]) {
  const groups = groupBy(findings.filter(isUnrecorded), (one) =>
    [one.policy, one.resource_type, ...messagesOf(one)].join('\n'),
  ).filter((same) => same.length > 1);
  const gathered = new Set(groups.flat());
  return { shared: groups.sort(compare), own: findings.filter((one) => !gathered.has(one)) };
}

const isUnrecorded = (one: PlacedFinding): boolean =>
  one.status === 'ERROR' && messagesOf(one).some((message) => message.endsWith(unrecorded));

function renderUnrecorded(
  groups: readonly (readonly PlacedFinding[])[],
  style: Style,
  columns: number,
): string {
  return [
    wrapWords(
      `Not checked, because AWS Config does not record the required values. Check the template or plan instead, or use --on-unknown warn:`,
      columns,
    ),
    ...groups.flatMap((same) =>
      same.slice(0, 1).flatMap((one) => {
        const times = style.dim(` × ${inThrees(same.length)} ${printableLine(one.resource_type)}`);
        return [
          wrapWords(`${titleOf(one, style)}${times}`, columns),
          ...messagesOf(one).map((message) => renderMessage(message, columns)),
        ];
      }),
    ),
    '',
  ].join('\n');
}

const compare = (a: readonly Finding[], b: readonly Finding[]): number =>
  compareSeverity(worstOf(a), worstOf(b));

function renderRest(
  resources: readonly (readonly PlacedFinding[])[],
  style: Style,
  columns: number,
): string {
  const policies = groupBy(
    resources.flat(),
    ({ severity, status, policy }) => `${severity} ${status} ${policy}`,
  ).sort((a, b) => compare(a, b) || b.length - a.length);
  const more = policies.length - mostPolicies;
  return [
    wrapWords(
      `… and ${count(resources.length, 'more resource')} (use -o json or -o ndjson to list all):`,
      columns,
    ),
    ...policies.slice(0, mostPolicies).flatMap((same) =>
      same.slice(0, 1).map((one) => {
        const times = style.dim(` × ${inThrees(same.length)}`);
        return wrapWords(`${titleOf(one, style)}${times}`, columns);
      }),
    ),
    ...(more > 0 ? [`  … and ${count(more, 'more policy', 'more policies')}`] : []),
    '',
  ].join('\n');
}

/** Runs of one key, in the order of their first. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

const isOpen = ({ status }: Finding): boolean => status === 'FAIL' || status === 'ERROR';

function worstOf(findings: readonly Finding[]): Severity {
  const [worst = 'LOW'] = findings
    .filter(isOpen)
    .map(({ severity }) => severity)
    .sort(compareSeverity);
  return worst;
}

function renderResource(findings: readonly PlacedFinding[], style: Style, columns: number): string {
  const [first] = findings;
  if (!first) return '';
  const place = style.bold(printableLine(`${first.file}:${first.line}:${first.column}`));
  const type = style.dim(printableLine(first.resource_type));
  const rows = [...findings].sort(
    (a, b) => Number(isOpen(b)) - Number(isOpen(a)) || compareSeverity(a.severity, b.severity),
  );
  return [
    wrapWords(`${place}  ${printableLine(first.resource)}  ${type}`, columns),
    ...rows.flatMap((row) => renderFinding(row, style, columns)),
    '',
  ].join('\n');
}

const statusWidth = 7;
const severityWidth = 8;

function titleOf(finding: PlacedFinding, style: Style): string {
  const { severity, enforcement, status, policy, policy_key: key } = finding;
  const paint =
    enforcement === 'advisory' && status === 'FAIL' ? style.yellow : paintStatus(status, style);
  return [
    `  ${paintSeverity(severity, style)(severity.padEnd(severityWidth))}`,
    paint(status.padEnd(status.length > 5 ? statusWidth : 5)),
    printableLine(policy) +
      (key === undefined || key === policy ? '' : style.dim(` [${printableLine(key)}]`)) +
      (enforcement === undefined ? '' : style.dim(` (${enforcement})`)),
  ].join(' ');
}

function renderFinding(finding: PlacedFinding, style: Style, columns: number): string[] {
  return [
    wrapWords(titleOf(finding, style), columns),
    ...messagesOf(finding).map((message) => renderMessage(message, columns)),
    ...renderExplanation(finding, style, columns),
  ];
}

/** Lines of one indent; what is to be copied, such as `disableLocalAuth: true`, stays in one. */
function renderMessage(message: string, columns: number): string {
  const words = printable(message).replace(/\s+/g, ' ').trim();
  const joined = words.replace(/`[^`]{1,60}`/g, (code) => code.replaceAll(' ', noBreak));
  return wrapWords(`    ${joined}`, columns)
    .replaceAll('\n      ', '\n    ')
    .replaceAll(noBreak, ' ');
}

const noBreak = '\u00a0';

/** What a finding says, one text for each rule that has something to say. */
export function messagesOf({ rules, status, exemption }: Finding): string[] {
  if (status === 'EXEMPT') return exemption === undefined ? [] : [`Exempt: ${exemption}`];
  return [...new Set(rules.flatMap(({ message }) => (message ? [message] : [])))];
}

function paintSeverity(severity: Severity, style: Style): (text: string) => string {
  if (severity === 'CRITICAL') return style.red.bold;
  if (severity === 'HIGH') return style.red;
  return severity === 'MEDIUM' ? style.yellow : style.cyan;
}

function paintStatus(status: Finding['status'], style: Style): (text: string) => string {
  if (status === 'FAIL') return style.red;
  if (status === 'ERROR') return style.magenta;
  return status === 'PASS' ? style.green : style.dim;
}

/** `3 (2 HIGH, 1 LOW)`-like words for some findings of several severities. */
export const bySeverity = (amounts: ReadonlyMap<Severity, number>): string =>
  [...amounts]
    .filter(([, amount]) => amount > 0)
    .sort(([a], [b]) => compareSeverity(a, b))
    .map(([severity, amount]) => `${count(amount, severity, severity)}`)
    .join(', ');
