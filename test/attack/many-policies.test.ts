import { expect, it } from 'vitest';
import { createEvaluation } from '../../src/server/evaluation/evaluation.ts';
import { createEvaluationThreads } from '../../src/server/evaluation/thread/threads.ts';
import { evaluationWork } from '../../src/server/evaluation/work.ts';
import { policies } from '../../src/server/policies/collection.ts';
import { countRows } from '../../src/server/store/all-rows.ts';
import { inventoryOf } from '../server/inventory-service.ts';
import { startTestService } from '../server/test-service.ts';

it('thousands of policies about one type are asked of few resources at a time, so that others are answered in between', async () => {
  const service = await startTestService();
  try {
    const id = await inventoryOf(service).createPolicy('p');
    const row = await service.deps.store.get(policies, id);
    if (!row) throw new Error('the policy is not there');
    const threads = createEvaluationThreads();
    const sizes: number[] = [];
    const evaluation = createEvaluation(service.deps, {
      ...threads,
      decide: (asker, question) => {
        sizes.push(question.subjects.length);
        return threads.decide(asker, question);
      },
    });
    const many = Array.from({ length: 4_000 }, () => row);
    const subjects = Array.from({ length: 100 }, (_, at) => ({
      resource: {
        id: `r${at}`,
        type: 'AWS::S3::Bucket',
        provider: 'aws',
        tags: {},
        properties: {},
        public: true,
      },
      policies: many,
    }));
    const { signal } = new AbortController();
    const verdicts = await evaluation.ofStored({ signal }, { now: 0, subjects });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3);
    for (const { resource } of subjects) {
      expect(verdicts.of(row.doc, resource)).toMatchObject({ status: 'FAIL' });
    }
    await threads.close();
  } finally {
    await service.close();
  }
});

it('a write of many resources with many policies leaves most verdicts to the background, so that other writes come in between', async () => {
  const service = await startTestService();
  try {
    const inventory = inventoryOf(service);
    const rules = (condition: string) => ({ rules: [{ condition, effect: 'DENY' }] });
    for (let at = 0; at < 210; at++) await inventory.createPolicy(`p${at}`, rules(`${at} < 0`));
    await inventory.createPolicy('last', rules('resource.id == "r999"'));
    await service.evaluator.run();
    const resources = Array.from({ length: 1_000 }, (_, at) => ({
      id: `r${at}`,
      type: 'AWS::S3::Bucket',
    }));
    await inventory.ok('POST', '/v1/resources', { body: { resources } });
    const waiting = () => countRows(service.deps.store, evaluationWork);
    expect(await waiting()).toBeGreaterThan(0);
    expect(await inventory.violations()).toEqual([]);
    await service.evaluator.run();
    expect(await waiting()).toBe(0);
    expect(await inventory.violations()).toMatchObject([{ resource_id: 'r999' }]);
  } finally {
    await service.close();
  }
});
