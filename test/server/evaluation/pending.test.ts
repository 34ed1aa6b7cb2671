import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepScore } from '../../../src/server/posture/score-days.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';
import { testEvaluator } from './test-evaluator.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const isPublic = { rules: [{ condition: 'resource.public == true', effect: 'DENY' }] };
const get = async (path: string) => (await inventory.ok('GET', path)).json;

/** What each answer about violations or outcomes says. */
async function told(): Promise<unknown[]> {
  const { governance_overview: overview } = await get('/v1/governance/overview');
  const others = await Promise.all(
    ['/v1/violations', '/v1/violations?text=r', '/v1/violations/summary?group_by=policy', '/v1/evaluations'].map(get), // prettier-ignore
  );
  return [overview as Record<string, unknown>, ...others].map(({ pending }) => pending);
}
const allTell = (pending: unknown) => [pending, pending, pending, pending, pending];
const nothing = allTell(undefined);

it('each answer tells what a new policy has left to evaluate, and no longer once it is evaluated', async () => {
  await inventory.createPolicy('first', isPublic);
  for (const id of ['r1', 'r2', 'r3']) await inventory.put(id, { public: true });
  expect(await told()).toEqual(nothing);
  await inventory.createPolicy('second', isPublic);
  expect(await told()).toEqual(allTell({ policies: 1, evaluations: 3 }));
  await testEvaluator(service.deps, 2).step();
  expect(await told()).toEqual(allTell({ policies: 1, evaluations: 1 }));
  await service.evaluator.run();
  expect(await told()).toEqual(nothing);
});

it('new rules are pending though the outcomes of the old ones count', async () => {
  const id = await inventory.createPolicy('p', isPublic);
  await inventory.put('r', { public: true });
  await inventory.changePolicy(id, { rules: [{ condition: 'resource.public', effect: 'ALLOW' }] });
  expect(await told()).toEqual(allTell({ policies: 1, evaluations: 1 }));
  await service.evaluator.run();
  expect(await told()).toEqual(nothing);
});

it('a pattern is pending on the resources that it matches', async () => {
  await inventory.put('r1');
  await inventory.ok('PUT', '/v1/resources/k', { body: { id: 'k', type: 'AWS::KMS::Key' } });
  await inventory.ok('PUT', '/v1/resources/s', { body: { id: 's', type: 'AWS::S3::AccessPoint' } });
  await inventory.createPolicy('p', { resource_type: 'AWS::S3::*', ...isPublic });
  expect(await told()).toEqual(allTell({ policies: 1, evaluations: 2 }));
});

it('a disabled policy is pending until its violations are resolved', async () => {
  const id = await inventory.createPolicy('p', isPublic);
  await inventory.put('r', { public: true });
  await inventory.changePolicy(id, { enabled: false });
  expect(await told()).toEqual(allTell({ policies: 1, evaluations: 0 }));
  await service.evaluator.run();
  expect(await told()).toEqual(nothing);
});

it.each([0, 3])(
  'an exemption whose last day is over, also by %d days, is pending until its violations are open again',
  async (days) => {
    await inventory.createPolicy('p', isPublic);
    for (const id of ['r1', 'r2']) await inventory.put(id, { public: true });
    const today = new Date(service.deps.clock.now()).toISOString().slice(0, 10);
    await inventory.exempt({ expires: today });
    await service.evaluator.run();
    expect(await told()).toEqual(nothing);
    const day = 24 * 3_600_000;
    service.advance(days * day + day - (service.deps.clock.now() % day));
    expect(await told()).toEqual(allTell({ policies: 0, evaluations: 0 }));
    expect(await inventory.violations('status=EXEMPT')).toHaveLength(2);
    await testEvaluator(service.deps, 1).step();
    expect(await told()).toEqual(allTell({ policies: 1, evaluations: 2 }));
    await service.evaluator.run();
    expect(await told()).toEqual(nothing);
    expect(await inventory.violations('status=OPEN')).toHaveLength(2);
  },
);

it('neither the hourly evaluation nor a policy without resources is pending', async () => {
  await inventory.createPolicy('new', { resource_type: 'AWS::KMS::Key', rules: [{ condition: 'resource.days < 3', effect: 'DENY' }] }); // prettier-ignore
  expect(await told()).toEqual(nothing);
  await inventory.createPolicy('p', {
    rules: [{ condition: 'timestamp(resource.ends) < now', effect: 'DENY' }],
  });
  await inventory.put('r', { ends: '2026-03-01T12:30:00Z' });
  await service.evaluator.run();
  service.advance(3_600_000);
  expect(await told()).toEqual(nothing);
  await service.evaluator.run();
  expect(await inventory.violations()).toHaveLength(1);
});

it('what the transaction of a request leaves to the background is in its answer', async () => {
  for (let n = 0; n < 12; n++) await inventory.createPolicy(`p${n}`, isPublic);
  const resources = Array.from({ length: 100 }, (_, n) => ({
    id: `r${n}`,
    type: 'AWS::S3::Bucket',
    public: true,
  }));
  const { json } = await inventory.ok('POST', '/v1/resources', { body: { resources } });
  expect(json).toMatchObject({ created: 100, pending: { policies: 12, evaluations: 1_200 } });
  expect(await told()).toEqual(allTell(json.pending));
  await service.evaluator.run();
  expect(await told()).toEqual(nothing);
});

it('no score of the day is kept while evaluations are pending', async () => {
  await inventory.createPolicy('good', isPublic);
  await inventory.put('r', { public: false, old: true });
  await inventory.createPolicy('bad', { rules: [{ condition: 'resource.old', effect: 'DENY' }] });
  await keepScore(service.deps);
  expect(await get('/v1/governance/score-history')).toEqual({ score_history: [] });
  await service.evaluator.run();
  await keepScore(service.deps);
  const { score_history: days } = await get('/v1/governance/score-history');
  expect(days).toMatchObject([{ compliance_score: 50, evaluated: 2 }]);
});
