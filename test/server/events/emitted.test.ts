import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventType } from '../../../src/contract/events.ts';
import { sampleData } from '../../../src/server/events/samples.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { eventsOf } from './events-service.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { policy, startTestService } from '../test-service.ts';

const hour = 3_600_000;
let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let events: ReturnType<typeof eventsOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
  events = eventsOf(service);
  await events.fresh();
});
afterEach(() => service.close());

const typesOf = (found: readonly { type: EventType }[]): EventType[] =>
  found.map(({ type }) => type);
const types = async (): Promise<EventType[]> => typesOf(await events.fresh());
const opened = ['policy.violation.created', 'policy.violation.detected'];

describe('a resource', () => {
  it('is told of when it comes and when it changes, whole, and not when it stays as it is', async () => {
    await inventory.put('b', { tags: { team: 'a' }, public: true });
    const [discovered, ...others] = await events.fresh();
    expect(others).toEqual([]);
    expect(discovered).toEqual({
      type: 'resource.discovered',
      data: { resource: (await inventory.ok('GET', '/v1/resources/b')).json },
    });
    await inventory.put('b', { tags: { team: 'a' }, public: true });
    expect(await events.fresh()).toEqual([]);
    service.advance(1_000);
    await inventory.importLines(
      '{"id":"b","type":"AWS::S3::Bucket"}\n{"id":"c","type":"AWS::S3::Bucket"}',
    );
    const after = await events.fresh();
    expect(typesOf(after)).toEqual(['resource.changed', 'resource.discovered']);
    expect(after[0]?.data.resource).toMatchObject({
      id: 'b',
      _meta: { created_at: '2026-03-01T12:00:00.000Z', updated_at: '2026-03-01T12:00:01.000Z' },
    });
  });

  it('that is large is told of without its own attributes, and the event says so', async () => {
    await inventory.put('b', { region: 'eu-west-1', properties: { policy: 'x'.repeat(10_000) } });
    expect((await events.fresh())[0]?.data).toEqual({
      resource: {
        id: 'b',
        type: 'AWS::S3::Bucket',
        provider: 'aws',
        region: 'eu-west-1',
        _meta: {
          created_at: '2026-03-01T12:00:00.000Z',
          updated_at: '2026-03-01T12:00:00.000Z',
          shortened: true,
        },
      },
    });
  });

  it('comes before the violations that it has', async () => {
    await inventory.createPolicy('p');
    await types();
    await inventory.put('b', { public: true });
    expect(await types()).toEqual(['resource.discovered', ...opened]);
  });
});

describe('a violation', () => {
  it('is told of in both forms when it opens, and not while it stays open', async () => {
    await inventory.createPolicy('p', { severity: 'HIGH', compliance_frameworks: ['SOC2'] });
    await types();
    await inventory.put('b', {
      public: true,
      account_id: '1',
      region: 'eu-west-1',
      environment: 'production',
      tags: { team: 'a' },
    });
    const [, created, detected] = await events.fresh();
    const { id, policy_id } = await inventory.violation();
    expect(created?.data).toEqual({
      violation: {
        id,
        status: 'OPEN',
        detected_at: '2026-03-01T12:00:00.000Z',
        policy_id,
        policy_name: 'p',
        resource_id: 'b',
        resource_type: 'AWS::S3::Bucket',
        severity: 'HIGH',
        provider: 'aws',
        account_id: '1',
        region: 'eu-west-1',
        environment: 'production',
        tags: { team: 'a' },
        compliance_frameworks: ['SOC2'],
        message: 'Make it private',
      },
    });
    expect(detected?.data).toEqual({
      violation_id: id,
      severity: 'high',
      resource: 'b',
      policy: 'p',
      message: 'Make it private',
    });
    await inventory.put('b', { public: true, name: 'another' });
    expect(await types()).toEqual(['resource.changed']);
  });

  // What is done with an OPEN violation of policy p over b, and what is told of that.
  const resolved = 'policy.violation.resolved';
  const ends: readonly [string, (policyId: string) => Promise<unknown>, readonly string[]][] = [
    ['passes', () => inventory.put('b', { public: false }), ['resource.changed', resolved]],
    ['has its resource deleted', () => inventory.ok('DELETE', '/v1/resources/b'), [resolved]],
    [
      'has its resource become one of another type',
      () => inventory.put('b', { type: 'AWS::EC2::Instance', public: true }),
      ['resource.changed', resolved],
    ],
    ['has its policy deleted', (id) => inventory.ok('DELETE', `/v1/policies/${id}`), [resolved]],
    ['has its policy disabled', (id) => inventory.changePolicy(id, { enabled: false }), [resolved]],
    [
      'has its policy become one of another type',
      (id) => inventory.changePolicy(id, { resource_type: 'AWS::EC2::Instance' }),
      [resolved, 'policy.deployment.completed'],
    ],
    [
      'is resolved by hand',
      async () =>
        inventory.ok('POST', `/v1/violations/${(await inventory.violation()).id}/resolve`, {
          body: { reason: 'seen' },
        }),
      [resolved],
    ],
    ['is exempted', () => inventory.exempt({}), ['user.policy.exemption', resolved]],
  ];
  it.each(ends)('that %s is told of as resolved', async (_what, end, told) => {
    const id = await inventory.createPolicy('p');
    await inventory.put('b', { public: true });
    await types();
    await end(id);
    await service.evaluator.run();
    const found = await events.fresh();
    expect(typesOf(found)).toEqual(told);
    const { status } = await inventory.violation();
    expect(found.find(({ type }) => type === resolved)?.data.violation).toMatchObject({ status });
  });

  it('that is exempt from the start is told of when the exemption ends, and only then', async () => {
    await inventory.createPolicy('p');
    await inventory.exempt({ expires: '2026-03-02' });
    await types();
    await inventory.put('b', { public: true });
    expect(await types()).toEqual(['resource.discovered']);
    service.advance(36 * hour);
    await service.evaluator.run();
    const found = await events.fresh();
    expect(typesOf(found)).toEqual(['user.policy.exemption', ...opened]);
    expect(found[0]?.data.exemption).toMatchObject({ action: 'ended', status: 'expired' });
  });

  it('that is found again is told of again', async () => {
    await inventory.createPolicy('p');
    await inventory.put('b', { public: true });
    await inventory.put('b', { public: false });
    await types();
    await inventory.put('b', { public: true });
    expect(await types()).toEqual(['resource.changed', ...opened]);
  });
});

describe('the deployment of a policy', () => {
  const deployments = async () =>
    (await events.fresh()).flatMap(({ type, data }) =>
      type === 'policy.deployment.completed' ? [data.policy as Record<string, unknown>] : [],
    );

  it('is told at once where no resource is of its type', async () => {
    const id = await inventory.createPolicy('p');
    const [told] = await deployments();
    const { evaluation, ...rest } = told ?? {};
    expect(rest).toEqual((await inventory.ok('GET', `/v1/policies/${id}`)).json);
    expect(evaluation).toEqual({ evaluated: 0, pass: 0, fail: 0, error: 0, exempt: 0 });
    await service.evaluator.run();
    expect(await deployments()).toEqual([]);
  });

  it('is told once it is evaluated over the inventory, with what came of it', async () => {
    for (let at = 0; at < 6; at++) await inventory.put(`b${at}`, { public: at < 2 });
    const id = await inventory.createPolicy('p');
    expect(await deployments()).toEqual([]);
    await service.evaluator.run();
    expect(await deployments()).toMatchObject([
      { id, evaluation: { evaluated: 6, pass: 4, fail: 2, error: 0, exempt: 0 } },
    ]);
    await inventory.changePolicy(id, { severity: 'LOW' });
    await service.evaluator.run();
    expect(await deployments()).toMatchObject([{ id, severity: 'LOW' }]);
  });

  it('is not told of one that is disabled, deleted, or only described anew', async () => {
    await inventory.put('b', { public: true });
    const id = await inventory.createPolicy('p');
    await inventory.changePolicy(id, { enabled: false });
    await service.evaluator.run();
    expect(await deployments()).toEqual([]);
    await inventory.changePolicy(id, { enabled: true });
    await service.evaluator.run();
    expect(await deployments()).toMatchObject([{ id, enabled: true }]);
    await inventory.changePolicy(id, { description: 'of buckets' });
    await inventory.ok('DELETE', `/v1/policies/${id}`);
    await service.evaluator.run();
    expect(await deployments()).toEqual([]);
  });

  it('is not told every hour of one that reads the time', async () => {
    await inventory.put('b', {});
    const rules = [{ condition: 'now > timestamp("2027-01-01T00:00:00Z")', effect: 'DENY' }];
    await inventory.createPolicy('p', { rules });
    await service.evaluator.run();
    expect(await deployments()).toHaveLength(1);
    service.advance(hour + 1);
    await service.evaluator.run();
    expect(await deployments()).toEqual([]);
  });
});

describe('a mapping to frameworks', () => {
  const mappings = async () =>
    (await events.fresh()).flatMap(({ type, data }) =>
      type === 'compliance.framework.updated' ? [data.framework as Record<string, unknown>] : [],
    );

  it('is told by framework, with the controls that come or go', async () => {
    const labels = ['SOC2:CC6.1', 'SOC2:CC6.2', 'HIPAA', ':odd'];
    const id = await inventory.createPolicy('p', { compliance_frameworks: labels });
    const of = { policy_id: id, policy_name: 'p' };
    expect(await mappings()).toEqual([
      { framework: 'SOC2', action: 'mapped', ...of, controls: ['CC6.1', 'CC6.2'] },
      { framework: 'HIPAA', action: 'mapped', ...of, controls: [] },
      { framework: ':odd', action: 'mapped', ...of, controls: [] },
    ]);
    await inventory.changePolicy(id, { severity: 'LOW' });
    expect(await mappings()).toEqual([]);
    const changed = ['SOC2:CC6.1', 'SOC2:CC6.3', 'HIPAA'];
    await inventory.changePolicy(id, { compliance_frameworks: changed });
    expect(await mappings()).toEqual([
      { framework: 'SOC2', action: 'unmapped', ...of, controls: ['CC6.2'] },
      { framework: ':odd', action: 'unmapped', ...of, controls: [] },
      { framework: 'SOC2', action: 'mapped', ...of, controls: ['CC6.3'] },
    ]);
    await inventory.ok('DELETE', `/v1/policies/${id}`);
    expect(await mappings()).toEqual([
      { framework: 'SOC2', action: 'unmapped', ...of, controls: ['CC6.1', 'CC6.3'] },
      { framework: 'HIPAA', action: 'unmapped', ...of, controls: [] },
    ]);
  });
});

describe('a person', () => {
  it('who exempts is told of, and so is each change and the end', async () => {
    await inventory.createPolicy('p');
    await types();
    const id = await inventory.exempt({});
    const [created] = await events.fresh();
    const exemption = (await inventory.ok('GET', `/v1/exemptions/${id}`)).json;
    expect(created?.data).toEqual({ exemption: { ...exemption, action: 'created' } });
    await inventory.ok('PUT', `/v1/exemptions/${id}`, { body: { reason: 'agreed' } });
    expect(await types()).toEqual([]);
    await inventory.ok('PUT', `/v1/exemptions/${id}`, { body: { reason: 'agreed again' } });
    await inventory.ok('DELETE', `/v1/exemptions/${id}`);
    expect((await events.fresh()).map(({ data }) => data.exemption)).toMatchObject([
      { id, action: 'changed', reason: 'agreed again' },
      { id, action: 'ended', status: 'active' },
    ]);
  });

  it('whose exemption is over is told of its end once, also when it is deleted later', async () => {
    await inventory.createPolicy('p');
    const ended = async () =>
      (await events.fresh()).filter(
        ({ data }) => (data.exemption as { action?: string } | undefined)?.action === 'ended',
      );
    const over = await inventory.exempt({ expires: '2026-03-02' });
    service.advance(36 * hour);
    await service.evaluator.run();
    expect(await ended()).toHaveLength(1);
    await inventory.ok('DELETE', `/v1/exemptions/${over}`);
    expect(await ended()).toEqual([]);
  });

  it.each(['PUT', 'DELETE'] as const)(
    'who sends %s to an exemption before its end was told of hears of it then, and once',
    async (method) => {
      await inventory.createPolicy('p');
      const over = await inventory.exempt({ expires: '2026-03-02' });
      service.advance(36 * hour);
      await events.fresh();
      const body = method === 'PUT' ? { body: { reason: 'agreed again' } } : {};
      await inventory.ok(method, `/v1/exemptions/${over}`, body);
      expect((await events.fresh()).map(({ data }) => data.exemption)).toMatchObject([
        { id: over, action: 'ended' },
      ]);
      if (method === 'PUT') await inventory.ok('DELETE', `/v1/exemptions/${over}`);
      await service.evaluator.run();
      expect(await types()).toEqual([]);
    },
  );

  it('who makes an API key is told of, without the key', async () => {
    const { json } = await inventory.ok('POST', '/v1/api-keys', {
      body: { name: 'ci', scopes: ['governance:read'] },
    });
    const { key, ...shown } = json;
    const [told, ...others] = await events.fresh();
    expect(others).toEqual([]);
    expect(told).toEqual({ type: 'api.key.created', data: { api_key: shown } });
    expect(JSON.stringify(told)).not.toContain(String(key));
  });

  it('who starts a folder of data has its key told of, too', async () => {
    const [first] = await events.all();
    expect(first).toMatchObject({ type: 'api.key.created', sequence: 1 });
    expect(first?.data).not.toContain('hash');
  });
});

describe('a scan', () => {
  it('is told of at its end, as it is answered', async () => {
    await inventory.put('b', { public: true });
    await types();
    const { id } = (await inventory.ok('POST', '/v1/scans', { body: { name: 'nightly' } })).json;
    expect(await types()).toEqual([]);
    await service.evaluator.run();
    expect(await events.fresh()).toEqual([
      {
        type: 'scan.completed',
        data: { scan: (await inventory.ok('GET', `/v1/scans/${String(id)}`)).json },
      },
    ]);
  });
});

/** Those that all of a type have. */
const fieldsOf = (subject: unknown): string[] =>
  typeof subject === 'object' && subject !== null
    ? Object.keys(subject)
        .filter((field) => field !== 'resource_name')
        .sort()
    : [];

describe('what is told', () => {
  it('has the fields of the samples, and no others that they lack', async () => {
    const known = { name: 'b', account_id: '1', region: 'r', environment: 'e' };
    await inventory.put('b', { public: true, ...known });
    const frameworks = { severity: 'HIGH', compliance_frameworks: ['SOC2:CC6.1'] };
    await inventory.createPolicy('p', frameworks);
    await inventory.ok('POST', '/v1/scans', { body: { name: 'nightly' } });
    await inventory.exempt({ resources: ['none'], category: 'waiver' });
    await service.evaluator.run();
    await inventory.put('b', { public: false, ...known });
    await inventory.ok('POST', '/v1/scans', { body: { name: 'nightly' } });
    await service.evaluator.run();
    const seen = new Set<EventType>();
    for (const { type, data } of await events.all()) {
      const [given, sample] = [JSON.parse(data) as Record<string, unknown>, sampleData(type)];
      expect(Object.keys(given), type).toEqual(Object.keys(sample));
      seen.add(type);
      const [subject] = Object.keys(sample);
      if (subject === undefined || subject === 'resource') continue;
      expect(fieldsOf(given[subject]), type).toEqual(fieldsOf(sample[subject]));
    }
    expect([...seen].sort()).toEqual([
      'api.key.created',
      'compliance.framework.updated',
      'compliance.score.changed',
      'compliance.status.changed',
      'policy.deployment.completed',
      'policy.violation.created',
      'policy.violation.detected',
      'policy.violation.resolved',
      'resource.changed',
      'resource.discovered',
      'scan.completed',
      'user.policy.exemption',
    ]);
  });

  it('is counted in the order in which it happens, without a gap', async () => {
    await inventory.createPolicy('p');
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => inventory.put(`b${at}`, { public: true })),
    );
    const all = await events.all();
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, at) => at + 1));
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort());
  });

  it('is not told where what caused it is refused', async () => {
    await inventory.createPolicy('p');
    await types();
    expect((await service.send('POST', '/v1/policies', { body: policy('p') })).status).toBe(409);
    const body = { resources: [{ id: 'b', type: 'AWS::S3::Bucket' }] };
    const stale = { 'if-match': '"nothing"' };
    expect(
      (await service.send('PUT', '/v1/resources/b', { body: body.resources[0], headers: stale }))
        .status,
    ).toBe(412);
    expect(await types()).toEqual([]);
  });
});

describe('where a transaction fails at its end', () => {
  it('nothing is stored, nothing waits and no number is used up', async () => {
    let fails = false;
    const own = await startTestService({
      wrapStore: (store): Store => ({
        ...store,
        transact: (work) =>
          store.transact(async (tx) => {
            const result = await work(tx);
            if (fails) throw new Error('the end');
            return result;
          }),
      }),
    });
    try {
      const told = eventsOf(own);
      const lane = await told.addWebhook();
      const before = await told.all();
      fails = true;
      const body = { id: 'b', type: 'AWS::S3::Bucket' };
      expect((await own.send('PUT', '/v1/resources/b', { body })).status).toBe(500);
      expect(await told.all()).toEqual(before);
      expect(await told.waiting(lane)).toEqual([]);
      fails = false;
      await own.send('PUT', '/v1/resources/b', { body });
      const after = await told.all();
      expect(after.at(-1)).toMatchObject({ sequence: before.length + 1 });
      expect(await told.waiting(lane)).toEqual(['resource.discovered']);
    } finally {
      await own.close();
    }
  });
});
