import { fileURLToPath } from 'node:url';
import { runProgram } from './cli/program.ts';
import { describeError } from './cli/terminal/report-error.ts';
import { withSigns } from './cli/terminal/signs.ts';
import { createStyle, processTerminal, wantsColour } from './cli/terminal/terminal.ts';
import { terminalPrompter } from './cli/terminal/prompt.ts';
import type { DataDirectories } from './cli/server/data-directories.ts';
import { platformInit } from './client/http.ts';
import type { LaunchServer } from './cli/server/launcher.ts';
import { GovctlError, exitCodes } from './contract/errors.ts';
import type { Holding } from './project/model.ts';

const launchServer: LaunchServer = async (options) => {
  const server = await (await import('./server/start.ts')).startServer(options);
  return { ...server, fetch: (url, init) => server.fetch(url, platformInit(init)) };
};

const offline = async (): Promise<DataDirectories> =>
  (await import('./server/offline.ts')).dataDirectories;
const dataDirectories: DataDirectories = {
  backup: async (options) => (await offline()).backup(options),
  verify: async (options) => (await offline()).verify(options),
  restore: async (options) => (await offline()).restore(options),
};

/** Runs one command line in this process: signals, streams, exit code. */
export async function runInProcess(argv: readonly string[], version: string): Promise<void> {
  const terminal = withSigns(processTerminal(), process.env);
  const interruption = interruptible();
  try {
    process.exitCode = await runProgram(
      argv,
      {
        terminal,
        env: process.env,
        cwd: workingFolder(),
        now: Date.now,
        signal: interruption.signal,
        holding: interruption.holding,
        endAtOnce,
        onHangUp(listener) {
          process.on('SIGHUP', listener);
          return () => void process.off('SIGHUP', listener);
        },
        prompt: terminalPrompter(interruption.signal),
        launchServer,
        dataDirectories,
        // One level up from dist/ and from src/ alike.
        packageRoot: fileURLToPath(new URL('..', import.meta.url)),
      },
      version,
    );
  } catch (error) {
    const colour = wantsColour(terminal.stderrIsTty, process.env) && !argv.includes('--no-color');
    const verbose = argv.includes('-v') || argv.includes('--verbose');
    const room = terminal.stderrIsTty ? terminal.columns : Infinity;
    const { text, exitCode } = describeError(error, createStyle(colour), verbose, room);
    await terminal.stderr.write(text);
    process.exitCode = interruption.signal.aborted ? exitCodes.interrupted : exitCode;
  } finally {
    interruption.done();
  }
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new GovctlError('file_error', 'The current directory no longer exists', {
      cause,
      hint: 'Change to an existing directory.',
    });
  }
}

/**
 * Ends the process as a signal does that nothing listens to, with 130 in a shell. process.exit() waits for what its threads
 * do, such as for a disk that does not answer.
 */
function endAtOnce(): void {
  process.emit('exit', exitCodes.interrupted);
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}

interface Interruption {
  readonly signal: AbortSignal;
  readonly holding: Holding;
  done(): void;
}

/**
 * The first SIGINT or SIGTERM asks the command to end; the second ends the process, as does the first where nothing
 * could hear it.
 */
function interruptible(): Interruption {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) endAtOnce();
    controller.abort();
  };
  const listen = (): void => void process.on('SIGINT', stop).on('SIGTERM', stop);
  const done = (): void => void process.off('SIGINT', stop).off('SIGTERM', stop);
  listen();
  return {
    signal: controller.signal,
    holding(work) {
      // Without a listener, a signal does what it does to any process.
      done();
      try {
        return work();
      } finally {
        listen();
      }
    },
    done,
  };
}
