import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assess } from '../../../src/server/compliance/assess.ts';
import { createCollector, mostStandings } from '../../../src/engine/standing.ts';
import type { Standing } from '../../../src/engine/standing.ts';
import { assessments } from '../../../src/server/compliance/collection.ts';
import { testEvaluator } from '../evaluation/test-evaluator.ts';
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

/** Scans, and says what was told of how frameworks stand. */
async function scan(body = {}) {
  service.advance(60_000);
  await inventory.ok('POST', '/v1/scans', { body });
  await events.fresh();
  // So small a batch that the scan is interrupted many times.
  await testEvaluator(service.deps, 3).run();
  return (await events.fresh()).filter(({ type }) => type.startsWith('compliance.'));
}
const stored = async () =>
  (
    await service.deps.store.page(assessments, { orderBy: 'id', direction: 'asc', limit: 100 })
  ).rows.map(({ doc }) => doc);
/** Buckets b0, b1 …, of which the first so many are public. */
async function buckets(count: number, open: number, fields = {}): Promise<void> {
  for (let at = 0; at < count; at++) {
    await inventory.put(`b${at}`, { public: at < open, account_id: '1', ...fields });
  }
}

describe('a scan of the whole inventory', () => {
  it('assesses each framework in each account, and tells nothing the first time', async () => {
    await inventory.createPolicy('p', { compliance_frameworks: ['SOC2:CC6.1', 'HIPAA'] });
    await inventory.createPolicy('unmapped');
    await buckets(2, 1);
    await inventory.put('elsewhere', { public: false, account_id: '2' });
    await inventory.put('nowhere', { public: true });
    expect(await scan()).toEqual([]);
    expect(
      (await stored()).map(({ framework, account_id, score, status, failed }) => [
        framework,
        account_id,
        score,
        status,
        failed,
      ]),
    ).toEqual([
      ['HIPAA', '1', 50, 'NON_COMPLIANT', []],
      ['HIPAA', '2', 100, 'COMPLIANT', []],
      ['HIPAA', undefined, 0, 'NON_COMPLIANT', []],
      ['SOC2', '1', 50, 'NON_COMPLIANT', ['CC6.1']],
      ['SOC2', '2', 100, 'COMPLIANT', []],
      ['SOC2', undefined, 0, 'NON_COMPLIANT', ['CC6.1']],
    ]);
  });

  it('tells of a status that flips, with the controls that changed, and of the score', async () => {
    await inventory.createPolicy('p', { compliance_frameworks: ['SOC2:CC6.1', 'SOC2:CC6.2'] });
    await buckets(4, 0);
    await scan();
    await buckets(4, 1);
    const of = { framework: 'SOC2', account_id: '1', previous_score: 100, current_score: 75 };
    const now = { status: 'NON_COMPLIANT', assessment_date: '2026-03-01T12:02:00.000Z' };
    const control = (id: string, name: string) => ({
      control_id: id,
      control_name: name,
      previous_status: 'PASSED',
      current_status: 'FAILED',
      reason: 'policy p has an open violation',
    });
    expect(await scan()).toEqual([
      {
        type: 'compliance.status.changed',
        data: {
          compliance: {
            ...of,
            ...now,
            previous_status: 'COMPLIANT',
            changed_controls: [
              control('CC6.1', 'Restrict logical access to systems and data'),
              control('CC6.2', 'Register users, and remove access that is no longer needed'),
            ],
          },
        },
      },
      { type: 'compliance.score.changed', data: { ...of, ...now } },
    ]);
    expect(await scan()).toEqual([]);
    await buckets(4, 0);
    const [back] = await scan();
    expect(back?.data.compliance).toMatchObject({
      previous_status: 'NON_COMPLIANT',
      status: 'COMPLIANT',
      changed_controls: [
        { current_status: 'PASSED', reason: 'no policy mapped to it has an open violation' },
        { control_id: 'CC6.2', previous_status: 'FAILED' },
      ],
    });
  });

  it('is what counts: one of some types or policies assesses nothing', async () => {
    const id = await inventory.createPolicy('p', { compliance_frameworks: ['SOC2'] });
    await buckets(2, 0);
    await scan({ policy_ids: [id] });
    await scan({ resource_types: ['AWS::S3::Bucket'] });
    expect(await stored()).toEqual([]);
  });

  it('counts what is exempt as met, and forgets what is evaluated no more', async () => {
    const id = await inventory.createPolicy('p', { compliance_frameworks: ['SOC2:CC6.1'] });
    await buckets(2, 1);
    await inventory.exempt({ resources: ['b0'] });
    await scan();
    expect(await stored()).toMatchObject([{ score: 100, status: 'COMPLIANT', failed: [] }]);
    await inventory.changePolicy(id, { compliance_frameworks: ['HIPAA'] });
    expect(await scan()).toEqual([]);
    expect((await stored()).map(({ framework }) => framework)).toEqual(['HIPAA']);
  });

  it('keeps a framework from complying while what is severe fails or cannot be decided', async () => {
    const rules = [{ condition: 'resource.public', effect: 'DENY' }];
    const fields = { compliance_frameworks: ['SOC2:CC6.1'], rules, severity: 'HIGH' };
    const id = await inventory.createPolicy('p', fields);
    await buckets(20, 0);
    await scan();
    await inventory.put('b0', { public: 'who knows', account_id: '1' });
    expect((await scan())[0]?.data.compliance).toMatchObject({
      current_score: 95,
      status: 'NON_COMPLIANT',
      changed_controls: [],
    });
    await inventory.changePolicy(id, { severity: 'MEDIUM' });
    expect((await scan())[0]?.data.compliance).toMatchObject({ status: 'COMPLIANT' });
    await inventory.put('b0', { public: true, account_id: '1' });
    expect(await scan()).toEqual([]);
    await inventory.changePolicy(id, { severity: 'CRITICAL' });
    const [critical] = await scan();
    expect(critical?.data.compliance).toMatchObject({ current_score: 95, status: 'NON_COMPLIANT' });
    // Undecided now, its violation stays open and the control failed.
    await inventory.put('b0', { public: 'who knows', account_id: '1' });
    await scan();
    expect(await stored()).toMatchObject([{ status: 'NON_COMPLIANT', failed: ['CC6.1'] }]);
  });
});

describe('an assessment', () => {
  const at = '2026-03-01T12:00:00.000Z';
  const standing = (met: number, all: number): Standing => ({
    framework: 'SOC2',
    met,
    all,
    failed: [],
  });

  it('tells a score that moves by little each time once it has moved by a point', () => {
    let before = assess(undefined, standing(9_900, 10_000), at)?.assessment;
    const told: (readonly [number, number])[] = [];
    for (let met = 9_860; met >= 9_700; met -= 40) {
      const assessed = assess(before, standing(met, 10_000), at);
      before = assessed?.assessment;
      const { scoreChange: change } = assessed ?? {};
      if (change) told.push([change.previous_score, change.current_score]);
    }
    expect(told).toEqual([[99, 97.8]]);
  });

  it.each([
    [90, 89.5, 'NON_COMPLIANT', false],
    [89.99, 90, 'COMPLIANT', false],
    [91, 90, undefined, true],
    [90.99, 90, undefined, false],
    [89.3, 90.3, 'COMPLIANT', true],
  ])('from %d to %d tells a status of %s, and of the score: %s', (from, to, status, moves) => {
    const before = assess(undefined, standing(from * 100, 10_000), at)?.assessment;
    const assessed = assess(before, standing(to * 100, 10_000), at);
    expect(assessed?.statusChange?.status).toBe(status);
    expect(assessed?.scoreChange !== undefined).toBe(moves);
  });

  describe('tells of no control that it cannot know of', () => {
    const worse = (failed: string[]): Standing => ({
      ...standing(0, 10),
      failed: failed.map((control) => [control, 'p']),
    });
    const better = (failed: string[]): Standing => ({ ...worse(failed), met: 10 });
    const changes = (from: Standing, to: Standing) =>
      assess(assess(undefined, from, at)?.assessment, to, at)?.statusChange?.changed_controls.map(
        ({ control_id: id, current_status: status }) => [id, status],
      );

    it('as passed, where not all that fail were kept', () => {
      const to = better(['c2', 'c3']);
      expect(changes(worse(['c1', 'c2']), to)).toEqual([
        ['c3', 'FAILED'],
        ['c1', 'PASSED'],
      ]);
      expect(changes(worse(['c1', 'c2']), { ...to, partial: true })).toEqual([['c3', 'FAILED']]);
    });

    it('as failed only now, where not all that failed before were kept', () => {
      const from = worse(['c1', 'c2']);
      expect(changes({ ...from, partial: true }, better(['c2', 'c3']))).toEqual([['c1', 'PASSED']]);
    });
  });

  it('of nothing evaluated is none', () => {
    expect(assess(undefined, standing(0, 0), at)).toBeUndefined();
  });
});

describe('the standings of a scan', () => {
  it('are so many at most, however many frameworks and accounts there are', () => {
    const policy = {
      id: 'pol_1',
      name: 'p',
      resource_type: 'AWS::S3::Bucket',
      rules: [],
      compliance_frameworks: Array.from({ length: 500 }, (_, at) => `f${at}:c${at}`),
    };
    let standings: readonly Standing[] = [];
    for (let at = 0; at < 4; at++) {
      const collector = createCollector(standings);
      const resource = { account_id: String(at) };
      collector.add(policy, resource, { status: 'FAIL', severity: 'HIGH' }, 'OPEN');
      standings = collector.standings();
    }
    expect(standings).toHaveLength(mostStandings);
    expect(standings[0]).toEqual({
      framework: 'f0',
      account_id: '0',
      met: 0,
      all: 7,
      failed: [['c0', 'p']],
    });
  });

  it('say where more controls fail than are kept, from then on', () => {
    const failing = (framework: string, count: number) => ({
      id: 'pol_1',
      name: 'p',
      resource_type: 'AWS::S3::Bucket',
      rules: [],
      compliance_frameworks: Array.from({ length: count }, (_, at) => `${framework}:c${at}`),
    });
    const fail = { status: 'FAIL', severity: 'HIGH' } as const;
    let collector = createCollector([]);
    collector.add(failing('A', 4_999), {}, fail, 'OPEN');
    collector.add(failing('B', 2), {}, fail, 'OPEN');
    const seen = collector.standings().map(({ failed, partial }) => [failed.length, partial]);
    expect(seen).toEqual([
      [4_999, undefined],
      [1, true],
    ]);
    collector = createCollector(collector.standings());
    collector.add(failing('B', 1), {}, fail, 'OPEN');
    expect(collector.standings()[1]).toMatchObject({ partial: true });
  });
});
