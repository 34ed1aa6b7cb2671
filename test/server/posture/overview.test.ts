import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Evaluation, GovernanceOverview } from '../../../src/contract/governance.ts';
import { outcomes, scopes, standings } from '../../../src/server/posture/collection.ts';
import { allRows } from '../../../src/server/store/all-rows.ts';
import { completeStore } from '../../../src/server/wiring/modules.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const overview = async (query = ''): Promise<GovernanceOverview> =>
  (await inventory.ok('GET', `/v1/governance/overview${query}`)).json
    .governance_overview as GovernanceOverview;
const evaluations = async (query = ''): Promise<Evaluation[]> =>
  (await inventory.ok('GET', `/v1/evaluations${query}`)).json.evaluations as Evaluation[];
const isPublic = { rules: [{ condition: 'resource.public == true', effect: 'DENY' }] };

describe('the overview', () => {
  it('of nothing has a score of 0 and says that nothing was evaluated', async () => {
    expect(await overview()).toEqual({
      compliance_score: 0,
      policy_violations: { critical: 0, high: 0, medium: 0, low: 0 },
      predictive_alerts: [],
      cost_optimization: {
        potential_savings: 0,
        rightsizing_opportunities: 0,
        unused_resources: 0,
      },
      tools_replaced: 0,
      automation_level: 0,
      generated_at: '2026-03-01T12:00:00.000Z',
      evaluated: 0,
      errors: 0,
    });
  });

  it('counts what ended in an error, of the scope that is asked for', async () => {
    await inventory.createPolicy('grave', { severity: 'CRITICAL', ...isPublic });
    await inventory.put('undecided', { environment: 'prod' });
    await inventory.put('good', { public: false, environment: 'dev' });
    expect(await overview()).toMatchObject({ evaluated: 2, errors: 1, compliance_score: 50 });
    expect(await overview('?environments=dev')).toMatchObject({ evaluated: 1, errors: 0 });
  });

  it('reflects the write before it, weighs by severity, and counts what passes without a row', async () => {
    await inventory.createPolicy('grave', { severity: 'CRITICAL', ...isPublic });
    await inventory.createPolicy('slight', { severity: 'LOW', ...isPublic });
    await inventory.put('good', { public: false });
    expect(await overview()).toMatchObject({ compliance_score: 100, evaluated: 2 });
    await inventory.put('bad', { public: true });
    expect(await overview()).toMatchObject({
      compliance_score: 50,
      evaluated: 4,
      policy_violations: { critical: 1, high: 0, medium: 0, low: 1 },
    });
    await inventory.createPolicy('middle', {
      severity: 'MEDIUM',
      rules: [{ condition: 'resource.public == "never"', effect: 'DENY' }],
    });
    await service.evaluator.run();
    // (3 × 2 + 11) of (3 × 2 + 22)
    expect(await overview()).toMatchObject({ compliance_score: 60.71, evaluated: 6 });
    await inventory.ok('DELETE', '/v1/resources/bad');
    expect(await overview()).toMatchObject({ compliance_score: 100, evaluated: 3 });
  });

  it('counts resources without a policy for their type or service, and names the types with the most', async () => {
    await inventory.createPolicy('wide', { resource_type: 'AWS::*', ...isPublic });
    const put = (id: string, service: string, fields: object = {}) =>
      inventory.put(id, { type: `AWS::${service}::Thing`, public: false, ...fields });
    for (const [at, name] of ['A', 'B', 'C', 'D', 'E', 'F'].entries()) {
      for (let n = 0; n <= at; n += 1) await put(`${name}${n}`, name, { account_id: String(n) });
    }
    const uncovered = async (query = '') => (await overview(query)).uncovered;
    const most = ['F', 'E', 'D', 'C', 'B'].map((name, at) => ({ resource_type: `AWS::${name}::Thing`, resources: 6 - at })); // prettier-ignore
    expect(await uncovered()).toEqual({ resources: 21, types: most });
    expect(await uncovered('?account_ids=4')).toMatchObject({ resources: 2 });
    await inventory.createPolicy('of a service', { resource_type: 'AWS::F::*', ...isPublic });
    await inventory.createPolicy('of a type', { resource_type: 'AWS::E::Thing', ...isPublic });
    expect(await uncovered()).toMatchObject({ resources: 10 });
    for (const name of ['A', 'B', 'C', 'D']) await inventory.createPolicy(name, { resource_type: `AWS::${name}::Thing`, ...isPublic }); // prettier-ignore
    expect(await uncovered()).toBeUndefined();
  });

  it('is of the part that is asked for, and moves with a resource', async () => {
    await inventory.createPolicy('p', isPublic);
    await inventory.put('a', { public: true, account_id: '1', environment: 'production' });
    await inventory.put('b', { public: false, account_id: '2', environment: 'staging' });
    expect(await overview('?account_ids=1')).toMatchObject({ compliance_score: 0, evaluated: 1 });
    expect(await overview('?account_ids=2,3')).toMatchObject({
      compliance_score: 100,
      evaluated: 1,
    });
    expect(await overview('?cloud_providers=AWS')).toMatchObject({ evaluated: 2 });
    await inventory.put('c', { provider: 'GCP' });
    expect(await overview('?cloud_providers=gcp')).toMatchObject({ evaluated: 1 });
    await inventory.ok('DELETE', '/v1/resources/c');
    expect(await overview('?environments=staging&account_ids=1')).toMatchObject({ evaluated: 0 });
    await inventory.put('a', { public: true, account_id: '2', environment: 'production' });
    expect(await overview('?account_ids=1')).toMatchObject({ evaluated: 0 });
    expect(await overview('?account_ids=2')).toMatchObject({ compliance_score: 50, evaluated: 2 });
  });

  it('counts a policy from when its first evaluation has ended, and not once it is disabled', async () => {
    await inventory.put('a', { public: true });
    const id = await inventory.createPolicy('p', isPublic);
    expect(await overview()).toMatchObject({ evaluated: 0 });
    await service.evaluator.run();
    expect(await overview()).toMatchObject({ compliance_score: 0, evaluated: 1 });
    await inventory.changePolicy(id, { enabled: false });
    expect(await overview()).toMatchObject({ evaluated: 0 });
    expect(await evaluations()).toHaveLength(1);
    await service.evaluator.run();
    expect(await evaluations()).toHaveLength(0);
    await inventory.changePolicy(id, { enabled: true });
    await service.evaluator.run();
    expect(await overview()).toMatchObject({ compliance_score: 0, evaluated: 1 });
    await inventory.ok('DELETE', `/v1/policies/${id}`);
    expect(await overview()).toMatchObject({ evaluated: 0 });
  });

  it('counts what is exempt as met, though its violation was resolved by hand', async () => {
    await inventory.createPolicy('p', isPublic);
    await inventory.put('a', { public: true });
    const { id } = await inventory.violation();
    await inventory.ok('POST', `/v1/violations/${id}/resolve`, { body: { reason: 'later' } });
    expect(await overview()).toMatchObject({
      compliance_score: 0,
      policy_violations: { medium: 0, high: 0 },
    });
    const exemption = await inventory.exempt({});
    expect(await overview()).toMatchObject({ compliance_score: 100, evaluated: 1 });
    await inventory.ok('DELETE', `/v1/exemptions/${exemption}`);
    expect(await overview()).toMatchObject({ compliance_score: 0 });
  });

  it('says which share of what was resolved in the last 30 days a remediation resolved', async () => {
    await inventory.createPolicy('p', {
      rules: [{ condition: '!resource.versioning.enabled', effect: 'DENY' }],
      remediation_action: 'patch:{"versioning":{"enabled":true}}',
    });
    const put = (id: string, enabled: boolean) => inventory.put(id, { versioning: { enabled } });
    for (const id of ['a', 'b', 'c']) await put(id, false);
    expect(await overview()).toMatchObject({ automation_level: 0 });
    await put('b', true);
    await put('c', true);
    expect(await overview()).toMatchObject({ automation_level: 0 });
    const body = { policy_id: 'p', dry_run: false };
    const { id } = (await inventory.ok('POST', '/v1/compliance/remediate', { body })).json;
    await service.remediate();
    expect(
      (await inventory.ok('GET', `/v1/compliance/remediate/${String(id)}`)).json,
    ).toMatchObject({
      status: 'completed',
    });
    expect(await overview()).toMatchObject({ automation_level: 33.33 });
    await put('a', false);
    expect(await overview()).toMatchObject({ automation_level: 0 });
    service.advance(31 * 86_400_000);
    expect(await overview()).toMatchObject({ automation_level: 0 });
  });

  it('has a quarantined policy met nowhere', async () => {
    const costly = 'resource.n.all(a, resource.n.all(b, resource.n.all(c, a + b + c >= 0)))';
    const rules = [{ condition: `!(${costly})`, effect: 'DENY' }];
    await inventory.createPolicy('p', { rules });
    await inventory.put('cheap', { n: [1] });
    expect(await overview()).toMatchObject({ compliance_score: 100 });
    const numbers = Array.from({ length: 400 }, (_, at) => at);
    for (let at = 0; at < 10; at++) await inventory.put(`r${at}`, { n: numbers });
    expect(await overview()).toMatchObject({ compliance_score: 0, evaluated: 11 });
  });

  it('counts any number of types of an account', async () => {
    await inventory.createPolicy('p', { ...isPublic, resource_type: '*' });
    const many = Array.from({ length: 450 }, (_, at) => ({ id: `r${at}`, type: `A::B::T${at}` }));
    await inventory.ok('POST', '/v1/resources', { body: { resources: many } });
    await service.evaluator.run();
    expect(await overview()).toMatchObject({ evaluated: 450 });
    for (const { id } of many) await inventory.ok('DELETE', `/v1/resources/${id}`);
    expect(await overview()).toMatchObject({ evaluated: 0 });
    const left = [];
    for await (const { doc } of allRows(service.deps.store, scopes, {})) left.push(doc);
    expect(left).toEqual([]);
  });

  it('is derived from what an earlier version stored', async () => {
    await inventory.createPolicy('p', isPublic);
    await inventory.put('a', { public: true });
    await inventory.put('b', { public: false });
    const before = await overview();
    await service.deps.store.transact(async (tx) => {
      for (const collection of [outcomes, scopes, standings] as (typeof scopes)[]) {
        for await (const { doc } of allRows(tx, collection, {}))
          await tx.remove(collection, doc.id);
      }
    });
    expect(await overview()).toMatchObject({ evaluated: 0 });
    await service.deps.store.transact(completeStore);
    await service.evaluator.run();
    expect(await overview()).toEqual(before);
  });

  it('tells which of the eight capabilities were used in the last 30 days', async () => {
    await inventory.createPolicy('p', isPublic);
    expect(await overview()).toMatchObject({ tools_replaced: 0 });
    await inventory.createPolicy('q', { tags: ['govctl.key:q'] });
    await inventory.put('a');
    expect(await overview()).toMatchObject({ tools_replaced: 2 });
    await inventory.ok('POST', '/v1/scans', { body: {} });
    expect(await overview()).toMatchObject({ tools_replaced: 3 });
    service.advance(31 * 86_400_000);
    expect(await overview()).toMatchObject({ tools_replaced: 0 });
  });

  it.each([
    [`account_ids=${'a,'.repeat(100)}a`, 'account_ids'],
    ['environments=a,,b', 'environments'],
    ['environment=a', 'environment'],
  ])('refuses %.20s', async (query, field) => {
    const got = await service.send('GET', `/v1/governance/overview?${query}`);
    expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    expect(got.text).toContain(field);
  });
});

describe('evaluations', () => {
  it('are what did not pass, with why it could not be decided', async () => {
    await inventory.createPolicy('p', isPublic);
    await inventory.put('a', { public: true, region: 'eu-west-1' });
    await inventory.put('b', {});
    await inventory.put('c', { public: false });
    const [error, ...others] = await evaluations('?status=ERROR');
    expect(others).toEqual([]);
    expect(error).toMatchObject({
      policy_name: 'p',
      resource_id: 'b',
      status: 'ERROR',
      reason: 'missing_attribute',
      path: 'resource.public',
      message: expect.stringContaining('public') as unknown,
    });
    expect(await evaluations('?reason=missing_attribute')).toEqual([error]);
    expect(await evaluations('?region=eu-west-1&sort_by=severity')).toMatchObject([
      { resource_id: 'a', status: 'FAIL' },
    ]);
    const { since } = error ?? {};
    service.advance(60_000);
    await inventory.put('b', { n: 1 });
    expect(await evaluations('?status=ERROR')).toMatchObject([{ id: error?.id, since }]);
    await inventory.put('b', { public: true });
    expect(await evaluations('?resource_id=b')).toMatchObject([
      { id: error?.id, status: 'FAIL', since: '2026-03-01T12:01:00.000Z' },
    ]);
  });

  it('of status PASS are refused', async () => {
    const got = await service.send('GET', '/v1/evaluations?status=PASS');
    expect(got.status).toBe(400);
    expect(got.text).toContain('must be one of FAIL, ERROR, EXEMPT');
  });
});
