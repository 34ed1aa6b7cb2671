import type { CaseFailure, CaseResult } from '../../project/check/run-suite.ts';
import type { LocalPolicy } from '../../project/model.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';

/** A case, and the file with the policies that it is about. */
export interface TestedCase extends CaseResult {
  readonly policy_file: string;
}

/** The cases that failed, each with what was expected and what was found; then policies without a test. */
export function renderCases(
  failed: readonly TestedCase[],
  untested: readonly LocalPolicy[],
  style: Style,
  columns: number,
): string {
  const blocks = failed.map(({ file, line, column, name, failures }) => {
    const title = `${style.red('FAIL')}  ${style.bold(printableLine(`${file}:${line}:${column}`))}  ${printableLine(name)}`;
    return [
      wrapWords(title, columns),
      ...failures.map((failure) => renderFailure(failure, style, columns)),
    ].join('\n');
  });
  const missing = untested.map(({ policy, place }) => {
    const where = style.bold(printableLine(`${place.file}:${place.line}:${place.column}`));
    return `${style.red('NO TEST')}  ${where}  ${printableLine(policy.name)}`;
  });
  return [...blocks, ...(missing.length > 0 ? [missing.join('\n')] : [])]
    .map((block) => `${block}\n`)
    .join('\n');
}

function renderFailure(failure: CaseFailure, style: Style, columns: number): string {
  const { file, line, column, message, expected, found } = failure;
  const about = subjectOf(failure);
  const lines = [
    `  ${style.dim(printableLine(`${file}:${line}:${column}`))}  ${printableLine(message)}`,
    ...(about === '' ? [] : [`    ${about}`]),
    ...(expected
      ? [
          style.green(`    - expected ${expected.result}${quoted(expected.message)}`),
          style.red(`    + found    ${found ? describeFound(found) : 'nothing'}`),
        ]
      : found
        ? [style.red(`    + found    ${describeFound(found)}`)]
        : []),
  ];
  return wrapWords(lines.join('\n'), columns);
}

const quoted = (message: string | undefined): string =>
  message === undefined ? '' : `: ${printable(flat(message))}`;

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

const describeFound = ({ result, messages }: NonNullable<CaseFailure['found']>): string =>
  `${result}${messages.length > 0 ? quoted(messages.join(' | ')) : ''}`;

const subjectOf = ({ resource, policy }: CaseFailure): string =>
  [resource, policy]
    .filter((each) => each !== undefined)
    .map(printableLine)
    .join(', ');

/** A failure in one line, for reports. */
export function describeFailure(failure: CaseFailure): string {
  const { message, expected, found } = failure;
  const about = subjectOf(failure);
  const words = [
    ...(expected ? [`expected ${expected.result}${quoted(expected.message)}`] : []),
    ...(found ? [`found ${describeFound(found)}`] : []),
  ];
  return `${about === '' ? '' : `${about}: `}${message}${words.length > 0 ? ` (${words.join('; ')})` : ''}`;
}
