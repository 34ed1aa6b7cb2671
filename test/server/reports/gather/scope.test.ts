import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import { generatedAt } from '../../../../src/report/formats/cell-text.ts';
import { inventoryOf } from '../../inventory-service.ts';
import type { TestService } from '../../test-service.ts';
import { startTestService } from '../../test-service.ts';
import { composeOf, told } from './content-world.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
const scans: string[] = [];

const day = 24 * 3_600_000;
const march = (first: number, end: number) => ({
  start: new Date(Date.UTC(2026, 2, first)).toISOString(),
  end: new Date(Date.UTC(2026, 2, end)).toISOString(),
});
const scan = async (body = {}): Promise<void> => {
  scans.push(String((await inventory.ok('POST', '/v1/scans', { body })).json.id));
  await service.evaluator.run();
};

/**
 * From noon on 1 March: `public` (HIGH) fails for b1 in production on aws and for g1 in dev on gcp, `old` (LOW) for b1. On the 6th
 * b1 is made private; on the 11th `old` is deleted and b2 comes, public; on the 16th g1 is deleted. It is the 21st.
 */
beforeAll(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
  await inventory.createPolicy('public', {
    severity: 'HIGH',
    compliance_frameworks: ['PCI-DSS:1.2', 'PCI-DSS:1.3', 'In House:A'],
  });
  const old = await inventory.createPolicy('old', {
    severity: 'LOW',
    rules: [{ condition: 'resource.days > 3', effect: 'DENY' }],
    compliance_frameworks: ['soc2:CC7.2'],
  });
  await inventory.createPolicy('off', { enabled: false, compliance_frameworks: ['HIPAA'] });
  await inventory.put('b1', { public: true, days: 9, environment: 'production' });
  await inventory.put('g1', { public: true, days: 0, environment: 'dev', provider: 'GCP' });
  await scan();
  service.advance(5 * day);
  await inventory.put('b1', { public: false, days: 9, environment: 'production' });
  await scan();
  await scan({ resource_types: ['AWS::S3::Bucket'] });
  service.advance(5 * day);
  await inventory.ok('DELETE', `/v1/policies/${old}`);
  await inventory.put('b2', { public: true, days: 0 });
  await service.evaluator.run();
  service.advance(5 * day);
  await inventory.ok('DELETE', '/v1/resources/g1');
  await service.evaluator.run();
  service.advance(5 * day);
});
afterAll(() => service.close());

describe('the scope of a report', () => {
  it('takes the environments and providers that are named, these in any case', async () => {
    const production = await told(service, { scope: { environments: ['production'] } });
    expect(production.model.head.summary).toMatchObject({
      compliance_score: 100,
      total_violations: 0,
    });
    expect(production.composed).toMatchObject({ policies: 1, resources: 1 });
    const gcp = await told(service, {
      scope: { cloud_providers: ['gcp'], date_range: march(1, 10) },
    });
    expect(gcp.table('findings')).toMatchObject([{ resource: 'g1', provider: 'gcp' }]);
    expect(gcp.model.head.about).toContainEqual({ label: 'Cloud providers', value: 'gcp' });
  });

  it.each([
    ['pci', 'PCI-DSS', ['public'], ['1.2', '1.3']],
    ['Pci-Dss', 'PCI-DSS', ['public'], ['1.2', '1.3']],
    ['PCI-DSS:1.3', 'PCI-DSS:1.3', ['public'], ['1.3']],
    ['in house', 'in house', ['public'], ['A']],
    ['in house:a', 'in house:a', ['public'], ['A']],
    ['PCI-DSS:9', 'PCI-DSS:9', [], []],
    ['hipaa', 'HIPAA', [], []],
    ['iso27001', 'ISO27001', [], []],
  ])('takes the framework %s', async (framework, shown, policies, controls) => {
    const { model, table } = await told(service, { framework });
    expect(model.head.framework).toBe(shown);
    expect(table('policies').map(({ policy }) => policy)).toEqual(policies);
    expect(table('controls').map(({ control }) => control)).toEqual(controls);
    expect(model.head.summary.total_violations).toBe(policies.length);
    for (const { controls: named } of table('findings')) {
      expect(String(named).toLowerCase()).toBe(
        [shown.split(':')[0], ...controls].join(' ').toLowerCase(),
      );
    }
  });

  it('has violations as they stood at the end of its range, of what is gone since, too', async () => {
    const { table, model, text } = await told(service, { scope: { date_range: march(2, 9) } });
    expect(
      table('findings').map(({ policy, resource, status }) => [policy, resource, status]),
    ).toEqual([
      ['public', 'b1', 'RESOLVED'],
      ['public', 'g1', 'OPEN'],
      ['old', 'b1', 'OPEN'],
    ]);
    expect(table('findings')[0]).toMatchObject({
      detected_at: '2026-03-01T12:00:00.000Z',
      resolved_at: '2026-03-06T12:00:00.000Z',
    });
    // Of the second scan: 7 of 7 and 7 more, 1 and 1 more, is 8 of 16.
    expect(model.head.summary).toEqual({
      compliance_score: 50,
      total_violations: 2,
      critical: 0,
      high: 1,
      medium: 0,
      low: 1,
    });
    expect(text()).toContain(`The score is from scan ${scans[1]}`);
    expect(table('controls')).toMatchObject([
      { framework: 'In House', control: 'A', status: 'FAILED', open: 1 },
      { framework: 'PCI-DSS', control: '1.2', status: 'FAILED', open: 1 },
      { framework: 'PCI-DSS', control: '1.3', status: 'FAILED', open: 1 },
      // Its policy is gone: it is known by its violation alone.
      { framework: 'SOC2', control: 'CC7.2', status: 'FAILED', open: 1, evaluations: 0 },
    ]);
  });

  it('says plainly where a figure is of now, not of the end of its range', async () => {
    const part = await told(service, {
      scope: { date_range: march(2, 9), environments: ['dev'] },
    });
    expect(part.text()).toContain('so the score of this scope is also as evaluated now');
    const early = await told(service, {
      scope: { date_range: { start: '2026-02-01T00:00:00.000Z', end: '2026-02-10T00:00:00.000Z' } },
    });
    expect(early.text()).toContain('No full scan was completed before the end');
    expect(early.text()).toContain('1 policy in scope was created or changed after the end');
    expect(early.model.head.summary.total_violations).toBe(0);
    expect('source_scan_id' in early.composed).toBe(false);
    const now = await told(service, { scope: { date_range: march(2, 29) } });
    expect(now.text()).not.toContain('The range ended');
    expect(part.model.head.notices).toEqual([
      'Nothing was evaluated: no resource is in environment dev; the inventory contains production.',
      'Violations are as of the end of the range, 2026-03-09 00:00 UTC.',
    ]);
    expect(early.model.head.notices).toEqual([
      'Violations are as of the end of the range, 2026-02-10 00:00 UTC; the score is as evaluated at 2026-03-21 12:00 UTC.',
    ]);
    expect(now.model.head.notices).toEqual([]);
  });

  it('takes a range that ended a few minutes ago for one up to now', async () => {
    const at = service.deps.clock.now();
    const until = (end: number) => ({
      scope: {
        date_range: { start: march(2, 9).start, end: new Date(end).toISOString() },
      },
    });
    const fresh = await told(service, until(at - 60_000));
    expect(fresh.text()).not.toContain('The range ended');
    const old = await told(service, until(at - 3_600_000));
    expect(old.text()).toContain('The range ended');
  });

  it('says beside its figures that nothing was evaluated, and which names there are', async () => {
    const wrong = await told(service, { scope: { environments: ['prodution'] } });
    expect(wrong.model.head.summary.compliance_score).toBeNull();
    expect(wrong.model.head.notices).toEqual([
      'Nothing was evaluated: no resource is in environment prodution; the inventory contains production.',
    ]);
    expect(wrong.text('summary')).toContain('no resource is in environment prodution');
    const half = await told(service, { scope: { environments: ['production', 'prodution'] } });
    expect(half.model.head.notices).toEqual([
      'No resource is in environment prodution; the inventory contains production.',
    ]);
    const cloud = await told(service, { scope: { cloud_providers: ['awz'] } });
    expect(cloud.model.head.notices?.[0]).toContain(
      'of cloud provider awz; the inventory contains aws',
    );
  });

  it('is told in one zone throughout, where it has one', async () => {
    const scope = { date_range: march(2, 9), timezone: 'Europe/Berlin' };
    const { model, text } = await told(service, { scope });
    const { about, timezone } = model.head;
    expect(timezone).toBe('Europe/Berlin');
    const times = `${about.map(({ value }) => value).join()} ${text()}`.match(
      /\d\d:\d\d [A-Z][A-Za-z/]*/g,
    );
    expect(new Set(times?.map((time) => time.slice(6)))).toEqual(new Set(['Europe/Berlin']));
    expect(about).toContainEqual({
      label: 'Time',
      value: 'from 2026-03-02 01:00 Europe/Berlin to 2026-03-09 01:00 Europe/Berlin',
    });
    expect(generatedAt(model.head)).toBe('2026-03-21 13:00:00 Europe/Berlin');
  });

  it('names the last whole scan, and not one of a part', async () => {
    expect((await told(service)).composed.source_scan_id).toBe(scans[1]);
  });

  it('leaves out the summary and the details where they are not wanted; the main table is there', async () => {
    for (const type of reportTypes) {
      const full = await told(service, { type });
      expect(full.sections[0]).toBe('summary');
      expect(full.has(full.model.head.mainTable)).toBe(true);
      const short = await told(service, {
        type,
        include_executive_summary: false,
        include_detailed_findings: false,
      });
      expect(short.sections).not.toContain('summary');
      expect(short.has(short.model.head.mainTable)).toBe(true);
      for (const table of [
        'findings',
        'undecided_rows',
        'evaluations',
        'violations',
        'audit_log',
      ]) {
        expect(short.has(table)).toBe(false);
      }
      expect(short.model.head.summary).toEqual(full.model.head.summary);
      expect(new Set(full.sections).size).toBe(full.sections.length);
    }
  });

  it('is told the same each time', async () => {
    for (const type of reportTypes) {
      const texts = [];
      for (let time = 0; time < 2; time += 1) {
        const { model, table } = await told(service, { type });
        const { mainTable } = model.head;
        texts.push(JSON.stringify([model, table(mainTable)]));
      }
      expect(texts[0]).toBe(texts[1]);
    }
  });

  it('ends at once where it is no longer wanted, and tells how far it is where it is', async () => {
    const parts: number[] = [];
    const composed = await composeOf(service, {}, { onProgress: (part) => parts.push(part) });
    await composed.close();
    expect(parts.at(-1)).toBe(1);
    expect([...parts].sort((a, b) => a - b)).toEqual(parts);
    const reason = new Error('not wanted');
    await expect(composeOf(service, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });
});

describe('a report', () => {
  it('says of how many resources no policy in scope is about the type or its service', async () => {
    const own = await startTestService();
    try {
      const its = inventoryOf(own);
      await its.createPolicy('private', { compliance_frameworks: ['SOC2:CC6.1'] });
      await its.createPolicy('wide', { resource_type: 'AWS::*', compliance_frameworks: ['PCI-DSS:1.2'] }); // prettier-ignore
      await its.put('b', { public: false });
      await its.put('n', { type: 'AWS::EC2::NetworkInterface', public: false });
      await own.evaluator.run();
      expect((await told(own)).model.head.notices).toEqual([
        '1 of 2 resources has a type without a policy in scope for the type or its service.',
      ]);
      expect((await told(own, { framework: 'pci' })).model.head.notices).toEqual([
        '2 of 2 resources have types without a policy in scope for the type or its service.',
      ]);
      await its.createPolicy('of a service', { resource_type: 'AWS::EC2::*' });
      expect((await told(own)).model.head.notices).toEqual([]);
    } finally {
      await own.close();
    }
  });
});
