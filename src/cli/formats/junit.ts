import type { Problem } from '../../project/model.ts';
import { printable } from '../terminal/printable.ts';

/** One test case. */
export interface JunitCase {
  readonly name: string;
  readonly file?: string;
  /** Of level error: they fail it. Warnings are its output. */
  readonly problems: readonly Problem[];
  /** Why it did not run. */
  readonly skipped?: string;
}

/** JUnit XML: a test case for each file, failed by its errors; warnings are its output. */
export function renderJunit(
  suite: string,
  files: readonly string[],
  problems: readonly Problem[],
): string {
  const byFile = new Map<string, Problem[]>(files.map((file) => [file, []]));
  for (const problem of problems) {
    const same = byFile.get(problem.file);
    if (same) same.push(problem);
    else byFile.set(problem.file, [problem]);
  }
  const cases = [...byFile].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return renderJunitCases(
    suite,
    cases.map(([file, problems]) => ({ name: file, file, problems })),
  );
}

/** JUnit XML of one suite. @param output what to know of it besides its cases */
export function renderJunitCases(
  suite: string,
  cases: readonly JunitCase[],
  output: readonly Problem[] = [],
): string {
  const failures = cases.filter(({ problems }) => problems.some(isError)).length;
  const skipped = cases.filter((one) => one.skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0"${skipped > 0 ? ` skipped="${skipped}"` : ''}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="govctl" ${counts}>`,
    `  <testsuite name="${escapeXml(suite)}" ${counts}>`,
    ...cases.map((one) => renderCase(suite, one)),
    ...(output.length > 0 ? [`    ${systemOut(output)}`] : []),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const isError = ({ level }: Problem): boolean => level === 'error';

function renderCase(suite: string, { name, file, problems, skipped }: JunitCase): string {
  const errors = problems.filter(isError);
  const warnings = problems.filter((problem) => !isError(problem));
  const where = file === undefined ? '' : ` file="${escapeXml(file)}"`;
  const open = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"${where}`;
  const [first] = errors;
  if (!first && warnings.length === 0 && skipped === undefined) return `${open}/>`;
  const lines = [`${open}>`];
  if (skipped !== undefined) lines.push(`      <skipped message="${escapeXml(skipped)}"/>`);
  if (first) {
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    lines.push(
      `      <failure type="${escapeXml(first.code)}" message="${escapeXml(first.message + more)}">${escapeXml(errors.map(oneLine).join('\n'))}</failure>`,
    );
  }
  if (warnings.length > 0) {
    lines.push(`      ${systemOut(warnings)}`);
  }
  return [...lines, '    </testcase>'].join('\n');
}

const systemOut = (problems: readonly Problem[]): string =>
  `<system-out>${escapeXml(problems.map(oneLine).join('\n'))}</system-out>`;

const oneLine = ({ file, line, column, level, message, hint }: Problem): string =>
  `${file}:${line}:${column}: ${level}: ${message}${hint ? ` → ${hint}` : ''}`;

/** What XML 1.0 can't hold is replaced, not escaped: even `&#1;` is not allowed. */
function escapeXml(text: string): string {
  return printable(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
