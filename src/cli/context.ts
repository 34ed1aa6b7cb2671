import type { Client } from '../client/client.ts';
import type { Fetch } from '../client/http.ts';
import type { ExitCode } from '../contract/errors.ts';
import type { Holding } from '../project/model.ts';
import type { Keychain } from './credentials/keychain.ts';
import type { ServiceClock } from './service-clock.ts';
import { createServiceClock } from './service-clock.ts';
import type { Prompter } from './terminal/prompt.ts';
import type { DataDirectories } from './server/data-directories.ts';
import type { LaunchServer } from './server/launcher.ts';
import { guardPrompter, guardTerminal } from './terminal/harmless.ts';
import type { OutputTarget, View } from './terminal/output.ts';
import { writeView } from './terminal/output.ts';
import { printable, printableLine } from './terminal/printable.ts';
import { ellipsisFor, showsUnicode } from './terminal/signs.ts';
import type { Style, Terminal } from './terminal/terminal.ts';
import { createStyle, wantsColour } from './terminal/terminal.ts';
import { wrapWords } from './terminal/wrap-words.ts';

/** The outside world of a command, as a value. */
export interface World {
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  readonly holding: Holding;
  /** Has SIGHUP, which ends the process, call this instead. @returns ends that */
  readonly onHangUp: (listener: () => void) => () => void;
  /** Ends the process, whatever its threads still do. */
  readonly endAtOnce: () => void;
  /** Replaces the network; default: undici. */
  readonly fetch?: Fetch;
  /** Replaces the operating system's keychain. */
  readonly keychain?: Keychain;
  /** Asks the person; used only when `flags.input` allows. */
  readonly prompt: Prompter;
  /** Starts the service in this process; composed by main.ts, as cli/ may not know server/. */
  readonly launchServer: LaunchServer;
  /** Works on data directories, where a server runs or not; composed like it. */
  readonly dataDirectories: DataDirectories;
  /** The folder govctl itself is installed in; `policies-example/` is there. */
  readonly packageRoot: string;
}

/** Flags every command takes. */
export interface GlobalFlags {
  readonly output: readonly OutputTarget[];
  readonly baseUrl?: string;
  readonly profile?: string;
  /** Logins of the environment may go to an address that only a file of the repo names. */
  readonly trustRepoUrl: boolean;
  /** Follow links and paths of a repo that lead outside of it. */
  readonly allowOutside: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** False with --no-input, in CI, or off a terminal: never ask. */
  readonly input: boolean;
  readonly colour: boolean;
}

/** What a command gets: the world, its flags, and ways to speak. */
export interface Context {
  readonly world: World;
  readonly flags: GlobalFlags;
  /** Of govctl itself. */
  readonly version: string;
  /** For stdout. */
  readonly style: Style;
  /** For stderr. */
  readonly talkStyle: Style;
  /**
   * A client for the service this command line means: `--base-url`, GOVCTL_BASE_URL, `govctl.yaml` or the profile; the
   * same at each call. What talks to a service is loaded by the first.
   * @throws GovctlError usage_error without a base URL, not_logged_in without a token, invalid_file
   */
  client(): Promise<Client>;
  /** The time of that service, as far as its answers so far tell. */
  readonly serviceClock: ServiceClock;
  /** Runs another command line in the given world. */
  run(argv: readonly string[], world: World): Promise<ExitCode>;
  /** Hands a result to the views. */
  show(view: View): Promise<void>;
  /** One line of talk on stderr; silent with --quiet. */
  say(line: string): Promise<void>;
  /** A warning on stderr; said even with --quiet. */
  warn(line: string): Promise<void>;
  /**
   * Runs `work` under a spinner that shows only on a terminal and only when it takes longer than a moment.
   * `update` changes its text.
   */
  progress<T>(text: string, work: (update: (text: string) => void) => Promise<T>): Promise<T>;
}

/** A command's work: parse has happened; resolves with its exit code. */
export type Run<Options> = (context: Context, options: Options) => Promise<ExitCode>;

/** What `program.ts` gives a context beside what the user gave. */
interface Settings extends Pick<Context, 'world' | 'flags' | 'version' | 'run'> {
  readonly connect: (context: Context) => Promise<Client>;
}

export function createContext({ world: given, flags, version, run, connect }: Settings): Context {
  const { env } = given;
  const { stdoutIsTty, stderrIsTty } = given.terminal;
  const style = createStyle(
    flags.colour && wantsColour(stdoutIsTty, env),
    ellipsisFor(stdoutIsTty, env),
  );
  const talkStyle = createStyle(
    flags.colour && wantsColour(stderrIsTty, env),
    ellipsisFor(stderrIsTty, env),
  );
  const colour = { stdout: style.level > 0, stderr: talkStyle.level > 0 };
  const terminal = guardTerminal(given.terminal, colour);
  const world = { ...given, terminal, prompt: guardPrompter(given.prompt) };
  const talk = (line: string): Promise<void> =>
    terminal.stderr.write(`${terminal.stderrIsTty ? wrapWords(line, terminal.columns) : line}\n`);
  const say = async (line: string): Promise<void> => {
    if (!flags.quiet) await talk(line);
  };
  let client: Promise<Client> | undefined;
  const context: Context = {
    world,
    flags,
    version,
    client: () => (client ??= connect(context)),
    serviceClock: createServiceClock(world.now),
    run,
    style,
    talkStyle,
    show: (view) => writeView(view, flags.output, terminal, style),
    say,
    warn: (line) => talk(`${talkStyle.yellow('warning:')} ${printable(line)}`),
    progress: (text, work) =>
      terminal.stderrIsTty && !flags.quiet && !flags.verbose && env.TERM !== 'dumb'
        ? withSpinner(text, work, { colour: talkStyle.level > 0, unicode: showsUnicode(env) })
        : work(() => {}),
  };
  return context;
}

/** Milliseconds before a spinner shows: what is faster needs none. */
const spinnerAfter = 300;

async function withSpinner<T>(
  text: string,
  work: (update: (text: string) => void) => Promise<T>,
  { colour, unicode }: { readonly colour: boolean; readonly unicode: boolean },
): Promise<T> {
  let current = printableLine(text);
  let spinner: { text: string; stop(): unknown } | undefined;
  const timer = setTimeout(() => {
    void import('ora').then(({ default: ora }) => {
      if (!done) {
        spinner = ora({
          text: current,
          stream: process.stderr,
          ...(colour ? {} : { color: false as const }),
          ...(unicode ? {} : { spinner: 'line' as const }),
          discardStdin: false,
        }).start();
      }
    });
  }, spinnerAfter);
  let done = false;
  try {
    return await work((next) => {
      current = printableLine(next);
      if (spinner) spinner.text = current;
    });
  } finally {
    done = true;
    clearTimeout(timer);
    spinner?.stop();
  }
}
