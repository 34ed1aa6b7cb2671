import { randomBytes } from 'node:crypto';
import { constants, existsSync, rmSync } from 'node:fs';
import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context, World } from '../context.ts';
import { notReadable } from '../flags/input-file.ts';
import { describeError } from '../terminal/report-error.ts';
import { runChild } from './child.ts';
import { parseTime } from './clock.ts';
import type { RunningServer } from './launcher.ts';

export interface ExecOptions {
  readonly args: readonly [readonly string[]];
  readonly seed?: true | string;
  readonly restore?: string;
  readonly newSecrets?: boolean;
  readonly clock?: string;
  readonly dataDir?: string;
}

/** Starts a server of its own for one command, and ends with what the command ends with. */
export async function runExec(context: Context, options: ExecOptions): Promise<ExitCode> {
  const { world } = context;
  const [[command, ...args]] = options.args;
  if (command === undefined) throw new GovctlError('usage_error', 'No command given');
  const preparations = await checkPreparations(world, options);
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-exec-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  // A second signal ends this process at once: nothing is left behind then, either.
  process.once('exit', removeFolder);
  const key = `gk_${randomBytes(32).toString('base64url')}`;
  let server: RunningServer | undefined;
  try {
    server = await launch(context, options, folder, key);
    const env = environmentFor(world, server.baseUrl, key, folder);
    await prepare(context, preparations, { ...world, env, fetch: server.fetch });
    if (world.signal.aborted) return exitCodes.interrupted;
    const { code, problem } = await runChild(command, args, {
      env,
      cwd: world.cwd,
      sharesTerminal: world.terminal.stdinIsTty,
    });
    if (problem !== undefined) await tell(context, problem);
    return code as ExitCode; // the command's own, not one of ours
  } finally {
    await server?.stop();
    removeFolder();
    process.off('exit', removeFolder);
  }
}

async function tell({ world, talkStyle }: Context, problem: string): Promise<void> {
  const { stderr, stderrIsTty, columns } = world.terminal;
  const room = stderrIsTty ? columns : Infinity;
  const { text } = describeError(new GovctlError('usage_error', problem), talkStyle, false, room);
  await stderr.write(text);
}

async function launch(
  context: Context,
  { dataDir }: ExecOptions,
  folder: string,
  apiKey: string,
): Promise<RunningServer> {
  const { world, flags } = context;
  const secretKey = world.env.GOVCTL_SERVER_SECRET_KEY;
  const server = await world.launchServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: dataDir === undefined ? path.join(folder, 'data') : path.resolve(world.cwd, dataDir),
    store: 'lowdb',
    apiKey,
    ...(secretKey ? { secretKey } : {}),
    allowTargets: [],
    metrics: true,
    logLevel: flags.verbose ? 'info' : 'silent',
  });
  if (flags.verbose) for (const notice of server.notices) await context.warn(notice);
  return server;
}

/** The login of the server, and nothing that would lead to another one. */
function environmentFor(
  { env }: World,
  baseUrl: string,
  key: string,
  folder: string,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !/^GOVCTL_(PROFILE|CLIENT_ID|CLIENT_SECRET|SIGNING_SECRET|OIDC|ID_TOKEN|SERVER_.*)$/.test(
        name,
      ),
  );
  const direct = [env.NO_PROXY ?? env.no_proxy, '127.0.0.1'].filter(Boolean).join(',');
  return {
    ...Object.fromEntries(kept),
    GOVCTL_BASE_URL: baseUrl,
    GOVCTL_TOKEN: key,
    GOVCTL_CONFIG_DIR: path.join(folder, 'config'),
    GOVCTL_KEYRING: 'off',
    NO_PROXY: direct,
    no_proxy: direct,
  };
}

/**
 * What is to be there before the command runs, as command lines; looked at before anything starts.
 * @throws GovctlError usage_error, invalid_file
 */
async function checkPreparations(
  world: World,
  { clock, newSecrets, restore, seed }: ExecOptions,
): Promise<readonly (readonly string[])[]> {
  if (newSecrets && restore === undefined) {
    throw new GovctlError('usage_error', '--new-secrets requires --restore');
  }
  if (restore !== undefined) {
    await access(path.resolve(world.cwd, restore), constants.R_OK).catch((cause: unknown) => {
      throw notReadable(`--restore ${restore}`, cause);
    });
  }
  if (typeof seed === 'string') checkSeed(world, seed);
  return [
    ...(restore === undefined
      ? []
      : [['server', 'restore', restore, '--yes', ...(newSecrets ? ['--new-secrets'] : [])]]),
    ...(clock === undefined
      ? []
      : [['server', 'clock', 'set', parseTime('--clock', clock, world.now())]]),
    ...(seed === undefined ? [] : [['server', 'seed', ...(seed === true ? [] : [seed])]]),
  ];
}

function checkSeed({ cwd }: World, seed: string): void {
  if (existsSync(path.resolve(cwd, seed))) return;
  throw new GovctlError('invalid_file', `--seed ${seed}: no such file or directory`, {
    hint: `If ${seed} is the command, use \`--seed -- ${seed}\`.`,
  });
}

/** Its talk only where it fails. */
async function prepare(
  context: Context,
  commands: readonly (readonly string[])[],
  world: World,
): Promise<void> {
  for (const words of commands) {
    const quiet = { write: () => Promise.resolve() };
    const terminal = { ...world.terminal, stdout: quiet, stderrIsTty: false };
    // Errors are thrown, and told by whoever called this.
    await context.run([...words, '--quiet', '--no-input'], { ...world, terminal });
  }
}
