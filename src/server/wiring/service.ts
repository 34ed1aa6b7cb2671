import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../../contract/defined.ts';
import { contract } from '../../contract/contract.ts';
import { GovctlError } from '../../contract/errors.ts';
import { parseRanges } from '../http/address.ts';
import { createApp } from '../http/app.ts';
import type { App } from '../http/app.ts';
import type { Observe } from '../observe/request-event.ts';
import { chainOlder } from '../audit/chain.ts';
import { createAuthenticator } from '../auth/service.ts';
import { startBackgroundWork } from './background-work.ts';
import type { ServerConfig } from '../config/config.ts';
import { retentionOf } from '../config/retention.ts';
import type { Deps } from '../deps.ts';
import { createEvaluation } from '../evaluation/evaluation.ts';
import { createEvaluationThreads } from '../evaluation/thread/threads.ts';
import { errorAnswer } from '../http/error-answer.ts';
import { createBodyChecks } from '../http/bodies/body-checks.ts';
import { createRateLimiter } from '../http/limits.ts';
import type { RateLimitMode } from '../http/limits.ts';
import { createRequestCounts } from '../http/request-counts.ts';
import { stopping } from '../http/listener.ts';
import { health, notReady } from '../observe/health.ts';
import type { Peer } from '../http/peer.ts';
import type { AdjustableClock } from '../local/clock.ts';
import { isLocal } from '../local/is-local.ts';
import { createLocalService } from '../local/service.ts';
import type { Metrics } from '../observe/metrics.ts';
import { createHandlers } from './handlers.ts';
import { createLogins } from './logins.ts';
import { belongings, collections, modules } from './modules.ts';
import { checkCompany, createSignIn } from '../sign-in/service.ts';
import type { Surroundings } from '../report-delivery/service.ts';
import { createSigner, readSigner } from '../keys/signer.ts';
import type { SigningFiles } from '../keys/signer.ts';
import { createStatementKey } from '../keys/statement-key.ts';
import { createUseRecord } from '../uses/record.ts';
import type { UseRecord } from '../uses/record.ts';
import { createSender } from '../outbound/send.ts';
import { createAssessor } from '../rightsizing/assess-all.ts';
import { createUtilization } from '../rightsizing/import-metrics.ts';
import { systemResolve } from '../outbound/resolve.ts';
import type { Targets } from '../outbound/target.ts';

/** How clients reach the service, and its limits. */
export interface ServiceOptions {
  readonly host: string;
  readonly publicUrl?: string;
  /** CIDRs. */
  readonly allowTargets: readonly string[];
  /** Default: `report` for requests that are local (local/is-local.ts), else `enforce`. */
  readonly rateLimit?: RateLimitMode;
  readonly metrics: boolean;
  /** Bytes of an import; default 2 GiB. */
  readonly maxImportBytes?: number;
  /** The operator's configuration of mail, chat and storage. */
  readonly config: ServerConfig;
  /** Signs reports; default: a key that the server creates. */
  readonly signing?: SigningFiles;
}

export interface Service {
  fetch(request: Request, peer: Peer): Response | Promise<Response>;
  /** Answers what comes to the listener of metrics: no token is asked for. */
  fetchMetrics(request: Request): Promise<Response>;
  /** Refuses new requests and waits at most `withinMs` for all but `except` of the open ones. @returns how many are left */
  drain(withinMs: number, except?: number): Promise<number>;
  /** Reads the operator's files again, where it has any that may change. */
  readonly reload?: () => Promise<void>;
  /** Stops the background work. */
  stop(): Promise<void>;
}

/** The app with its limits, log and metrics, and the background work. */
export async function createService(
  deps: Deps,
  {
    clock,
    logRequest,
    baseUrl,
    usesDir,
  }: {
    readonly clock: AdjustableClock;
    readonly logRequest: Observe;
    readonly baseUrl: () => string;
    /** Directory of the record of uses. */
    readonly usesDir: string;
  },
  options: ServiceOptions,
): Promise<Service> {
  const { country_database: countryFile } = options.config;
  const countries =
    countryFile === undefined
      ? undefined
      : await (await import('../auth/countries.ts')).openCountries(countryFile, deps.log);
  const authenticator = createAuthenticator(deps, countries?.countryOf);
  const targets: Targets = {
    rules: { local: isLocal(options), allowed: parseRanges(options.allowTargets) },
    resolve: systemResolve,
  };
  const surroundings: Surroundings = { targets, config: options.config };
  const sender = createSender(targets, deps.clock);
  const operatorsSender = createSender(anyTarget, deps.clock);
  const threads = createEvaluationThreads({ log: deps.log });
  const evaluation = createEvaluation(deps, threads);
  const signer = createSigner(deps, options.signing && (await readSigner(options.signing)));
  const statementKey = createStatementKey(deps);
  const utilization = createUtilization(deps, retentionOf(options.config).metrics);
  await chainOlder(deps);
  const assessor = createAssessor(deps);
  const company = options.config.sign_in?.company;
  if (company) await checkCompany(deps.store, company, isLocal(options));
  const limiter = createRateLimiter(options.rateLimit, deps.clock);
  const requestCounts = createRequestCounts(deps.store, limiter);
  await requestCounts.load();
  const signIn = createSignIn(deps, {
    belongings,
    baseUrl,
    isLocal: isLocal(options),
    ...(company ? { company: { config: company, send: operatorsSender.send } } : {}),
  });
  const uses = createUseRecord(deps, { dir: usesDir, keptDays: options.config.retention?.uses });
  const background = startBackgroundWork(deps, {
    clock,
    signIn,
    uses,
    assessor,
    authenticator,
    requestCounts,
    evaluation,
    send: sender.send,
    signer,
    statementKey,
    channels: { surroundings, send: sender.send, sendAnywhere: operatorsSender.send },
    baseUrl,
  });
  const metrics = options.metrics
    ? (await import('../observe/metrics.ts')).createMetrics(deps.store, {
        collections,
        attempts: background.attempts,
        reports: background.reportWork.counts,
      })
    : undefined;
  let begun = 0;
  let draining = false;
  const observe = observeInto(logRequest, uses, metrics);
  const bodies = createBodyChecks();
  const system = metrics ? { metricsText: metrics.text } : {};
  const local = isLocal(options)
    ? createLocalService({
        deps,
        clock,
        workers: background.workers,
        statementKey,
        modules,
        isBeingWritten: (blob) =>
          background.reportWork.isBeingWritten(blob) ||
          background.evidenceWork.isBeingWritten(blob) ||
          utilization.isBeingWritten(blob) ||
          background.costImportWork.isBeingWritten(blob),
      })
    : undefined;
  const logins = createLogins(deps, {
    signIn,
    limiter,
    baseUrl,
    fetch(request, peer) {
      begun += 1;
      return app.fetch(request, peer);
    },
    deviceLogin: options.config.sign_in?.device_codes,
  });
  const app: App = createApp(
    deps,
    createHandlers(deps, {
      hasCountries: countries !== undefined,
      limiter,
      exchanges: logins.exchanges,
      bodies,
      system,
      evaluation,
      surroundings,
      send: sender.send,
      reportWork: background.reportWork,
      evidenceWork: background.evidenceWork,
      utilization,
      assessor,
      costImportWork: background.costImportWork,
      signer,
      statementKey,
      uses,
      baseUrl,
      local,
    }),
    {
      authenticate: authenticator.authenticate,
      limiter,
      bodies,
      ...defined({ maxImportBytes: options.maxImportBytes }),
      publicUrl: options.publicUrl?.replace(/\/+$/, ''),
      trustedProxies: options.config.trusted_proxies && parseRanges(options.config.trusted_proxies),
      local,
      beside: logins.beside,
      observe(event) {
        begun -= 1;
        observe(event);
        local?.requests.record(event);
      },
    },
  );
  return {
    fetch(request, peer) {
      if (draining) return refuseRequest(deps, 503, stopping);
      begun += 1;
      return app.fetch(request, peer);
    },
    async fetchMetrics(request) {
      const { method, path, response } = contract.system.metrics;
      const isAsked = request.method === method && new URL(request.url).pathname === path;
      if (!metrics || !isAsked)
        return refuseRequest(deps, 404, `This address serves only GET ${path}`);
      return new Response(await metrics.text(), { headers: { 'Content-Type': response.type } });
    },
    async drain(withinMs, except = 0) {
      draining = true;
      local?.stop();
      void background.stopSending();
      const until = deps.clock.monotonic() + withinMs;
      while (begun > except && deps.clock.monotonic() < until) await sleep(5);
      return Math.max(0, begun - except);
    },
    ...(countries ? { reload: countries.reload } : {}),
    async stop() {
      await background.stop();
      countries?.close();
      await threads.close();
      await bodies.close();
      await sender.close();
      await operatorsSender.close();
      await uses.stop();
      if (!deps.store.health().writable) return;
      // Continue the stop even if the disk fails.
      await authenticator
        .saveLastUses()
        .catch((error: unknown) => deps.log.error({ err: error }, 'key uses were not saved'));
      await requestCounts
        .saveAll()
        .catch((error: unknown) => deps.log.error({ err: error }, 'request counts were not saved'));
    },
  };
}

/** Polled by machines: they would fill the log. */
const quietRoutes = new Set(['/healthz', '/readyz', '/metrics']);

/** Targets that the operator configures may be anywhere, usually in the internal network. */
const anyTarget: Targets = {
  rules: { local: true, allowed: parseRanges(['0.0.0.0/0', '::/0']) },
  resolve: systemResolve,
};

/** Counts each request, and writes a log line of it. Never records headers, bodies or queries. */
const observeInto =
  (logRequest: Observe, uses: UseRecord, metrics: Metrics | undefined): Observe =>
  (event) => {
    metrics?.observe(event);
    if (event.route === undefined || !quietRoutes.has(event.route) || event.status >= 500) {
      logRequest(event);
      uses.add(event);
    }
  };

/** What is needed to answer where there is no store yet, or any more. */
export type AnsweringDeps = Pick<Deps, 'clock' | 'ids' | 'version'>;

export function refuseRequest(deps: AnsweringDeps, status: number, description: string): Response {
  const error =
    status === 404
      ? new GovctlError('not_found', description)
      : status === 503
        ? unavailable(description)
        : new GovctlError('malformed_request', description, { status });
  return refusal(deps, error, status === 503 ? {} : { Connection: 'close' });
}

/** The answers until the stored data is loaded: the server is alive, but not ready. */
export function answerWhileStarting(deps: AnsweringDeps, request: Request): Response {
  const { pathname } = new URL(request.url);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && pathname === contract.system.health.path) {
    const headers = { 'Content-Type': 'application/json', 'X-Request-Id': deps.ids.next('req') };
    return new Response(health(deps.version), { headers });
  }
  const isAskedWhy = pathname === contract.system.ready.path;
  return refusal(
    deps,
    unavailable(
      'The server is starting; try again in a moment',
      isAskedWhy ? notReady('starting: the stored data is being loaded') : {},
    ),
  );
}

const unavailable = (description: string, extra: Readonly<Record<string, unknown>> = {}) =>
  new GovctlError('unavailable', description, { headers: { 'Retry-After': '1' }, extra });

const refusal = (
  deps: AnsweringDeps,
  error: GovctlError,
  headers: Readonly<Record<string, string>> = {},
): Response => errorAnswer(error, undefined, deps, deps.ids.next('req'), headers);
