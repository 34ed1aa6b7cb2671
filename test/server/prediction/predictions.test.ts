import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExplainedAlert, PredictiveAlert } from '../../../src/contract/predictions.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

const hour = 3_600_000;
const day = 24 * hour;

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

/** The clock begins at 2026-03-01T12:00:00Z. */
const ends = (condition = 'timestamp(resource.ends) - now < duration("240h")') => ({
  severity: 'HIGH',
  rules: [{ condition, effect: 'DENY', message: 'Renew the certificate' }],
});

const list = async (query = '') =>
  (await inventory.ok('GET', `/v1/violations/predictive?${query}`)).json
    .predictive_alerts as PredictiveAlert[];
const explain = async (id: string) =>
  (await inventory.ok('GET', `/v1/violations/predictive/${id}`)).json as unknown as ExplainedAlert;

/** Time goes on, and what is due is evaluated. */
async function pass(ms: number): Promise<void> {
  service.advance(ms);
  await service.evaluator.run();
}

describe('a violation that time alone will bring', () => {
  it('is announced with its moment, and comes then', async () => {
    const policyId = await inventory.createPolicy('ends', ends());
    await inventory.put('cert', {
      ends: '2026-03-20T12:00:00Z',
      account_id: '123456789012',
      environment: 'production',
    });
    await service.evaluator.run();
    const [alert, second] = await list();
    expect(second).toBeUndefined();
    expect(alert).toEqual({
      id: expect.stringMatching(/^pra_[0-9a-f]{26}$/),
      severity: 'high',
      resource: 'cert',
      predicted_violation: 'ends',
      confidence: 1,
      days_until_violation: 9,
      recommendation: 'Renew the certificate',
      method: 'date_certain',
      at: '2026-03-10T12:00:00.001Z',
      observations: 0,
      base_rate: null,
      policy_id: policyId,
      resource_id: 'cert',
      resource_type: 'AWS::S3::Bucket',
      provider: 'aws',
      account_id: '123456789012',
      environment: 'production',
    });
    expect(await inventory.violations()).toEqual([]);
    await pass(9 * day);
    expect(await inventory.violations()).toEqual([]);
    await pass(hour);
    expect(await inventory.violations()).toMatchObject([{ status: 'OPEN' }]);
    expect(await list()).toEqual([]);
  });

  it('is explained by the comparison that changes', async () => {
    await inventory.createPolicy('ends', ends(`resource.kind == "tls" && ${ends().rules[0]?.condition}`)); // prettier-ignore
    await inventory.put('cert', { kind: 'tls', ends: '2026-03-20T12:00:00Z' });
    const [alert] = await list();
    expect(await explain(alert?.id ?? '')).toMatchObject({
      ...alert,
      comparisons: [{ rule: 0, text: 'timestamp(resource.ends) - now < duration("240h")' }],
      renewed: 0,
      missed: 0,
    });
  });

  it('is less sure where such dates were moved away before, and surer where they came', async () => {
    await inventory.createPolicy('ends', ends());
    await inventory.put('cert', { ends: '2026-03-20T12:00:00Z' });
    await pass(5 * day);
    await inventory.put('cert', { ends: '2026-03-25T12:00:00Z' });
    expect(await list()).toMatchObject([{ confidence: 0.5, observations: 1 }]);
    // It comes, and is mended.
    await pass(12 * day);
    expect(await list()).toEqual([]);
    await inventory.put('cert', { ends: '2026-04-20T12:00:00Z' });
    const [alert] = await list();
    expect(alert).toMatchObject({ confidence: 0.667, observations: 2 });
    expect(await explain(alert?.id ?? '')).toMatchObject({ renewed: 1, missed: 1 });
  });

  it('is none any more where the resource, the policy or the date is gone', async () => {
    const id = await inventory.createPolicy('ends', ends());
    for (const name of ['a', 'b', 'c']) await inventory.put(name, { ends: '2026-03-20T12:00:00Z' });
    expect(await list()).toHaveLength(3);
    await inventory.ok('DELETE', '/v1/resources/a');
    await inventory.put('b', { ends: '2029-01-01T00:00:00Z' });
    expect((await list()).map(({ resource }) => resource)).toEqual(['c']);
    await inventory.changePolicy(id, { enabled: false });
    expect(await list()).toEqual([]);
    await service.evaluator.run();
    await inventory.changePolicy(id, { enabled: true });
    await service.evaluator.run();
    expect(await list()).toHaveLength(1);
    await inventory.put('c', { type: 'AWS::SQS::Queue', ends: '2026-03-20T12:00:00Z' });
    expect(await list()).toEqual([]);
  });

  it('of a policy that has changed counts as no renewal', async () => {
    const id = await inventory.createPolicy('ends', ends());
    await inventory.put('cert', { ends: '2026-03-20T12:00:00Z' });
    await pass(hour);
    await inventory.changePolicy(id, ends('timestamp(resource.ends) - now < duration("24h")'));
    await pass(hour);
    expect(await list()).toMatchObject([{ at: '2026-03-19T12:00:00.001Z', observations: 0 }]);
  });

  it('is announced for resources that were there before the policy', async () => {
    await inventory.put('cert', { ends: '2026-03-20T12:00:00Z' });
    await inventory.createPolicy('ends', ends());
    await service.evaluator.run();
    expect(await list()).toHaveLength(1);
  });

  it('is not announced where an exemption covers it then', async () => {
    await inventory.createPolicy('ends', ends());
    await inventory.put('cert', { ends: '2026-03-20T12:00:00Z' });
    await inventory.exempt({ policy: 'ends', resources: ['cert'], expires: '2026-03-15' });
    expect(await list('method=date_certain')).toEqual([]);
  });
});

describe('the end of an exemption', () => {
  it('is announced for each violation that it covers', async () => {
    await inventory.createPolicy('p', { severity: 'CRITICAL' });
    await inventory.put('r', { public: true });
    const exemption = await inventory.exempt({ resources: ['r'], expires: '2026-03-10' });
    await service.evaluator.run();
    expect(await list()).toMatchObject([
      {
        method: 'exemption_expiry',
        severity: 'critical',
        resource: 'r',
        at: '2026-03-11T00:00:00.000Z',
        days_until_violation: 9,
        confidence: 1,
        exemption_id: exemption,
        recommendation: 'The exemption ends: agreed (team-a, until 2026-03-10). Make it private',
      },
    ]);
    await pass(9 * day + 13 * hour);
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
    expect(await list()).toEqual([]);
  });

  it('is that of the last one where others cover it on', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    await inventory.exempt({ resources: ['r'], expires: '2026-03-10' });
    await inventory.exempt({ resources: ['*'], expires: '2026-03-20' });
    await service.evaluator.run();
    const found = await list();
    expect(found).toMatchObject([{ at: '2026-03-21T00:00:00.000Z' }]);
    expect(await explain(found[0]?.id ?? '')).toMatchObject({ comparisons: [], renewed: 0 });
  });
});

describe('the list', () => {
  beforeEach(async () => {
    await inventory.createPolicy('ends', ends());
    await inventory.createPolicy('p', { severity: 'LOW' });
    const where = (account: string, environment: string) => ({ account_id: account, environment });
    await inventory.put('a', { ends: '2026-03-20T12:00:00Z', ...where('1', 'production') });
    await inventory.put('b', { ends: '2026-03-18T12:00:00Z', ...where('2', 'test') });
    await inventory.put('c', { ends: '2027-01-01T00:00:00Z', public: true, ...where('1', 'test') });
    await inventory.exempt({ resources: ['c'], expires: '2026-03-12' });
    await service.evaluator.run();
  });

  it.each([
    ['', 'b a c'],
    ['horizon_days=8', 'b'],
    ['horizon_days=365', 'b a c c'],
    ['method=date_certain', 'b a'],
    ['method=trend,recurrence', ''],
    ['severity=LOW', 'c'],
    ['account_ids=1', 'a c'],
    ['environments=test', 'b c'],
    ['cloud_providers=azure', ''],
    ['min_confidence=1', 'b a c'],
    ['limit=1&offset=1', 'a'],
    ['sort_by=severity&order=asc', 'c b a'],
    ['order=desc', 'c a b'],
  ])('with %s has %s', async (query, expected) => {
    expect((await list(query)).map(({ resource }) => resource).join(' ')).toBe(expected);
  });

  it('says how many there are, and which methods are on', async () => {
    const { json } = await inventory.ok('GET', '/v1/violations/predictive?limit=2');
    expect(json.pagination).toEqual({ total: 3, limit: 2, offset: 0, has_more: true });
    expect(json.methods).toEqual({ date_certain: 'on', exemption_expiry: 'on', trend: 'off', recurrence: 'off' }); // prettier-ignore
  });

  it.each(['horizon_days=0', 'horizon_days=366', 'min_confidence=2', 'method=magic', 'order=up'])(
    'refuses %s',
    async (query) => {
      const got = await service.send('GET', `/v1/violations/predictive?${query}`);
      expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    },
  );

  it('knows no other prediction', async () => {
    const got = await service.send('GET', '/v1/violations/predictive/pra_0');
    expect([got.status, got.json.error]).toEqual([404, 'prediction_not_found']);
  });
});
