import { readFileSync, statSync } from 'node:fs';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { formatYaml } from '../../project/write/format.ts';
import { readPolicyFiles } from '../../project/read/load.ts';
import type { Problem } from '../../project/model.ts';
import { leadsOutside } from '../../project/read/boundary.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { readText } from '../../project/read/read-text.ts';
import { createSource, problemAt } from '../../project/read/source.ts';
import type { Finding } from '../../project/read/source.ts';
import { replaceFile } from '../../project/write/replace-file.ts';
import type { Context, Run } from '../context.ts';
import { takingTurns } from '../../project/read/turns.ts';
import { findPlace, writesFrom } from '../flags/place-to-write.ts';
import { readingOf } from './reading.ts';
import { harmlessText } from '../terminal/harmless.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { renderProblems } from '../formats/problems-text.ts';

interface FmtOptions {
  readonly args: [paths: string[]];
  readonly check?: boolean;
}

/** Some five milliseconds. */
const filesBetweenTurns = 10;

const interruptedAfter = (files: number): GovctlError =>
  new GovctlError('interrupted', `Interrupted after formatting ${count(files, 'file')}`);

/** Gives policy files their canonical form. 2 when --check finds one that differs, 3 when one is no YAML. */
export const runFmt: Run<FmtOptions> = async (context, { args: [paths], check = false }) => {
  if (paths.includes('-')) return formatStdin(context, paths, check);
  const { contents, problems } = await readPolicyFiles({ ...readingOf(context), paths });
  const unreadable: Problem[] = problems.filter(({ level }) => level === 'error');
  const changed: string[] = [];
  const turn = takingTurns(filesBetweenTurns, context.world.signal);
  for (const { file, absolute } of contents) {
    await turn().catch((error: unknown) => {
      throw changed.length === 0 || check ? error : interruptedAfter(changed.length);
    });
    const read = readText(file, absolute, statSync(absolute, { throwIfNoEntry: false })?.size ?? 0);
    const { source } = read;
    if (!source) {
      unreadable.push(read.problem);
      continue;
    }
    const formatted = context.world.holding(() => formatYaml(source));
    if ('problems' in formatted) {
      unreadable.push(...formatted.problems);
      continue;
    }
    const before = readFileSync(absolute);
    if (before.equals(Buffer.from(formatted.text))) continue;
    const finding = check ? undefined : await rewrite(context, absolute, before, formatted.text);
    if (finding) unreadable.push(problemAt(createSource(file, ''), { start: 0, end: 0 }, finding));
    else changed.push(file);
  }
  const summary = {
    files: contents.length,
    [check ? 'differing' : 'formatted']: changed.length,
    unreadable: new Set(unreadable.map(({ file }) => file)).size,
  };
  await context.show({
    value: { summary, files: changed, problems: unreadable },
    rows: () => changed.map((file) => ({ file })),
    human: (style, columns) => {
      const shown = unreadable.length > 0 ? `${renderProblems(unreadable, style, columns)}\n` : '';
      const verdict = describe(contents, changed, unreadable, check);
      return `${shown}${changed.map((file) => `${file}\n`).join('')}${verdict}\n`;
    },
  });
  if (unreadable.length > 0) return exitCodes.usage;
  return check && changed.length > 0 ? exitCodes.verdict : exitCodes.ok;
};

function describe(
  contents: readonly { readonly file: string }[],
  changed: readonly string[],
  unreadable: readonly Problem[],
  check: boolean,
): string {
  const failed = new Set(unreadable.map(({ file }) => file));
  const readable = contents.filter(({ file }) => !failed.has(file)).length;
  if (readable === 0 && failed.size === 0) return 'No policy files found';
  const files = count(readable, 'file');
  const done = check
    ? `${inThrees(changed.length)} of ${files} not formatted: run \`govctl fmt\``
    : `Formatted ${inThrees(changed.length)} of ${files}`;
  const left = `${count(failed.size, 'file')} could not be ${check ? 'read' : 'formatted'}`;
  return [
    ...(changed.length > 0 ? [done] : readable > 0 ? [`${files} checked, all formatted`] : []),
    ...(failed.size > 0 ? [left] : []),
  ].join('; ');
}

async function formatStdin(context: Context, paths: readonly string[], check: boolean) {
  if (paths.length > 1) {
    throw new GovctlError('usage_error', 'Use either - for standard input or paths');
  }
  const { terminal } = context.world;
  const text = await terminal.readStdin();
  const formatted = context.world.holding(() => formatYaml(createSource('stdin', text)));
  if ('problems' in formatted) {
    const talk = renderProblems(formatted.problems, context.talkStyle, terminal.columns);
    await terminal.stderr.write(talk);
    return exitCodes.usage;
  }
  if (check) return formatted.text === text ? exitCodes.ok : exitCodes.verdict;
  // In a pipe it is a file's content, to be kept as it is.
  const shown = terminal.stdoutIsTty ? harmlessText(formatted.text, false) : formatted.text;
  await terminal.stdout.write(Buffer.from(shown));
  return exitCodes.ok;
}

/** What keeps a file from being replaced: it is as it was, and the others go on. */
async function rewrite(
  context: Context,
  absolute: string,
  before: Uint8Array,
  text: string,
): Promise<Finding | undefined> {
  const found = findPlace(writesFrom(context), absolute);
  if ('outside' in found) return leadsOutside(found.outside);
  try {
    await replaceFile(found.place, text, { before });
    return undefined;
  } catch (error) {
    return {
      code: 'not-written',
      message: `the file could not be written: ${whyFileFailed(error)}`,
      hint: 'The file was not changed.',
    };
  }
}
