import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  Control,
  Framework,
  FrameworkWithControls,
} from '../../../src/contract/frameworks.ts';
import { addPolicy, controlStatus, emptyTally } from '../../../src/engine/frameworks/status.ts';
import { findFramework } from '../../../src/server/compliance/known.ts';
import { standingOf } from '../../../src/server/compliance/standing.ts';
import { createTallies } from '../../../src/server/compliance/tallies.ts';
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

const path = '/v1/compliance/frameworks';
const read = async (id: string): Promise<FrameworkWithControls> =>
  (await inventory.ok('GET', `${path}/${id}`)).json as FrameworkWithControls;
const list = async (query = ''): Promise<Framework[]> =>
  (await inventory.ok('GET', `${path}${query}`)).json.frameworks as Framework[];
const control = async (id: string): Promise<Control> => {
  const [framework = '', one = ''] = id.split(':');
  const [found, ...others] = (await read(`${framework}?control=${one}`)).controls;
  if (!found || others.length > 0) throw new Error(`there is not one control ${id}`);
  return found;
};
const labels = (...compliance_frameworks: string[]) => ({ compliance_frameworks });

describe('frameworks', () => {
  it('are built in, and not evaluated without policies or resources', async () => {
    expect((await list()).map(({ id, name, status }) => [id, name, status])).toEqual([
      ['hipaa', 'HIPAA', 'not_evaluated'],
      ['iso27001', 'ISO27001', 'not_evaluated'],
      ['nist-800-53', 'NIST-800-53', 'not_evaluated'],
      ['pci', 'PCI-DSS', 'not_evaluated'],
      ['soc2', 'SOC2', 'not_evaluated'],
    ]);
    await inventory.createPolicy('p', labels('SOC2:CC6.1'));
    await service.evaluator.run();
    const { controls, ...framework } = await read('soc2');
    expect(framework).toEqual({
      id: 'soc2',
      name: 'SOC2',
      version: '2017, points of focus of 2022',
      built_in: true,
      status: 'not_evaluated',
      compliance_score: null,
      controls_passed: 0,
      controls_with_data: 0,
      control_counts: {
        total: 61,
        with_policies: 1,
        passed: 0,
        failed: 0,
        error: 0,
        manual: 0,
        not_evaluated: 61,
      },
      policies: 1,
      evaluated: 0,
      errors: 0,
    });
    expect(controls.map(({ status }) => status)).toEqual(Array(61).fill('not_evaluated'));
  });

  it('have each control as its policies found, in any spelling of the label', async () => {
    await inventory.createPolicy('public', labels('soc2:cc6.1', 'SOC2:CC6.6', 'pci:8.3.1'));
    await inventory.createPolicy('fine', {
      ...labels('SOC2:CC6.1', 'SOC2:CC6.7', 'SOC2:CC7'),
      severity: 'HIGH',
      rules: [{ condition: 'resource.public == "never"', effect: 'DENY' }],
    });
    await inventory.createPolicy('unclear', {
      ...labels('SOC2:A1.2'),
      rules: [{ condition: 'resource.backup == false', effect: 'DENY' }],
    });
    await inventory.createPolicy('elsewhere', {
      ...labels('SOC2:C1.1'),
      resource_type: 'AWS::EC2::Instance',
    });
    await inventory.put('a', { public: true });
    await inventory.put('b', { public: false });
    const { controls, ...framework } = await read('SOC-2');
    const statuses = controls.filter(({ policy_count: n }) => n > 0);
    expect(
      statuses.map(({ id, status, open_violations }) => [id, status, open_violations]),
    ).toEqual([
      ['CC6.1', 'FAILED', 1],
      ['CC6.6', 'FAILED', 1],
      ['CC6.7', 'PASSED', 0],
      ['A1.2', 'ERROR', 0],
      ['C1.1', 'not_evaluated', 0],
    ]);
    expect(framework).toMatchObject({
      status: 'NON_COMPLIANT',
      // (3 + 2 × 7) of (4 × 3 + 2 × 7)
      compliance_score: 65.38,
      controls_passed: 1,
      controls_with_data: 4,
      policies: 4,
      evaluated: 6,
      errors: 2,
    });
    expect(await control('soc2:cc6.1')).toMatchObject({
      id: 'CC6.1',
      policy_count: 2,
      policies: [
        { name: 'public', evaluated: 2, pass: 1, fail: 1, error: 0, exempt: 0, open: 1 },
        { name: 'fine', severity: 'HIGH', evaluated: 2, pass: 2, open: 0, pending: false },
      ],
    });
    expect((await read('soc2?status=FAILED')).controls).toHaveLength(2);
    expect((await read('soc2?with_policies=false')).controls).toHaveLength(56);
    expect((await list('?sort_by=compliance_score')).map(({ id }) => id)).toEqual([
      'pci',
      'soc2',
      'hipaa',
      'iso27001',
      'nist-800-53',
    ]);
    expect((await list('?limit=1&offset=1&order=desc')).map(({ id }) => id)).toEqual(['pci']);
  });

  it('count what is exempt as met, and reflect the write before', async () => {
    await inventory.createPolicy('p', labels('SOC2:CC6.1'));
    await inventory.put('a', { public: true });
    const exemption = await inventory.exempt({});
    expect(await control('soc2:CC6.1')).toMatchObject({ status: 'PASSED', compliance_score: 100 });
    await inventory.ok('DELETE', `/v1/exemptions/${exemption}`);
    expect(await control('soc2:CC6.1')).toMatchObject({ status: 'FAILED', compliance_score: 0 });
    const { id } = await inventory.violation();
    await inventory.ok('POST', `/v1/violations/${id}/resolve`, { body: { reason: 'later' } });
    expect(await control('soc2:CC6.1')).toMatchObject({ status: 'FAILED', open_violations: 0 });
    await inventory.put('a', { public: false });
    expect(await control('soc2:CC6.1')).toMatchObject({ status: 'PASSED' });
  });

  it('are of one account where it is given', async () => {
    await inventory.createPolicy('p', { ...labels('SOC2:CC6.1'), resource_type: 'AWS::S3::*' });
    await inventory.put('a', { public: true, account_id: '1' });
    await inventory.put('b', { public: false, account_id: '2' });
    expect((await read('soc2?account_id=1')).compliance_score).toBe(0);
    expect((await read('soc2?account_id=2')).compliance_score).toBe(100);
    expect((await read('soc2?account_id=3')).status).toBe('not_evaluated');
    expect((await list('?account_id=2&sort_by=compliance_score'))[0]).toMatchObject({
      id: 'soc2',
      status: 'COMPLIANT',
    });
  });

  it('do not pass while a policy of theirs was not evaluated', async () => {
    await inventory.createPolicy('p', labels('SOC2:CC6.1'));
    await inventory.put('a', { public: false });
    expect(await control('soc2:CC6.1')).toMatchObject({ status: 'PASSED' });
    await inventory.createPolicy('q', labels('SOC2:CC6.1'));
    expect(await control('soc2:CC6.1')).toMatchObject({
      status: 'not_evaluated',
      policies: [{ pending: false }, { name: 'q', evaluated: 0, pending: true }],
    });
    await service.evaluator.run();
    expect(await control('soc2:CC6.1')).toMatchObject({ status: 'PASSED' });
  });

  it('have controls that only evidence speaks for', async () => {
    await inventory.createPolicy('p', labels('SOC2:CC6.1'));
    await inventory.put('a', { public: true });
    const asked = { reader: service.deps.store, signal: new AbortController().signal };
    const evidence = { evidence_id: 'evd_1', expires: '2026-12-31T00:00:00.000Z' };
    const { controls, summary } = await standingOf(
      asked,
      await findFramework(service.deps.store, 'soc2'),
      {
        tallyOf: await createTallies(asked),
        attached: new Map(['cc1.1', 'cc6.1'].map((key) => [key, evidence])),
        most: 10,
      },
    );
    expect(controls.slice(0, 2).map(({ status }) => status)).toEqual(['manual', 'not_evaluated']);
    expect(controls.find(({ control: { id } }) => id === 'CC6.1')?.status).toBe('FAILED');
    expect(summary).toMatchObject({ controls_with_data: 1, control_counts: { manual: 1 } });
  });

  it('list a hundred policies of each control, the worst first, and more of one', async () => {
    const policies = Array.from({ length: 230 }, (_, n) => n);
    for (const n of policies) {
      const rules = [{ condition: `resource.n == ${n}`, effect: 'DENY' }];
      await inventory.createPolicy(`p${n}`, { ...labels('SOC2:CC6.1'), rules });
    }
    await inventory.put('a', { n: 229 });
    await service.evaluator.run();
    const { controls } = await read('soc2?with_policies=true');
    expect(controls[0]?.policies).toHaveLength(100);
    expect(controls[0]?.policy_count).toBe(230);
    expect(controls[0]?.policies[0]).toMatchObject({ name: 'p229', open: 1 });
    expect((await control('soc2:CC6.1')).policies).toHaveLength(230);
  });

  it.each([
    ['/soc3', 404, 'framework_not_found', 'Did you mean soc2?'],
    ['/unheard-of', 404, 'framework_not_found', 'Use one of soc2, iso27001'],
    ['/soc2?control=CC66.1', 404, 'control_not_found', 'Did you mean CC6.1?'],
    ['/soc2?control=CC6', 404, 'control_not_found', 'has no control'],
    ['/soc2?status=passing', 400, 'malformed_request', 'status'],
    ['?sort_by=score', 400, 'malformed_request', 'sort_by'],
  ])('%s is %d %s', async (asked, status, error, text) => {
    const got = await service.send('GET', path + asked);
    expect([got.status, got.json.error]).toEqual([status, error]);
    expect(got.text).toContain(text);
  });
});

describe('the status of a control', () => {
  const policy = { id: 'p', name: 'p', severity: 'LOW' as const, pending: false };
  it('never gets better by a failure or an error', () => {
    const grades = ['not_evaluated', 'manual', 'PASSED', 'ERROR', 'FAILED'];
    const counts = [0, 1, 2];
    for (const pass of counts) {
      for (const fail of counts) {
        for (const error of counts) {
          const statusWith = (more: { fail?: number; error?: number }) => {
            const tally = emptyTally();
            const [f, e] = [fail + (more.fail ?? 0), error + (more.error ?? 0)];
            const evaluated = pass + f + e;
            addPolicy(tally, { ...policy, evaluated, pass, fail: f, error: e, exempt: 0, open: f });
            return grades.indexOf(controlStatus(tally, true));
          };
          expect(statusWith({ fail: 1 })).toBeGreaterThanOrEqual(statusWith({}));
          expect(statusWith({ error: 1 })).toBeGreaterThanOrEqual(statusWith({}));
        }
      }
    }
  });
});
