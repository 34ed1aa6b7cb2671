import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Deps, Log } from '../../../src/server/deps.ts';
import { ensureBootstrapKey } from '../../../src/server/auth/bootstrap.ts';
import { createIds } from '../../../src/server/ids.ts';
import { createAdjustableClock } from '../../../src/server/local/clock.ts';
import { alertId } from '../../../src/server/prediction/collection.ts';
import type { StoredForecast } from '../../../src/server/prediction/collection.ts';
import { createSecretBox } from '../../../src/server/keys/secret-box.ts';
import { openLowdbStore } from '../../../src/server/store/lowdb/open.ts';
import { collections, lanes } from '../../../src/server/wiring/modules.ts';
import { createService } from '../../../src/server/wiring/service.ts';
import { csvOf, usage } from '../anomalies/anomaly-world.ts';
import { until } from '../../support/until.ts';
import { constant, hourly, machine, machineId } from '../rightsizing/machines.ts';

export type Json = Record<string, unknown>;

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A row of a snapshot, with its place among the lines. */
export interface Row {
  readonly at: number;
  readonly in: string;
  readonly doc: Json;
}

const begin = Date.parse('2026-03-01T12:00:00.000Z');
const key = `gk_${'a'.repeat(43)}`;

/** The whole service with all its background work, on a clock that only moves when it is told to. */
export async function startWhole() {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-edited-test-'));
  const store = await openLowdbStore({ dir: path.join(folder, 'data'), collections, lanes });
  const clock = createAdjustableClock({ now: () => begin, monotonic: () => performance.now() });
  const errors: string[] = [];
  const note: Log['error'] = (fields, message) => {
    const { err, ...others } = fields;
    const why = err instanceof Error ? (err.stack ?? err.message) : '';
    errors.push(`${message} ${JSON.stringify(others)} ${why}`);
  };
  const log: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: note }; // prettier-ignore
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  const secrets = createSecretBox(random(32), random);
  const ids = createIds(clock, random);
  const deps: Deps = { store, clock, ids, random, log, secrets, version: '1.2.3' };
  const { port, ...receiver } = await startReceiver();
  const baseUrl = (): string => 'http://127.0.0.1:1';
  const service = await createService(
    deps,
    { clock, logRequest: () => undefined, baseUrl, usesDir: path.join(folder, 'uses') },
    {
      host: '127.0.0.1',
      allowTargets: [],
      rateLimit: 'off',
      metrics: true,
      config: {
        prediction: { methods: ['date_certain', 'exemption_expiry', 'trend', 'recurrence'] },
        remediation: { guards: { max_resources: 100 } },
      },
    },
  );
  await ensureBootstrapKey(deps, key);

  async function send(
    method: string,
    url: string,
    body?: unknown,
    type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
  ): Promise<Answered> {
    const isText = typeof body === 'string';
    const answer = await service.fetch(
      new Request(`http://127.0.0.1:1${url}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      }),
      { remoteAddress: '127.0.0.1' },
    );
    return { status: answer.status, text: await answer.text() };
  }

  async function ok(method: string, url: string, body?: unknown, type?: string): Promise<Json> {
    const { status, text } = await send(method, url, body, type);
    if (status >= 300) throw new Error(`${method} ${url}: ${status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Json);
  }

  return {
    errors,
    receiver: `http://127.0.0.1:${port}`,
    send,
    ok,
    /** However long it takes: work that never ends runs into the timeout of its test. */
    async advance(by: string): Promise<void> {
      let at = await ok('POST', '/v1/local/clock/advance', { by });
      while (at.reached !== true) {
        at = await ok('POST', '/v1/local/clock/advance', { to: at.target });
      }
    },
    async close() {
      await service.stop();
      await store.close();
      await receiver.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
export type Whole = Awaited<ReturnType<typeof startWhole>>;

/** Takes what comes to /up, with an answer that is kept apart, and refuses all else. */
async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = request.url === '/up' ? 200 : 503;
    response.end('thank you '.repeat(200));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

const bucket = (id: string, fields: Json = {}): Json => ({
  id,
  type: 'AWS::S3::Bucket',
  name: id,
  account_id: '111111111111',
  region: 'eu-central-1',
  environment: 'production',
  tags: { owner: 'ada' },
  ...fields,
});

/** Imports three months of daily cost with a day that is an anomaly, and waits until that was found. */
async function importCost(ok: Whole['ok']): Promise<void> {
  const imported = `/v1/cost/imports/${String((await ok('POST', '/v1/cost/imports', {})).id)}`;
  const charges = csvOf(usage({}, { raised: { '2026-02-20': 5 } }));
  await ok('PUT', `${imported}/files/1?name=focus.csv`, charges, 'application/octet-stream');
  await ok('POST', `${imported}/commit`);
  await until(async () => (await ok('GET', imported)).status === 'completed');
  await until(async () => ((await ok('GET', '/v1/cost/anomalies')).anomalies as []).length > 0);
}

/** Makes something of everything there is, by the API, and takes a snapshot in the middle of work. */
export async function fillWhole({ send, ok, advance, receiver }: Whole): Promise<string> {
  const idOf = async (answer: Promise<Json>): Promise<string> => String((await answer).id);
  for (const [name, active] of [
    ['up', true],
    ['down', true],
    ['paused', false],
  ] as const) {
    await ok('POST', '/v1/webhooks', {
      name,
      active,
      url: `${receiver}/${name}`,
      events: ['policy.violation.created', 'scan.completed', 'resource.changed'],
      secret: 'a secret of the tests',
      headers: { 'X-Test': 'yes' },
    });
  }
  const policy = (name: string, condition: string, fields: Json = {}): Promise<string> =>
    idOf(
      ok('POST', '/v1/policies', {
        name,
        resource_type: 'AWS::S3::Bucket',
        severity: 'HIGH',
        rules: [{ condition, effect: 'DENY', message: `not ${name}` }],
        compliance_frameworks: ['SOC2:CC6.1'],
        tags: ['team-a'],
        ...fields,
      }),
    );
  const versioned = await policy('versioned', 'resource.versioning.enabled == false', {
    remediation_action: 'patch:{"versioning":{"enabled":true}}',
  });
  await policy('private', 'resource.public == true', {
    auto_remediation: true,
    remediation_action: 'notify:{"after_days":30}',
  });
  await policy('kept', 'resource.days < 10');
  await policy('fresh', 'now > timestamp(resource.renew_at)');
  await policy('undecided', 'resource.nowhere == 1');
  const state = { versioning: { enabled: false }, renew_at: '2026-03-20T00:00:00Z' };
  for (let days = 0; days < 7; days += 1) {
    const given = ['a', 'b', 'c'].map((id) =>
      bucket(id, { ...state, public: id !== 'c', days: 20 - days }),
    );
    await ok('POST', '/v1/resources', { resources: given });
    await advance('1d');
  }
  await ok('POST', '/v1/exemptions', {
    policy: 'private',
    resources: ['a'],
    reason: 'agreed',
    owner: 'ada',
    expires: '2026-03-31',
    category: 'waiver',
  });
  const plan = { policy_id: versioned };
  await ok('POST', '/v1/compliance/remediate', { ...plan, note: 'to look at' });
  await ok('POST', '/v1/compliance/remediate', { ...plan, dry_run: false });
  await ok('POST', '/v1/scans', { name: 'all' });
  await advance('1h');
  await ok('POST', '/v1/compliance/evidence', { framework: 'soc2', name: 'for the auditor' });
  await ok('PUT', '/v1/compliance/frameworks/own', {
    name: 'Our own rules',
    version: '1',
    tags: ['ours'],
    controls: [
      { id: 'A', title: 'First' },
      { id: 'A.1', title: 'Second', description: 'At length.', parent: 'A' },
    ],
  });
  await ok('POST', '/v1/compliance/evidence/manual', {
    control: 'SOC2:CC6.1',
    text: 'Seen.',
    expires: '2026-12-31',
    file: { name: 'seen.txt', content: Buffer.from('seen').toString('base64') },
  });
  await ok('POST', '/v1/budgets', {
    name: 'platform',
    amount: '1000.5',
    currency: 'USD',
    period: 'quarter',
    filter: { provider: 'aws', tags: { team: 'a' } },
    tags: ['team-a'],
  });
  await ok('PUT', `/v1/resources/${machineId}`, machine(machineId, 'm5.4xlarge'));
  const volume = { id: 'volume', type: 'AWS::EC2::Volume', name: 'v', environment: 'production' };
  await ok('PUT', '/v1/resources/volume', {
    ...volume,
    account_id: '11',
    region: 'eu-west-1',
    properties: { state: 'available' },
  });
  await importCost(ok);
  const points = ['cpu', 'memory'].flatMap((metric) =>
    hourly(machineId, metric, '2026-02-01T00:00:00Z', constant(5, 15)),
  );
  await ok('POST', '/v1/metrics', points.map((point) => JSON.stringify(point)).join('\n'));
  const report = await idOf(
    ok('POST', '/v1/reports', {
      name: 'First quarter',
      type: 'compliance',
      framework: 'soc2',
      scope: { timezone: 'Europe/Berlin', environments: ['production'] },
      format_options: { formats: ['csv', 'json'], security: { sign: true } },
      delivery: { notifications: { email: ['ada@example.com'] } },
    }),
  );
  await ok('POST', '/v1/reports', {
    name: 'Later',
    type: 'risk',
    scope: {},
    format_options: { formats: ['csv'], security: { password: 'password' } },
    delivery: { scheduled_at: '2026-03-09T00:00:00Z' },
  });
  const schedule = await idOf(
    ok('POST', '/v1/reports/schedules', {
      name: 'Weekly',
      tags: ['team-a'],
      schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
      report_template: {
        name: 'Review {{date}}',
        type: 'trend',
        scope: { date_range_type: 'last_week' },
        format_options: { formats: ['csv'], security: { password: 'password' } },
      },
      delivery: {
        email: { recipients: ['ada@example.com'] },
        webhook: { url: `${receiver}/down`, secret: 'a secret of the tests' },
      },
    }),
  );
  await ok('POST', `/v1/reports/schedules/${schedule}/run`);
  await advance('1h');
  await ok('POST', `/v1/reports/${report}/download-link`, { format: 'csv' });
  await send('GET', `/v1/reports/${report}/download/csv`);
  // What comes last waits or is under way.
  const [{ text }] = await Promise.all([
    ok('POST', '/v1/scans', { name: 'under way' }).then(() => send('GET', '/v1/local/snapshot')),
    policy('late', 'resource.late == true'),
  ]);
  return edited(text, (lines) => [...lines, ...furtherRows(versioned)]);
}

/** What comes of an SFTP server, of a trend that lasts, and of upkeep, which runs each minute of the machine's clock. */
function furtherRows(policyId: string): string[] {
  const at = '2026-03-28T12:00:00.000Z';
  const host = { id: 'sftp.example.com:22', key: 'SHA256:x', seen_at: '2026-03-01T12:00:00.000Z' };
  const forecast: StoredForecast = {
    id: alertId(policyId, 'a', 'trend'),
    method: 'trend',
    policy_id: policyId,
    resource_id: 'a',
    resource_type: 'AWS::S3::Bucket',
    provider: 'aws',
    at,
    interval: [at, at],
    confidence: 0.9,
    observations: 7,
    base_rate: null,
    because: 'days falls by 1 a day',
    message: 'not kept',
    pass: Date.parse(at),
  };
  const scoreDay = { id: '2026-03-28', day: '2026-03-28', at, compliance_score: 50, evaluated: 4 };
  const rows = [
    { in: 'known_hosts', doc: host },
    { in: 'forecasts', doc: forecast },
    { in: 'score_days', doc: scoreDay },
  ];
  return rows.map((row) => JSON.stringify(row));
}

/** The lines between head and end, changed, under a checksum that fits. */
export function edited(text: string, change: (lines: string[]) => string[]): string {
  const lines = change(text.split('\n').slice(0, -2));
  const body = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ end: true, lines: lines.length, sha256 })}\n`;
}

export const rowsOf = (text: string): Row[] =>
  text.split('\n').flatMap((line, at) => {
    const row = line === '' ? {} : (JSON.parse(line) as Json);
    return typeof row.in === 'string' ? [{ at, in: row.in, doc: row.doc as Json }] : [];
  });

/** Asks for everything that can be read, of what the rows are about. @returns what was answered 5xx */
export async function readAll({ send }: Whole, rows: readonly Row[]): Promise<string[]> {
  const paths = new Set(listed);
  for (const { in: collection, doc } of rows) {
    const id = encodeURIComponent(String(doc.id));
    for (const one of ofRow[collection]?.(id, doc) ?? []) paths.add(one);
  }
  const failed: string[] = [];
  for (const one of paths) {
    const { status, text } = await send('GET', one);
    if (status >= 500) failed.push(`${one}: ${status} ${text.slice(0, 200)}`);
  }
  return failed;
}

const listed = [
  ...[
    'policies',
    'resources',
    'violations',
    'exemptions',
    'scans',
    'events',
    'webhooks',
    'budgets',
  ],
  ...['reports', 'reports/schedules', 'compliance/remediate', 'evaluations', 'audit-log'],
  ...['compliance/evidence/bundles', 'compliance/evidence/manual', 'violations/predictive'],
].map((noun) => `/v1/${noun}?limit=100`);
listed.push(
  '/v1/governance/overview',
  '/v1/cost/imports?limit=100',
  '/v1/cost/anomalies?limit=100',
  '/v1/cost/analysis?start=2025-11-01&group_by=service,owner',
  '/v1/cost/analysis?start=2025-11-01&group_by=resource',
  '/v1/cost/forecast',
  '/v1/cost/unused?limit=100',
  '/v1/cost/unused?sort_by=since&limit=100',
  '/v1/cost/rightsizing?status=recommended,withheld,fits&limit=100',
  '/v1/governance/score-history?days=400',
  '/v1/compliance/frameworks',
  '/v1/compliance/frameworks/soc2',
  '/v1/compliance/framework-definitions',
  '/v1/compliance/evidence?framework=soc2&limit=100',
  '/v1/reports/signing/certificate',
  '/metrics',
  '/v1/local',
  '/v1/local/snapshot',
  ...['policy', 'owner', 'age', 'framework', 'tag:owner', 'resource'].map(
    (by) => `/v1/violations/summary?group_by=${by}`,
  ),
);

/** What can be asked about a row of a collection. */
const ofRow: Readonly<Record<string, (id: string, doc: Json) => string[]>> = {
  policies: (id) => [`/v1/policies/${id}`],
  resources: (id) => [`/v1/resources/${id}`],
  violations: (id) => [`/v1/violations/${id}`],
  exemptions: (id) => [`/v1/exemptions/${id}`],
  scans: (id) => [`/v1/scans/${id}`, `/v1/scans/${id}/samples?limit=100`],
  events: (id) => [`/v1/events/${id}`],
  flips: (id) => [`/v1/violations/predictive/${id}`],
  forecasts: (id) => [`/v1/violations/predictive/${id}`],
  budgets: (id) => [`/v1/budgets/${id}`],
  cost_imports: (id) => [`/v1/cost/imports/${id}`],
  cost_anomalies: (id) => [`/v1/cost/anomalies/${id}`],
  remediations: (id) => [`/v1/compliance/remediate/${id}`],
  evidence_bundles: (id) => [
    `/v1/compliance/evidence/${id}`,
    `/v1/compliance/evidence/${id}/bundle`,
  ],
  framework_definitions: (id) => [
    `/v1/compliance/frameworks/${id}`,
    `/v1/compliance/framework-definitions/${id}`,
  ],
  manual_evidence: (id) => [
    `/v1/compliance/evidence/manual/${id}`,
    `/v1/compliance/evidence/manual/${id}/file`,
  ],
  webhooks: (id) => [`/v1/webhooks/${id}`, `/v1/webhooks/${id}/deliveries?limit=100`],
  deliveries: (id, { webhook_id: of }) => [`/v1/webhooks/${String(of)}/deliveries/${id}`],
  reports: (id) => [
    `/v1/reports/${id}`,
    `/v1/reports/${id}/downloads?limit=100`,
    ...['csv', 'json', 'html'].map((format) => `/v1/reports/${id}/download/${format}`),
    `/v1/reports/${id}/download/csv/signature`,
  ],
  schedules: (id) => [`/v1/reports/schedules/${id}`, `/v1/reports/schedules/${id}/runs?limit=100`],
};
