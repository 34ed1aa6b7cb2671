import { defined } from '../../contract/defined.ts';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import path from 'node:path';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context, World } from '../context.ts';
import { readInputFile } from '../flags/input-file.ts';
import { isUnprotected, parseBaseUrl } from '../credentials/base-url.ts';
import { checkToken } from '../credentials/find-login.ts';
import type { View } from '../terminal/output.ts';
import type { RunningServer, ServerOptions, Stopped } from './launcher.ts';
import { parsePort } from './port.ts';

/** The flags as commander gives them. */
export interface ServerFlags {
  readonly host: string;
  readonly port: string;
  readonly dataDir: string;
  readonly store: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly newApiKey?: boolean;
  readonly readyFile?: string;
  readonly config?: string;
  readonly allowTarget?: readonly string[];
  readonly publicUrl?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsClientCa?: string;
  readonly signingCert?: string;
  readonly signingKey?: string;
  readonly rateLimit?: 'enforce' | 'report' | 'off';
  readonly metrics: boolean;
  readonly metricsListen?: string;
  readonly maxConnections?: string;
  readonly maxImport?: string;
  readonly logLevel: ServerOptions['logLevel'];
}

/** Serves until the first signal, then stops gracefully; a second signal ends the process. SIGHUP reloads files of TLS. */
export async function runServer(context: Context, flags: ServerFlags): Promise<ExitCode> {
  const { world } = context;
  const apiKey = await chooseApiKey(world, flags);
  const options = parseServerFlags(world.cwd, flags, apiKey?.key);
  const secretKey = world.env.GOVCTL_SERVER_SECRET_KEY;
  let server: RunningServer | undefined;
  let stopped: Stopped | undefined;
  // From the beginning: without a listener, the signal would end the process.
  const stopListening = world.onHangUp(() => void server?.reload());
  try {
    server = await launchUnlessStopped(world, {
      ...options,
      ...(secretKey ? { secretKey } : {}),
      env: world.env,
    });
    if (!server) {
      await context.say('Stopped before the stored data was loaded.');
      return exitCodes.ok;
    }
    for (const notice of server.notices) await context.warn(notice);
    if (isUnprotected(server.baseUrl)) {
      await context.warn(
        `${server.baseUrl} is reachable by others without encryption. Set --tls-cert and --tls-key, or put a TLS proxy in front of the server.`,
      );
    }
    await context.show(readyView(server, apiKey, options.publicUrl));
    await untilAborted(world.signal);
    await context.say(
      'Stopping after running requests finish. Press Ctrl-C again to stop immediately.',
    );
  } finally {
    stopped = await server?.stop();
    stopListening();
  }
  await context.say(describeStop(stopped));
  if (stopped?.stuck === undefined) return exitCodes.ok;
  world.endAtOnce();
  return exitCodes.interrupted;
}

function describeStop({ cutOff, stuck }: Stopped = { cutOff: [] }): string {
  const said = cutOff.length > 0 ? ` Cut off: ${cutOff.join('; ')}.` : '';
  if (stuck === undefined) return `Stopped.${said}`;
  return `Stopped early: ${stuck} took too long.${said} All acknowledged changes are saved; they are recovered at the next start.`;
}

/** @returns undefined where a signal came while the stored data was loaded */
async function launchUnlessStopped(
  { launchServer, signal }: World,
  options: ServerOptions,
): Promise<RunningServer | undefined> {
  try {
    return await launchServer({ ...options, signal });
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined;
    throw error;
  }
}

/** Everything checked before anything starts. @throws GovctlError usage_error */
function parseServerFlags(
  cwd: string,
  flags: ServerFlags,
  apiKey: string | undefined,
): ServerOptions {
  const tls = pairOfFiles(cwd, ['--tls-cert', flags.tlsCert], ['--tls-key', flags.tlsKey]);
  const { tlsClientCa } = flags;
  if (!tls && tlsClientCa !== undefined) {
    throw new GovctlError('usage_error', '--tls-client-ca requires --tls-cert and --tls-key');
  }
  const signing = pairOfFiles(
    cwd,
    ['--signing-cert', flags.signingCert],
    ['--signing-key', flags.signingKey],
  );
  if (flags.store !== 'lowdb' && !/^postgres(ql)?:\/\//.test(flags.store)) {
    throw new GovctlError('usage_error', `--store ${flags.store}: unknown store`, {
      hint: 'Use lowdb or a postgres:// URL.',
    });
  }
  for (const range of flags.allowTarget ?? []) checkCidr(range);
  const metricsListen = parseListen(flags);
  const maxConnections = parseNumber('--max-connections', flags.maxConnections, fewestConnections);
  const maxImportMib = parseNumber('--max-import', flags.maxImport, 1);
  refuseEmpty('--host', flags.host);
  refuseEmpty('--data-dir', flags.dataDir);
  refuseEmpty('--ready-file', flags.readyFile);
  refuseEmpty('--config', flags.config);
  return {
    host: flags.host,
    port: parsePort(flags.port),
    dataDir: path.resolve(cwd, flags.dataDir),
    store: flags.store,
    ...defined({ apiKey }),
    ...(flags.readyFile === undefined ? {} : { readyFile: path.resolve(cwd, flags.readyFile) }),
    ...(flags.publicUrl === undefined
      ? {}
      : { publicUrl: parseBaseUrl(flags.publicUrl, '--public-url') }),
    ...(flags.config === undefined ? {} : { configFile: path.resolve(cwd, flags.config) }),
    allowTargets: flags.allowTarget ?? [],
    ...(tls && {
      tls: { ...tls, ...defined({ clientCa: tlsClientCa && path.resolve(cwd, tlsClientCa) }) },
    }),
    ...(signing && { signing }),
    ...defined({ rateLimit: flags.rateLimit }),
    metrics: flags.metrics,
    ...defined({ metricsListen, maxConnections }),
    secretFiles: [flags.apiKeyFile, flags.tlsKey, flags.signingKey].flatMap((file) =>
      file === undefined ? [] : [path.resolve(cwd, file)],
    ),
    ...(maxImportMib === undefined ? {} : { maxImportBytes: maxImportMib * 1024 ** 2 }),
    logLevel: flags.logLevel,
  };
}

/** The paths of a certificate and its key, which come together. @throws GovctlError usage_error */
function pairOfFiles(
  cwd: string,
  [certFlag, cert]: readonly [string, string | undefined],
  [keyFlag, key]: readonly [string, string | undefined],
): { readonly cert: string; readonly key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new GovctlError(
      'usage_error',
      key === undefined ? `${certFlag} requires ${keyFlag}` : `${keyFlag} requires ${certFlag}`,
    );
  }
  return { cert: path.resolve(cwd, cert), key: path.resolve(cwd, key) };
}

/** @throws GovctlError usage_error */
function parseListen({
  metrics,
  metricsListen: given,
}: ServerFlags): { readonly host: string; readonly port: number } | undefined {
  if (given === undefined) return undefined;
  if (!metrics) {
    throw new GovctlError('usage_error', 'Use either --metrics-listen or --no-metrics');
  }
  const [, ipv6, host = ipv6, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(given) ?? [];
  if (host !== undefined && port !== undefined) {
    return { host, port: parsePort(port, '--metrics-listen', given) };
  }
  throw new GovctlError('usage_error', `--metrics-listen ${given}: must be an address and port`, {
    hint: 'Use HOST:PORT, for example 127.0.0.1:9464 or [::1]:9464.',
  });
}

/** With fewer, those without a token would have none of the places. */
const fewestConnections = 16;

/** @throws GovctlError usage_error */
function parseNumber(flag: string, given: string | undefined, fewest: number): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (/^\d{1,7}$/.test(given) && number >= fewest) return number;
  throw new GovctlError(
    'usage_error',
    `${flag} ${given}: must be a whole number of at least ${fewest}`,
  );
}

/** A variable of a script that was not set: every address, or the working folder, is not what is meant. */
function refuseEmpty(flag: string, value: string | undefined): void {
  if (value?.trim() === '') throw new GovctlError('usage_error', `${flag} is empty`);
}

function checkCidr(range: string): void {
  const [address = '', bits = '', ...rest] = range.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= longest) return;
  throw new GovctlError('usage_error', `--allow-target ${range}: must be an address range`, {
    hint: 'Use a CIDR, such as 10.0.0.0/8 or fd00::/8.',
  });
}

/** The key given by flag, file or environment, or a new one. @throws GovctlError usage_error, invalid_file */
async function chooseApiKey(
  world: World,
  { apiKey, apiKeyFile, newApiKey }: ServerFlags,
): Promise<{ key: string; made: boolean } | undefined> {
  const given = [
    apiKey !== undefined && '--api-key',
    apiKeyFile !== undefined && '--api-key-file',
    newApiKey && '--new-api-key',
  ].filter((flag) => typeof flag === 'string');
  if (given.length > 1) {
    throw new GovctlError('usage_error', `Use only one of ${given.join(', ')}`);
  }
  if (apiKey !== undefined) return { key: checkToken(apiKey, '--api-key'), made: false };
  if (apiKeyFile !== undefined) {
    const text = await readInputFile(world, apiKeyFile, `--api-key-file ${apiKeyFile}`);
    return { key: checkToken(text, `--api-key-file ${apiKeyFile}`), made: false };
  }
  if (newApiKey) return { key: `gk_${randomBytes(32).toString('base64url')}`, made: true };
  const fromEnv = world.env.GOVCTL_SERVER_API_KEY;
  return fromEnv ? { key: checkToken(fromEnv, 'GOVCTL_SERVER_API_KEY'), made: false } : undefined;
}

/** With -o json one line, for whoever started it; a key the user gave is not repeated there or anywhere. */
function readyView(
  server: RunningServer,
  given: { key: string; made: boolean } | undefined,
  publicUrl = server.baseUrl,
): View {
  const made = given?.made ? given.key : server.apiKey?.generated ? server.apiKey.key : undefined;
  const known = given ? given.key : server.apiKey?.key;
  const logIn = `govctl auth login --base-url ${publicUrl}`;
  const value = {
    base_url: server.baseUrl,
    ...defined({ api_key: known }),
    pid: process.pid,
    ...(server.isLocal ? { local: true } : {}),
    log_in: `${logIn} --with-token`,
  };
  return {
    value,
    oneLine: true,
    human: (style) =>
      [
        `${style.green('Serving')} ${style.bold(server.baseUrl)}`,
        made !== undefined
          ? `API key  ${style.bold(made)}   (shown only once)`
          : given
            ? 'API key  the key you provided'
            : server.apiKeyWorks === false
              ? 'API key  disabled, because owners sign in (if no owner can sign in, start with --new-api-key)'
              : 'API key  shown at the first start (if lost, start with --new-api-key)',
        `Log in   ${logIn}`,
        ...(server.apiKey?.generated && !server.isLocal
          ? ['Owner    govctl user create EMAIL --role owner (replaces this API key)']
          : []),
        ...(server.isLocal
          ? ['Local    clock and data can be changed for tests (see `govctl server --help`)']
          : []),
        '',
      ].join('\n'),
  };
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
