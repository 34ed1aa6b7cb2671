import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import { inventoryOf } from '../../inventory-service.ts';
import type { TestService } from '../../test-service.ts';
import { startTestService } from '../../test-service.ts';
import { told } from './content-world.ts';

const day = 24 * 3_600_000;

describe('reports of a service where nothing is', () => {
  it('say that nothing was evaluated, and claim nothing', async () => {
    const service = await startTestService();
    try {
      for (const type of reportTypes) {
        const { model, text } = await told(service, { type });
        expect(model.head.summary).toMatchObject({ compliance_score: null, total_violations: 0 });
        expect(text()).toContain('Nothing was evaluated');
        expect(text()).not.toMatch(/NaN|undefined|null|Infinity/);
      }
      const inventory = inventoryOf(service);
      await inventory.createPolicy('p', { compliance_frameworks: ['SOC2:1'] });
      await inventory.put('i', { type: 'AWS::EC2::Instance' });
      const { table, text } = await told(service);
      expect(table('frameworks')).toMatchObject([{ status: 'NOT EVALUATED', score: null }]);
      expect(table('controls')).toEqual([]);
      expect(table('controls_not_evaluated')).toMatchObject([{ policies: 1 }]);
      expect(text()).toContain('no policy in scope applies to the types of 1 resource');
    } finally {
      await service.close();
    }
  });
});

describe('what could not be decided', () => {
  it('is shown, counts as not met, and keeps a framework from being compliant', async () => {
    const service = await startTestService();
    try {
      const inventory = inventoryOf(service);
      await inventory.createPolicy('high', {
        severity: 'HIGH',
        compliance_frameworks: ['SOC2:1'],
      });
      for (let at = 0; at < 19; at += 1) await inventory.put(`b${at}`, { public: false });
      await inventory.put('odd', {});
      const { table, model } = await told(service);
      expect(model.head.summary.compliance_score).toBe(95);
      expect(table('frameworks')).toMatchObject([
        { status: 'NON_COMPLIANT', because: 'a HIGH or CRITICAL evaluation ended in an error' },
      ]);
      expect(table('controls')).toMatchObject([{ status: 'UNDECIDED', passed: 19, undecided: 1 }]);
      const risk = await told(service, { type: 'risk' });
      expect(risk.table('undecided')).toMatchObject([
        { policy: 'high', undecided: 1, examples: 'odd: missing attribute resource.public' },
      ]);
    } finally {
      await service.close();
    }
  });
});

describe('names from outside', () => {
  it('are counted as any other, whatever they are and however long', async () => {
    const service = await startTestService();
    try {
      const inventory = inventoryOf(service);
      const long = 'x'.repeat(1_999);
      const odd = ['__proto__', 'constructor', 'toString'];
      for (const name of odd) {
        await inventory.createPolicy(name, {
          compliance_frameworks: ['__proto__:constructor'],
          rules: [{ condition: 'resource.public', effect: 'DENY', message: '😀'.repeat(2_000) }],
        });
      }
      // Two that an order by the beginning of ids does not tell apart.
      for (const id of [...odd, `${long}a`, `${long}b`]) {
        const fields = { environment: '__proto__', region: 'constructor', account_id: 'toString' };
        await inventory.put(id, { public: true, ...fields });
      }
      const scope = { environments: ['__proto__'] };
      const { table } = await told(service, { framework: '__proto__', scope });
      expect(table('frameworks')).toMatchObject([{ framework: '__proto__', open: 15 }]);
      expect(table('findings')).toHaveLength(15);
      // Cut between characters.
      expect(() => encodeURIComponent(String(table('findings')[0]?.message))).not.toThrow();
      const risk = await told(service, { type: 'risk', scope });
      expect(risk.table('top_resources').map(({ open }) => open)).toEqual([3, 3, 3, 3, 3]);
      expect(risk.table('by_account')).toMatchObject([{ account: 'toString', open: 15 }]);
    } finally {
      await service.close();
    }
  });
});

describe('risk points', () => {
  it('add up as they are shown', async () => {
    const service = await startTestService();
    try {
      const inventory = inventoryOf(service);
      await inventory.createPolicy('p', { severity: 'MEDIUM' });
      const fields = { public: true, environment: 'dev' };
      for (const id of ['a', 'b', 'c']) await inventory.put(id, fields);
      await service.evaluator.run();
      service.advance(31 * day);
      const { table, text } = await told(service, { type: 'risk' });
      expect(table('violations').map(({ points }) => points)).toEqual([3.38, 3.38, 3.38]);
      for (const id of ['top_policies', 'by_environment']) {
        expect(table(id)).toMatchObject([{ points: 10.14 }]);
      }
      expect(text('summary')).toContain('total 10.14 risk points');
    } finally {
      await service.close();
    }
  });
});

describe('the end of an exempt violation', () => {
  it('is counted as resolved nowhere, as it closes no open one', async () => {
    const service = await startTestService();
    try {
      const inventory = inventoryOf(service);
      await inventory.createPolicy('p');
      for (const id of ['a', 'b', 'c', 'd']) await inventory.put(id, { public: true });
      await service.evaluator.run();
      await inventory.exempt({ resources: ['a'] });
      await inventory.ok('DELETE', '/v1/resources/a');
      const start = new Date(service.deps.clock.now() - day).toISOString();
      const end = new Date(service.deps.clock.now() + day).toISOString();
      const scope = { date_range: { start, end } };
      const trend = await told(service, { type: 'trend', scope });
      expect(trend.text('summary')).toContain(
        'Violations were opened 4 times, resolved 0 times and exempted once.',
      );
      expect(trend.text('summary')).toContain(
        'Open violations: 0 at the start of the range, 3 at its end.',
      );
      expect(JSON.stringify(trend.model)).toContain('"Opened 4, resolved 0"');
      expect(trend.table('policies_changed')).toMatchObject([
        { at_start: 0, opened: 4, resolved: 0, exempted: 1, at_end: 3 },
      ]);
      expect(trend.table('time_to_resolve').map(({ resolved }) => resolved)).toEqual([0, 0, 0, 0]);
      const audit = await told(service, { type: 'audit', scope });
      expect(audit.text('summary')).toContain('opened 4 times, resolved 0 times and exempted once');
      expect(audit.table('causes')).toEqual([]);
      expect(audit.table('status_changes')).toContainEqual(
        expect.objectContaining({ resource: 'a', from: 'EXEMPT', to: 'RESOLVED' }),
      );
    } finally {
      await service.close();
    }
  });
});

describe('each type of report', () => {
  let service: TestService;
  let inventory: ReturnType<typeof inventoryOf>;

  /**
   * 1 March, noon: `critical` fails for p1 (production) and d1 (dev), `low` for p1, d1, x1 (no environment). After 10
   * days d1 is fixed for both and x1 is exempt from `low`; after 40 more, p2 (production) fails `critical`. Scans at each.
   */
  beforeAll(async () => {
    service = await startTestService();
    inventory = inventoryOf(service);
    const scan = async () => {
      await inventory.ok('POST', '/v1/scans', { body: {} });
      await service.evaluator.run();
    };
    await inventory.createPolicy('critical', { severity: 'CRITICAL', auto_remediation: true });
    await inventory.createPolicy('low', {
      severity: 'LOW',
      description: 'Old things go',
      rules: [{ condition: 'resource.days > 3', effect: 'DENY' }],
      remediation_action: 'webhook:https://hooks.example/secret-path',
    });
    await inventory.put('p1', { public: true, days: 9, environment: 'production', region: 'eu' });
    await inventory.put('d1', { public: true, days: 9, environment: 'dev', region: 'us' });
    await inventory.put('x1', { public: false, days: 9 });
    await scan();
    service.advance(10 * day);
    await inventory.put('d1', { public: false, days: 0, environment: 'dev', region: 'us' });
    await inventory.exempt({ policy: 'low', resources: ['x1'], expires: '2026-05-01' });
    await scan();
    service.advance(40 * day);
    await inventory.put('p2', { public: true, days: 0, environment: 'production', region: 'eu' });
    await scan();
  });
  afterAll(() => service.close());

  it('risk weighs open violations by severity, age and environment', async () => {
    const { table, text } = await told(service, { type: 'risk' });
    // 50 days: 1.5; production: 2.
    expect(
      table('violations').map(({ points, policy, resource }) => [points, policy, resource]),
    ).toEqual([
      [30, 'critical', 'p1'],
      [20, 'critical', 'p2'],
      [3, 'low', 'p1'],
    ]);
    expect(table('top_resources')).toMatchObject([
      { resource: 'p1', points: 33, open: 2, critical: 1, low: 1 },
      { resource: 'p2', points: 20, open: 1 },
    ]);
    expect(table('top_policies')).toMatchObject([
      { policy: 'critical', points: 50 },
      { policy: 'low', points: 3, exempt: 1 },
    ]);
    expect(table('by_age').map(({ open }) => open)).toEqual([0, 2, 0, 1]);
    expect(table('by_region')).toMatchObject([{ region: 'eu', points: 53, open: 3 }]);
    expect(table('expiring_exemptions')).toMatchObject([{ policy: 'low', covers: 1 }]);
    expect(text('summary')).toContain('53 risk points across 2 resources');
    // As the tables are sorted: others may have more points.
    expect(text('summary')).toContain(
      'By severity, then by risk points, the resource most at risk is p1 (CRITICAL), with 33 points from 2 open violations.',
    );
    expect(text('summary')).toContain(
      'By severity, then by risk points, the policy most at risk is “critical” (CRITICAL), with 50 points from 2 open violations.',
    );
  });

  it('remediation says what to do first, and what it brings', async () => {
    const { table } = await told(service, { type: 'remediation' });
    // Weights: 4 × 10 and 4 × 1; met are 2 × 10, and 3 of which one is exempt: 23 of 44.
    expect(table('actions')).toMatchObject([
      {
        step: 1,
        policy: 'critical',
        open: 2,
        effort: 'automatic',
        gain: 45.45,
        score_after: 97.73,
      },
      { step: 2, policy: 'low', open: 1, effort: 'small', gain: 2.27, score_after: 100 },
    ]);
    expect(table('actions').map(({ advice }) => advice)).toEqual([
      'Make it private',
      'Old things go — webhook: hooks.example',
    ]);
    expect(table('quick_wins').map(({ policy }) => policy)).toEqual(['critical', 'low']);
    expect(table('violations').map(({ step, resource }) => [step, resource])).toEqual([
      [1, 'p1'],
      [1, 'p2'],
      [2, 'p1'],
    ]);
  });

  it('trend compares scans, and the end of the range with its beginning', async () => {
    const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-05-01T00:00:00.000Z' };
    const { table, text } = await told(service, { type: 'trend', scope: { date_range: range } });
    expect(table('scans').map(({ score }) => score)).toEqual([
      // 20 and 2 of 33; 20 and 3 of 44.
      66.67, 52.27,
    ]);
    expect(table('first_and_last')[0]).toMatchObject({ first: 66.67, last: 52.27, change: -14.4 });
    expect(table('policies_changed')).toMatchObject([
      { policy: 'critical', at_start: 2, opened: 1, resolved: 1, at_end: 2, went: 'same' },
      { policy: 'low', at_start: 3, resolved: 1, exempted: 1, at_end: 1, went: 'better' },
    ]);
    expect(table('environments_changed')).toMatchObject([
      { environment: 'production', at_start: 2, at_end: 3, went: 'worse' },
      { environment: 'not set', change: -1 },
      { environment: 'dev', change: -2 },
    ]);
    expect(table('time_to_resolve')).toMatchObject([
      { severity: 'CRITICAL', resolved: 1, mean: '10 days' },
      { severity: 'HIGH', resolved: 0, mean: null },
      { severity: 'MEDIUM' },
      { severity: 'LOW', resolved: 1, mean_hours: 240 },
    ]);
    expect(table('periods').length).toBeLessThanOrEqual(31);
    expect(table('periods')[0]).toMatchObject({ open: 5 });
    expect(text('summary')).toContain(
      'Open violations: 5 at the start of the range, 3 at its end.',
    );
  });

  it('audit has every evaluation, who changed what, scans, exemptions and changes of status', async () => {
    const { table, text } = await told(service, { type: 'audit' });
    expect(
      table('evaluations').map(({ policy, resource, status }) => [policy, resource, status]),
    ).toEqual([
      ['critical', 'd1', 'PASS'],
      ['critical', 'p1', 'FAIL'],
      ['critical', 'p2', 'FAIL'],
      ['critical', 'x1', 'PASS'],
      ['low', 'd1', 'PASS'],
      ['low', 'p1', 'FAIL'],
      ['low', 'p2', 'PASS'],
      ['low', 'x1', 'EXEMPT'],
    ]);
    expect(table('exemptions')).toMatchObject([
      { policy: 'low', resources: 'x1', owner: 'team-a', reason: 'agreed', expires: '2026-05-01' },
    ]);
    expect(table('actions')).toContainEqual({ name: 'scan.create', changes: 3 });
    expect(table('audit_log').filter(({ action }) => action === 'resource.update')).toMatchObject([
      { subject: 'd1', changes: expect.stringContaining('public') as unknown },
    ]);
    const created = table('audit_log').filter(({ action }) => action === 'policy.create');
    expect(created.map(({ subject_name: name }) => name).sort()).toEqual(['critical', 'low']);
    expect(created.every(({ via_name: name }) => name === 'bootstrap')).toBe(true);
    // Who has no account is called by the name of their key.
    expect(created.every(({ actor_name: name }) => name === 'bootstrap')).toBe(true);
    expect(table('exemptions')).toMatchObject([{ created_by_name: 'bootstrap' }]);
    expect(table('scans').every(({ created_by_name: name }) => name === 'bootstrap')).toBe(true);
    expect(text('summary')).toMatch(/Most changes came from bootstrap \(\d+\)/);
    expect(table('status_changes').filter(({ to }) => to !== 'OPEN')).toMatchObject([
      { policy: 'critical', resource: 'd1', from: 'OPEN', to: 'RESOLVED', cause: 'passes' },
      { policy: 'low', resource: 'd1', to: 'RESOLVED' },
      { policy: 'low', resource: 'x1', to: 'EXEMPT', cause: 'exempted' },
    ]);
    expect(text('summary')).toContain('Violations were opened 6 times, resolved 2 times');
    const range = { start: '2026-03-11T00:00:00.000Z', end: '2026-03-12T00:00:00.000Z' };
    const within = await told(service, { type: 'audit', scope: { date_range: range } });
    expect(within.table('audit_log').map(({ action }) => action)).toEqual([
      'resource.update',
      'exemption.create',
      'scan.create',
    ]);
    expect(within.table('scans')).toHaveLength(1);
    expect(within.table('status_changes')).toHaveLength(3);
  });

  it('audit says nothing of what only the scope audit:read shows: changes of access and of cost', async () => {
    const made = async (path: string, body: object): Promise<void> =>
      expect((await service.send('POST', path, { body })).status).toBe(201);
    await made('/v1/api-keys', { name: 'hidden', scopes: ['governance:read'] });
    await made('/v1/oauth-clients', { name: 'hidden', scopes: ['governance:read'] });
    await made('/v1/users', { email: 'hidden@example.com', roles: ['viewer'] });
    await made('/v1/budgets', { name: 'hidden', amount: 5, currency: 'USD' });
    const { json } = await service.send('GET', '/v1/audit-log?limit=4');
    const hidden = (json.audit_log as { action: string }[]).map(({ action }) => action);
    expect(hidden.sort()).toEqual(['api_key.create', 'budget.create', 'oauth_client.create', 'user.create']); // prettier-ignore
    const { table, text } = await told(service, { type: 'audit' });
    const said = [...table('audit_log').map(({ action }) => action), ...table('actions').map(({ name }) => name)]; // prettier-ignore
    expect(said).toContain('policy.create');
    expect(said.filter((action) => hidden.includes(String(action)))).toEqual([]);
    expect(text('changes')).toContain('requires the scope audit:read');
  });
});
