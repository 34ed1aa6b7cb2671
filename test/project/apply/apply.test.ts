import { describe, expect, it } from 'vitest';
import { applyExitCode } from '../../../src/project/apply/results.ts';
import type { Mishap, PlainRequest } from '../../support/minimal-service.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import { makeLocal } from '../arbitraries.ts';
import { applyNow, clientOf, planNow } from './steps.ts';

const repo = (...names: string[]) => names.map((name) => makeLocal(name, { name }));

/** Does `mishap` to the first so many requests of a kind. */
function firstOnly(method: string, times: number, mishap: Mishap) {
  let left = times;
  return (request: PlainRequest): Mishap | undefined =>
    request.method === method && left-- > 0 ? mishap : undefined;
}

describe('applying to a service that misbehaves', () => {
  it.each(['cut', 'cut-after', 'error', 'error-after'] as const)(
    'creates each policy once when a creation meets: %s',
    async (mishap) => {
      for (const duplicateNames of [false, true]) {
        const service = createMinimalService({
          duplicateNames,
          onRequest: firstOnly('POST', 2, mishap),
        });
        const client = clientOf(service.fetch);
        const local = repo('one', 'two', 'three');
        const result = await applyNow(client, (await planNow(client, local)).plan);
        expect(result.summary).toMatchObject({ applied: 3, failed: 0 });
        expect([...service.policies.values()].map(({ name }) => name).sort()).toEqual([
          'one',
          'three',
          'two',
        ]);
      }
    },
  );

  it('waits as long as a 429 asks, and then goes on', async () => {
    const service = createMinimalService({ onRequest: firstOnly('POST', 1, { retryAfter: 7 }) });
    const client = clientOf(service.fetch);
    const result = await applyNow(client, (await planNow(client, repo('one'))).plan);
    expect(result.summary.applied).toBe(1);
    expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('does not take a login page for success', async () => {
    const service = createMinimalService();
    const client = clientOf(service.fetch);
    const { plan } = await planNow(client, repo('one'));
    service.setFaults({ onRequest: ({ method }) => (method === 'POST' ? 'html' : undefined) });
    const result = await applyNow(client, plan);
    expect(result.results[0]).toMatchObject({
      status: 'failed',
      error: { error: 'bad_answer', message: expect.stringContaining('not JSON') },
    });
    expect(applyExitCode(result)).toBe(1);
  });

  it('goes on with independent changes, and leaves alone what depended on the failed one', async () => {
    const service = createMinimalService();
    const client = clientOf(service.fetch);
    const before = [makeLocal('a', { name: 'first' }), makeLocal('b', { name: 'second' })];
    await applyNow(client, (await planNow(client, before)).plan);
    const after = [
      makeLocal('a', { name: 'renamed' }),
      makeLocal('b', { name: 'first' }),
      makeLocal('c', { name: 'new' }),
    ];
    const { plan } = await planNow(client, after);
    service.setFaults({
      onRequest: ({ method, body }) =>
        method === 'PUT' && body.includes('"renamed"') ? 'error' : undefined,
    });
    const result = await applyNow(client, plan);
    expect(result.results.map(({ key, status }) => [key, status])).toEqual([
      ['a', 'failed'],
      ['b', 'not_attempted'],
      ['c', 'applied'],
    ]);
    expect(applyExitCode(result)).toBe(7);
    service.setFaults({});
    expect((await applyNow(client, plan)).summary).toMatchObject({ applied: 2, skipped: 1 });
  });

  it('swaps two names by way of a temporary one', async () => {
    const service = createMinimalService();
    const client = clientOf(service.fetch);
    await applyNow(
      client,
      (await planNow(client, [makeLocal('a', { name: 'A' }), makeLocal('b', { name: 'B' })])).plan,
    );
    const ids = new Map([...service.policies.values()].map(({ name, id }) => [name, id]));
    const swapped = [makeLocal('a', { name: 'B' }), makeLocal('b', { name: 'A' })];
    const result = await applyNow(client, (await planNow(client, swapped)).plan);
    expect(result.summary).toMatchObject({ applied: 2, failed: 0 });
    expect(service.policies.get(ids.get('A') ?? '')?.name).toBe('B');
    expect(service.policies.get(ids.get('B') ?? '')?.name).toBe('A');
  });

  it('stops before it writes more where the server loses the ownership tags', async () => {
    const service = createMinimalService({ dropsTags: true });
    const client = clientOf(service.fetch);
    const many = repo(...Array.from({ length: 30 }, (_, index) => `policy-${index}`));
    const result = await applyNow(client, (await planNow(client, many)).plan);
    expect(result.results[0]).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining("did not store govctl's tags") },
    });
    expect(service.policies.size).toBeLessThanOrEqual(4);
    expect(result.summary.not_attempted).toBeGreaterThanOrEqual(26);
  });

  it('notices lost tags also where creations are answered without a body', async () => {
    const service = createMinimalService({ dropsTags: true, emptyAnswers: true });
    const client = clientOf(service.fetch);
    const result = await applyNow(client, (await planNow(client, repo('one'))).plan);
    expect(result.results[0]).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining("with govctl's tags") },
    });
  });

  it('learns the ids of what was created without an answering body', async () => {
    const service = createMinimalService({ emptyAnswers: true });
    const client = clientOf(service.fetch);
    const result = await applyNow(client, (await planNow(client, repo('one'))).plan);
    expect(result.results[0]).toMatchObject({ status: 'applied', id: 'pol_000001' });
  });

  it('says which field it could not clear where a server refuses null', async () => {
    const service = createMinimalService({ refusesNull: true });
    const client = clientOf(service.fetch);
    await applyNow(
      client,
      (await planNow(client, [makeLocal('a', { name: 'A', severity: 'HIGH' })])).plan,
    );
    const { plan } = await planNow(
      client,
      repo('a').map((one) => ({ ...one, policy: { ...one.policy, name: 'A' } })),
    );
    const start = service.requests.length;
    const result = await applyNow(client, plan);
    expect(result.results[0]?.error?.hint).toContain('clears severity with null');
    expect(service.requests.slice(start).filter(({ method }) => method === 'PUT')).toHaveLength(1);
  });

  it('tells of a field the server made something else of', async () => {
    const service = createMinimalService();
    const client = clientOf(async (url, init) => {
      const body = init.body?.replace('"HIGH"', '"LOW"');
      return service.fetch(url, { ...init, ...(body === undefined ? {} : { body }) });
    });
    const local = [makeLocal('a', { name: 'A', severity: 'HIGH' })];
    const result = await applyNow(client, (await planNow(client, local)).plan);
    expect(result.results[0]?.warnings).toEqual([
      'the server did not store severity: sent "HIGH", stored "LOW"',
    ]);
  });

  it('stops asking when the login is refused, and exits as for any refused login', async () => {
    const service = createMinimalService();
    const client = clientOf(service.fetch);
    const { plan } = await planNow(client, repo(...'abcdefghij'));
    let refuse = false;
    const refused = clientOf((url, init) => {
      if (init.method === 'POST') refuse = true;
      return service.fetch(url, refuse ? { ...init, headers: {} } : init);
    });
    const result = await applyNow(refused, plan);
    expect(result.summary.applied).toBe(0);
    expect(result.summary.not_attempted).toBeGreaterThanOrEqual(6);
    expect(applyExitCode(result)).toBe(4);
  });

  it('finishes what it began when interrupted, and begins nothing more', async () => {
    const service = createMinimalService({
      onRequest: ({ method }) => (method === 'POST' ? { delayMs: 20 } : undefined),
    });
    const client = clientOf(service.fetch);
    const { plan } = await planNow(client, repo(...'abcdefghij'));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    const result = await applyNow(client, plan, controller.signal);
    expect(result.summary).toEqual({ applied: 4, failed: 0, skipped: 0, not_attempted: 6 });
    expect(service.policies.size).toBe(4);
    expect(applyExitCode(result)).toBe(130);
    service.setFaults({});
    expect((await applyNow(client, plan)).summary).toMatchObject({ applied: 6, skipped: 4 });
  });
});

describe('a plan that is no longer true', () => {
  it.each([
    ['was changed', 'severity'],
    ['was deleted', 'deleted after the plan was created'],
    ['got a namesake', 'is now used by'],
  ])('is refused as a whole when a policy %s', async (what, said) => {
    const service = createMinimalService();
    const client = clientOf(service.fetch);
    await applyNow(client, (await planNow(client, repo('a', 'b'))).plan);
    const { plan } = await planNow(client, [
      ...repo('a', 'b').map((each) => ({ ...each, policy: { ...each.policy, enabled: false } })),
      makeLocal('new', { name: 'new' }),
    ]);
    const [first] = service.policies.values();
    if (first && what === 'was changed') first.severity = 'LOW';
    if (first && what === 'was deleted') service.policies.delete(first.id);
    if (what === 'got a namesake') service.put({ name: 'new', resource_type: 'A::B', rules: [] });
    const writes = service.requests.filter(({ method }) => method !== 'GET').length;
    await expect(applyNow(client, plan)).rejects.toMatchObject({
      error: 'plan_stale',
      details: [{ message: expect.stringContaining(said) }],
    });
    expect(service.requests.filter(({ method }) => method !== 'GET')).toHaveLength(writes);
  });

  it('is not bothered by changes to what it does not touch', async () => {
    const service = createMinimalService();
    const client = clientOf(service.fetch);
    await applyNow(client, (await planNow(client, repo('a', 'b'))).plan);
    const { plan } = await planNow(client, [
      makeLocal('a', { name: 'a', severity: 'HIGH' }),
      makeLocal('b', { name: 'b' }),
    ]);
    const second = [...service.policies.values()][1];
    if (second) second.description = 'changed by somebody';
    expect((await applyNow(client, plan)).summary).toMatchObject({ applied: 1 });
  });
});

describe('listing a service of any kind', () => {
  it.each([
    ['bare arrays', { bareLists: true }],
    ['short pages', { largestPage: 20 }],
    ['bare arrays in short pages', { bareLists: true, largestPage: 20 }],
    ['nulls for absent fields', { answersNull: true }],
  ])('finds every policy behind %s', async (_, faults) => {
    const service = createMinimalService();
    const client = clientOf(service.fetch);
    const many = repo(...Array.from({ length: 130 }, (_, index) => `policy-${index}`));
    await applyNow(client, (await planNow(client, many)).plan);
    service.setFaults(faults);
    const { plan } = await planNow(client, many);
    expect(plan.summary).toMatchObject({ unchanged: 130, create: 0, update: 0, orphaned: 0 });
  });

  it('refuses to plan from a list that breaks off', async () => {
    const service = createMinimalService();
    for (let index = 0; index < 150; index++) {
      service.put({ name: `p${index}`, resource_type: 'A::B', rules: [] });
    }
    const deaf = clientOf((url, init) =>
      service.fetch(url.replace(/offset=\d+/, 'offset=0'), init),
    );
    await expect(planNow(deaf, [])).rejects.toMatchObject({
      error: 'bad_answer',
      message: expect.stringContaining('incomplete'),
    });
  });
});
