import { defined } from '../../contract/defined.ts';
import type { Context } from '../context.ts';
import type { View } from '../terminal/output.ts';
import { fromWorkspace, renderGithub } from '../formats/github.ts';
import { renderJunitCases } from '../formats/junit.ts';
import type { JunitCase } from '../formats/junit.ts';
import { renderMarkdown } from '../formats/markdown.ts';
import { count, printable, printableLine } from '../terminal/printable.ts';
import { renderSarif } from '../formats/sarif.ts';
import type { SarifItem, SarifRule } from '../formats/sarif.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { fingerprintOf } from '../../project/check/baseline.ts';
import type { Unreadable } from '../../project/check/discover-inputs.ts';
import type { LocalPolicy, Place, Problem } from '../../project/model.ts';
import { makeKey } from '../../project/key.ts';
import type { CheckResult } from './check-result.ts';
import type { PlacedLeftOut } from '../../project/check/left-out.ts';
import { describeCheck, typeMeant } from './check-summary.ts';
import type { PlacedFinding } from './placed-finding.ts';
import { fixKey } from './fix.ts';
import { fixesValue, renderFixes } from './fix-view.ts';
import { messagesOf, renderFindings } from './findings-text.ts';
import {
  compareSeverity,
  countFailing,
  enforcementOfPolicy,
  isFailing,
  severityOf,
} from './verdict.ts';

/** A check in every format; with --quiet people get findings, what could not be read, and the verdict. */
export function checkView(
  { world, flags, version }: Context,
  result: CheckResult,
  streamed: boolean,
): View {
  const { findings, policies } = result;
  const lines = describeCheck(result);
  const isOpen = ({ status }: PlacedFinding): boolean => status === 'FAIL' || status === 'ERROR';
  const moved = <P extends { readonly file: string }>(all: readonly P[]): readonly P[] =>
    fromWorkspace(all, world.cwd, world.env);
  const here = (items: readonly SarifItem[]): readonly SarifItem[] => moved(items);
  const items = (wanted: (finding: PlacedFinding) => boolean): readonly SarifItem[] =>
    findings.filter(wanted).map((finding) => itemOf(finding, result));
  const failures = result.unreadable.items.map(problemOf);
  // These show a few only.
  const worstFirst = (): readonly SarifItem[] =>
    findings
      .filter(isOpen)
      .toSorted((a, b) => compareSeverity(a.severity, b.severity))
      .map((finding) => itemOf(finding, result));
  return {
    value: valueOf(result),
    rows: streamed ? 'written' : () => findings,
    human: (style, columns) =>
      renderCheck(result, flags.quiet ? lines.slice(0, 1) : lines, style, columns, flags.quiet),
    more: {
      sarif: () =>
        renderSarif(
          here(
            items(({ status }) => status !== 'PASS' && status !== 'SKIPPED').map((item) =>
              item.fix ? { ...item, fix: { ...item.fix, changes: moved(item.fix.changes) } } : item,
            ),
          ),
          version,
          {
            rules: rulesOf(policies),
            failures: result.unreadable.items,
            notes: [
              ...[...result.warnings, ...result.duplicates.items].map((warning) => ({
                level: 'warning' as const,
                text: describeWarning(warning),
              })),
              ...result.leftOut.items.map((one) => ({
                level: 'note' as const,
                text: `${placeOf(one)}: ${describeOne(one)}`,
              })),
            ],
          },
        ),
      junit: () => renderJunitCases('govctl check', casesOf(result), result.warnings),
      github: () =>
        renderGithub(
          here([...worstFirst(), ...failures, ...result.warnings, ...result.duplicates.items]),
          lines.join('\n'),
        ),
      markdown: () =>
        renderMarkdown(
          'govctl check',
          lines.join('\n'),
          [...failures, ...worstFirst(), ...result.warnings, ...result.duplicates.items],
          { command: 'govctl check', hidden: result.hidden },
        ),
    },
  };
}

function valueOf(result: CheckResult) {
  const { summary, findings, hidden, unreadable, duplicates, warnings, baseline, skipped } = result;
  const { leftOut, set, warningsHidden } = result;
  return {
    summary,
    set,
    results: findings,
    ...(hidden > 0 ? { results_omitted: hidden } : {}),
    unreadable: unreadable.items,
    ...(unreadable.hidden > 0 ? { unreadable_omitted: unreadable.hidden } : {}),
    left_out: leftOut.items,
    ...(leftOut.hidden > 0 ? { left_out_omitted: leftOut.hidden } : {}),
    warnings: [...warnings, ...duplicates.items],
    ...(duplicates.hidden + warningsHidden > 0
      ? { warnings_omitted: duplicates.hidden + warningsHidden }
      : {}),
    ...(result.tally.unmatched.size > 0
      ? {
          unmatched_types: [...result.tally.unmatched].map(([type, resources]) => ({
            type,
            resources,
            ...defined({ did_you_mean: typeMeant(type, result.policies) }),
          })),
        }
      : {}),
    ...(skipped.length > 0 ? { skipped } : {}),
    ...(baseline ? { baseline } : {}),
    ...(result.fixes ? fixesValue(result.fixes) : {}),
  };
}

const placeOf = ({ file, line }: PlacedLeftOut): string =>
  line === undefined ? file : `${file}:${line}`;

const describeWarning = ({ file, line, message, hint }: Problem): string =>
  `${file}:${line}: ${message}${hint === undefined ? '' : `. ${hint}`}`;

const describeOne = ({ resource, resource_type: type, condition }: PlacedLeftOut): string =>
  `${resource} (${type}) was excluded because its condition is false: ${condition}`;

const codeOf = ({ policy, policy_key: key }: PlacedFinding): string => key ?? makeKey(policy);

/** A finding as the reports of other tools take it. */
function itemOf(finding: PlacedFinding, { limits, fixes }: CheckResult): SarifItem {
  const { policy, severity, enforcement, resource, file, line, column, exemption, inline_skip } =
    finding;
  const weight = enforcement === undefined ? severity : `${severity}, ${enforcement}`;
  const changes = fixes?.alone.get(fixKey(finding));
  const said = messagesOf({ ...finding, status: 'FAIL' }).join(' ');
  return {
    level: isFailing(finding, limits) ? 'error' : 'warning',
    code: codeOf(finding),
    message: `${resource}: ${policy} (${weight})${said === '' ? '' : `: ${said}`}`,
    file,
    line,
    column,
    fingerprint: fingerprintOf(finding, file),
    ...defined({
      accepted: exemption,
      acceptedIn: inline_skip ? ('source' as const) : undefined,
      fix: changes && { description: `Change ${resource} so that it passes ${policy}`, changes },
    }),
  };
}

const problemOf = ({ file, line = 1, column = 1, message }: Unreadable): Problem => ({
  level: 'error',
  code: 'unreadable',
  message,
  file,
  line,
  column,
});

const rulesOf = (policies: readonly LocalPolicy[]): ReadonlyMap<string, SarifRule> =>
  new Map(
    policies.map((local) => {
      const { name, description, compliance_frameworks: tags } = local.policy;
      const enforcement = enforcementOfPolicy(local);
      return [local.key, { name, description, severity: severityOf(local), enforcement, tags }];
    }),
  );

/** A case for each policy, so that the list is the same from run to run; and one for what could not be read. */
function casesOf(result: CheckResult): JunitCase[] {
  const byPolicy = new Map<string, SarifItem[]>();
  for (const finding of result.findings) {
    if (finding.status !== 'FAIL' && finding.status !== 'ERROR') continue;
    const same = byPolicy.get(finding.policy);
    if (same) same.push(itemOf(finding, result));
    else byPolicy.set(finding.policy, [itemOf(finding, result)]);
  }
  const cases = result.policies.map((local, index): JunitCase => {
    const { policy, place } = local;
    const { pass, fail, error, exempt } = result.tally.policies[index] ?? emptyCounts;
    const listed = byPolicy.get(policy.name) ?? [];
    const counted = result.counts[index] ?? emptyCounts;
    const unlisted = counted.fail + counted.error - listed.length;
    const isFailed = countFailing([local], [counted], result.limits) > 0;
    return {
      name: policy.name,
      file: place.file,
      problems: unlisted > 0 ? [...listed, unlistedItem(place, unlisted, isFailed)] : listed,
      ...(pass + fail + error + exempt === 0 ? { skipped: 'no resources of this type' } : {}),
    };
  });
  const unread = result.unreadable.items.map(problemOf);
  return [
    ...cases,
    ...(unread.length > 0 ? [{ name: 'inputs are readable', problems: unread }] : []),
    ...(result.duplicates.items.length > 0
      ? [{ name: 'resource IDs are unique', problems: result.duplicates.items }]
      : []),
    ...result.leftOut.items.map((one) => ({
      name: `${one.resource} in ${placeOf(one)}`,
      file: one.file,
      problems: [],
      skipped: describeOne(one),
    })),
  ];
}

const unlistedItem = (place: Place, amount: number, isFailed: boolean): Problem => ({
  level: isFailed ? 'error' : 'warning',
  code: 'not-listed',
  message: `${count(amount, 'finding')} of this policy are not listed`,
  ...place,
});

const emptyCounts = { pass: 0, fail: 0, error: 0, unknown: 0, exempt: 0, skipped: 0 };

function renderCheck(
  result: CheckResult,
  [verdict = '', ...rest]: readonly string[],
  style: Style,
  columns: number,
  quiet: boolean,
): string {
  const { findings, hidden, unreadable, duplicates, warnings, skipped, all } = result;
  const shown = all ? findings : findings.filter(({ status }) => status !== 'EXEMPT');
  const notes = quiet ? [] : [...warnings, ...duplicates.items.slice(0, mostDuplicates)];
  const moreDuplicates = duplicates.items.length + duplicates.hidden - mostDuplicates;
  const blocks = [
    renderFindings(shown, style, columns),
    ...(hidden > 0
      ? [`… and ${count(hidden, 'more finding')}. Use -o ndjson=FILE to write all of them.\n`]
      : []),
    linesOf(
      unreadable.items
        .slice(0, mostUnreadable)
        .map((one) => ({ ...problemOf(one), line: one.line, column: one.column })),
      style,
      columns,
    ),
    more(
      unreadable.items.length + unreadable.hidden - mostUnreadable,
      'unreadable part of the input',
      'unreadable parts of the input',
    ),
    linesOf(notes, style, columns),
    more(quiet ? 0 : result.warningsHidden, 'warning', 'warnings'),
    more(quiet ? 0 : moreDuplicates, 'duplicate ID', 'duplicate IDs'),
    skipped.length > 0 && !quiet
      ? wrapWords(style.dim(`Skipped files without resources: ${listFiles(skipped)}.`), columns) +
        '\n'
      : '',
    result.fixes ? renderFixes(result.fixes, style, columns) : '',
    wrapWords([paintVerdict(verdict, result, style), ...rest.map(printable)].join('\n'), columns) +
      '\n',
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** Of each kind that a screen takes. */
const mostUnreadable = 50;
const mostDuplicates = 10;
const mostSkipped = 5;

const more = (amount: number, one: string, many: string): string =>
  amount > 0 ? `… and ${count(amount, `more ${one}`, `more ${many}`)}\n` : '';

function listFiles(files: readonly string[]): string {
  const named = files.slice(0, mostSkipped).map(printableLine).join(', ');
  const rest = files.length - mostSkipped;
  return rest > 0 ? `${named} and ${count(rest, 'other file')}` : named;
}

/** A problem, or one of a whole file. */
type Told = Omit<Problem, 'line' | 'column'> & {
  readonly line: number | undefined;
  readonly column: number | undefined;
};

function linesOf(problems: readonly Told[], style: Style, columns: number): string {
  return problems
    .map(({ file, line, column, level, message, hint }) => {
      const paint = level === 'error' ? style.red : style.yellow;
      const at = [file, line, column].filter((part) => part !== undefined).join(':');
      const place = style.bold(printableLine(at));
      const lines = [`${place}: ${paint(`${level}:`)} ${printable(message)}`];
      if (hint) lines.push(`  ${style.cyan('→')} ${printable(hint)}`);
      return `${wrapWords(lines.join('\n'), columns)}\n`;
    })
    .join('');
}

function paintVerdict(verdict: string, result: CheckResult, style: Style): string {
  const { summary, failing, unreadable } = result;
  const text = printable(verdict);
  if (failing > 0 || unreadable.items.length > 0) return style.red.bold(text);
  if (summary.evaluated === 0 || summary.fail + summary.error > 0) return style.yellow.bold(text);
  return style.green.bold(text);
}
