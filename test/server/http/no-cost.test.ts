import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { costEventTypes } from '../../../src/contract/events.ts';
import { putFocus } from '../cost/put-focus.ts';
import { inventoryOf } from '../inventory-service.ts';
import { createCompose } from '../../../src/server/reports/generation/compose-report.ts';
import type { Compose } from '../../../src/server/reports/generation/compose-report.ts';
import { costSources } from '../../../src/server/wiring/cost-sources.ts';
import { createAssessor } from '../../../src/server/rightsizing/assess-all.ts';
import { composeTiny, renderText } from '../reports/report-world.ts';
import type { Got, TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

/** An amount that nothing else has, however it is written; not digits of an ID or a hash. */
const spent = /(?<!\w)73[,.]?137(?!\w)|(?<!\w)73[,.]1(?!\d)/;
const charges = `ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId
AWS,1,11,S3,XTS,73137.5,2026-02-20,2026-02-01,costly
AWS,1,11,S3,XTS,1,2026-01-05,2026-01-01,costly
`;
/** Its currency would be a trace as well. */
const traces = [spent, /(?<!\w)XTS(?!\w)/, /"(?:monthly_costs?|cost_currency)":["[]/];

const endpoints = Object.entries(
  contract as Readonly<Record<string, Readonly<Record<string, Endpoint>>>>,
).flatMap(([noun, verbs]) =>
  Object.entries(verbs).map(([verb, endpoint]) => [`${noun}.${verb}`, endpoint] as const),
);

/** What an endpoint cannot be asked without. */
const queries: Readonly<Record<string, string>> = {
  'violations.summary': '?group_by=resource',
  'evidence.list': '?framework=soc2',
  'costAnalysis.get': '?start=2026-02-01&end=2026-03-01',
};

/** Reports with costs say them; others are of next to nothing. */
const compose: Compose = (deps, evaluation, order, options) =>
  order.include_cost === true
    ? createCompose(new Set(), costSources(deps, {}, createAssessor(deps)))(
        deps,
        evaluation,
        order,
        options,
      )
    : composeTiny(deps, evaluation, order, options);

let service: TestService;
/** Of a report with costs. */
let withCost: string;
let inventory: ReturnType<typeof inventoryOf>;
const keys = new Map<string, string>();

beforeAll(async () => {
  service = await startTestService({
    reports: { compose, render: renderText },
    evidence: true,
    // It answers with what it got.
    receive: ({ body }) => Promise.resolve({ durationMs: 1, status: 200, headers: {}, body: String(body) }), // prettier-ignore
  });
  inventory = inventoryOf(service);
  for (const scopes of ['governance:read', 'governance:read compliance:write']) {
    keys.set(scopes, await service.keyWith(...scopes.split(' ')));
  }
  const webhook = {
    url: 'https://hooks.example.com/',
    events: [...costEventTypes, 'scan.completed', 'compliance.report.generated'],
    secret: 'a-long-enough-secret',
  };
  await inventory.ok('POST', '/v1/webhooks', { body: webhook });
  await putFocus(service, charges);
  await inventory.createPolicy('private', { compliance_frameworks: ['SOC2:CC6.1'] });
  await inventory.put('costly', { public: true, account_id: '11' });
  await inventory.put('costly-2', { public: true, account_id: '11' });
  const volume = { id: 'costly', type: 'AWS::EC2::Volume', properties: { state: 'available' } };
  await inventory.ok('POST', '/v1/resources', { body: { resources: [{ ...volume, id: 'v' }] } });
  await inventory.ok('POST', '/v1/budgets', {
    body: { name: 'tiny', amount: '73137', currency: 'XTS' },
  });
  for (const type of costEventTypes) {
    await inventory.ok('POST', '/v1/events', { body: { type, data: { actual_cost: 73_137.5 } } });
  }
  await service.evaluator.run();
  await inventory.ok('POST', '/v1/scans', { body: {} });
  await service.evaluator.run();
  await service.deliveries?.idle();
  const format_options = { formats: ['json'], security: { sign: true } };
  const report = { name: 'r', type: 'risk', scope: {}, format_options };
  await inventory.ok('POST', '/v1/reports', { body: report });
  const includingCost = { ...format_options, include_cost: true };
  const { json } = await inventory.ok('POST', '/v1/reports', { body: { ...report, format_options: includingCost } }); // prettier-ignore
  withCost = String(json['id']);
  const trend = { ...report, type: 'trend', format_options: includingCost };
  await inventory.ok('POST', '/v1/reports', { body: trend });
  await service.reportWork.idle();
  await service.deliveries?.idle();
  const evidence = { framework: 'soc2', name: 'all' };
  await inventory.ok('POST', '/v1/compliance/evidence', { body: evidence });
  await service.evidenceWork.idle();
  const schedule = {
    name: 'weekly',
    schedule: { cron: '0 9 * * 1', timezone: 'UTC' },
    report_template: { name: 'weekly', type: 'risk' },
  };
  await inventory.ok('POST', '/v1/reports/schedules', { body: schedule });
  const asked = { policy_id: 'private', dry_run: true };
  await service.send('POST', '/v1/compliance/remediate', { body: asked });
});
afterAll(() => service.close());

/** The IDs that a list has, as who may do everything sees them. */
async function idsOf(path: string): Promise<readonly string[]> {
  const { json, status } = await service.send('GET', `${path}?limit=100`);
  if (status !== 200) return [];
  const rows = Object.values(json).find(Array.isArray) as readonly { id?: unknown }[] | undefined;
  return (rows ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

/** The addresses of an endpoint, with the objects that there are. */
async function pathsOf(path: string): Promise<readonly string[]> {
  let made = [''];
  for (const part of path.split('/').slice(1)) {
    if (!part.startsWith(':')) made = made.map((start) => `${start}/${part}`);
    else if (part === ':format') made = made.map((start) => `${start}/json`);
    else {
      const lists = await Promise.all(
        made.map(async (start) =>
          (await idsOf(start)).map((id) => `${start}/${encodeURIComponent(id)}`),
        ),
      );
      made = lists.flat();
    }
  }
  return made;
}

const get = (path: string, key?: string): Promise<Got> =>
  service.send('GET', path, key === undefined ? {} : { key });

const showsCost = (text: string): boolean => traces.some((trace) => trace.test(text));

const reads = endpoints.filter(([, { method }]) => method === 'GET');

describe('without a cost scope', () => {
  it.each(reads)('%s shows nothing of cost', async (name, { path, scope }) => {
    const isOfCost = scope === 'cost:read' || scope === 'cost:admin';
    for (const one of await pathsOf(path)) {
      for (const [scopes, key] of keys) {
        const got = await get(one + (queries[name] ?? ''), key);
        const { status, text } = got;
        expect([one, scopes, status === 400 ? text : '']).toEqual([one, scopes, '']);
        expect([one, showsCost(text) ? text : '']).toEqual([one, '']);
        // Hashes and IDs may have the few digits of a rounded amount.
        const isHeader = [...got.headers].some(([, value]) => /73[,.]?137|XTS/.test(value));
        expect([one, isHeader]).toEqual([one, false]);
        if (isOfCost) expect([one, status]).toEqual([one, 403]);
      }
    }
  });

  it.each(endpoints.filter(([, { method }]) => method !== 'GET'))(
    '%s tells nothing of cost in an error, and refuses where it is about cost',
    async (name, { method, path, scope }) => {
      const isOfCost = scope === 'cost:read' || scope === 'cost:admin';
      const [one = path] = await pathsOf(path);
      // Nothing is deleted: later endpoints are asked about the same objects.
      if (method === 'DELETE' && !isOfCost) return;
      for (const key of keys.values()) {
        const { text, status } = await service.send(method, one, { key, body: { cost: 1 } });
        expect([name, showsCost(text) ? text : '']).toEqual([name, '']);
        if (isOfCost) expect([name, status]).toEqual([name, 403]);
      }
    },
  );

  it('is the only thing that hides it: with all scopes the same walk finds it', async () => {
    const found = new Set<string>();
    for (const [name, { path }] of reads) {
      for (const one of await pathsOf(path)) {
        const { text } = await get(one + (queries[name] ?? ''));
        if (showsCost(text)) found.add(name);
      }
    }
    expect([...found]).toEqual(
      expect.arrayContaining(['violations.list', 'violations.get', 'violations.summary']),
    );
    expect([...found]).toEqual(expect.arrayContaining(['events.list', 'events.get']));
    expect([...found]).toEqual(expect.arrayContaining(['budgets.list', 'webhooks.getDelivery']));
    expect([...found]).toContain('reports.download');
  });

  it('reports with costs are neither made nor read, in any format, nor shared', async () => {
    const key = keys.get('governance:read compliance:write') ?? '';
    const path = `/v1/reports/${withCost}`;
    const shown = await get(path, key);
    expect(shown.json).toMatchObject({
      status: 'completed',
      format_options: { include_cost: true },
    });
    for (const format of ['json', 'csv', 'html', 'excel', 'pdf']) {
      const { status, json } = await get(`${path}/download/${format}`, key);
      expect([format, status, json['error']]).toEqual([format, 403, 'insufficient_scope']);
      expect(json['error_description']).toContain(
        'A report with costs requires the scope cost:read',
      );
    }
    expect((await get(`${path}/download/json/signature`, key)).status).toBe(403);
    const link = { format: 'json', expires_in: 3_600 };
    const linkPath = `${path}/download-link`;
    expect((await service.send('POST', linkPath, { key, body: link })).status).toBe(403);
    // Once it is made, it is the decision of who made it.
    const { json: made } = await inventory.ok('POST', linkPath, { body: link });
    const address = new URL(String(made.url));
    const followed = await service.send('GET', address.pathname + address.search, { key: '' });
    expect([followed.status, showsCost(followed.text)]).toEqual([200, true]);
    const body = { name: 'r', type: 'risk', scope: {}, format_options: { include_cost: true } };
    expect((await service.send('POST', '/v1/reports', { key, body })).status).toBe(403);
    const reader = await service.keyWith('governance:read', 'compliance:write', 'cost:read');
    expect((await get(`${path}/download/json`, reader)).status).toBe(200);
    expect((await service.send('POST', '/v1/reports', { key: reader, body })).status).toBe(201);
  });

  it('there are no events of cost: not in lists, by type, by ID or in a replay', async () => {
    const key = keys.get('governance:read compliance:write') ?? '';
    const types = costEventTypes.join(',');
    const all = (await get(`/v1/events?type=${types}`)).json as { events: { id: string }[] };
    expect(all.events.length).toBeGreaterThanOrEqual(2);
    expect((await get(`/v1/events?type=${types}`, key)).json).toMatchObject({
      events: [],
      pagination: { total: 0 },
    });
    const { json } = await get(`/v1/events?limit=100&type=${types},scan.completed`, key);
    expect((json['events'] as { type: string }[]).map(({ type }) => type)).toContain(
      'scan.completed',
    );
    const id = all.events[0]?.id ?? '';
    const one = await get(`/v1/events/${id}`, key);
    const none = await get('/v1/events/evt_none', key);
    expect([one.status, one.json['error_code']]).toEqual([404, none.json['error_code']]);
    const replay = (body: unknown) => service.send('POST', '/v1/events/replay', { key, body });
    expect((await replay({ event_ids: [id] })).status).toBe(404);
    const since = '2026-01-01T00:00:00Z';
    expect((await replay({ since, types: [...costEventTypes] })).json).toMatchObject({ events: 0 });
    expect((await service.send('POST', '/v1/events', { key, body: { type: costEventTypes[0] } })).status).toBe(403); // prettier-ignore
  });

  it('webhooks subscribe to no events of cost, nor are those that do sent elsewhere', async () => {
    const key = keys.get('governance:read compliance:write') ?? '';
    const send = (method: string, path: string, body: unknown) =>
      service.send(method, path, { key, body });
    const webhook = { url: 'https://other.example.com/', secret: 'a-long-enough-secret' };
    for (const type of costEventTypes) {
      const refused = await send('POST', '/v1/webhooks', { ...webhook, events: [type] });
      expect(refused.status).toBe(403);
      expect(refused.text).toContain(type);
    }
    const own = await send('POST', '/v1/webhooks', { ...webhook, events: ['scan.completed'] });
    expect(own.status).toBe(201);
    const path = `/v1/webhooks/${String(own.json['id'])}`;
    expect((await send('PUT', path, { events: [costEventTypes[0]] })).status).toBe(403);
    const [theirs = ''] = (await idsOf('/v1/webhooks')).filter((id) => id !== own.json['id']);
    const other = `/v1/webhooks/${theirs}`;
    expect((await send('PUT', other, { url: 'https://other.example.com/' })).status).toBe(403);
    const before = (await get(other)).json;
    expect((await send('PUT', other, { active: false, events: before['events'] })).status).toBe(
      200,
    );
  });
});
