import type { Finding } from '../../contract/findings.ts';
import { count, printable, printableLine } from '../report/printable.ts';
import type { Style } from '../terminal.ts';
import { wrapWords } from '../wrap-words.ts';
import type { PlacedFinding } from './collect.ts';
import { renderExplanation } from './explanation-text.ts';
import { compareSeverity } from './verdict.ts';
import type { Severity } from './verdict.ts';

/** Findings under their resource, resources under their file: in a file the worst resource first. */
export function renderFindings(
  findings: readonly PlacedFinding[],
  style: Style,
  columns: number,
): string {
  return groupBy(findings, ({ file }) => file)
    .flatMap((ofFile) =>
      groupBy(ofFile, ({ resource, line, column }) => `${line}:${column}:${resource}`).sort(
        (a, b) => compareSeverity(worstOf(a), worstOf(b)),
      ),
    )
    .map((ofResource) => renderResource(ofResource, style, columns))
    .join('\n');
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

function renderFinding(finding: PlacedFinding, style: Style, columns: number): string[] {
  const { severity, status, policy, policy_key: key } = finding;
  const title = [
    `  ${paintSeverity(severity, style)(severity.padEnd(severityWidth))}`,
    paintStatus(status, style)(status.padEnd(status.length > 5 ? statusWidth : 5)),
    printableLine(policy) + (key === undefined ? '' : style.dim(` [${printableLine(key)}]`)),
  ].join(' ');
  return [
    wrapWords(title, columns),
    ...messagesOf(finding).map((message) =>
      wrapWords(`    ${printable(message).replace(/\s+/g, ' ').trim()}`, columns).replaceAll(
        '\n      ',
        '\n    ',
      ),
    ),
    ...renderExplanation(finding, style, columns),
  ];
}

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
