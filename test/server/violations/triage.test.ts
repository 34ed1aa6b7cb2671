import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ViolationSummary } from '../../../src/contract/violations.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

const day = 86_400_000;
let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

/** Three buckets of three ages, each failing both policies. */
async function failing(): Promise<void> {
  await inventory.createPolicy('grave', {
    severity: 'CRITICAL',
    compliance_frameworks: ['soc 2:CC6.1', 'PCI:3.4'],
    rules: [{ condition: 'resource.public == true', effect: 'DENY', message: 'Close the DOOR' }],
  });
  await inventory.createPolicy('slight', { severity: 'LOW', compliance_frameworks: ['own'] });
  await inventory.put('a', { public: true, tags: { Owner: 'ann', cost: 'x=1' }, account_id: '1' });
  service.advance(20 * day);
  await inventory.put('b', { public: true, tags: { team: 'ops', owner: '' }, name: 'Billing' });
  service.advance(7 * day);
  await inventory.put('c', { public: true, tags: { team: 'ann', cost: 'y' }, account_id: '1' });
}

const ids = async (query: string): Promise<string[]> =>
  (await inventory.violations(`${query}&sort_by=id&order=asc&limit=100`)).map(
    ({ resource_id, policy_name }) => `${resource_id} ${policy_name}`,
  );
const summary = async (query: string): Promise<ViolationSummary> =>
  (await inventory.ok('GET', `/v1/violations/summary?${query}`)).json as ViolationSummary;
const resolve = (body: unknown) => service.send('POST', '/v1/violations/resolve', { body });

describe('a list of violations', () => {
  it.each([
    ['owner=ann', ['a', 'c']],
    ['owner=ops,nobody', ['b']],
    ['owner=nobody', []],
    ['tag=cost', ['a', 'c']],
    ['tag=cost%3Dx%3D1', ['a']],
    ['tag=cost,team', ['c']],
    ['tag=cost%3Dy,team%3Dops', []],
    ['without=account', ['b']],
    ['without=region', ['a', 'b', 'c']],
    ['without=owner', []],
    ['without=tag%3Aowner', ['a', 'c']],
    ['without=tag%3Acost', ['b']],
    ['without=tag%3Acost,environment&owner=ops', ['b']],
    ['without=tag%3Acost,tag%3Ateam', []],
    ['without=framework', []],
    ['age=7d..30d', ['a', 'b']],
    ['age=%3C7d', ['c']],
    ['age=%3C8d', ['b', 'c']],
    ['age=%3E7d', ['a']],
    ['text=BILL', ['b']],
    ['text=door&account_id=1', ['a', 'c']],
    ['framework=SOC2', ['a', 'b', 'c']],
    ['framework=soc2:cc6.1,iso27001', ['a', 'b', 'c']],
    ['framework=SOC2:CC9.9', []],
    ['framework=pci-dss&owner=ann&age=%3C7d', ['c']],
  ])('filtered by %s has those of %j', async (query, resources) => {
    await failing();
    const found = await ids(`severity=CRITICAL&${query}`);
    expect(found.sort()).toEqual(resources.map((id) => `${id} grave`));
  });

  it('by text has what its ID begins with, and nothing by letters within an ID', async () => {
    await failing();
    const [one] = await inventory.violations('limit=1');
    const id = String(one?.id);
    const textOf = async (text: string) =>
      (await inventory.violations(`text=${text}&limit=100`)).map((found) => found.id);
    expect(await textOf(id.toUpperCase())).toEqual([id]);
    expect(await textOf('viol_')).toHaveLength(6);
    expect(await textOf(id.slice('viol_'.length, -1))).toEqual([]);
  });

  it.each(['', '&sort_by=resource_id&order=asc'])('pages what no index finds%s', async (sort) => {
    await failing();
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { json } = await inventory.ok('GET', `/v1/violations?tag=cost&limit=3${sort}${cursor}`);
      const page = json.violations as { id: string }[];
      expect(json.pagination).toMatchObject({ total: 4, offset: seen.length });
      seen.push(...page.map(({ id }) => id));
      const { next_cursor: next } = json.pagination as { next_cursor?: string };
      if (next === undefined) break;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
    expect(seen).toHaveLength(4);
    expect(new Set(seen).size).toBe(4);
    const all = await inventory.violations(`tag=cost${sort}`);
    expect(all.map(({ id }) => id)).toEqual(seen);
    const { json } = await inventory.ok('GET', `/v1/violations?tag=cost&offset=3&limit=3${sort}`);
    expect((json.violations as { id: string }[]).map(({ id }) => id)).toEqual(seen.slice(3));
    expect(json.pagination).toMatchObject({ total: 4, has_more: false });
  });

  it.each(['owner', 'account', 'region', 'environment', 'framework', 'tag:cost'])(
    'without %s has those that the summary has in the group without one',
    async (field) => {
      await failing();
      await inventory.createPolicy('unlabelled', { compliance_frameworks: [] });
      const labels = { region: 'eu-west-1', environment: 'test', tags: { owner: 'x' } };
      await inventory.put('d', { public: true, ...labels });
      await inventory.put('e', { public: true });
      const { groups } = await summary(`group_by=${encodeURIComponent(field)}&limit=100`);
      const found = await ids(`without=${encodeURIComponent(field)}`);
      expect(found.length).toBeGreaterThan(0);
      expect(groups.find(({ key }) => key === null)?.total).toBe(found.length);
    },
  );

  it('refuses to look for those without what all have', async () => {
    const got = await service.send('GET', '/v1/violations?without=severity');
    expect([got.status, fieldsOf(got)]).toEqual([400, ['without']]);
  });

  it('refuses the cursor of another filter', async () => {
    await failing();
    const { json } = await inventory.ok('GET', '/v1/violations?tag=cost&limit=1');
    const { next_cursor: next } = json.pagination as { next_cursor: string };
    const got = await service.send('GET', `/v1/violations?tag=team&limit=1&cursor=${next}`);
    expect([got.status, fieldsOf(got)]).toEqual([400, ['cursor']]);
  });

  it.each(['30d..7d', '7', '>d', '-1d..3d', '<0d', ''])('refuses the age %j', async (age) => {
    const got = await service.send('GET', `/v1/violations?age=${encodeURIComponent(age)}`);
    expect([got.status, fieldsOf(got)]).toEqual([400, ['age']]);
  });

  it('knows owners by the tags that the operator names', async () => {
    const other = await startTestService({ config: { owner_tags: ['CostCenter', 'owner'] } });
    const its = inventoryOf(other);
    await its.createPolicy('p');
    await its.put('a', { public: true, tags: { owner: 'ann', costcenter: '7' } });
    await its.put('b', { public: true, tags: { owner: 'ann', team: '7' } });
    expect(await its.violations('owner=7')).toMatchObject([{ resource_id: 'a' }]);
    expect(await its.violations('owner=ann')).toMatchObject([{ resource_id: 'b' }]);
    await other.close();
  });
});

describe('the summary', () => {
  it('counts by severity, with the oldest and the risk of each group, the gravest first', async () => {
    await failing();
    expect(await summary('group_by=owner')).toEqual({
      group_by: 'owner',
      total: 6,
      groups_total: 2,
      groups: [
        {
          key: 'ann',
          critical: 2,
          high: 0,
          medium: 0,
          low: 2,
          total: 4,
          oldest: '2026-03-01T12:00:00.000Z',
          weighted_risk: 22,
        },
        {
          key: 'ops',
          critical: 1,
          high: 0,
          medium: 0,
          low: 1,
          total: 2,
          oldest: '2026-03-21T12:00:00.000Z',
          weighted_risk: 11,
        },
      ],
    });
  });

  it.each([
    ['policy', ['grave 3', 'slight 3']],
    ['severity', ['CRITICAL 3', 'LOW 3']],
    ['account', ['1 4', 'null 2']],
    ['environment', ['null 6']],
    ['region', ['null 6']],
    ['resource', ['a 2', 'Billing 2', 'c 2']],
    ['resource_type', ['AWS::S3::Bucket 6']],
    ['framework', ['PCI-DSS 3', 'SOC2 3', 'own 3']],
    ['tag:cost', ['x=1 2', 'y 2', 'null 2']],
    ['tag:__proto__', ['null 6']],
    ['age', ['7 to 29 days 4', 'under 7 days 2']],
  ])('groups by %s', async (groupBy, expected) => {
    await failing();
    const { groups } = await summary(`group_by=${encodeURIComponent(groupBy)}`);
    expect(groups.map(({ key, label, total }) => `${label ?? String(key)} ${total}`)).toEqual(
      expected,
    );
  });

  it.each([
    ['age', 'age'],
    ['framework', 'framework'],
    ['owner', 'owner'],
    ['account', 'account_id'],
    ['policy', 'policy_id'],
  ])('by %s has keys that the filter %s takes', async (groupBy, filter) => {
    await failing();
    const { groups } = await summary(`group_by=${groupBy}`);
    for (const { key, total } of groups) {
      if (key === null) continue;
      const found = await inventory.violations(`${filter}=${encodeURIComponent(key)}`);
      expect([key, found.length]).toEqual([key, total]);
    }
  });

  it('is of the open ones, unless a status is given, and takes the filters of the list', async () => {
    await failing();
    await inventory.put('a', { public: false });
    expect(await summary('group_by=severity')).toMatchObject({ total: 4 });
    expect(await summary('group_by=severity&status=RESOLVED')).toMatchObject({ total: 2 });
    expect(await summary('group_by=severity&tag=cost&text=door')).toMatchObject({ total: 1 });
    const { groups, groups_total: all } = await summary('group_by=resource&limit=1');
    expect([groups.length, all]).toEqual([1, 2]);
  });

  it.each([
    ['group_by=color', 'group_by'],
    ['group_by=tag:', 'group_by'],
    ['', 'group_by'],
    ['group_by=age&limit=1001', 'limit'],
    ['group_by=age&cursor=x', 'cursor'],
  ])('refuses %s', async (query, field) => {
    const got = await service.send('GET', `/v1/violations/summary?${query}`);
    expect([got.status, fieldsOf(got)]).toEqual([400, [field]]);
  });
});

describe('resolving what matches a filter', () => {
  it('resolves each as one by hand, with its event and its entry in the audit log', async () => {
    await failing();
    const filter = { owner: ['ann'], age: '>7d', severity: ['CRITICAL'] };
    const reason = 'torn down';
    const dry = await resolve({ filter, reason, dry_run: true });
    const [{ id } = { id: '' }] = await inventory.violations('resource_id=a&severity=CRITICAL');
    expect(dry.json).toEqual({ matched: 1, resolved: 0, dry_run: true, violations: [id] });
    expect(await ids('status=RESOLVED')).toEqual([]);
    const done = await resolve({ filter, reason });
    expect(done.json).toEqual({ matched: 1, resolved: 1, dry_run: false, violations: [id] });
    expect(await inventory.violations('status=RESOLVED')).toMatchObject([
      { id, reason, history: [{}, { status: 'RESOLVED', cause: 'manual', reason }] },
    ]);
    const log = await inventory.ok('GET', `/v1/audit-log?subject=${id}`);
    expect(log.json.audit_log).toMatchObject([{ action: 'violation.resolve' }]);
    const events = await inventory.ok('GET', '/v1/events?type=policy.violation.resolved');
    expect(events.json.events).toMatchObject([{ data: { violation: { id } } }]);
    expect((await resolve({ filter, reason })).json).toMatchObject({ matched: 0, resolved: 0 });
  });

  it('does nothing where more match than are allowed, and says how many', async () => {
    await failing();
    const filter = { severity: ['CRITICAL', 'LOW'] };
    const got = await resolve({ filter, reason: 'r', most: 5 });
    expect([got.status, got.json.error_code]).toEqual([400, 'VIO_001']);
    expect(got.text).toContain('6 violations match');
    expect(await ids('status=RESOLVED')).toEqual([]);
    const dry = await resolve({ filter, reason: 'r', most: 5, dry_run: true });
    expect(dry.json).toMatchObject({ matched: 6, resolved: 0 });
  });

  it('leaves those that are exempt, unless their status is given', async () => {
    await failing();
    await inventory.exempt({ policy: 'grave', expires: '2026-05-01' });
    const filter = { account_id: ['1'] };
    expect((await resolve({ filter, reason: 'r' })).json).toMatchObject({ resolved: 2 });
    const exempt = { ...filter, status: ['EXEMPT'] };
    expect((await resolve({ filter: exempt, reason: 'r' })).json).toMatchObject({ resolved: 2 });
  });

  it('takes any number of transactions', async () => {
    await inventory.createPolicy('p');
    const resources = Array.from({ length: 450 }, (_, at) => ({
      id: `r${at}`,
      type: 'AWS::S3::Bucket',
      public: true,
    }));
    await inventory.ok('POST', '/v1/resources', { body: { resources } });
    await service.evaluator.run();
    const done = await resolve({ filter: { provider: ['aws'] }, reason: 'r' });
    expect(done.json).toMatchObject({ matched: 450, resolved: 450 });
    expect((done.json.violations as string[]).length).toBe(100);
    expect(await summary('group_by=severity')).toMatchObject({ total: 0, groups: [] });
  });

  it('answers a repeated Idempotency-Key as the first time', async () => {
    await failing();
    const sent = {
      body: { filter: { owner: ['ann'] }, reason: 'r' },
      headers: { 'idempotency-key': 'k1' },
    };
    const first = await service.send('POST', '/v1/violations/resolve', sent);
    await inventory.put('a', { public: false, tags: { owner: 'ann' } });
    await inventory.put('a', { public: true, tags: { owner: 'ann' } });
    const again = await service.send('POST', '/v1/violations/resolve', sent);
    expect([first.status, again.text]).toEqual([200, first.text]);
    expect(await ids('status=OPEN&owner=ann')).toHaveLength(2);
  });

  it.each([
    ['an empty filter', { filter: {}, reason: 'r' }, 'filter'],
    ['a status alone', { filter: { status: ['OPEN'] }, reason: 'r' }, 'filter'],
    ['resolved ones', { filter: { status: ['RESOLVED'], owner: ['a'] }, reason: 'r' }, 'filter.status[0]'], // prettier-ignore
    ['no filter', { reason: 'r' }, 'filter'],
    ['no reason', { filter: { owner: ['a'] } }, 'reason'],
    ['an unknown field', { filter: { ownr: ['a'] }, reason: 'r' }, 'filter.ownr'],
    ['a text instead of a list', { filter: { owner: 'a' }, reason: 'r' }, 'filter.owner'],
    ['too many at once', { filter: { owner: ['a'] }, reason: 'r', most: 10_001 }, 'most'],
  ])('refuses %s as VIO_001', async (_, body, field) => {
    const got = await resolve(body);
    expect([got.status, got.json.error_code]).toEqual([400, 'VIO_001']);
    expect(fieldsOf(got)).toContain(field);
  });

  it('takes the writing scope, also for a dry run', async () => {
    const key = await service.keyWith('governance:read');
    const body = { filter: { owner: ['a'] }, reason: 'r', dry_run: true };
    const got = await service.send('POST', '/v1/violations/resolve', { body, key });
    expect(got.status).toBe(403);
  });
});
