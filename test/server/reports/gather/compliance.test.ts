import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../inventory-service.ts';
import type { TestService } from '../../test-service.ts';
import { startTestService } from '../../test-service.ts';
import { told } from './content-world.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const denies = (condition: string, message = 'no') => [{ condition, effect: 'DENY', message }];

/**
 * CRITICAL `public` over three buckets: b1 fails, b2 passes, b3 is exempt. LOW `days` over the same: b1, b2 fail; b3 has
 * no `days`. MEDIUM `open` over one instance, which passes.
 */
async function smallWorld() {
  await inventory.createPolicy('public', {
    severity: 'CRITICAL',
    compliance_frameworks: ['SOC2:CC6.1', 'PCI-DSS:1.2', 'HIPAA'],
  });
  await inventory.createPolicy('days', {
    severity: 'LOW',
    rules: denies('resource.days > 3', 'too old'),
    compliance_frameworks: ['SOC2:CC7.2'],
  });
  await inventory.createPolicy('open', {
    severity: 'MEDIUM',
    resource_type: 'AWS::EC2::Instance',
    rules: denies('resource.open', 'close it'),
    compliance_frameworks: ['soc2:CC6.1', 'Own Rules:1'],
  });
  await inventory.put('b1', { public: true, days: 5, environment: 'production' });
  await inventory.put('b2', { public: false, days: 9, environment: 'dev' });
  await inventory.put('b3', { public: true, environment: 'dev' });
  await inventory.put('i1', { type: 'AWS::EC2::Instance', open: false, provider: 'other' });
  await inventory.exempt({ policy: 'public', resources: ['b3'] });
}

describe('a compliance report', () => {
  it('counts what is evaluated, and scores it as the engine does', async () => {
    await smallWorld();
    const { model, table, composed } = await told(service);
    // Weights: public 10 + 10 exempt of 30, days 0 of 3, open 3 of 3.
    expect(model.head.summary).toEqual({
      compliance_score: 63.89,
      total_violations: 3,
      critical: 1,
      high: 0,
      medium: 0,
      low: 2,
    });
    expect(composed).toMatchObject({ policies: 3, resources: 4 });
    expect(table('policies')).toMatchObject([
      { policy: 'public', evaluations: 3, passed: 1, failed: 1, exempt: 1, open: 1, score: 66.67 },
      { policy: 'open', evaluations: 1, passed: 1, open: 0, score: 100 },
      { policy: 'days', evaluations: 3, failed: 2, undecided: 1, open: 2, score: 0 },
    ]);
    expect(table('by_environment')).toMatchObject([
      { environment: 'dev', evaluations: 4, open: 1 },
      { environment: 'not set', evaluations: 1, open: 0 },
      { environment: 'production', evaluations: 2, failed: 2, score: 0, open: 2 },
    ]);
  });

  it('says how each framework and control stands, and why', async () => {
    await smallWorld();
    const { table } = await told(service);
    expect(table('frameworks')).toMatchObject([
      { framework: 'HIPAA', status: 'NON_COMPLIANT', score: 66.67, evaluations: 3 },
      { framework: 'Own Rules', status: 'COMPLIANT', score: 100, because: '' },
      { framework: 'PCI-DSS', status: 'NON_COMPLIANT' },
      { framework: 'SOC2', status: 'NON_COMPLIANT', score: 63.89, policies: 3, open: 3 },
    ]);
    expect(table('controls')).toMatchObject([
      { framework: 'Own Rules', control: '1', status: 'PASSED', evaluations: 1 },
      { framework: 'PCI-DSS', control: '1.2', status: 'FAILED', failing: 'b1' },
      { framework: 'SOC2', control: 'CC6.1', status: 'FAILED', policies: '2 (public, open)' },
      { framework: 'SOC2', control: 'CC7.2', status: 'FAILED', undecided: 1, failed: 2 },
    ]);
  });

  it('lists its findings by severity, policy and resource, and what could not be decided', async () => {
    await smallWorld();
    const { table, model } = await told(service);
    expect(
      table('findings').map(({ severity, resource, status }) => [severity, resource, status]),
    ).toEqual([
      ['CRITICAL', 'b1', 'OPEN'],
      ['CRITICAL', 'b3', 'EXEMPT'],
      ['LOW', 'b1', 'OPEN'],
      ['LOW', 'b2', 'OPEN'],
    ]);
    expect(model.head.mainTable).toBe('findings');
    expect(table('undecided')).toMatchObject([
      { policy: 'days', resource: 'b3', why: expect.stringContaining('resource.days') as unknown },
    ]);
  });
});
