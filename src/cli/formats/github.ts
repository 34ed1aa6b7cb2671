import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import type { Problem } from '../../project/model.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { replaceCommands } from '../../contract/control-characters.ts';
import { harmlessText } from '../terminal/harmless.ts';
import { count, listWords, printable, printableLine } from '../terminal/printable.ts';

/** GitHub shows ten annotations of a level for a step, and drops the rest without a word. */
const mostOfALevel = 10;

/**
 * Workflow commands that GitHub Actions turns into annotations; a line says how many had no room, and `summary` ends it.
 */
export function renderGithub(problems: readonly Problem[], summary = ''): string {
  const errors = problems.filter(({ level }) => level === 'error');
  const warnings = problems.filter(({ level }) => level === 'warning');
  const shown = [...errors.slice(0, mostOfALevel), ...warnings.slice(0, mostOfALevel)];
  const lines = shown.map(annotation);
  const hidden = [
    [errors.length - mostOfALevel, 'error'],
    [warnings.length - mostOfALevel, 'warning'],
  ] as const;
  const words = hidden.flatMap(([amount, word]) => (amount > 0 ? [count(amount, word)] : []));
  if (words.length > 0) {
    lines.push(
      `${problems.length - shown.length} more not shown (${listWords(words)}): GitHub shows at most ${mostOfALevel} per level`,
    );
  }
  const end = harmlessText(
    summary === '' || summary.endsWith('\n') ? summary : `${summary}\n`,
    false,
  );
  return lines.map((line) => `${line}\n`).join('') + end;
}

function annotation({ level, file, line, column, code, message, hint, excerpt }: Problem): string {
  const properties = {
    file,
    line,
    col: column,
    ...(excerpt ? { endColumn: column + excerpt.width } : {}),
    title: `govctl: ${code}`,
  };
  const where = Object.entries(properties).map(([name, value]) => `${name}=${inProperty(value)}`);
  return `::${level} ${where.join(',')}::${inData(hint ? `${message}\n${hint}` : message)}`;
}

const inData = (text: string): string =>
  replaceCommands(printable(text), () => ' #')
    .replaceAll('%', '%25')
    .replaceAll('\n', '%0A');

const inProperty = (value: string | number): string =>
  inData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** GitHub names files from the checkout's root; a step may run in a folder below it. */
export function fromWorkspace<P extends { readonly file: string }>(
  problems: readonly P[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): readonly P[] {
  const workspace = env.GITHUB_WORKSPACE;
  if (!workspace) return problems;
  const below = path.relative(workspace, cwd).replaceAll(path.sep, '/');
  if (below === '' || below.startsWith('..') || path.isAbsolute(below)) return problems;
  return problems.map((problem) => ({ ...problem, file: path.posix.join(below, problem.file) }));
}

/**
 * Gives later steps of a GitHub Actions job the figures of this one; elsewhere it does nothing.
 * @throws GovctlError file_error
 */
export async function writeGithubOutput(
  env: NodeJS.ProcessEnv,
  values: Readonly<Record<string, string | number | boolean>>,
): Promise<void> {
  const file = env.GITHUB_OUTPUT;
  if (!file) return;
  const lines = Object.entries(values).map(
    ([name, value]) => `${name}=${printableLine(String(value))}\n`,
  );
  try {
    await appendFile(file, lines.join(''));
  } catch (cause) {
    throw new GovctlError(
      'file_error',
      `$GITHUB_OUTPUT (${file}) could not be written: ${whyFileFailed(cause)}`,
      { cause },
    );
  }
}
