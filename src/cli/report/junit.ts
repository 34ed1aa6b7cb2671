import type { Problem } from '../../project/model.ts';

/** JUnit XML: a test case for each file, failed by its errors; warnings are its output. */
export function renderJunit(
  suite: string,
  files: readonly string[],
  problems: readonly Problem[],
): string {
  const byFile = new Map<string, Problem[]>();
  for (const problem of problems) {
    byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), problem]);
  }
  const names = [...new Set([...files, ...byFile.keys()])].sort();
  const cases = names.map((file) => renderCase(suite, file, byFile.get(file) ?? []));
  const failures = names.filter((file) =>
    byFile.get(file)?.some(({ level }) => level === 'error'),
  ).length;
  const counts = `tests="${names.length}" failures="${failures}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="govctl" ${counts}>`,
    `  <testsuite name="${escapeXml(suite)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function renderCase(suite: string, file: string, problems: readonly Problem[]): string {
  const errors = problems.filter(({ level }) => level === 'error');
  const warnings = problems.filter(({ level }) => level === 'warning');
  const open = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(file)}" file="${escapeXml(file)}"`;
  const [first] = errors;
  if (!first && warnings.length === 0) return `${open}/>`;
  const lines = [`${open}>`];
  if (first) {
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    lines.push(
      `      <failure type="${escapeXml(first.code)}" message="${escapeXml(first.message + more)}">${escapeXml(errors.map(oneLine).join('\n'))}</failure>`,
    );
  }
  if (warnings.length > 0) {
    lines.push(`      <system-out>${escapeXml(warnings.map(oneLine).join('\n'))}</system-out>`);
  }
  return [...lines, '    </testcase>'].join('\n');
}

const oneLine = ({ file, line, column, level, message, hint }: Problem): string =>
  `${file}:${line}:${column}: ${level}: ${message}${hint ? ` → ${hint}` : ''}`;

/** What XML 1.0 can't hold is replaced, not escaped: even `&#1;` is not allowed. */
function escapeXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
