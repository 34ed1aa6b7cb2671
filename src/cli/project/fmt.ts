import { readFileSync, statSync } from 'node:fs';
import { chmod, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { formatYaml } from '../../project/write/format.ts';
import { readPolicyFiles } from '../../project/read/load.ts';
import type { Problem } from '../../project/model.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { readText } from '../../project/read/read-text.ts';
import { createSource } from '../../project/read/source.ts';
import type { Context, Run } from '../context.ts';
import { takingTurns } from '../../project/read/turns.ts';
import { readingOf } from './reading.ts';
import { count } from '../terminal/printable.ts';
import { renderProblems } from '../formats/problems-text.ts';

interface FmtOptions {
  readonly args: [paths: string[]];
  readonly check?: boolean;
}

/** Some five milliseconds. */
const filesBetweenTurns = 10;

const interruptedAfter = (files: number): GovctlError =>
  new GovctlError('interrupted', `Interrupted; ${count(files, 'file')} formatted, each as a whole`);

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
    const formatted = source
      ? context.world.holding(() => formatYaml(source))
      : { problems: [read.problem] };
    if ('problems' in formatted) {
      unreadable.push(...formatted.problems);
    } else if (formatted.text !== readFileSync(absolute, 'utf8')) {
      changed.push(file);
      if (!check) await replaceFile(absolute, formatted.text);
    }
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
      const verdict = describe(contents.length, changed.length, summary.unreadable, check);
      return `${shown}${changed.map((file) => `${file}\n`).join('')}${verdict}\n`;
    },
  });
  if (unreadable.length > 0) return exitCodes.usage;
  return check && changed.length > 0 ? exitCodes.verdict : exitCodes.ok;
};

function describe(files: number, changed: number, unreadable: number, check: boolean): string {
  if (files === 0 && unreadable === 0) return 'No policy files found';
  const left = unreadable > 0 ? `; ${count(unreadable, 'file')} could not be read as YAML` : '';
  const read = count(files, 'file');
  if (check) {
    return changed === 0
      ? `${read} checked, all formatted${left}`
      : `${changed} of ${read} ${changed === 1 ? 'differs' : 'differ'}: run \`govctl fmt\`${left}`;
  }
  return `${changed === 0 ? 'nothing to format' : `${count(changed, 'file')} formatted`} of ${read}${left}`;
}

async function formatStdin(context: Context, paths: readonly string[], check: boolean) {
  if (paths.length > 1) {
    throw new GovctlError('usage_error', '- stands for standard input and goes with no other path');
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
  await terminal.stdout.write(terminal.stdoutIsTty ? formatted.text : Buffer.from(formatted.text));
  return exitCodes.ok;
}

/**
 * Replaces a file at once, so that no reader and no crash meets half of it; mode and links stay.
 * @throws GovctlError file_error
 */
async function replaceFile(absolute: string, text: string): Promise<void> {
  const target = await realpath(absolute);
  const draft = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.tmp`);
  try {
    const { mode } = statSync(target);
    await writeFile(draft, text, { flag: 'wx', mode });
    await chmod(draft, mode);
    await rename(draft, target);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new GovctlError(
      'file_error',
      `${absolute} could not be written: ${whyFileFailed(cause)}`,
      { hint: 'The file is as it was.', cause },
    );
  }
}
