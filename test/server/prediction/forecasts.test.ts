import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PredictiveAlert } from '../../../src/contract/predictions.ts';
import { attributeHistories, policyLimits } from '../../../src/server/prediction/collection.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

const day = 86_400_000;

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
const start = async (...methods: PredictiveAlert['method'][]): Promise<void> => {
  service = await startTestService(
    methods.length > 0 ? { config: { prediction: { methods } } } : {},
  );
  inventory = inventoryOf(service);
};
afterEach(() => service.close());

const list = async (query = ''): Promise<PredictiveAlert[]> =>
  (await inventory.ok('GET', `/v1/violations/predictive?horizon_days=365&${query}`)).json
    .predictive_alerts as PredictiveAlert[];
/** Time goes on, upkeep is done, and what is due is evaluated. */
async function pass(ms: number): Promise<void> {
  service.advance(ms);
  await service.maintain();
  await service.evaluator.run();
}

const keepsDays = {
  severity: 'HIGH',
  rules: [{ condition: 'resource.backup.days < 7', effect: 'DENY', message: 'Keep backups' }],
};
const backup = (days: unknown, fields: object = {}) =>
  inventory.put('db', { backup: { days }, ...fields });
const historyOf = async (id: string) =>
  (await service.deps.store.get(attributeHistories, id))?.doc.series.map(({ points }) =>
    points.map(([, value]) => value),
  );

describe('the history of an attribute', () => {
  beforeEach(() => start());

  it('is kept where a policy compares it with a number, once it changes', async () => {
    await inventory.createPolicy('p', keepsDays);
    await service.evaluator.run();
    await backup(30, { other: 1 });
    expect(await historyOf('db')).toBeUndefined();
    await pass(day);
    await backup(28, { other: 2 });
    await pass(day);
    await backup(28, { other: 3 });
    await backup(27);
    expect(await historyOf('db')).toEqual([[30, 28, 27]]);
  });

  it('is of a policy that comes later, too, and of patterns of types', async () => {
    await backup(30);
    await inventory.createPolicy('p', { ...keepsDays, resource_type: 'AWS::*' });
    await pass(day);
    await backup(29);
    expect(await historyOf('db')).toEqual([[30, 29]]);
  });

  it('begins anew where the value was none, and goes with the resource', async () => {
    await inventory.createPolicy('p', keepsDays);
    await service.evaluator.run();
    await backup(30);
    await pass(day);
    await backup(29);
    await pass(day);
    await backup('none');
    expect(await historyOf('db')).toBeUndefined();
    await backup(5);
    await pass(day);
    await backup(4);
    expect(await historyOf('db')).toEqual([[5, 4]]);
    await inventory.ok('DELETE', '/v1/resources/db');
    expect(await historyOf('db')).toBeUndefined();
  });

  it('is kept no more once the policy is disabled or compares something else', async () => {
    const id = await inventory.createPolicy('p', keepsDays);
    await service.evaluator.run();
    const limits = async () => (await service.deps.store.get(policyLimits, id))?.doc.limits;
    expect(await limits()).toEqual([{ path: ['backup', 'days'], op: '<', value: 7 }]);
    await inventory.changePolicy(id, { enabled: false });
    await service.evaluator.run();
    expect(await limits()).toBeUndefined();
    await inventory.changePolicy(id, { enabled: true, rules: [{ condition: 'resource.x', effect: 'DENY' }] }); // prettier-ignore
    await service.evaluator.run();
    expect(await limits()).toBeUndefined();
  });
});

/** Two days fewer each day, from 30 on. */
async function fallTo(last: number): Promise<void> {
  for (let days = 30; days >= last; days -= 2) {
    await backup(days, { account_id: '1' });
    await pass(day);
  }
}

describe('a trend', () => {
  it('is announced with what it is concluded from', async () => {
    await start('trend');
    const policyId = await inventory.createPolicy('p', keepsDays);
    await service.evaluator.run();
    await fallTo(18);
    const [alert, second] = await list();
    expect(second).toBeUndefined();
    // 18 on the last day but one of the clock; with the day since, some 1.8 less a day, down to 6.
    expect(alert).toMatchObject({
      severity: 'high',
      resource: 'db',
      predicted_violation: 'p',
      recommendation: 'Keep backups',
      method: 'trend',
      because: 'resource.backup.days < 7: the value was 30 on 2026-03-01 and is 18',
      observations: 8,
      base_rate: null,
      policy_id: policyId,
      account_id: '1',
      days_until_violation: 6,
      confidence: 1,
    });
    const [from, to] = alert?.interval ?? ['', ''];
    expect(from <= (alert?.at ?? '') && (alert?.at ?? '') <= to).toBe(true);
    const explained = await inventory.ok('GET', `/v1/violations/predictive/${alert?.id ?? ''}`);
    expect(explained.json).toMatchObject({ because: alert?.because, comparisons: [] });
    expect(await list('account_ids=2')).toEqual([]);
  });

  it('is gone where it stops, the limit is passed, the policy allows it, or the resource goes', async () => {
    await start('trend');
    const id = await inventory.createPolicy('p', keepsDays);
    await service.evaluator.run();
    await fallTo(18);
    const exemption = await inventory.exempt({ policy: 'p', resources: ['db'] });
    expect(await list()).toEqual([]);
    await inventory.ok('DELETE', `/v1/exemptions/${exemption}`);
    expect(await list()).toHaveLength(1);
    await inventory.changePolicy(id, { enabled: false });
    expect(await list()).toEqual([]);
    await inventory.changePolicy(id, { enabled: true });
    await backup(6);
    expect(await list()).toEqual([]);
    await backup(18);
    expect(await list()).toHaveLength(1);
    await pass(30 * day);
    expect(await list()).toEqual([]);
    await inventory.ok('DELETE', '/v1/resources/db');
    expect(await list()).toEqual([]);
  });

  it('is not announced where the policy would not fail because of it', async () => {
    await start('trend');
    const condition = 'resource.kind == "primary" && resource.backup.days < 7';
    await inventory.createPolicy('p', { rules: [{ condition, effect: 'DENY' }] });
    await service.evaluator.run();
    for (let days = 30; days >= 18; days -= 2) {
      await backup(days, { kind: 'replica' });
      await pass(day);
    }
    expect(await list()).toEqual([]);
    await backup(18, { kind: 'primary' });
    await pass(day);
    expect(await list()).toHaveLength(1);
  });

  it('is off by default, and the list says so', async () => {
    await start();
    await inventory.createPolicy('p', keepsDays);
    await service.evaluator.run();
    await fallTo(18);
    expect(await list('method=trend')).toEqual([]);
    const { json } = await inventory.ok('GET', '/v1/violations/predictive');
    expect(json.methods).toMatchObject({ trend: 'off', date_certain: 'on' });
  });
});

describe('a recurrence', () => {
  const open = (id: string, isPublic: boolean) => inventory.put(id, { public: isPublic });

  /** 30 resources, of which one fails every ten days for a day. */
  async function recur(times: number): Promise<void> {
    await inventory.createPolicy('p', { severity: 'CRITICAL' });
    for (let i = 0; i < 30; i++) await open(`r${i}`, false);
    for (let i = 0; i < times; i++) {
      await pass(9 * day);
      await open('r7', true);
      await pass(day);
      await open('r7', false);
    }
    await pass(day);
  }

  it('is announced where a resource fails again and again', async () => {
    await start('recurrence');
    await recur(4);
    const [alert, second] = await list();
    expect(second).toBeUndefined();
    expect(alert).toMatchObject({
      severity: 'critical',
      resource: 'r7',
      method: 'recurrence',
      recommendation: 'Make it private',
      because:
        'the resource failed 4 times and passed for 37 days; of 30 resources, 1 started to fail',
      observations: 4,
      base_rate: 0.033,
    });
    expect(alert?.confidence).toBeGreaterThan(0.8);
    expect(alert?.days_until_violation).toBeLessThan(15);
    await open('r7', true);
    expect(await list()).toEqual([]);
  });

  it('is never concluded from one failure', async () => {
    await start('recurrence');
    await recur(1);
    expect(await list()).toEqual([]);
  });

  it('goes where nothing has failed for long', async () => {
    await start('recurrence');
    await recur(4);
    expect(await list()).toHaveLength(1);
    await pass(400 * day);
    expect(await list()).toEqual([]);
  });
});
