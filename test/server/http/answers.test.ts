import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import type { ArchivePage } from '../../../src/contract/archive.ts';
import { auditLog } from '../../../src/server/audit/collection.ts';
import { auditHead } from '../../../src/server/audit/service.ts';
import { createMetrics } from '../../../src/server/observe/metrics.ts';
import { collections } from '../../../src/server/wiring/modules.ts';
import { constant, hourly, machine, machineId, putMachines } from '../rightsizing/machines.ts';
import { composeTiny, renderText } from '../reports/report-world.ts';
import { csvOf, detectAnomalies, usage } from '../anomalies/anomaly-world.ts';
import { putFocus } from '../cost/put-focus.ts';
import type { Got, Sent, TestService } from '../test-service.ts';
import { policy, startTestService } from '../test-service.ts';

let service: TestService;
const answered = new Set<string>();
/** Endpoints that a request may have a body for, or that change something, and leave no entry in the audit log: why. */
const notAudited: Readonly<Record<string, string>> = {
  'costImports.put': 'a part of an import changes nothing until it is committed, which leaves one',
  'costResources.sum': 'reads',
  'policies.validate': 'reads',
  'local.addFault': 'a test aid, in memory only',
  'local.clearFault': 'a test aid, in memory only',
  'local.clearFaults': 'a test aid, in memory only',
  'local.advanceClock': 'a test aid; each entry has the time of the clock',
  'local.resetClock': 'a test aid; each entry has the time of the clock',
  'local.setClock': 'a test aid; each entry has the time of the clock',
};

/** Endpoints that may change something, and whose answer left no entry in the audit log. */
const unaudited = new Set<string>();

beforeAll(async () => {
  service = await startTestService({
    metricsText: (store) =>
      createMetrics(store, {
        collections,
        attempts: { succeeded: 0, failed: 0 },
        reports: { completed: 2, failed: 1, seconds: 12.5 },
      }).text,
    reports: { compose: composeTiny, render: renderText },
    evidence: true,
    config: { remediation: { approval: 'approval' } },
    receive: () => Promise.resolve({ durationMs: 1, status: 410, headers: {}, body: 'gone' }),
  });
});
afterAll(() => service.close());

const verbsOf = contract as Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;
const every = Object.entries(verbsOf).flatMap(([noun, verbs]) =>
  Object.keys(verbs).map((verb) => `${noun}.${verb}`),
);

const entries = async (): Promise<number> => (await auditHead(service.deps.store)).sequence;

/** Whether an entry since then says what this very request did, who it was and to what. */
async function isAudited(since: number, { headers }: Got): Promise<boolean> {
  const { rows } = await service.deps.store.page(auditLog, {
    orderBy: 'sequence',
    direction: 'desc',
    limit: (await entries()) - since,
  });
  return rows.some(
    ({ doc }) =>
      doc.request_id === headers.get('x-request-id') &&
      [doc.actor, doc.via, doc.action, doc.subject].every((said) => said !== ''),
  );
}

/** Asks an endpoint, with the ids of its path in their order, holds its answer against what the contract declares, and gives the answer's body. */
async function ask(
  name: string,
  ids: string | undefined,
  sent?: Sent,
  search = '',
): Promise<unknown> {
  const [noun = '', verb = ''] = name.split('.');
  const endpoint = verbsOf[noun]?.[verb];
  if (!endpoint) throw new Error(`the contract has no ${name}`);
  const { status, body: schema, type = 'application/json' } = endpoint.response;
  const parts = ids?.split(' ') ?? [];
  const url = endpoint.path.replace(/:\w+/g, () => parts.shift() ?? '');
  const before = await entries();
  const got = await service.send(endpoint.method, url + search, sent);
  if (endpoint.method !== 'GET' && !(await isAudited(before, got))) unaudited.add(name);
  expect([name, got.status, got.text]).toEqual([name, status, expect.any(String)]);
  answered.add(name);
  if (!schema && endpoint.response.type !== undefined) {
    expect([name, got.text]).not.toEqual([name, '']);
    return undefined;
  }
  if (!schema) {
    expect([got.text, got.headers.get('content-type')]).toEqual(['', null]);
    return undefined;
  }
  expect(got.headers.get('content-type')).toBe(type);
  expect(got.headers.has('etag')).toBe(endpoint.versioned === true);
  expect(got.headers.get('cache-control')).toBe(endpoint.secret ? 'no-store' : null);
  const body: unknown = type === 'application/json' ? got.json : got.text;
  const parsed = schema.safeParse(body);
  expect(parsed.error?.issues ?? [], name).toEqual([]);
  return body;
}

async function askBudgets(): Promise<void> {
  const body = {
    name: 'platform',
    amount: '10000',
    currency: 'USD',
    filter: { provider: 'aws', tags: { team: ['a', 'b'] } },
  };
  const { id } = (await ask('budgets.create', undefined, { body })) as { id: string };
  await ask('budgets.list', undefined);
  await ask('budgets.get', id);
  await ask('budgets.update', id, { body: { owner: 'ann' } });
  await ask('budgets.delete', id);
}

async function askCost(): Promise<void> {
  const heads = 'ProviderName,BillingAccountId,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart'; // prettier-ignore
  const days = Array.from({ length: 31 }, (_, n) => `AWS,1,USD,7,2026-01-${String(n + 1).padStart(2, '0')},2026-01-01`); // prettier-ignore
  await putFocus(service, [heads, ...days].join('\n'));
  await ask('costForecast.get', undefined);
  await putFocus(service, csvOf(usage({}, { raised: { '2026-02-24': 3 } })));
  await detectAnomalies(service);
  const { anomalies } = (await ask('costAnomalies.list', undefined)) as { anomalies: { id: string }[] }; // prettier-ignore
  const [anomaly] = anomalies;
  await ask('costAnomalies.get', anomaly?.id);
  await ask('costAnomalies.update', anomaly?.id, { body: { feedback: 'expected', note: 'n' } });
  await ask('costUnused.list', undefined);
  await ask('costResources.sum', undefined, { body: { resource_ids: ['bucket-1'] } });
  await ask('cost.analysis', undefined, {}, '?start=2026-01-01&end=2026-02-01&group_by=service');
}

async function askRightsizing(): Promise<void> {
  await putMachines(service, machine(machineId, 'm5.4xlarge'));
  const points = ['cpu', 'memory'].flatMap((metric) =>
    hourly(machineId, metric, '2026-02-08T00:00:00Z', constant(5, 15)),
  );
  await ask('metrics.import', undefined, {
    text: points.map((point) => JSON.stringify(point)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const { recommendations } = (await ask('rightsizing.list', undefined)) as {
    recommendations: { id: string }[];
  };
  const [one] = recommendations;
  await ask('rightsizing.get', one?.id);
  await ask('rightsizing.apply', one?.id, { body: {} });
}

async function askReports(): Promise<void> {
  const body = {
    name: 'all',
    type: 'audit',
    framework: 'soc2',
    description: 'd',
    scope: {
      environments: ['prod'],
      cloud_providers: ['aws'],
      date_range: { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
    },
    format_options: { formats: ['pdf', 'csv'], security: { sign: true, watermark: 'Draft' } },
  };
  const { id } = (await ask('reports.create', undefined, { body })) as { id: string };
  await ask('reports.get', id);
  await service.reportWork.idle();
  await ask('reports.list', undefined);
  await ask('reports.get', id);
  await ask('reports.download', `${id} pdf`);
  await ask('reports.downloadSignature', `${id} csv`);
  await ask('reports.downloads', id);
  const link = (await ask('reports.createLink', id, { body: { format: 'pdf' } })) as {
    id: string;
    url: string;
  };
  const { search } = new URL(link.url);
  await ask('reports.followLink', `${id} ${link.id}`, { key: null }, search);
  await ask('reports.get', id);
  await ask('reports.revokeLink', `${id} ${link.id}`);
  await ask('archive.get', undefined, {}, '?within=1d');
  const until = '?until=2027-01-01T00:00:00.000Z';
  const { records } = (await ask('archive.read', 'reports', {}, until)) as ArchivePage;
  const blob = records.find((one) => one.id === id)?.files?.[0]?.blob ?? '';
  await ask('archive.file', `reports ${id} ${blob}`);
  await ask('reports.certificate', undefined);
  await ask('reports.delete', id);
}

async function askRemediation(): Promise<void> {
  const rules = [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }];
  const remediation_action = 'patch:{"versioning":{"enabled":true}}';
  await ask('policies.create', undefined, {
    body: policy('patched', { rules, remediation_action }),
  });
  const versioning = { enabled: false };
  await ask('resources.upsert', undefined, {
    body: { resources: [{ id: 'patched', type: 'AWS::S3::Bucket', versioning }] },
  });
  const { id, digest } = (await ask('remediations.create', undefined, {
    body: { policy_id: 'patched', dry_run: false },
  })) as { id: string; digest: string };
  await ask('remediations.approve', id, { body: { digest } });
  await service.remediate();
  await ask('remediations.rollback', id, { body: {} });
}

async function askEvidence(): Promise<void> {
  await service.send('POST', '/v1/scans', { body: {} });
  await service.evaluator.run();
  const body = {
    control: 'SOC2:CC1.1',
    text: 'Signed by all.',
    file: { name: 'signed.pdf', media_type: 'application/pdf', content: 'JVBERg==' },
    expires: '2027-02-28',
  };
  const manual = (await ask('evidence.attach', undefined, { body })) as { id: string };
  await ask('evidence.listManual', undefined);
  await ask('evidence.getManual', manual.id);
  await ask('evidence.manualFile', manual.id);
  await ask('evidence.list', undefined, {}, '?framework=soc2&limit=100');
  const asked = { framework: 'soc2', controls: ['CC1.1', 'CC6.1'], name: 'all' };
  const { id } = (await ask('evidence.collect', undefined, { body: asked })) as { id: string };
  await ask('evidence.get', id);
  await service.evidenceWork.idle();
  await ask('evidence.get', id);
  await ask('evidence.bundles', undefined);
  await ask('evidence.bundle', id);
  await ask('evidence.key', undefined);
  await ask('evidence.delete', id);
  await ask('evidence.deleteManual', manual.id);
}

async function askSchedules(): Promise<void> {
  const body = {
    name: 'weekly',
    schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
    report_template: { name: 'weekly', type: 'compliance' },
  };
  const { id } = (await ask('schedules.create', undefined, { body })) as { id: string };
  await ask('schedules.list', undefined);
  await ask('schedules.update', id, { body: { enabled: false } });
  await ask('schedules.get', id);
  await ask('schedules.run', id);
  await ask('schedules.runs', id);
  await ask('schedules.delete', id);
}

async function askWebhooks(): Promise<void> {
  const webhook = {
    url: 'https://hooks.example.com/',
    events: ['scan.completed'],
    secret: 'a-long-enough-secret',
    name: 'all',
    tags: ['a'],
    active: false,
    filters: { severity: ['HIGH'], environments: ['prod'], cloud_providers: ['aws'] },
    retry_config: { max_attempts: 3, backoff_multiplier: 1.5 },
    timeout_seconds: 5,
    headers: { 'X-Team': 'web' },
  };
  const { id } = (await ask('webhooks.create', undefined, { body: webhook })) as { id: string };
  await ask('webhooks.update', id, {
    body: { active: true, filters: null, secret: 'another-secret' },
  });
  const event = (await ask('events.trigger', undefined, { body: { type: 'scan.completed' } })) as {
    id: string;
  };
  await service.deliveries?.idle();
  await ask('events.list', undefined);
  await ask('events.get', event.id);
  await ask('events.replay', undefined, { body: { event_ids: [event.id] } });
  await service.deliveries?.idle();
  await ask('webhooks.test', id, { body: { event_type: 'user.login' } });
  const { deliveries } = (await ask('webhooks.listDeliveries', id)) as {
    deliveries: { id: string; test?: boolean }[];
  };
  const sent = `${id} ${deliveries.find(({ test }) => !test)?.id ?? ''}`;
  await ask('webhooks.getDelivery', sent);
  await ask('webhooks.redeliver', sent);
  await service.deliveries?.idle();
  await ask('webhooks.redeliverFailed', id, { body: {} });
  await ask('webhooks.get', id);
  await ask('webhooks.list', undefined);
  await ask('webhooks.delete', id);
}

async function askUsers(): Promise<void> {
  const role = { name: 'reporter', description: 'd', scopes: ['governance:read'] };
  await ask('roles.create', undefined, { body: role });
  await ask('roles.list', undefined);
  await ask('roles.get', 'reporter');
  await ask('roles.update', 'reporter', { body: { scopes: ['compliance:write'] } });
  const body = { email: 'ann@example.com', name: 'Ann', roles: ['viewer'] };
  const { id } = (await ask('users.create', undefined, { body })) as { id: string };
  await ask('users.list', undefined);
  await ask('users.get', id);
  await ask('users.update', id, { body: { roles: ['editor'], name: null } });
  await ask('users.reset', id);
  await ask('users.revoke', id);
  await ask('users.delete', id);
  await ask('roles.delete', 'reporter');
}

async function askTrusts(): Promise<void> {
  const body = {
    name: 'Deploys',
    provider: 'github',
    repository: 'acme/policies',
    repository_id: '74',
    ref: 'refs/heads/main',
    environment: 'production',
    scopes: ['governance:read'],
  };
  const { id } = (await ask('trusts.create', undefined, { body })) as { id: string };
  await ask('trusts.list', undefined);
  await ask('trusts.get', id);
  await ask('trusts.update', id, { body: { events: ['push'], environment: null } });
  await ask('trusts.delete', id);
}

async function askLocal(): Promise<void> {
  await ask('local.get', undefined);
  await ask('local.getClock', undefined);
  await ask('local.setClock', undefined, { body: { now: '2026-03-02T12:00:00Z' } });
  await ask('local.advanceClock', undefined, { body: { by: '1h' } });
  await ask('local.resetClock', undefined);
  const fault = { body: { method: 'GET', path: '/v1/scans', status: 503 } };
  const { id } = (await ask('local.addFault', undefined, fault)) as { id: string };
  await ask('local.listFaults', undefined);
  await ask('local.clearFault', id);
  await ask('local.clearFaults', undefined);
  await ask('local.listRequests', undefined);
  await ask('local.snapshot', undefined);
  const { text } = await service.send('GET', contract.local.snapshot.path);
  const headers = { 'content-type': contract.local.restore.streamed };
  await ask('local.restore', undefined, { text, headers });
  await ask('local.reset', undefined);
}

describe('what an endpoint answers', () => {
  it('has the status, headers and shape that the contract declares, for every endpoint', async () => {
    const full = policy('answered', {
      description: 'Every field.',
      severity: 'HIGH',
      enabled: false,
      compliance_frameworks: ['SOC2:CC6.1'],
      auto_remediation: true,
      remediation_action: 'encrypt',
      tags: ['a', 'b'],
    });
    const { id } = (await ask('policies.create', undefined, { body: full })) as { id: string };
    await ask('policies.list', undefined);
    await ask('policies.get', id);
    await ask('policies.update', id, { body: { severity: null } });
    await ask('policies.delete', id);

    const { id: named } = (await ask('policies.create', undefined, { body: policy('open') })) as {
      id: string;
    };
    const resource = { id: 'bucket-1', type: 'AWS::S3::Bucket', public: true, tags: { a: 'b' } };
    await ask('resources.upsert', undefined, { body: { resources: [resource] } });
    await ask('resources.put', 'bucket-1', { body: { ...resource, region: 'eu-west-1' } });
    const ndjson = { 'content-type': 'application/x-ndjson' };
    await ask('resources.import', undefined, {
      text: `${JSON.stringify({ ...resource, id: 'spare-2' })}\n`,
      headers: ndjson,
    });
    await ask('resources.list', undefined);
    const opened = (await ask('costImports.create', undefined, { body: {} })) as { id: string };
    const bytes = { text: 'x', headers: { 'content-type': 'application/octet-stream' } };
    await ask('costImports.put', `${opened.id} 1`, bytes);
    await ask('costImports.commit', opened.id);
    await ask('costImports.list', undefined);
    await ask('costImports.get', opened.id);
    await ask('costImports.delete', opened.id);
    await ask('resources.get', 'bucket-1');
    await ask('policies.validate', undefined, { body: { resources: [resource] } });
    const scan = (await ask('scans.create', undefined, { body: { policy_ids: [named] } })) as {
      id: string;
    };
    await service.evaluator.run();
    await ask('scans.list', undefined);
    await ask('scans.get', scan.id);
    await ask('scans.samples', scan.id);
    const exemption = (await ask('exemptions.create', undefined, {
      body: {
        policy: 'open',
        resources: ['bucket-*'],
        reason: 'r',
        owner: 'o',
        expires: '2030-01-31',
        category: 'waiver',
      },
    })) as { id: string };
    await ask('exemptions.list', undefined);
    await ask('exemptions.get', exemption.id);
    await ask('exemptions.update', exemption.id, { body: { category: null } });
    const until = new Date(Date.parse('2026-03-01T12:00:00Z') + 86_400_000).toISOString();
    const condition = 'now > timestamp(resource.until)';
    await ask('policies.create', undefined, {
      body: policy('dated', { rules: [{ condition, effect: 'DENY' }] }),
    });
    await ask('resources.upsert', undefined, {
      body: { resources: [{ id: 'dated', type: 'AWS::S3::Bucket', until }] },
    });
    const { predictive_alerts: alerts } = (await ask('predictions.list', undefined)) as {
      predictive_alerts: { id: string }[];
    };
    await ask('predictions.get', alerts[0]?.id);
    await askBudgets();
    await askCost();
    await askRightsizing();
    await ask('evaluations.list', undefined);
    await ask('governance.overview', undefined);
    await ask('governance.scoreHistory', undefined);
    await ask('frameworks.list', undefined);
    await ask('frameworks.get', 'soc2');
    const own = { body: { name: 'Own', controls: [{ id: 'F1', title: 'First' }] } };
    await service.send('PUT', '/v1/compliance/frameworks/own', own);
    await ask('frameworks.put', 'own', { body: { ...own.body, name: 'Our own' } });
    await ask('frameworkDefinitions.list', undefined);
    await ask('frameworkDefinitions.get', 'own');
    await ask('frameworks.delete', 'own');
    const { violations } = (await ask('violations.list', undefined)) as {
      violations: { id: string; policy_id: string }[];
    };
    await ask('violations.get', violations[0]?.id);
    await ask('violations.summary', undefined, {}, '?group_by=policy');
    await service.send('PUT', '/v1/resources/spare-1', { body: { ...resource, id: 'spare-1' } });
    const filter = { resource_id: 'spare-1' };
    await ask('violations.resolveMany', undefined, { body: { filter, reason: 'torn down' } });
    await ask('exemptions.delete', exemption.id);
    const plan = { violation_ids: [violations[0]?.id] };
    const remedy = { remediation_action: 'notify' };
    await service.send('PUT', `/v1/policies/${violations[0]?.policy_id ?? ''}`, { body: remedy });
    const { id: planned } = (await ask('remediations.create', undefined, { body: plan })) as {
      id: string;
    };
    await ask('remediations.list', undefined);
    await ask('remediations.get', planned);
    await ask('remediations.cancel', planned, { body: {} });
    await askRemediation();
    await ask('violations.resolve', violations[0]?.id, { body: { reason: 'torn down' } });
    await ask('resources.delete', 'bucket-1');

    const scopes = ['governance:read'];
    const body = { name: 'answered', scopes };
    await ask('me.get', undefined);
    const key = (await ask('apiKeys.create', undefined, { body })) as { id: string };
    await ask('apiKeys.list', undefined);
    await ask('apiKeys.get', key.id);
    await ask('apiKeys.update', key.id, { body: { name: 'renamed' } });
    await ask('apiKeys.rotate', key.id, { body: { require_signature: true } });
    await ask('apiKeys.delete', key.id);

    const client = (await ask('oauthClients.create', undefined, { body })) as {
      client_id: string;
      client_secret: string;
    };
    await ask('idTokenKeys.rotate', undefined, { body: {} });
    await ask('oauthClients.list', undefined);
    await ask('oauthClients.get', client.client_id);
    await ask('oauthClients.update', client.client_id, { body: { name: 'renamed' } });
    await ask('oauthClients.rotate', client.client_id, { body: {} });
    const { client_id, client_secret } = client;
    const grant = { grant_type: 'client_credentials', client_id, client_secret };
    await ask('auth.token', undefined, { key: null, body: grant });
    await ask('oauthClients.delete', client_id);

    await askUsers();
    await askTrusts();
    await askWebhooks();
    await askReports();
    await askEvidence();
    await askSchedules();
    await ask('auditLog.list', undefined);
    await ask('auditLog.head', undefined);
    await ask('uses.list', undefined);
    for (const verb of ['health', 'ready', 'metrics', 'openapi']) {
      // Nobody asks for metrics by the name of this machine here.
      await ask(`system.${verb}`, undefined, verb === 'metrics' ? {} : { key: null });
    }
    await askLocal();
    expect([...answered].sort()).toEqual([...every].sort());
    expect([...unaudited].sort()).toEqual(Object.keys(notAudited).sort());
  });
});
