import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Fetch } from '../../src/client/http.ts';
import type { World } from '../../src/cli/context.ts';
import type { Keychain } from '../../src/cli/credentials/keychain.ts';
import type { Prompter } from '../../src/cli/terminal/prompt.ts';
import { runProgram } from '../../src/cli/program.ts';
import { describeError } from '../../src/cli/terminal/report-error.ts';
import { dataDirectories } from '../../src/server/offline.ts';
import { withSigns } from '../../src/cli/terminal/signs.ts';
import { createStyle } from '../../src/cli/terminal/terminal.ts';
import type { DataDirectories } from '../../src/cli/server/data-directories.ts';
import type { LaunchServer } from '../../src/cli/server/launcher.ts';

export interface FakeWorldSettings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly fetch?: Fetch;
  /** Milliseconds since the epoch; default a fixed moment. */
  readonly now?: () => number;
  readonly stdin?: string | Uint8Array;
  /** stdin, stdout and stderr are a terminal. Default false. */
  readonly tty?: boolean;
  readonly columns?: number;
  /** Answers to prompts, in order; a prompt without an answer fails the test. */
  readonly answers?: readonly (string | boolean)[];
  readonly holding?: World['holding'];
  /** Default: there is no SIGHUP. */
  readonly onHangUp?: World['onHangUp'];
  readonly endAtOnce?: World['endAtOnce'];
  readonly signal?: AbortSignal;
  readonly launchServer?: LaunchServer;
  /** Default: they are real. */
  readonly dataDirectories?: DataDirectories;
  /** Leave the network as it is: no fetch stands in its place. */
  readonly realNetwork?: boolean;
  /** Default: none that works. */
  readonly keychain?: Keychain;
}

export interface FakeWorld extends World {
  /** What was written so far. */
  readonly written: { stdout: string; stderr: string };
  /** The questions that were asked. */
  readonly asked: string[];
}

export const fakeNow = Date.UTC(2026, 0, 15, 12);

/** A world without a terminal, an environment or a network: what a command writes is kept as text. */
export function createFakeWorld(settings: FakeWorldSettings = {}): FakeWorld {
  const written = { stdout: '', stderr: '' };
  const asked: string[] = [];
  const tty = settings.tty ?? false;
  return {
    written,
    asked,
    terminal: withSigns(
      {
        stdout: fakeSink((text) => void (written.stdout += text)),
        stderr: fakeSink((text) => void (written.stderr += text)),
        readStdin: async () => Buffer.from(settings.stdin ?? '').toString('utf8'),
        stdinBytes: () => Readable.from([Buffer.from(settings.stdin ?? '')]),
        stdinIsTty: tty,
        stdoutIsTty: tty,
        stderrIsTty: tty,
        columns: settings.columns ?? 100,
      },
      settings.env ?? {},
    ),
    env: settings.env ?? {},
    cwd: settings.cwd ?? process.cwd(),
    now: settings.now ?? (() => fakeNow),
    packageRoot: fileURLToPath(new URL('../..', import.meta.url)),
    signal: settings.signal ?? new AbortController().signal,
    holding: settings.holding ?? ((work) => work()),
    endAtOnce: settings.endAtOnce ?? (() => undefined),
    onHangUp: settings.onHangUp ?? (() => () => undefined),
    ...(settings.realNetwork
      ? {}
      : {
          fetch:
            settings.fetch ??
            (() => Promise.reject(new Error('this fake world has no network: give it a fetch'))),
        }),
    keychain: settings.keychain ?? absentKeychain,
    prompt: fakePrompter([...(settings.answers ?? [])], asked),
    launchServer:
      settings.launchServer ??
      (() => Promise.reject(new Error('this fake world launches no server: give it one'))),
    dataDirectories: settings.dataDirectories ?? dataDirectories,
  };
}

/** Bytes that are no text are kept as characters of Latin-1. */
const fakeSink = (add: (text: string) => void): FakeWorld['terminal']['stdout'] => ({
  write: async (data) => add(typeof data === 'string' ? data : decode(Buffer.from(data))),
});

const decode = (bytes: Buffer): string =>
  isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');

const noKeychain = () => Promise.reject(new Error('this fake world has no keychain'));
const absentKeychain: Keychain = { read: noKeychain, write: noKeychain, remove: noKeychain };

function fakePrompter(answers: (string | boolean)[], asked: string[]): Prompter {
  const next = (message: string): string | boolean => {
    asked.push(message);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`no answer was prepared for: ${message}`);
    return answer;
  };
  return {
    confirm: async (message) => next(message) === true,
    input: async (message) => String(next(message)),
    secret: async (message) => String(next(message)),
    select: async <T extends string>(message: string, choices: readonly { value: T }[]) => {
      const answer = next(message);
      const choice = choices.find(({ value }) => value === answer);
      if (!choice) throw new Error(`"${answer}" is not a choice of: ${message}`);
      return choice.value;
    },
  };
}

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line as the process would: a thrown error becomes text on stderr and its exit code. */
export async function runCommandLine(
  argv: readonly string[],
  settings: FakeWorldSettings | FakeWorld = {},
): Promise<Outcome> {
  const world = 'written' in settings ? settings : createFakeWorld(settings);
  const before = { ...world.written };
  let exitCode: number;
  try {
    exitCode = await runProgram(argv, world, '0.0.0-test');
  } catch (error) {
    const room = world.terminal.stderrIsTty ? world.terminal.columns : Infinity;
    const described = describeError(error, createStyle(false), false, room);
    await world.terminal.stderr.write(described.text);
    exitCode = described.exitCode;
  }
  return {
    exitCode,
    stdout: world.written.stdout.slice(before.stdout.length),
    stderr: world.written.stderr.slice(before.stderr.length),
  };
}
