import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEvaluation } from '../../../src/server/evaluation/evaluation.ts';
import { createEvaluationThreads } from '../../../src/server/evaluation/thread/threads.ts';
import { evaluationWork, putWork } from '../../../src/server/evaluation/work.ts';
import { policies } from '../../../src/server/policies/collection.ts';
import { completeStore } from '../../../src/server/wiring/modules.ts';
import { eventsOf } from '../events/events-service.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let events: ReturnType<typeof eventsOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
  events = eventsOf(service);
});
afterEach(() => service.close());

/** Over its budget where there are many numbers, which most resources do not have. */
const costly = 'resource.n.all(a, resource.n.all(b, resource.n.all(c, a + b + c >= 0)))';
const denies = (condition: string) => ({ rules: [{ condition, effect: 'DENY' }] });
const numbers = Array.from({ length: 400 }, (_, at) => at);
const get = async (id: string) => inventory.ok('GET', `/v1/policies/${id}`);

/** Puts so many resources, the first `many` of them with many numbers. */
async function put(count: number, many: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await inventory.put(`r${at}`, { n: at < many ? numbers : [1], round: count });
  }
}

describe('a policy that is over its budget', () => {
  it('on many resources is quarantined, is told of, and fails closed', async () => {
    const id = await inventory.createPolicy('p', denies(costly));
    await inventory.put('before', { n: [1] });
    expect(await inventory.violation()).toMatchObject({ resource_id: 'before', status: 'OPEN' });
    const before = await get(id);
    await put(10, 10);
    const after = await get(id);
    expect(after.json).toMatchObject({
      quarantined: {
        since: '2026-03-01T12:00:00.000Z',
        resources: 10,
        example: 'r0',
        reason: expect.stringContaining('budget of 2,000,000 steps') as unknown,
      },
      updated_at: before.json.updated_at,
    });
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    const told = (await events.fresh()).filter(({ type }) => type === 'policy.quarantined');
    expect(told).toMatchObject([{ data: { policy: { id, quarantined: { resources: 10 } } } }]);
    // What it would find can't be told: no violation is opened, and none is resolved.
    await inventory.put('more', { n: [1] });
    await inventory.put('before', { n: [] });
    expect(await inventory.violation()).toMatchObject({ resource_id: 'before', status: 'OPEN' });
    const scan = String((await inventory.ok('POST', '/v1/scans', { body: {} })).json.id);
    await service.evaluator.run();
    expect((await inventory.ok('GET', `/v1/scans/${scan}`)).json).toMatchObject({
      status: 'completed',
      summary: { evaluated: 12, error: 12 },
      undecided: expect.arrayContaining([
        expect.objectContaining({ reason: 'budget', resource: 'more' }),
      ]) as unknown,
    });
  });

  it('on some resources of many is not', async () => {
    const id = await inventory.createPolicy('p', denies(costly));
    await put(8, 0);
    for (let at = 0; at < 9; at++) await inventory.put(`big${at}`, { n: numbers });
    expect((await get(id)).json.quarantined).toBeUndefined();
  });

  it('is tried again when it changes in what it says, and only then', async () => {
    const id = await inventory.createPolicy('p', denies(costly));
    await put(10, 10);
    const quarantined = (await get(id)).json;
    await inventory.ok('PUT', `/v1/policies/${id}`, {
      body: { ...quarantined, description: 'Costs too much' },
    });
    expect((await get(id)).json.quarantined).toEqual(quarantined.quarantined);
    await inventory.changePolicy(id, denies('resource.n.size() > 1'));
    expect((await get(id)).json.quarantined).toBeUndefined();
    await service.evaluator.run();
    expect(await inventory.violations()).toHaveLength(10);
  });

  it('is not evaluated again by whoever read it before; what it says by then is', async () => {
    const id = await inventory.createPolicy('p', denies(costly));
    const stored = async () => {
      const row = await service.deps.store.get(policies, id);
      if (!row) throw new Error('the policy is not there');
      return row;
    };
    const before = await stored();
    let asked = 0;
    const overBudget = { status: 'ERROR', rules: [], reason: 'budget' } as const;
    const evaluation = createEvaluation(service.deps, {
      ...createEvaluationThreads(),
      decide: async (_, { subjects }) => {
        asked += subjects.length;
        const verdicts = subjects.map(() => overBudget);
        return {
          kind: 'decided',
          verdicts,
          flips: [],
          flipSteps: 0,
          steps: 1,
          broken: [],
          ready: 0,
          isFull: false,
        };
      },
    });
    const { signal } = new AbortController();
    const evaluate = async (from: number) => {
      const given = Array.from({ length: 12 }, (_, at) => `r${from + at}`).map((name) => ({
        ...{ id: name, type: 'AWS::S3::Bucket', provider: 'aws', tags: {}, properties: {} },
      }));
      const subjects = given.map((resource) => ({ resource, policies: [before] }));
      return { given, verdicts: await evaluation.ofStored({ signal }, { now: 0, subjects }) };
    };
    await evaluate(0);
    expect((await stored()).doc.quarantined).toMatchObject({ resources: 12 });
    const { given, verdicts } = await evaluate(12);
    expect(asked).toBe(12);
    await inventory.changePolicy(id, denies('resource.n.size() > 1'));
    const changed = await stored();
    expect(changed.doc.quarantined).toBeUndefined();
    for (const resource of given) {
      expect(verdicts.of(before.doc, resource)).toMatchObject({
        status: 'ERROR',
        reason: 'budget',
      });
      expect(verdicts.of(changed.doc, resource)).toBeUndefined();
    }
  });

  it('is found out by the background as well', async () => {
    await put(12, 12);
    const id = await inventory.createPolicy('p', denies(costly));
    await service.evaluator.run();
    expect((await get(id)).json.quarantined).toMatchObject({ resources: 12 });
    const { total } = await service.deps.store.page(evaluationWork, {
      orderBy: 'id',
      direction: 'asc',
      limit: 1,
    });
    expect(total).toBe(0);
  });
});

describe('a request whose budget is spent', () => {
  it('has its resources stored, and evaluated further in the background', async () => {
    const count = 12;
    for (let at = 0; at < count; at++) {
      await inventory.createPolicy(`cheap ${at}`, denies('resource.public == true'));
    }
    // Each of these takes less than an evaluation may.
    const nearly = 'resource.n.all(a, resource.n.all(b, resource.n.all(c, a + b + c >= 0)))';
    for (let at = 0; at < count; at++) await inventory.createPolicy(`p${at}`, denies(nearly));
    const given = Array.from({ length: 8 }, (_, at) => ({
      id: `r${at}`,
      type: 'AWS::S3::Bucket',
      public: true,
      n: numbers.slice(0, 60),
    }));
    await inventory.ok('POST', '/v1/resources', { body: { resources: given } });
    await service.evaluator.run();
    expect((await inventory.ok('GET', '/v1/violations?limit=1')).json.pagination).toMatchObject({
      total: 8 * count * 2,
    });
  });
});

describe('background evaluation', () => {
  it('goes on with work that a version without lanes has left', async () => {
    await inventory.put('r', { public: true });
    const id = await inventory.createPolicy('p');
    await service.deps.store.transact(async (tx) => {
      const work = (await tx.get(evaluationWork, id))?.doc;
      if (!work) throw new Error('the new policy has no work');
      await putWork(tx, work);
      await tx.clear({ name: 'evaluation' }, id);
    });
    await service.evaluator.run();
    expect(await inventory.violations()).toEqual([]);
    await service.deps.store.transact(completeStore);
    await service.evaluator.run();
    expect(await inventory.violation()).toMatchObject({ policy_id: id, status: 'OPEN' });
  });
});

describe('whoever does not wait any more', () => {
  it('has no further turn', async () => {
    let turns = 0;
    const gone = new AbortController();
    const threads = createEvaluationThreads();
    const evaluation = createEvaluation(service.deps, {
      ...threads,
      decide(asker, question) {
        turns += 1;
        if (turns === 2) gone.abort(new Error('left'));
        return threads.decide(asker, { ...question, subjects: question.subjects.slice(0, 1) });
      },
    });
    const rules = [{ condition: 'resource.n == 1', effect: 'DENY' as const }];
    const subjects = Array.from({ length: 50 }, (_, at) => ({
      resource: { id: `r${at}`, type: 'A::B', provider: 'a', tags: {}, properties: {} },
      rules: [rules],
    }));
    const asked = evaluation.ofGiven({ owner: 'key', signal: gone.signal }, { now: 0, subjects });
    await expect(asked).rejects.toThrow('left');
    expect(turns).toBe(2);
  });
});
