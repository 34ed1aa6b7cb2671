import { afterEach, expect, it } from 'vitest';
import type { Evaluation } from '../../../src/server/evaluation/evaluation.ts';
import { evaluationWork } from '../../../src/server/evaluation/work.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { policy, startTestService } from '../test-service.ts';
import { testEvaluator } from './test-evaluator.ts';

let service: TestService;
afterEach(() => service.close());

/**
 * A service in which something happens between the next evaluation and the transaction that writes it down.
 * @param hasBudget whether requests have any for their evaluations
 */
async function start(hasBudget = true) {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const wrap = (evaluation: Evaluation): Evaluation => ({
    ...evaluation,
    async ofStored(asker, question) {
      if (question.request && !hasBudget) return { of: () => undefined, isSpent: true };
      const verdicts = await evaluation.ofStored(asker, question);
      const happens = meanwhile;
      meanwhile = undefined;
      await happens?.();
      return verdicts;
    },
  });
  let wrapped: Evaluation | undefined;
  service = await startTestService({
    wrapEvaluation: (evaluation) => (wrapped = wrap(evaluation)),
  });
  return {
    inventory: inventoryOf(service),
    evaluator: testEvaluator(service.deps, undefined, wrapped),
    /** What happens then. */
    meanwhile: (happens: () => Promise<unknown>) => void (meanwhile = happens),
  };
}

it('a resource is judged by the policy as it is when it is stored', async () => {
  const { inventory, meanwhile } = await start();
  const id = await inventory.createPolicy('p');
  meanwhile(() =>
    inventory.changePolicy(id, { rules: [{ condition: 'resource.public', effect: 'ALLOW' }] }),
  );
  await inventory.put('r', { public: true });
  expect(await inventory.violations()).toEqual([]);
});

it('a resource is judged by a policy that came meanwhile, and not by one that went', async () => {
  const { inventory, meanwhile } = await start();
  const id = await inventory.createPolicy('old');
  meanwhile(async () => {
    await inventory.ok('DELETE', `/v1/policies/${id}`);
    await inventory.createPolicy('new');
  });
  await inventory.put('r', { public: true });
  expect(await inventory.violation()).toMatchObject({ policy_name: 'new' });
});

it('policies that change again and again let the request be tried later, and store nothing', async () => {
  let round = 0;
  service = await startTestService({
    wrapEvaluation: (evaluation) => ({
      ...evaluation,
      async ofStored(asker, question) {
        const verdicts = await evaluation.ofStored(asker, question);
        round += 1;
        const rules = [{ condition: `resource.public && ${round} > 0`, effect: 'DENY' }];
        await service.send('POST', '/v1/policies', { body: policy(`p${round}`, { rules }) });
        return verdicts;
      },
    }),
  });
  const got = await service.send('PUT', '/v1/resources/r', {
    body: { id: 'r', type: 'AWS::S3::Bucket', public: true },
  });
  expect([got.status, got.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await service.send('GET', '/v1/resources/r')).status).toBe(404);
});

it('the background writes nothing of a resource that changed meanwhile, but evaluates it again', async () => {
  const { inventory, evaluator, meanwhile } = await start();
  for (let at = 0; at < 5; at++) await inventory.put(`r${at}`, { public: true });
  await inventory.createPolicy('p');
  meanwhile(async () => {
    await inventory.put('r1', { public: false });
    await inventory.ok('DELETE', '/v1/resources/r3');
  });
  await evaluator.run();
  const found = (await inventory.violations()).map(({ resource_id: id, status }) => [id, status]);
  expect(found.sort()).toEqual([
    ['r0', 'OPEN'],
    ['r2', 'OPEN'],
    ['r4', 'OPEN'],
  ]);
  const [deployed] = (await inventory.ok('GET', '/v1/events?type=policy.deployment.completed')).json
    .events as { data: { policy: { evaluation: object } } }[];
  expect(deployed?.data.policy.evaluation).toMatchObject({ evaluated: 4, fail: 3, pass: 1 });
});

it('work that is begun anew meanwhile ends the step that was at it', async () => {
  const { inventory, evaluator, meanwhile } = await start();
  for (let at = 0; at < 3; at++) await inventory.put(`r${at}`, { public: true });
  const id = await inventory.createPolicy('p');
  meanwhile(() => inventory.changePolicy(id, { enabled: false }));
  await evaluator.run();
  expect(await inventory.violations()).toEqual([]);
});

it('an exemption that is extended as its end comes does not end', async () => {
  const { inventory } = await start();
  await inventory.put('r', { public: true });
  await inventory.createPolicy('p');
  await service.evaluator.run();
  const id = await inventory.exempt({ expires: '2026-03-02' });
  service.advance(36 * 3_600_000);
  const { store } = service.deps;
  const extended: typeof store = {
    ...store,
    async get(collection, wanted) {
      const row = await store.get(collection, wanted);
      if (collection.name === evaluationWork.name) {
        await inventory.ok('PUT', `/v1/exemptions/${id}`, { body: { expires: '2026-03-31' } });
      }
      return row;
    },
  };
  expect(await testEvaluator({ ...service.deps, store: extended }).step()).toBe(true);
  await service.evaluator.run();
  expect((await inventory.ok('GET', `/v1/exemptions/${id}`)).json.status).toBe('active');
  expect(await inventory.violation()).toMatchObject({ status: 'EXEMPT' });
});

it('an import that fails here is not said to be the fault of its sender', async () => {
  service = await startTestService({
    wrapEvaluation: (evaluation) => ({
      ...evaluation,
      ofStored: () => Promise.reject(new Error('it broke')),
    }),
  });
  const got = await inventoryOf(service).importLines('{"id":"r","type":"AWS::S3::Bucket"}\n');
  expect([got.status, got.json.error]).toEqual([500, 'internal_error']);
});

it('a resource that comes during the first step of a policy, and is left to the background, is evaluated', async () => {
  const { inventory, evaluator, meanwhile } = await start(false);
  await inventory.put('r1', { public: true });
  await inventory.createPolicy('p');
  meanwhile(() => inventory.put('r0', { public: true }));
  await evaluator.run();
  const found = (await inventory.violations()).map(({ resource_id: id }) => id);
  expect(found.sort()).toEqual(['r0', 'r1']);
});
