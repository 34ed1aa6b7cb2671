import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { eventsOf } from '../events/events-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let policyId: string;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
  policyId = await inventory.createPolicy('p', { tags: ['govctl.key:slug@0123456789ab'] });
  await inventory.put('r', { public: true });
});
afterEach(() => service.close());

const status = async () => (await inventory.violation()).status;

async function countExempt(): Promise<number> {
  const { json } = await inventory.ok('GET', '/v1/violations?status=EXEMPT');
  return (json.pagination as { total: number }).total;
}

describe('an exemption', () => {
  it.each([
    ['id', () => policyId],
    ['name', () => 'p'],
    ['key in git', () => 'slug'],
  ])('names its policy by %s', async (_, policy) => {
    await inventory.exempt({ policy: policy() });
    expect(await status()).toBe('EXEMPT');
  });

  describe('that names a key which two projects have', () => {
    const tagged = (project: string) => ({
      tags: [`govctl.owner:${project}`, 'govctl.key:shared@0123456789ab'],
    });
    const exempted = async (): Promise<string[]> => {
      const { json } = await inventory.ok('GET', '/v1/violations?status=EXEMPT');
      return (json.violations as { policy_name: string }[]).map((one) => one.policy_name).sort();
    };
    const send = (fields: object) =>
      service.send('POST', '/v1/exemptions', {
        body: { policy: 'shared', resources: ['*'], reason: 'x', owner: 'o', expires: '2026-12-31', ...fields }, // prettier-ignore
      });
    beforeEach(async () => {
      await inventory.createPolicy('of web', tagged('web'));
      await inventory.createPolicy('of pay', tagged('pay'));
      await service.evaluator.run();
    });

    it('is for the policy of its own project, whose tags it carries', async () => {
      await inventory.exempt({ policy: 'shared', tags: ['govctl.owner:web'] });
      expect(await exempted()).toEqual(['of web']);
    });

    it('is for the policy of the project it names', async () => {
      const id = await inventory.exempt({ policy: 'shared', project: 'pay' });
      expect(await exempted()).toEqual(['of pay']);
      await inventory.ok('PUT', `/v1/exemptions/${id}`, { body: { project: 'web' } });
      expect(await exempted()).toEqual(['of web']);
    });

    it('keeps its project when it names another key of it', async () => {
      await inventory.createPolicy('second of web', {
        tags: ['govctl.owner:web', 'govctl.key:second@0123456789ab'],
      });
      await inventory.createPolicy('second');
      const id = await inventory.exempt({ policy: 'shared', project: 'web' });
      const { json } = await inventory.ok('PUT', `/v1/exemptions/${id}`, {
        body: { policy: 'second' },
      });
      expect([json.named_by, json.project]).toEqual(['key', 'web']);
    });

    it('is refused where neither tells the project', async () => {
      const { status, json } = await send({});
      expect([status, json.error]).toEqual([400, 'invalid_exemption']);
      expect(json.error_description).toContain('web, pay');
      expect((await send({ project: 'shop' })).status).toBe(400);
      expect((await send({ tags: ['govctl.owner:shop'] })).status).toBe(400);
    });
  });

  it.each([
    ['of another project', { tags: ['govctl.owner:web'] }],
    ['of no project', {}],
  ])(
    '%s is for the only policy with its key, and not for one that comes later',
    async (_, fields) => {
      await inventory.createPolicy('central', {
        tags: ['govctl.owner:central', 'govctl.key:only@0123456789ab'],
      });
      await inventory.exempt({ policy: 'only', ...fields });
      await inventory.createPolicy('of late', {
        tags: ['govctl.owner:late', 'govctl.key:only@0123456789ab'],
      });
      await service.evaluator.run();
      const { json } = await inventory.ok('GET', '/v1/violations?status=EXEMPT');
      expect((json.violations as { policy_name: string }[]).map((one) => one.policy_name)).toEqual([
        'central',
      ]);
    },
  );

  it.each([
    ['a name', 'same', 'same', []],
    ['a key without a project', 'keyed', 'same', ['govctl.key:same@0123456789ab']],
    ['a key that two projects claim', 'keyed', 'same', ['govctl.owner:a', 'govctl.owner:b', 'govctl.key:same@0123456789ab']], // prettier-ignore
  ])('that names %s is not for a later policy with such a key', async (_, name, text, tags) => {
    const id = await inventory.createPolicy(name, { tags });
    await inventory.exempt({ policy: text });
    await inventory.exempt({ policy: id });
    for (const key of [text, id]) {
      await inventory.createPolicy(`late ${key}`, {
        tags: ['govctl.owner:late', `govctl.key:${key}@0123456789ab`],
      });
    }
    await service.evaluator.run();
    const { json } = await inventory.ok('GET', '/v1/violations?status=EXEMPT');
    expect((json.violations as { policy_id: string }[]).map((one) => one.policy_id)).toEqual([id]);
  });

  it('changed to other resources, and back, moves violations at once', async () => {
    const id = await inventory.exempt({ resources: ['r'] });
    const change = (fields: object) =>
      inventory.ok('PUT', `/v1/exemptions/${id}`, { body: fields });
    const statuses: string[] = [];
    for (const resources of [['q'], ['r*'], ['*x']]) {
      await change({ resources });
      statuses.push(await status());
    }
    expect(statuses).toEqual(['OPEN', 'EXEMPT', 'OPEN']);
  });

  it('ends at once with a last day in the past, is told once, and counts again with a later one', async () => {
    const id = await inventory.exempt({});
    const change = async (expires: string) =>
      (await inventory.ok('PUT', `/v1/exemptions/${id}`, { body: { expires } })).json;
    const events = eventsOf(service);
    await events.fresh();
    expect(await change('2026-02-28')).toMatchObject({ status: 'expired' });
    expect(await status()).toBe('OPEN');
    await change('2026-02-27');
    expect(await change('2026-03-02')).toMatchObject({ status: 'active' });
    expect(await status()).toBe('EXEMPT');
    const told = (await events.fresh()).filter(({ type }) => type === 'user.policy.exemption');
    expect(told.map(({ data }) => (data.exemption as { action: string }).action)).toEqual([
      'ended',
      'changed',
      'changed',
    ]);
  });

  it('of many violations moves the first at once and all in the background', async () => {
    const many = Array.from({ length: 700 }, (_, at) => ({
      id: `m${at}`,
      type: 'AWS::S3::Bucket',
      public: true,
    }));
    await inventory.ok('POST', '/v1/resources', { body: { resources: many } });
    await inventory.exempt({});
    expect(await countExempt()).toBe(500);
    await service.evaluator.run();
    expect(await countExempt()).toBe(701);
  });

  it('of very many globs moves some violations at once and all in the background', async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({
      id: `${'a'.repeat(1_000)}${at}`,
      type: 'AWS::S3::Bucket',
      public: true,
    }));
    await inventory.ok('POST', '/v1/resources', { body: { resources: many } });
    const globs = Array.from({ length: 500 }, (_, at) => `${'a*'.repeat(1_000)}x${at}`);
    await inventory.exempt({ resources: [...globs, 'a*'] });
    const atOnce = await countExempt();
    expect(atOnce).toBeGreaterThan(0);
    expect(atOnce).toBeLessThan(30);
    await service.evaluator.run();
    expect(await countExempt()).toBe(30);
  });

  it('sent back as it was read changes nothing', async () => {
    const id = await inventory.exempt({ category: 'waiver' });
    const read = await inventory.ok('GET', `/v1/exemptions/${id}`);
    service.advance(1_000);
    const same = await inventory.ok('PUT', `/v1/exemptions/${id}`, { body: read.json });
    expect(same.text).toBe(read.text);
    const cleared = await inventory.ok('PUT', `/v1/exemptions/${id}`, { body: { category: null } });
    expect(cleared.json).not.toHaveProperty('category');
  });

  it.each([
    ['a date that is over', { expires: '2026-02-28' }, 'expires'],
    ['a date that does not exist', { expires: '2026-02-30' }, 'expires'],
    ['no reason', { reason: ' ' }, 'reason'],
    ['a policy that is not there', { policy: 'nope' }, 'policy'],
    ['no resources', { resources: [] }, 'resources'],
    ['an unknown category', { category: 'weaver' }, 'category'],
  ])('is refused with %s as EXM_001', async (_, fields, field) => {
    const body = {
      ...{ policy: 'p', resources: ['*'], reason: 'r', owner: 'o', expires: '2026-03-01' },
      ...fields,
    };
    const got = await service.send('POST', '/v1/exemptions', { body });
    expect([got.status, got.json.error_code, fieldsOf(got)]).toEqual([400, 'EXM_001', [field]]);
  });

  it('is found by its filters, audited, and gone after its deletion', async () => {
    const id = await inventory.exempt({ owner: 'web' });
    const total = async (query: string) =>
      ((await inventory.ok('GET', `/v1/exemptions?${query}`)).json.pagination as { total: number })
        .total;
    expect(await total('policy=p&owner=web&status=active')).toBe(1);
    expect(await total('category=mitigated')).toBe(0);
    await inventory.ok('DELETE', `/v1/exemptions/${id}`);
    const missing = await service.send('GET', `/v1/exemptions/${id}`);
    expect([missing.status, missing.json.error_code]).toEqual([404, 'EXM_002']);
    const log = await inventory.ok('GET', `/v1/audit-log?subject=${id}&order=asc`);
    expect(log.json.audit_log).toMatchObject([
      { action: 'exemption.create' },
      { action: 'exemption.delete' },
    ]);
  });
});
