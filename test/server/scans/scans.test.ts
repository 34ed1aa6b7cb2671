import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatDuration } from '../../../src/server/format-duration.ts';
import { testEvaluation, testEvaluator } from '../evaluation/test-evaluator.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let policyId: string;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
  policyId = await inventory.createPolicy('high', { severity: 'HIGH' });
  await inventory.createPolicy('low', {
    severity: 'LOW',
    rules: [{ condition: 'resource.days > 3', effect: 'DENY' }],
  });
  await service.evaluator.run();
  for (let at = 0; at < 6; at++) await inventory.put(`r${at}`, { public: at === 0, days: at });
  await inventory.put('other', { type: 'AWS::EC2::Instance' });
});
afterEach(() => service.close());

const start = async (body = {}) =>
  String((await inventory.ok('POST', '/v1/scans', { body })).json.id);
const read = async (id: string) => (await inventory.ok('GET', `/v1/scans/${id}`)).json;

describe('a scan', () => {
  it('goes from pending over running to completed, in batches, and sums up what it finds', async () => {
    const evaluator = testEvaluator(service.deps, 3);
    const id = await start({ name: 'nightly' });
    expect(await read(id)).toMatchObject({ id, name: 'nightly', status: 'pending', progress: 0 });
    await evaluator.step();
    const underway = await read(id);
    expect(underway).toMatchObject({
      status: 'running',
      started_at: expect.any(String) as unknown,
    });
    expect(underway.progress).toBeGreaterThan(0);
    service.advance(90_000);
    // Another one goes on where this one was: nothing is counted twice.
    await testEvaluator(service.deps, 3).run();
    expect(await read(id)).toMatchObject({
      status: 'completed',
      progress: 100,
      summary: { evaluated: 12, pass: 9, fail: 3, error: 0, exempt: 0 },
      resources_scanned: 7,
      violations_found: 3,
      // (5 of 6 with weight 7) + (4 of 6 with weight 1), of 48.
      compliance_score: 81.25,
      duration: '1m30s',
    });
    expect(await evaluator.step()).toBe(false);
  });

  it('names the first findings that could not be decided', async () => {
    for (let at = 10; at < 40; at++) await inventory.put(`r${at}`, { days: 0 });
    const id = await start({ policy_ids: [policyId] });
    await testEvaluator(service.deps, 3).run();
    const { summary, undecided } = await read(id);
    expect(summary).toMatchObject({ error: 30 });
    expect(undecided).toHaveLength(20);
    expect(undecided).toMatchObject([
      { policy_id: policyId, resource: 'r10', status: 'ERROR', path: 'resource.public' },
      ...Array.from({ length: 19 }, () => ({})),
    ]);
  });

  it('of some types and policies looks at these only', async () => {
    const id = await start({ resource_types: ['AWS::S3::Bucket'], policy_ids: [policyId] });
    await service.evaluator.run();
    expect(await read(id)).toMatchObject({ resources_scanned: 6, summary: { evaluated: 6 } });
  });

  it('that finds nothing new writes no violation', async () => {
    const revisions = async () => {
      const found = await inventory.violations();
      const got = found.map(({ id }) => inventory.ok('GET', `/v1/violations/${id}`));
      return (await Promise.all(got)).map(({ headers }) => headers.get('etag'));
    };
    const before = await revisions();
    expect(before.length).toBeGreaterThan(0);
    service.advance(1_000);
    await start();
    await service.evaluator.run();
    expect(await revisions()).toEqual(before);
  });

  it('of nothing has no score', async () => {
    const id = await start({ resource_types: ['AWS::EC2::Instance'] });
    await service.evaluator.run();
    expect(await read(id)).toMatchObject({
      status: 'completed',
      compliance_score: null,
      resources_scanned: 1,
      duration: '0s',
    });
  });

  it('counts what is exempt as met', async () => {
    await inventory.exempt({ policy: 'high' });
    const id = await start({ policy_ids: [policyId] });
    await service.evaluator.run();
    expect(await read(id)).toMatchObject({
      compliance_score: 100,
      summary: { exempt: 1, fail: 0 },
    });
  });

  it('finds what an interrupted hand has resolved', async () => {
    const [open] = await inventory.violations('severity=HIGH');
    await inventory.ok('POST', `/v1/violations/${open?.id ?? ''}/resolve`, {
      body: { reason: 'r' },
    });
    await start();
    await service.evaluator.run();
    expect((await inventory.violations('severity=HIGH'))[0]?.status).toBe('OPEN');
  });

  it.each([
    ['an unknown field', { nme: 'x' }, 400, 'SCN_001', ['nme']],
    [
      'a type with a wildcard',
      { resource_types: ['AWS::*'] },
      400,
      'SCN_001',
      ['resource_types[0]'],
    ],
    ['an unknown policy', { policy_ids: ['pol_x'] }, 404, 'POL_002', []],
  ])('refuses %s', async (_, body, status, code, fields) => {
    const got = await service.send('POST', '/v1/scans', { body });
    expect([got.status, got.json.error_code, fieldsOf(got)]).toEqual([status, code, fields]);
    expect((await service.send('GET', '/v1/scans/scan_x')).json.error_code).toBe('SCN_002');
  });

  it('that fails again and again ends as failed, says so, and keeps nothing else waiting', async () => {
    const broken = testEvaluator(service.deps, undefined, {
      ...testEvaluation(service.deps),
      ofStored: () => Promise.reject(new Error('broken')),
    });
    const id = await start();
    for (let tries = 0; tries < 5; tries++) {
      await broken.run();
      service.advance(60_000);
    }
    expect(await read(id)).toMatchObject({
      status: 'failed',
      failure: { reason: expect.stringContaining('log') as unknown },
    });
  });
});

describe('a duration', () => {
  it.each([
    [0, '0s'],
    [45_400, '45s'],
    [1_800_000, '30m'],
    [3_900_000, '1h5m'],
    [90_061_000, '1d1h'],
  ])('of %i ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});
