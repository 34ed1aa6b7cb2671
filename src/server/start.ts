import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from '../../package.json' with { type: 'json' };
import { GovctlError } from '../contract/errors.ts';
import { baseUrlOf, checkPublicUrl, isLoopback, parseRanges } from './address.ts';
import { createApp } from './app.ts';
import type { Observe } from './app.ts';
import { checkGivenKey, ensureBootstrapKey } from './auth/bootstrap.ts';
import { createAuthenticator } from './auth/service.ts';
import { whenKnown } from './awaitable.ts';
import type { Clock, Deps, Log } from './deps.ts';
import { systemClock } from './deps.ts';
import { createEvaluationLane } from './evaluation/lane.ts';
import { createPreparedPolicies } from './evaluation/prepared-policies.ts';
import { errorAnswer } from './http/error-answer.ts';
import { createIds } from './ids.ts';
import { createRateLimiter } from './limits/service.ts';
import type { RateLimitMode } from './limits/service.ts';
import { listen, stopping } from './listener.ts';
import type { Peer } from './listener.ts';
import { createAdjustableClock } from './local/clock.ts';
import type { AdjustableClock } from './local/clock.ts';
import { isLocal } from './local/is-local.ts';
import { createLocalService, resumeClock } from './local/service.ts';
import { createLaneRunner } from './lanes/runner.ts';
import { evaluationWorker, laneWorker } from './local/workers.ts';
import { openLog } from './log.ts';
import type { LogLevel } from './log.ts';
import { maintain, trimEvents } from './maintenance.ts';
import type { Metrics } from './metrics.ts';
import { removeReadyFile, withdrawReadyFile, writeReadyFile } from './ready-file.ts';
import { collections, createHandlers, lanes } from './nouns.ts';
import { openSecretBox } from './secrets/secret-key.ts';
import { openLowdbStore } from './store/lowdb/open.ts';
import { stored } from './stored.ts';
import type { Store } from './store/store.ts';
import { StoreRefusal } from './store/store.ts';
import { webhookLanes, webhooks } from './webhooks/collection.ts';
import { createDeliveries } from './webhooks/delivery/deliveries.ts';
import { createSender } from './webhooks/send.ts';
import { systemResolve } from './webhooks/target.ts';
import type { Targets } from './webhooks/target.ts';

export interface ServerOptions {
  readonly host: string;
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
  readonly publicUrl?: string;
  /** CIDRs. */
  readonly allowTargets: readonly string[];
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Default: `report` while only this machine can connect, else `enforce`. */
  readonly rateLimit?: RateLimitMode;
  readonly metrics: boolean;
  readonly logLevel: LogLevel;
  readonly clock?: Clock;
}

export interface RunningServer {
  readonly baseUrl: string;
  readonly port: number;
  /** Absent when the data folder's key was shown at an earlier start. */
  readonly apiKey?: { readonly key: string; readonly generated: boolean };
  /** Lines an operator should read. */
  readonly notices: readonly string[];
  /** Only this machine can reach it, so that tests may change its clock, its data and its answers. */
  readonly isLocal: boolean;
  /** The service without the socket. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Finishes what it has begun, refuses new work, folds the journal. */
  stop(): Promise<void>;
}

/** Milliseconds that a stop may take, and that bodies on their way get of it. */
const stopWithin = 8_000;
const bodiesWithin = 1_000;
const maintainEvery = 60_000;
const trimEvery = 1_000;
/** Milliseconds that deliveries on their way get of a stop. */
const deliveriesWithin = 3_000;
const anyOne = { orderBy: 'id', direction: 'asc', limit: 1 } as const;
/** Milliseconds between two looks for work of the background evaluation. */
const evaluateEvery = 200;

/**
 * Starts the service: store, recovery, key, listener.
 * @throws GovctlError when the address, a file or the data folder can't be used
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  checkOptions(options);
  const { readyFile } = options;
  const clock = createAdjustableClock(options.clock ?? systemClock);
  // Before anything can fail: a file that an earlier server left says that one is ready.
  if (readyFile !== undefined) await removeReadyFile(readyFile);
  const notices: string[] = [];
  const serverLog = openLog(options.logLevel, () => clock.now());
  const { log, close: closeLog } = serverLog;
  /** What has been opened, to be closed in reverse where a later step fails. */
  const opened: (() => Promise<void> | void)[] = [closeLog];
  try {
    const store = await openStore(options.dataDir, log, notices);
    opened.push(() => store.close());
    notices.push(...(await resumeClock(store, clock, isLocal(options))));
    const random = (bytes: number): Uint8Array => randomBytes(bytes);
    const ids = createIds(clock, random);
    const secrets = await openSecretBox(
      { store, random },
      {
        dataDir: options.dataDir,
        given: options.secretKey,
        isUsed: () => whenKnown(store.page(webhooks, anyOne), ({ total }) => total > 0),
      },
    );
    const deps: Deps = { store, clock, ids, random, log, secrets, version: manifest.version };
    const service = await createService(deps, clock, options, serverLog.request);
    opened.push(service.stopMaintenance);
    const listener = await listen({
      host: options.host,
      port: options.port,
      ...(options.tls ? { tls: options.tls } : {}),
      fetch: service.fetch,
      refuse: (status, description) => refuseRequest(deps, status, description),
    });
    const baseUrl = baseUrlOf(options.host, listener.port, options.tls !== undefined);
    opened.push(
      () => listener.close(stopWithin),
      () => listener.stopListening(),
    );
    const publish = readyFile === undefined ? undefined : await writeReadyFile(readyFile, baseUrl);
    // Late, as a generated key is shown once: a start that fails must not have made one.
    const apiKey = await ensureBootstrapKey(deps, options.apiKey);
    await publish?.();
    notices.push(...startNotices(options, apiKey));
    log.info({ base_url: baseUrl, data_dir: options.dataDir }, 'listening');

    const stop = async (): Promise<void> => {
      log.info({}, 'stopping');
      const until = clock.monotonic() + stopWithin;
      try {
        if (readyFile !== undefined) await withdrawReadyFile(readyFile);
        listener.stopListening();
        await service.drain(bodiesWithin);
        const refused = listener.refuseUnread();
        await service.drain(until - clock.monotonic(), refused);
        await listener.close(Math.max(0, until - clock.monotonic()));
        await service.stopMaintenance();
      } finally {
        // Whatever failed above: the files are left whole and the lock is let go.
        await store.close();
        log.info({}, 'stopped');
        closeLog();
      }
    };
    let stopping: Promise<void> | undefined;
    return {
      baseUrl,
      port: listener.port,
      ...(apiKey ? { apiKey } : {}),
      notices,
      isLocal: isLocal(options),
      fetch: async (url, init) => service.fetch(new Request(url, init), {}),
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

/** @throws GovctlError usage_error */
function checkOptions(options: ServerOptions): void {
  const { host, dataDir, store, apiKey, allowTargets, publicUrl } = options;
  // Node takes no host for all of this machine's addresses, and no folder for the working one.
  if (host.trim() === '') {
    throw new GovctlError('usage_error', 'The host to listen on is empty', {
      hint: 'Use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for all its addresses.',
    });
  }
  if (dataDir.trim() === '') {
    throw new GovctlError('usage_error', 'The data folder is empty', {
      hint: 'Give --data-dir a folder; without it, it is .govctl/data.',
    });
  }
  if (apiKey !== undefined) checkGivenKey(apiKey);
  if (/^postgres(ql)?:\/\//.test(store)) {
    throw new GovctlError('usage_error', 'The PostgreSQL store comes with a later release', {
      hint: 'Leave --store out to use the embedded store in --data-dir.',
    });
  }
  if (store !== 'lowdb') {
    throw new GovctlError('usage_error', `There is no store "${store}"`, {
      hint: 'Use --store lowdb.',
    });
  }
  parseRanges(allowTargets);
  if (publicUrl !== undefined) checkPublicUrl(publicUrl);
}

async function openStore(dir: string, log: Log, notices: string[]): Promise<Store> {
  try {
    return await openLowdbStore({
      dir,
      collections,
      lanes,
      log: {
        info: (message) => log.info({}, message),
        warn(message) {
          notices.push(message);
          log.warn({}, message);
        },
      },
    });
  } catch (error) {
    if (!(error instanceof StoreRefusal)) throw error;
    const [what = error.message, ...wayOut] = error.message.split('\n');
    throw new GovctlError('data_refused', what, {
      cause: error,
      ...(wayOut.length > 0 ? { hint: wayOut.join('\n') } : {}),
    });
  }
}

interface Service {
  fetch(request: Request, peer: Peer): Response | Promise<Response>;
  /** Refuses new requests and waits for those that have begun, but for so many, so many milliseconds at most. */
  drain(withinMs: number, except?: number): Promise<void>;
  stopMaintenance(): Promise<void>;
}

/** The app with its limits, log, metrics and upkeep. */
async function createService(
  deps: Deps,
  clock: AdjustableClock,
  options: ServerOptions,
  logRequest: Observe,
): Promise<Service> {
  const authenticator = createAuthenticator(deps);
  const targets: Targets = {
    rules: { local: isLocal(options), allowed: parseRanges(options.allowTargets) },
    resolve: systemResolve,
  };
  const sender = createSender(targets, deps.clock);
  const deliveries = createDeliveries(deps, {
    send: sender.send,
    createRunner: createLaneRunner,
  });
  const metrics = options.metrics
    ? (await import('./metrics.ts')).createMetrics(deps.store, deliveries.attempts)
    : undefined;
  const mode = options.rateLimit ?? (isLoopback(options.host) ? 'report' : 'enforce');
  let begun = 0;
  let draining = false;
  const observe = observeInto(logRequest, metrics);
  const limiter = createRateLimiter(mode, deps.clock);
  const system = metrics ? { metricsText: metrics.text } : {};
  const prepare = createPreparedPolicies(deps.log);
  const lane = createEvaluationLane(deps, prepare);
  const local = isLocal(options)
    ? createLocalService({
        deps,
        clock,
        workers: [
          evaluationWorker(deps.store, lane),
          laneWorker(deps.store, webhookLanes, deliveries),
        ],
        stored,
      })
    : undefined;
  const app = createApp(
    deps,
    createHandlers(deps, {
      limiter,
      system,
      prepare,
      targets,
      send: sender.send,
      isLocal: local !== undefined,
      local,
    }),
    {
      authenticate: authenticator.authenticate,
      limiter,
      local,
      observe(event) {
        begun -= 1;
        observe(event);
        local?.requests.record(event);
      },
    },
  );
  const timer = setInterval(() => {
    maintain(deps, authenticator, deliveries).catch((error: unknown) =>
      deps.log.error({ err: error }, 'upkeep failed'),
    );
  }, maintainEvery);
  timer.unref();
  let trimming: Promise<void> | undefined;
  const trimmer = setInterval(() => {
    trimming ??= trimEvents(deps)
      .catch((error: unknown) => deps.log.error({ err: error }, 'removing old events failed'))
      .finally(() => (trimming = undefined));
  }, trimEvery);
  trimmer.unref();
  const evaluate = (): void => {
    lane
      .run()
      .catch((error: unknown) => deps.log.error({ err: error }, 'background evaluation failed'));
  };
  const evaluating = setInterval(evaluate, evaluateEvery);
  evaluating.unref();
  const endListening = clock.onChange(() => {
    evaluate();
    deliveries.poke();
  });
  return {
    fetch(request, peer) {
      if (draining) return refuseRequest(deps, 503, stopping);
      begun += 1;
      return app.fetch(request, peer);
    },
    async drain(withinMs, except = 0) {
      draining = true;
      local?.stop();
      void deliveries.stop(deliveriesWithin);
      const until = deps.clock.monotonic() + withinMs;
      while (begun > except && deps.clock.monotonic() < until) await sleep(5);
    },
    async stopMaintenance() {
      clearInterval(timer);
      clearInterval(trimmer);
      clearInterval(evaluating);
      endListening();
      await trimming;
      await lane.stop();
      await deliveries.stop(deliveriesWithin);
      await sender.close();
      if (!deps.store.health().writable) return;
      // A disk that fails just now is no reason to leave the rest of the stop undone.
      await authenticator
        .saveLastUses()
        .catch((error: unknown) => deps.log.error({ err: error }, 'key uses were not saved'));
    },
  };
}

/** Asked again and again by machines: they would fill the log. */
const quietRoutes = new Set(['/healthz', '/readyz', '/metrics']);

/** One log line for each request, and the metrics. Never a header, a body or a query. */
const observeInto =
  (logRequest: Observe, metrics: Metrics | undefined): Observe =>
  (event) => {
    metrics?.observe(event);
    if (event.route === undefined || !quietRoutes.has(event.route) || event.status >= 500) {
      logRequest(event);
    }
  };

function refuseRequest(deps: Deps, status: number, description: string): Response {
  const error =
    status === 503
      ? new GovctlError('unavailable', description, { headers: { 'Retry-After': '1' } })
      : new GovctlError('malformed_request', description, { status });
  return errorAnswer(error, undefined, deps, deps.ids.next('req'), { Connection: 'close' });
}

function startNotices(options: ServerOptions, apiKey: RunningServer['apiKey']): string[] {
  const lines: string[] = [];
  if (!isLoopback(options.host) && !options.tls) {
    lines.push(
      `${options.host} can be reached from other machines without TLS: keys and tokens travel readable. Give --tls-cert and --tls-key, or put a TLS proxy in front.`,
    );
  }
  if (apiKey && !apiKey.generated && apiKey.key.length < 20) {
    lines.push(
      'The API key given is short enough to be guessed; use at least 20 random characters.',
    );
  }
  return lines;
}
