import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../inventory-service.ts';
import type { TestService } from '../../test-service.ts';
import { startTestService } from '../../test-service.ts';
import { told } from './content-world.ts';

const day = 24 * 3_600_000;

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
const start = async (options: Parameters<typeof startTestService>[0] = {}): Promise<void> => {
  service = await startTestService(options);
  inventory = inventoryOf(service);
};
afterEach(() => service.close());

const inDays = (days: number): string =>
  new Date(service.deps.clock.now() + days * day).toISOString();

describe('what is about to fail, in a risk report', () => {
  const expires = {
    severity: 'HIGH',
    compliance_frameworks: ['SOC2:CC6.1'],
    rules: [{ condition: 'timestamp(resource.ends) < now', effect: 'DENY', message: 'Renew it' }],
  };
  beforeEach(async () => {
    await start();
    await inventory.createPolicy('renewed', expires);
    await inventory.put('soon', { ends: inDays(5), environment: 'production' });
    await inventory.put('later', { ends: inDays(20), environment: 'dev' });
    await inventory.put('far', { ends: inDays(60) });
  });

  it('is what is predicted for the next 30 days, the soonest first, with how many each method has', async () => {
    await inventory.createPolicy('p', { severity: 'LOW' });
    await inventory.put('open', { public: true, ends: inDays(90) });
    await inventory.exempt({ resources: ['open'], expires: '2026-03-10' });
    const { table, text, model } = await told(service, { type: 'risk' });
    expect(table('predictions')).toMatchObject([
      { resource: 'soon', policy: 'renewed', severity: 'HIGH', method: 'date_certain', confidence: 100, advice: 'Renew it', at: expect.stringMatching(/^2026-03-06T12:00:00/) as string }, // prettier-ignore
      { resource: 'open', policy: 'p', severity: 'LOW', method: 'exemption_expiry' },
      { resource: 'later' },
    ]);
    expect(text('summary')).toContain('3 violations are predicted within 30 days, the first on 2026-03-06 12:00 UTC: renewed on soon.'); // prettier-ignore
    expect(text('about_to_fail')).toContain('Disabled methods: trend and recurrence');
    const figures = model.sections
      .find(({ id }) => id === 'about_to_fail')
      ?.blocks.find(({ kind }) => kind === 'figures');
    expect(figures).toMatchObject({
      items: [
        { label: 'Date certain', value: '2' },
        { label: 'Exemption expiry', value: '1' },
      ],
    });
  });

  it('is of what the report is about', async () => {
    const of = async (order: Parameters<typeof told>[1]) =>
      (await told(service, { type: 'risk', ...order })).table('predictions').map((row) => row.resource); // prettier-ignore
    expect(await of({ scope: { environments: ['dev'] } })).toEqual(['later']);
    expect(await of({ scope: { cloud_providers: ['AWS'] } })).toEqual(['soon', 'later']);
    expect(await of({ scope: { cloud_providers: ['gcp'] } })).toEqual([]);
    expect(await of({ framework: 'soc2' })).toEqual(['soon', 'later']);
    expect(await of({ framework: 'pci' })).toEqual([]);
  });

  it('is the soonest 25 without detailed findings', async () => {
    for (let at = 0; at < 30; at += 1) await inventory.put(`r${at}`, { ends: inDays(6) });
    const brief = await told(service, { type: 'risk', include_detailed_findings: false });
    expect(brief.table('predictions')).toHaveLength(25);
    expect(brief.table('predictions')[0]).toMatchObject({ resource: 'soon' });
    expect(brief.text('about_to_fail')).toContain('the earliest 25 of 32 predictions');
  });

  it('is nothing where the range is over, and the report says so', async () => {
    service.advance(2 * day);
    const range = { start: '2026-03-01T00:00:00.000Z', end: '2026-03-02T00:00:00.000Z' };
    const { table, text } = await told(service, { type: 'risk', scope: { date_range: range } });
    expect(table('predictions')).toEqual([]);
    expect(text('about_to_fail')).toContain('The range of this report has ended');
  });
});

describe('remediation plans, in a remediation report', () => {
  const versioning = {
    compliance_frameworks: ['SOC2:CC6.1'],
    rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
    remediation_action: 'patch:{"versioning":{"enabled":true}}',
  };
  const remediate = async (body: object): Promise<string> => {
    const { json } = await inventory.ok('POST', '/v1/compliance/remediate', { body });
    await service.remediate();
    return json.id as string;
  };
  const off = (environment: string) => ({
    versioning: { enabled: false },
    public: false,
    environment,
  });

  it('have their states, what they undo, and why actions failed', async () => {
    await start();
    await inventory.createPolicy('versioning', versioning);
    await inventory.put('a', off('production'));
    const first = await remediate({ policy_id: 'versioning', dry_run: false });
    service.advance(1_000);
    const { json } = await inventory.ok('POST', `/v1/compliance/remediate/${first}/rollback`, { body: { dry_run: false } }); // prettier-ignore
    await service.remediate();
    service.advance(1_000);
    // The patch does not make it private.
    await inventory.createPolicy('odd', {
      rules: [{ condition: 'resource.versioning.enabled == false || resource.public == true', effect: 'DENY' }], // prettier-ignore
      remediation_action: 'patch:{"versioning":{"enabled":true}}',
    });
    await inventory.put('b', { ...off('dev'), public: true });
    await service.evaluator.run();
    const failing = await remediate({ policy_id: 'odd', dry_run: false });
    service.advance(1_000);
    await inventory.put('c', off('dev'));
    const dry = await remediate({ policy_id: 'odd', dry_run: true });
    const { table, model } = await told(service, { type: 'remediation' });
    expect(table('remediations').map(({ id, status, kind }) => [id, status, kind])).toEqual([
      [dry, 'planned', 'dry run'],
      [failing, 'failed', 'remediation'],
      [json.id, 'completed', 'rollback'],
      [first, 'completed', 'remediation'],
    ]);
    expect(table('remediations')[2]).toMatchObject({ rolls_back: first });
    expect(table('failed_actions')).toMatchObject([
      { remediation: failing, policy: 'odd', resource: 'b', method: 'patch', why: 'the resource was evaluated again and still fails' }, // prettier-ignore
    ]);
    const section = model.sections.find(({ id }) => id === 'remediations');
    expect(section?.blocks.find(({ kind }) => kind === 'figures')).toMatchObject({
      items: [
        { label: 'Planned', value: '1' },
        { label: 'Approved', value: '0' },
        { label: 'Running', value: '0' },
        { label: 'Completed', value: '2' },
        { label: 'Failed', value: '1' },
        { label: 'Cancelled', value: '0' },
        { label: 'Expired', value: '0' },
      ],
    });
  });

  it('are those with an action in scope, of which only these count', async () => {
    await start();
    await inventory.createPolicy('versioning', versioning);
    for (const at of ['production', 'dev', 'test']) await inventory.put(at, off(at));
    const id = await remediate({ policy_id: 'versioning', dry_run: false });
    service.advance(40 * day);
    const of = async (order: Parameters<typeof told>[1]) =>
      (await told(service, { type: 'remediation', ...order })).table('remediations');
    expect(await of({})).toMatchObject([{ id, actions: 3, completed: 3 }]);
    expect(await of({ scope: { environments: ['dev'] } })).toMatchObject([{ id, actions: 1, completed: 1 }]); // prettier-ignore
    expect(await of({ scope: { environments: ['other'] } })).toEqual([]);
    expect(await of({ framework: 'SOC2' })).toMatchObject([{ actions: 3 }]);
    expect(await of({ framework: 'PCI' })).toEqual([]);
    const range = (start: string, end: string) => ({ date_range: { start, end } });
    const before = range('2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z');
    const after = range('2026-04-01T00:00:00.000Z', '2026-04-02T00:00:00.000Z');
    const within = range('2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z');
    expect(await of({ scope: before })).toEqual([]);
    expect(await of({ scope: after })).toEqual([]);
    expect(await of({ scope: within })).toMatchObject([{ id }]);
  });
});
