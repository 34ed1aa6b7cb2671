import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseRanges } from '../../src/server/http/address.ts';
import { createApp } from '../../src/server/http/app.ts';
import type { App } from '../../src/server/http/app.ts';
import { createLogins } from '../../src/server/wiring/logins.ts';
import type { RequestEvent } from '../../src/server/observe/request-event.ts';
import { ensureBootstrapKey } from '../../src/server/auth/bootstrap.ts';
import type { CountryOf } from '../../src/server/auth/restrictions.ts';
import { createAuthenticator } from '../../src/server/auth/service.ts';
import type { ServerConfig } from '../../src/server/config/config.ts';
import type { Deps, Log } from '../../src/server/deps.ts';
import type { Evaluation } from '../../src/server/evaluation/evaluation.ts';
import { evaluationLanes } from '../../src/server/evaluation/work.ts';
import { createIds } from '../../src/server/ids.ts';
import { createBodyChecks } from '../../src/server/http/bodies/body-checks.ts';
import { createRateLimiter } from '../../src/server/http/limits.ts';
import type { RateLimitMode } from '../../src/server/http/limits.ts';
import { createRequestCounts } from '../../src/server/http/request-counts.ts';
import { createAdjustableClock } from '../../src/server/local/clock.ts';
import { createLocalService } from '../../src/server/local/service.ts';
import { createLaneRunner } from '../../src/server/lanes/runner.ts';
import type { CreateLaneRunner, LaneRunnerOptions } from '../../src/server/lanes/runner.ts';
import { laneWorker } from '../../src/server/local/workers.ts';
import { bundleLanes } from '../../src/server/evidence/collection.ts';
import { createEvidenceWork } from '../../src/server/evidence/work.ts';
import { createAssessor } from '../../src/server/rightsizing/assess-all.ts';
import { createUtilization } from '../../src/server/rightsizing/import-metrics.ts';
import { costTagsOf } from '../../src/server/config/config.ts';
import { retentionOf } from '../../src/server/config/retention.ts';
import type { ReadFiles } from '../../src/server/cost-imports/reading/job.ts';
import { readFiles } from '../../src/server/cost-imports/reading/read-files.ts';
import { createCostImportWork } from '../../src/server/cost-imports/work.ts';
import { costImportLanes } from '../../src/server/cost-imports/collection.ts';
import { chargesImported } from '../../src/server/wiring/charges-imported.ts';
import { createUpkeep } from '../../src/server/wiring/upkeep.ts';
import { renderHere } from '../../src/server/reports/rendering/render-stored.ts';
import { reportLanes } from '../../src/server/reports/collection.ts';
import { createReportWork } from '../../src/server/reports/generation/report-work.ts';
import type { ReportWorkOptions } from '../../src/server/reports/generation/report-work.ts';
import { createSecretBox } from '../../src/server/keys/secret-box.ts';
import { methodsOf } from '../../src/server/prediction/service.ts';
import { createHandlers } from '../../src/server/wiring/handlers.ts';
import { createUseRecord } from '../../src/server/uses/record.ts';
import { createSignIn } from '../../src/server/sign-in/service.ts';
import type { SignInOptions } from '../../src/server/sign-in/service.ts';
import { belongings, collections, lanes, modules } from '../../src/server/wiring/modules.ts';
import { createSigner } from '../../src/server/keys/signer.ts';
import { createStatementKey } from '../../src/server/keys/statement-key.ts';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import type { Store } from '../../src/server/store/store.ts';
import { testEvaluation, testEvaluator } from './evaluation/test-evaluator.ts';
import { automaticWork } from '../../src/server/remediation/automatic.ts';
import { automationLanes, remediationLanes } from '../../src/server/remediation/collection.ts';
import { createOutside } from '../../src/server/remediation/executors/attempt.ts';
import { remediationWork } from '../../src/server/remediation/run.ts';
import { settingsOf } from '../../src/server/remediation/settings.ts';
import { webhookLanes } from '../../src/server/webhooks/collection.ts';
import { createDeliveries } from '../../src/server/webhooks/delivery/deliveries.ts';
import type { Send } from '../../src/server/outbound/send.ts';
import type { Resolve } from '../../src/server/outbound/resolve.ts';

export interface Sent {
  readonly body?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** null sends no Authorization. */
  readonly key?: string | null;
  /** The address it comes from. */
  readonly from?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  readonly json: Record<string, unknown>;
}

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** The whole service on a real store in a folder of its own, with a clock that stands still. */
export async function startTestService(
  options: {
    rateLimit?: RateLimitMode;
    /** Default true. */
    isLocal?: boolean;
    /** Receives what is sent to webhooks; without it, what is queued waits on. */
    receive?: Send;
    /** Default: no host has an address. */
    resolve?: Resolve;
    /** The operator's. */
    config?: ServerConfig;
    /** What reports are made with; without it, those that are asked for wait on. */
    reports?: Partial<Omit<ReportWorkOptions, 'createRunner' | 'evaluation'>>;
    /** Builds bundles of evidence; without it, those that are asked for wait on. */
    evidence?: boolean;
    wrapStore?: (store: Store) => Store;
    wrapEvaluation?: (evaluation: Evaluation) => Evaluation;
    /** Milliseconds. */
    bodyWithin?: number;
    maxImportBytes?: number;
    /** Reads the files of cost imports; default: in this thread. */
    readFiles?: ReadFiles;
    metricsText?: (store: Store) => () => Promise<string>;
    publicUrl?: string;
    /** Lets people in with accounts of it, too. */
    company?: SignInOptions['company'];
    /** Default: the server knows no countries. */
    countryOf?: CountryOf;
  } = {},
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-server-test-'));
  const opened = await openLowdbStore({ dir: path.join(folder, 'data'), collections, lanes });
  const store = options.wrapStore?.(opened) ?? opened;
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  const clock = createAdjustableClock({ now: () => now, monotonic: () => now });
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  const logged: { level: string; fields: Readonly<Record<string, unknown>>; message: string }[] =
    [];
  const at =
    (level: string): Log['info'] =>
    (fields, message) =>
      void logged.push({ level, fields, message });
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const deps: Deps = {
    store,
    clock,
    ids: createIds(clock, random),
    random,
    log,
    secrets: createSecretBox(random(32), random),
    version: '1.2.3',
  };
  const bootstrap = await ensureBootstrapKey(deps, undefined);
  if (!bootstrap) throw new Error('a new folder must get a key');
  const { key } = bootstrap;
  const events: RequestEvent[] = [];
  const authenticator = createAuthenticator(deps, options.countryOf);
  const metricsText = options.metricsText?.(store);
  const bodies = createBodyChecks();
  const limiter = createRateLimiter(options.rateLimit ?? 'off', clock);
  const evaluated = testEvaluation(deps);
  const evaluation = options.wrapEvaluation?.(evaluated) ?? evaluated;
  const evaluator = testEvaluator(deps, undefined, evaluation, options.config);
  const settings = settingsOf(options.config?.remediation, options.isLocal !== false);
  const receive: Send = options.receive ?? (() => Promise.resolve({ durationMs: 0, status: 200 }));
  const outside = createOutside(deps, { evaluation, settings, send: receive });
  const runOut = async (work: LaneRunnerOptions): Promise<void> => {
    const runner = createLaneRunner(deps, work);
    await runner.idle();
    await runner.stop(1_000);
  };
  /** Plans what is to be remediated automatically, and carries out remediations, until nothing is due. */
  const remediate = async (): Promise<void> => {
    do {
      if (settings.auto !== 'off') {
        await runOut(automaticWork(deps, { deps, evaluation, settings }));
      }
      await runOut(remediationWork(deps, { evaluation, settings, outside }));
    } while (
      settings.auto !== 'off' &&
      ((await store.nextDue(automationLanes)) ?? Infinity) <= clock.now()
    );
  };
  const nextRemediation = async (): Promise<number | undefined> => {
    const due = [
      await store.nextDue(remediationLanes),
      ...(settings.auto === 'off' ? [] : [await store.nextDue(automationLanes)]),
    ].filter((at) => at !== undefined);
    return due.length > 0 ? Math.min(...due) : undefined;
  };
  const retention = retentionOf(options.config ?? {});
  const deliveries = options.receive
    ? createDeliveries(deps, {
        send: receive,
        createRunner: createLaneRunner,
        keptMs: retention.deliveries,
      })
    : undefined;
  const signer = createSigner(deps);
  const statementKey = createStatementKey(deps);
  const later = (): Promise<never> => Promise.reject(new Error('no test has given it'));
  const reportWork = createReportWork(deps, {
    evaluation,
    compose: later,
    render: renderHere,
    signer,
    ended: () => Promise.resolve(),
    createRunner: options.reports ? createLaneRunner : noRunner,
    ...options.reports,
  });
  const utilization = createUtilization(deps, retention.metrics);
  const evidenceWork = createEvidenceWork(deps, {
    createRunner: options.evidence === true ? createLaneRunner : noRunner,
    statementKey,
  });
  const costImportWork = createCostImportWork(deps, {
    createRunner: createLaneRunner,
    readFiles: options.readFiles ?? readFiles,
    tags: costTagsOf(options.config ?? {}),
    keptMs: retention.cost,
    imported: chargesImported(deps),
  });
  const baseUrl = (): string => options.publicUrl ?? 'https://govctl.test';
  const signIn = createSignIn(deps, {
    belongings,
    baseUrl,
    isLocal: options.isLocal !== false,
    company: options.company,
    cost: { logN: 4, r: 1, p: 1 },
  });
  const requestCounts = createRequestCounts(store, limiter);
  const usesDir = path.join(folder, 'uses');
  const uses = createUseRecord(deps, { dir: usesDir });
  const upkeep = createUpkeep(deps, {
    authenticator,
    signIn,
    uses,
    requestCounts,
    deliveries,
    statementKey,
    methods: methodsOf(options.config ?? {}),
    retention,
  });
  const workers = [
    { nextDue: () => store.nextDue(evaluationLanes), settle: () => evaluator.run() },
    { nextDue: nextRemediation, settle: remediate },
    ...(deliveries ? [laneWorker(store, webhookLanes, deliveries)] : []),
    ...(options.reports ? [laneWorker(store, reportLanes, reportWork)] : []),
    ...(options.evidence ? [laneWorker(store, bundleLanes, evidenceWork)] : []),
    laneWorker(store, costImportLanes, costImportWork),
  ];
  const isBeingWritten = (blob: string): boolean =>
    [reportWork, evidenceWork, costImportWork, utilization].some((work) =>
      work.isBeingWritten(blob),
    );
  const local =
    options.isLocal === false
      ? undefined
      : createLocalService({ deps, clock, workers, statementKey, modules, isBeingWritten });
  const logins = createLogins(deps, {
    signIn,
    limiter,
    baseUrl,
    fetch: (request, peer) => app.fetch(request, peer),
  });
  const app: App = createApp(
    deps,
    createHandlers(deps, {
      hasCountries: options.countryOf !== undefined,
      limiter,
      exchanges: logins.exchanges,
      bodies,
      system: metricsText ? { metricsText } : {},
      evaluation,
      assessor: createAssessor(deps),
      surroundings: {
        targets: {
          rules: { local: options.isLocal !== false, allowed: new BlockList() },
          resolve: options.resolve ?? (() => Promise.reject(new Error('there are no hosts'))),
        },
        config: options.config ?? {},
      },
      send: receive,
      reportWork,
      evidenceWork,
      utilization,
      costImportWork,
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
      ...(options.bodyWithin === undefined ? {} : { bodyWithin: options.bodyWithin }),
      ...(options.maxImportBytes === undefined ? {} : { maxImportBytes: options.maxImportBytes }),
      publicUrl: options.publicUrl,
      trustedProxies:
        options.config?.trusted_proxies && parseRanges(options.config.trusted_proxies),
      local,
      beside: logins.beside,
      observe(event) {
        events.push(event);
        uses.add(event);
        local?.requests.record(event);
      },
    },
  );

  async function send(method: string, url: string, sent: Sent = {}): Promise<Got> {
    const text = sent.text ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
    const response = await app.fetch(
      new Request(`http://service.test${url}`, {
        method,
        headers: {
          ...(sent.key === null ? {} : { authorization: `Bearer ${sent.key ?? key}` }),
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...sent.headers,
        },
        ...(text === undefined ? {} : { body: text }),
        ...(sent.bytes === undefined ? {} : { body: sent.bytes }),
      }),
      { remoteAddress: sent.from },
    );
    const body = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text: body,
      get json() {
        return JSON.parse(body) as Record<string, unknown>;
      },
    };
  }

  return {
    app,
    deps,
    key,
    logged,
    events,
    send,
    advance: (ms: number) => void (now += ms),
    evaluator,
    remediate,
    /** Absent where nothing is received. */
    deliveries,
    reportWork,
    evidenceWork,
    costImportWork,
    signIn,
    uses,
    usesDir,
    maintain: () => upkeep.maintain(),
    /** A key with just these scopes. */
    async keyWith(...scopes: string[]): Promise<string> {
      const created = await send('POST', '/v1/api-keys', {
        body: { name: scopes.join(' '), scopes },
      });
      return String(created.json.key);
    },
    async close() {
      await deliveries?.stop(1_000);
      await reportWork.stop(1_000);
      await evidenceWork.stop(1_000);
      await costImportWork.stop(1_000);
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Begins nothing. */
const noRunner: CreateLaneRunner = () => ({
  poke: () => undefined,
  idle: () => Promise.resolve(),
  stop: () => Promise.resolve(),
});

/** A valid policy to create. */
export const policy = (name: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  name,
  resource_type: 'AWS::S3::Bucket',
  rules: [{ condition: 'resource.public == true', effect: 'DENY', message: 'Make it private' }],
  ...fields,
});

interface ListBody {
  readonly policies: readonly { readonly id: string; readonly name: string }[];
  readonly pagination: {
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
    readonly has_more: boolean;
    readonly next_cursor?: string;
  };
}

export const listOf = (got: Got): ListBody => JSON.parse(got.text) as ListBody;
export const namesOf = (got: Got): string[] => listOf(got).policies.map(({ name }) => name);
export const fieldsOf = (got: Got): string[] =>
  ((got.json.details ?? []) as { field: string }[]).map(({ field }) => field);
