import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
export const binary = path.join(projectRoot, 'bin', 'govctl.js');

export interface CliResult {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The executable script, where it is not the one of this checkout. */
  readonly script?: string;
}

/** A user's environment with nothing of ours or theirs in it. */
export function cleanEnvironment(
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(GOVCTL_|VITEST|CI$|GITHUB_|NO_COLOR|FORCE_COLOR|NODE_OPTIONS)/.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), GOVCTL_KEYRING: 'off', ...extra };
}

/** Runs the built binary to its end, as a script would: no terminal on any stream. */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const { exitCode, stdout, stderr } = await execa(
    process.execPath,
    [options.script ?? binary, ...args],
    {
      cwd: options.cwd ?? projectRoot,
      env: cleanEnvironment(options.env),
      extendEnv: false,
      reject: false,
      timeout: 110_000,
      stripFinalNewline: false,
      ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    },
  );
  return { exitCode, stdout, stderr };
}

/** What is needed of execa's process; its own type is bound to the options it was made with. */
interface ServerProcess extends PromiseLike<{
  readonly stderr?: unknown;
  readonly exitCode?: number;
}> {
  readonly pid?: number | undefined;
  kill(signal?: NodeJS.Signals): boolean;
}

export interface BuiltServer {
  readonly baseUrl: string;
  readonly key: string;
  readonly dataDir: string;
  readonly process: ServerProcess;
  /** Asks it to end and waits; gives its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | undefined>;
}

/** What each of them takes. */
export const serverKey = `gk_${'e'.repeat(43)}`;

/** Starts the built `govctl server` on a free port and waits for its ready file. */
export async function startBuiltServer(
  options: {
    dataDir?: string;
    args?: readonly string[];
    env?: Readonly<Record<string, string>>;
    script?: string;
    /** Default: the one that all tests share. */
    key?: string;
    /** A command that runs it, such as one that gives it namespaces of its own. */
    within?: readonly string[];
    /** Is given the process as soon as there is one. */
    spawned?: (process: ServerProcess) => void;
  } = {},
): Promise<BuiltServer> {
  const folder = makeTempFolder();
  const dataDir = options.dataDir ?? path.join(folder, 'data');
  const readyFile = path.join(folder, 'ready.json');
  const key = options.key ?? serverKey;
  const args = [
    'server',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--ready-file',
    readyFile,
    ...(options.args ?? []),
  ];
  const [command = process.execPath, ...before] = [...(options.within ?? []), process.execPath];
  const child = execa(command, [...before, options.script ?? binary, ...args], {
    cwd: folder,
    env: cleanEnvironment({ ...options.env, GOVCTL_SERVER_API_KEY: key }),
    extendEnv: false,
    reject: false,
    // Whoever stops it finds out how long that takes.
    forceKillAfterDelay: false,
  });
  options.spawned?.(child);
  const baseUrl = await waitForReadyFile(readyFile, child);
  return {
    baseUrl,
    key,
    dataDir,
    process: child,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return (await child).exitCode;
    },
  };
}

/** Milliseconds, on any machine. */
const readyWithin = 60_000;

async function waitForReadyFile(file: string, child: ServerProcess): Promise<string> {
  let ended: { stderr?: unknown } | undefined;
  void child.then((result) => (ended = result));
  for (const end = performance.now() + readyWithin; performance.now() < end;) {
    if (ended) throw new Error(`the server ended before it was ready:\n${String(ended.stderr)}`);
    try {
      const ready = JSON.parse(readFileSync(file, 'utf8')) as { base_url: string };
      return ready.base_url;
    } catch {
      await sleep(50); // not there yet
    }
  }
  child.kill('SIGKILL');
  throw new Error(`the server was not ready within ${readyWithin / 1_000} seconds`);
}

const tempFolders: string[] = [];

/** A folder of its own, removed when the test process ends. */
export function makeTempFolder(): string {
  if (tempFolders.length === 0) {
    process.once('exit', () => {
      for (const folder of tempFolders) rmSync(folder, { recursive: true, force: true });
    });
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-test-'));
  tempFolders.push(folder);
  return folder;
}
