import { randomBytes } from 'node:crypto';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { defined } from '../contract/defined.ts';
import { GovctlError } from '../contract/errors.ts';
import { baseUrlOf, checkPublicUrl, isLoopback, parseRanges } from './http/address.ts';
import { bootstrapKeyWorks, checkGivenKey, ensureBootstrapKey } from './auth/bootstrap.ts';
import type { BootstrapKey } from './auth/bootstrap.ts';
import { othersCanRead, readServerConfig } from './config/read-config.ts';
import type { Env } from './config/references.ts';
import type { Clock, Deps, Log } from './deps.ts';
import { systemClock } from './deps.ts';
import { createIds } from './ids.ts';
import { listen, stopping } from './http/listener.ts';
import type { Listener } from './http/listener.ts';
import type { TlsFiles } from './http/tls.ts';
import { createAdjustableClock } from './local/clock.ts';
import { isLocal } from './local/is-local.ts';
import { resumeClock } from './local/service.ts';
import { openLog } from './observe/log.ts';
import type { LogLevel } from './observe/log.ts';
import { removeReadyFile, withdrawReadyFile, writeReadyFile } from './ready-file.ts';
import { openSecretBox } from './keys/secret-key.ts';
import { refusing } from './refused-data.ts';
import { collections, completeStore, isKeyNeeded, lanes } from './wiring/modules.ts';
import { answerWhileStarting, createService, refuseRequest } from './wiring/service.ts';
import type { AnsweringDeps, Service, ServiceOptions } from './wiring/service.ts';
import { lockLowdbStore } from './store/lowdb/open.ts';
import type { LockedFolder } from './store/lowdb/open.ts';
import { stopRunning, usualStop } from './stop.ts';
import type { Stopped } from './stop.ts';
import { StoreUnavailable } from './store/store.ts';

export interface ServerOptions extends Omit<ServiceOptions, 'config'> {
  /** 0 picks a free one. */
  readonly port: number;
  readonly dataDir: string;
  /** `lowdb` or a postgres:// url. */
  readonly store: string;
  /** Use this key instead of a generated one. */
  readonly apiKey?: string;
  /** Base64 of 32 bytes: seals secrets, instead of secret.key in the data folder. */
  readonly secretKey?: string;
  /** Written when listener and recovery are done: {"base_url", "pid"}. */
  readonly readyFile?: string;
  readonly tls?: TlsFiles;
  /** That are open at once; default: what the process's limit of open files allows. */
  readonly maxConnections?: number;
  /** Where metrics are served without a token, beside the listener of the API. */
  readonly metricsListen?: { readonly host: string; readonly port: number };
  /** Path of a YAML file: mail server, chat channels, storage (config/schema.ts). */
  readonly configFile?: string;
  /** What that file may refer to. Default: nothing. */
  readonly env?: Env;
  /** Paths of files that were given and contain a secret; one that others can read is a notice. */
  readonly secretFiles?: readonly string[];
  readonly logLevel: LogLevel;
  readonly clock?: Clock;
  /** Ends the loading of the store, with its reason. */
  readonly signal?: AbortSignal;
}

export interface RunningServer {
  readonly baseUrl: string;
  readonly port: number;
  /** Absent when the data folder's key was shown at an earlier start. */
  readonly apiKey?: BootstrapKey;
  /** The data folder's key lets somebody in: not once the first owner signed in. */
  readonly apiKeyWorks: boolean;
  /** Lines an operator should read. */
  readonly notices: readonly string[];
  /** Of the listener of metrics, if there is one. */
  readonly metricsPort?: number;
  /** Only this machine can reach it, so that tests may change its clock, its data and its answers. */
  readonly isLocal: boolean;
  /** The service without the socket. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Reads the files of TLS again, and logs how that went. */
  reload(): Promise<void>;
  /** Finishes what it has begun, refuses new work, folds the journal, in 9 seconds at most. */
  stop(): Promise<Stopped>;
}

/**
 * Starts the service: lock, listener, store, key. It listens before the store is loaded, which may take seconds: until it
 * is ready it answers health checks, and 503 to everything else. The lock comes first, as no other server is then asked in
 * the place of the one that has it.
 * @throws GovctlError when the address, a file or the data folder can't be used; the reason of the signal
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  checkOptions(options);
  const { readyFile, env = {} } = options;
  const clock = createAdjustableClock(options.clock ?? systemClock);
  // Before anything can fail: a file that an earlier server left says that one is ready.
  if (readyFile !== undefined) await removeReadyFile(readyFile);
  const { config, notices: configNotices } = await readServerConfig(options.configFile, env);
  const notices = [...configNotices, ...(await sayReadable(options.secretFiles ?? []))];
  const serverLog = openLog(options.logLevel, () => clock.now());
  const { log, close: closeLog } = serverLog;
  let hasStarted = false;
  const isStarting = (): boolean => !hasStarted;
  /** What has been opened, to be closed in reverse where a later step fails. */
  const opened: (() => Promise<void> | void)[] = [closeLog];
  try {
    const folder = await refusing(lockStore(options.dataDir, log, { notices, isStarting }));
    let closeFolder = (): Promise<void> => folder.release();
    opened.push(() => closeFolder());
    const random = (bytes: number): Uint8Array => randomBytes(bytes);
    const ids = createIds(clock, random);
    const own = { clock, ids, log, version: manifest.version };
    const door = createDoor(own);
    const listener = await listen({
      host: options.host,
      port: options.port,
      ...(options.tls ? { tls: { ...options.tls, log } } : {}),
      ...defined({ maxConnections: options.maxConnections }),
      fetch: door.fetch,
      refuse: (status, description) => refuseRequest(own, status, description),
    });
    opened.push(
      async () => void (await listener.close(usualStop.requests)),
      () => listener.stopListening(),
      () => door.open(undefined),
    );
    const store = await refusing(folder.load(options.signal));
    closeFolder = () => store.close();
    await store.transact(completeStore);
    notices.push(...(await resumeClock(store, clock, isLocal({ ...options, config }))));
    const secrets = await openSecretBox(
      { store, random },
      {
        dataDir: options.dataDir,
        given: options.secretKey,
        isUsed: () => isKeyNeeded(store),
      },
    );
    const deps: Deps = { ...own, store, random, secrets };
    // Where it listens is known by now: what it begins at once tells others of it.
    const baseUrl = baseUrlOf(options.host, listener.port, options.tls !== undefined);
    const shownUrl = (options.publicUrl ?? baseUrl).replace(/\/+$/, '');
    const service = await createService(
      deps,
      {
        clock,
        logRequest: serverLog.request,
        baseUrl: () => shownUrl,
        usesDir: path.join(options.dataDir, 'uses'),
      },
      { ...options, config },
    );
    opened.push(service.stop);
    const metricsListener =
      options.metricsListen && (await listenForMetrics(deps, service, options.metricsListen));
    if (metricsListener)
      opened.push(async () => void (await metricsListener.close(0)), metricsListener.stopListening);
    const publish = readyFile === undefined ? undefined : await writeReadyFile(readyFile, baseUrl);
    // Late, as a generated key is shown once: a start that fails must not have made one.
    const apiKey = await ensureBootstrapKey(deps, options.apiKey);
    // Not before: requests with that key, which came already, would be refused.
    door.open(service);
    await publish?.();
    notices.push(...startNotices(options, apiKey));
    hasStarted = true;
    log.info({ base_url: baseUrl, data_dir: options.dataDir }, 'listening');

    const stop = async (): Promise<Stopped> => {
      log.info({}, 'stopping');
      try {
        if (readyFile !== undefined) {
          await withdrawReadyFile(readyFile).catch((error: unknown) =>
            log.error({ err: error }, 'the ready file was not removed'),
          );
        }
        const listeners = [listener, ...(metricsListener ? [metricsListener] : [])] as const;
        return await stopRunning({ listeners, service, store, clock, log });
      } finally {
        closeLog();
      }
    };
    let stopping: Promise<Stopped> | undefined;
    return {
      baseUrl,
      port: listener.port,
      ...(apiKey ? { apiKey } : {}),
      apiKeyWorks: await bootstrapKeyWorks(deps),
      notices,
      isLocal: isLocal({ ...options, config }),
      ...defined({ metricsPort: metricsListener?.port }),
      fetch: async (url, init) => service.fetch(new Request(url, init), {}),
      async reload() {
        const reloads = [listener.reload, service.reload].filter((reload) => reload !== undefined);
        await Promise.all(reloads.map((reload) => reload()));
        if (reloads.length === 0) {
          log.info({}, 'nothing to reload: there are no TLS files and no country_database');
        }
      },
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error instanceof StoreUnavailable ? unchangeable(options.dataDir, error) : error;
  }
}

/** What an earlier version stored, or a start without a key of its own, has to be completed before it can be served. */
const unchangeable = (dataDir: string, cause: StoreUnavailable): GovctlError =>
  new GovctlError(
    'data_refused',
    `${dataDir} must be recovered before it can be served, but cannot be written: ${cause.message}`,
    {
      cause,
      hint: 'Free disk space, or mount the directory as writable, and start again. Until then, a data directory written by a server with this version and API key can be served read-only.',
    },
  );

/** Connections to the listener of metrics: a few collectors. */
const maxCollectors = 32;

async function listenForMetrics(
  deps: Deps,
  service: Service,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listener> {
  const listener = await listen({
    host,
    port,
    flag: '--metrics-listen',
    maxConnections: maxCollectors,
    fetch: service.fetchMetrics,
    refuse: (status, description) => refuseRequest(deps, status, description),
  });
  deps.log.info({ metrics_url: `${baseUrlOf(host, listener.port, false)}/metrics` }, 'listening');
  return listener;
}

/** What requests go through. */
function createDoor(deps: AnsweringDeps): {
  readonly fetch: Service['fetch'];
  /** Undefined: there will be none any more. */
  readonly open: (service: Service | undefined) => void;
} {
  let answer: Service['fetch'] = (request) => answerWhileStarting(deps, request);
  return {
    fetch: (request, peer) => answer(request, peer),
    open(service) {
      answer = service?.fetch ?? (() => refuseRequest(deps, 503, stopping));
    },
  };
}

/** @throws GovctlError usage_error */
function checkOptions(options: ServerOptions): void {
  const { host, dataDir, store, apiKey, allowTargets, publicUrl } = options;
  // Node takes no host for all of this machine's addresses, and no folder for the working one.
  if (host.trim() === '') {
    throw new GovctlError('usage_error', '--host is empty', {
      hint: 'Use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for all its addresses.',
    });
  }
  if (dataDir.trim() === '') {
    throw new GovctlError('usage_error', '--data-dir is empty', {
      hint: 'Pass --data-dir DIR, or omit it to use .govctl/data.',
    });
  }
  if (apiKey !== undefined) checkGivenKey(apiKey);
  if (/^postgres(ql)?:\/\//.test(store)) {
    throw new GovctlError('usage_error', 'The PostgreSQL store is not available yet', {
      hint: 'Omit --store to use the embedded store in --data-dir.',
    });
  }
  if (store !== 'lowdb') {
    throw new GovctlError('usage_error', `Unknown store "${store}"`, {
      hint: 'Use --store lowdb.',
    });
  }
  parseRanges(allowTargets);
  if (publicUrl !== undefined) checkPublicUrl(publicUrl);
}

const lockStore = (
  dir: string,
  log: Log,
  { notices, isStarting }: { readonly notices: string[]; readonly isStarting: () => boolean },
): Promise<LockedFolder> =>
  lockLowdbStore({
    dir,
    collections,
    lanes,
    log: {
      info: (message) => log.info({}, message),
      warn(message) {
        // Those of a server that runs, which may be many, are for the log alone.
        if (isStarting()) notices.push(message);
        log.warn({}, message);
      },
    },
  });

async function sayReadable(files: readonly string[]): Promise<string[]> {
  const readable = await Promise.all(
    files.map((file) => othersCanRead(file).catch(() => false)), // one that is missing is told by who reads it
  );
  return files
    .filter((_, at) => readable[at])
    .map(
      (file) =>
        `${file} contains a secret and is readable by others on this machine. Run chmod 600.`,
    );
}

function startNotices(options: ServerOptions, apiKey: RunningServer['apiKey']): string[] {
  const lines: string[] = [];
  if (!isLoopback(options.host) && !options.tls) {
    lines.push(
      `${options.host} is reachable from other machines without TLS, so keys and tokens are sent unencrypted. Set --tls-cert and --tls-key, or put a TLS proxy in front of it.`,
    );
  }
  if (apiKey && !apiKey.generated && apiKey.key.length < 20) {
    lines.push('The API key is too short to be secure; use at least 20 random characters.');
  }
  if (apiKey?.breakGlass) {
    lines.push(
      'The API key has more rights than any owner, although owners can sign in (break glass). To disable the key, start the server without it once owners can sign in.',
    );
  }
  return lines;
}
