import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { utcSecond } from '../../contract/utc-time.ts';
import type { Context } from '../context.ts';
import { clearScreen } from '../terminal/clear-screen.ts';
import { describeError } from '../terminal/report-error.ts';

/** Milliseconds between polls of the files: polling works on every file system, events do not. */
const lookEvery = 300;

/**
 * Runs `work` now and after each change of the files that `list` returns, until Ctrl-C. Prints the error of a failed run
 * and waits for the next change. Clears a terminal before each run; prints a line with the time between runs elsewhere.
 */
export async function watch(
  context: Context,
  list: () => readonly string[] | Promise<readonly string[]>,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const { signal, terminal } = context.world;
  for (let runs = 0; !signal.aborted && !terminal.stdout.isClosed; runs++) {
    const before = await stateOf(list);
    if (terminal.stdoutIsTty) await terminal.stdout.write(clearScreen);
    else if (runs > 0) await separate(context);
    await runOnce(context, work);
    if (!signal.aborted)
      await context.say(context.talkStyle.dim('Waiting for changes. Press Ctrl-C to stop.'));
    while (!signal.aborted && (await stateOf(list)) === before) {
      await sleep(lookEvery, undefined, { signal }).catch(() => undefined);
    }
  }
  return exitCodes.ok;
}

/** The line goes to stdout among results for people, to stderr beside results for programs. */
async function separate({ world, flags, say }: Context): Promise<void> {
  const line = `--- ${utcSecond(new Date(world.now()).toISOString())}: files changed`;
  if (flags.output.length === 0) await world.terminal.stdout.write(`\n${line}\n\n`);
  else await say(line);
}

async function runOnce(
  { world, talkStyle, flags }: Context,
  work: () => Promise<ExitCode>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof GovctlError && error.error === 'interrupted') return;
    await world.terminal.stderr.write(describeError(error, talkStyle, flags.verbose).text);
  }
}

/** Names, sizes and times of the files; an error from `list` is a state, too. */
async function stateOf(
  list: () => readonly string[] | Promise<readonly string[]>,
): Promise<string> {
  try {
    return (await list())
      .map((file) => {
        const stats = statSync(file, { throwIfNoEntry: false });
        return stats ? `${file} ${stats.size} ${stats.mtimeMs}` : file;
      })
      .join('\n');
  } catch (error) {
    return String(error);
  }
}
