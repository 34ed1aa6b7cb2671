import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Rightsizing, RightsizingList } from '../../../src/contract/rightsizing.ts';
import { putFocus } from '../cost/put-focus.ts';
import { startTestService } from '../test-service.ts';
import type { Got, TestService } from '../test-service.ts';
import { constant, hourly, machine, machineId, putMachines, sendMetrics } from './machines.ts';

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

/** On 2026-03-01 at noon. */
async function start(options: Parameters<typeof startTestService>[0] = {}): Promise<TestService> {
  service = await startTestService(options);
  return service;
}

const header =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,ChargeCategory,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId\n';

/** So much on each of the 28 days of February. */
const february = (resource: string, perDay: string, currency = 'USD'): string =>
  Array.from({ length: 28 }, (_, at) => {
    const day = `2026-02-${String(at + 1).padStart(2, '0')}`;
    return `AWS,1,11,EC2,Usage,${currency},${perDay},${day},2026-02-01,${resource}\n`;
  }).join('');

/** 20 days of CPU and memory. */
const measured = (id: string, cpu: number, memory: number | undefined) => [
  ...hourly(id, 'cpu', '2026-02-08T00:00:00Z', constant(cpu, 20)),
  ...(memory === undefined
    ? []
    : hourly(id, 'memory', '2026-02-08T00:00:00Z', constant(memory, 20))),
];

async function list(its: TestService, search = ''): Promise<RightsizingList> {
  const got = await its.send('GET', `/v1/cost/rightsizing${search}`);
  if (got.status !== 200) throw new Error(got.text);
  return JSON.parse(got.text) as RightsizingList;
}

const ids = ({ recommendations }: RightsizingList): string[] =>
  recommendations.map(({ resource_id: id }) => id);

describe('GET /v1/cost/rightsizing', () => {
  it('recommends the smallest size that fits, with its evidence, and the saving at the rate that was paid', async () => {
    const its = await start();
    await putMachines(
      its,
      machine(machineId, 'm5.4xlarge', { name: 'web', environment: 'production' }),
    );
    await putFocus(
      its,
      header + february(`arn:aws:ec2:eu-west-1:11:instance/${machineId}`, '18.432'),
    );
    // 480 hours = 1,920 quarters. Rank 0.995 × 1,920 = 1,910.4 → 1,911: the nine highest are left out, two hours are 8.
    const cpu = [...constant(15, 20).slice(2), 90, 90];
    await sendMetrics(its, [
      ...hourly(machineId, 'cpu', '2026-02-08T00:00:00Z', cpu),
      ...hourly(machineId, 'memory', '2026-02-08T00:00:00Z', constant(18, 20)),
    ]);
    const found = await list(its);
    // 15 % of 16 vCPUs = 2.4 of 4 = 0.6; 18 % of 64 GiB = 11.52 of 16 = 0.72: m5.xlarge, high risk.
    // 28 days × 18.432 = 516.096 in 672 hours = 0.768 an hour, × 730 = 560.64; 3 of 4 parts fall away: 420.48.
    expect(found.recommendations).toEqual([
      {
        id: expect.stringMatching(/^rsz_[0-9a-f]{32}$/) as string,
        resource_id: machineId,
        resource_type: 'AWS::EC2::Instance',
        name: 'web',
        provider: 'aws',
        account_id: '11',
        region: 'eu-west-1',
        environment: 'production',
        status: 'recommended',
        size: 'm5.4xlarge',
        current: {
          name: 'm5.4xlarge',
          family: 'm5',
          architecture: 'x86_64',
          vcpus: 16,
          memory_gib: 64,
          relative_price: 16,
        },
        suggested: {
          name: 'm5.xlarge',
          family: 'm5',
          architecture: 'x86_64',
          vcpus: 4,
          memory_gib: 16,
          relative_price: 4,
          load: { cpu: 0.6, memory: 0.72 },
        },
        alternatives: [
          {
            name: 'm5.2xlarge',
            family: 'm5',
            architecture: 'x86_64',
            vcpus: 8,
            memory_gib: 32,
            relative_price: 8,
            load: { cpu: 0.3, memory: 0.36 },
          },
        ],
        risk: 'high',
        currency: 'USD',
        cost_per_hour: '0.768',
        monthly_cost: '560.64',
        monthly_saving: '420.48',
        evidence: {
          cpu: {
            hours: 480,
            from: '2026-02-08T00:00:00.000Z',
            until: '2026-02-28T00:00:00.000Z',
            p50: 15,
            p95: 15,
            p99_5: 15,
            max: 90,
          },
          memory: {
            hours: 480,
            from: '2026-02-08T00:00:00.000Z',
            until: '2026-02-28T00:00:00.000Z',
            p50: 18,
            p95: 18,
            p99_5: 18,
            max: 18,
          },
          headroom: 0.2,
          cost: { amount: '516.096', currency: 'USD', hours: 672 },
        },
      },
    ]);
    expect(found.totals).toEqual([
      { currency: 'USD', resources: 1, monthly_cost: '560.64', monthly_saving: '420.48' },
    ]);
    const [one] = found.recommendations;
    const got = await its.send('GET', `/v1/cost/rightsizing/${one?.id}`);
    expect(got.json).toEqual(one);
  });

  it('withholds what it cannot judge, and says why and how often; memory can be assumed', async () => {
    const its = await start();
    await putMachines(
      its,
      machine('i-cpu', 'm5.4xlarge'),
      machine('i-none', 'm5.4xlarge'),
      machine('i-odd', 'x9.huge'),
      machine('i-fit', 'm5.large'),
      machine('i-off', 'm5.4xlarge', { properties: { State: { Name: 'stopped' } } }),
      { id: 'i-bare', type: 'AWS::EC2::Instance' },
    );
    await sendMetrics(its, [
      ...measured('i-cpu', 5, undefined),
      ...measured('i-odd', 5, 5),
      ...measured('i-fit', 5, 5),
      ...measured('i-off', 5, 5),
    ]);
    const found = await list(its);
    expect(found).toMatchObject({
      recommendations: [],
      totals: [],
      counts: { recommended: 0, withheld: 4, fits: 1, stopped: 1 },
      withheld: [
        { reason: 'not_measured', count: 1 },
        { reason: 'memory_not_measured', count: 1 },
        { reason: 'size_unknown', count: 1 },
        { reason: 'size_not_in_catalog', count: 1 },
      ],
    });
    const withheld = await list(its, '?status=withheld&sort_by=resource_id&order=asc');
    expect(
      withheld.recommendations.map(({ resource_id: id, reason }) => `${id} ${reason}`),
    ).toEqual([
      'i-bare size_unknown',
      'i-cpu memory_not_measured',
      'i-none not_measured',
      'i-odd size_not_in_catalog',
    ]);
    expect(ids(await list(its, '?status=withheld&reason=not_measured'))).toEqual(['i-none']);
    // 30 % of 64 GiB = 19.2: 0.6 of the 32 of m5.2xlarge. No cost is known: no saving.
    const assumed = await list(its, '?assume_memory=30');
    expect(assumed.recommendations).toMatchObject([
      {
        resource_id: 'i-cpu',
        risk: 'high',
        suggested: { name: 'm5.2xlarge' },
        evidence: { assumed_memory: 30 },
      },
    ]);
    expect(assumed.recommendations[0]).not.toHaveProperty('monthly_saving');
    expect(assumed.totals).toEqual([]);
  });

  it('sorts by saving, filters, pages, and adds up by currency what matches', async () => {
    const its = await start();
    const names = ['i-a', 'i-b', 'i-c', 'i-d'];
    await putMachines(
      its,
      machine('i-a', 'm5.2xlarge', { region: 'eu-central-1' }),
      machine('i-b', 'm5.2xlarge', { environment: 'test' }),
      machine('i-c', 'm5.2xlarge', { account_id: '22' }),
      machine('i-d', 'm5.2xlarge'),
    );
    await putFocus(
      its,
      header + february('i-a', '1') + february('i-b', '3') + february('i-d', '2', 'EUR'),
    );
    await sendMetrics(
      its,
      names.flatMap((id) => measured(id, 5, 5)),
    );
    expect(ids(await list(its))).toEqual(['i-b', 'i-d', 'i-a', 'i-c']);
    expect(ids(await list(its, '?order=asc'))).toEqual(['i-c', 'i-a', 'i-d', 'i-b']);
    expect(ids(await list(its, '?limit=2&offset=1'))).toEqual(['i-d', 'i-a']);
    expect((await list(its, '?limit=2')).pagination).toEqual({
      total: 4,
      limit: 2,
      offset: 0,
      has_more: true,
    });
    expect(ids(await list(its, '?region=eu-central-1'))).toEqual(['i-a']);
    expect(ids(await list(its, '?environment=test,other'))).toEqual(['i-b']);
    expect(ids(await list(its, '?account_id=22'))).toEqual(['i-c']);
    expect(ids(await list(its, '?provider=gcp'))).toEqual([]);
    expect(ids(await list(its, '?risk=high'))).toEqual([]);
    // m5.2xlarge to m5.large: three quarters. 28 × 4 / 672 × 730 × 0.75 = 91.25; 28 × 2 / 672 × 730 × 0.75 = 45.625.
    expect((await list(its)).totals).toEqual([
      {
        currency: 'USD',
        resources: 2,
        monthly_cost: expect.any(String) as string,
        monthly_saving: '91.25',
      },
      {
        currency: 'EUR',
        resources: 1,
        monthly_cost: expect.any(String) as string,
        monthly_saving: '45.625',
      },
    ]);
    expect((await list(its, '?region=eu-central-1')).totals).toMatchObject([
      { resources: 1, monthly_saving: '22.8125' },
    ]);
  });

  it('follows the inventory, the utilization and the cost as they change', async () => {
    const its = await start();
    await putMachines(its, machine(machineId, 'm5.4xlarge'));
    expect((await list(its)).withheld).toEqual([{ reason: 'not_measured', count: 1 }]);
    await sendMetrics(its, measured(machineId, 5, 5));
    expect((await list(its)).recommendations).toMatchObject([{ suggested: { name: 'm5.large' } }]);
    await putFocus(its, header + february(machineId, '1'));
    expect((await list(its)).totals).toHaveLength(1);
    // Measured of another size: that says nothing of this one.
    await putMachines(its, machine(machineId, 'm5.2xlarge'));
    expect((await list(its)).withheld).toEqual([{ reason: 'not_measured', count: 1 }]);
    await its.send('DELETE', `/v1/resources/${machineId}`);
    expect((await list(its)).counts).toEqual({ recommended: 0, withheld: 0, fits: 0, stopped: 0 });
  });

  it('looks back on 30 days only', async () => {
    const its = await start();
    await putMachines(its, machine(machineId, 'm5.4xlarge'));
    await sendMetrics(its, measured(machineId, 5, 5));
    // From 2026-02-14 on, it is 14 days; from 2026-02-15, 13.
    its.advance(15 * 86_400_000);
    expect((await list(its)).counts.recommended).toBe(1);
    its.advance(86_400_000);
    expect((await list(its)).withheld).toEqual([{ reason: 'too_few_days', count: 1 }]);
  });

  it('takes cost:read, and says what is wrong with a query', async () => {
    const its = await start();
    const key = await its.keyWith('governance:read', 'compliance:write');
    expect((await its.send('GET', '/v1/cost/rightsizing', { key })).status).toBe(403);
    expect((await its.send('GET', '/v1/cost/rightsizing/rsz_1', { key })).status).toBe(403);
    const reader = await its.keyWith('cost:read');
    expect((await its.send('GET', '/v1/cost/rightsizing', { key: reader })).status).toBe(200);
    const wrong = await its.send('GET', '/v1/cost/rightsizing?assume_memory=0');
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('assume_memory')]);
    const missing = await its.send('GET', '/v1/cost/rightsizing/rsz_1');
    expect([missing.status, missing.json.error]).toEqual([404, 'rightsizing_not_found']);
  });
});

describe('POST /v1/cost/rightsizing/:id/apply', () => {
  let its: TestService;
  let id: string;
  beforeEach(async () => {
    its = await start({ config: { remediation: { approval: 'none' } } });
    await putMachines(its, machine(machineId, 'm5.4xlarge'));
    await putFocus(its, header + february(machineId, '18.432'));
    await sendMetrics(its, measured(machineId, 15, 18));
    id = (await list(its)).recommendations[0]?.id ?? '';
  });

  const apply = (body: object = {}, key?: string): Promise<Got> =>
    its.send('POST', `/v1/cost/rightsizing/${id}/apply`, { body, ...(key ? { key } : {}) });

  it('plans a remediation that waits for approval, even where none would be needed, and says no cost', async () => {
    const got = await apply();
    expect([got.status, got.json]).toMatchObject([
      202,
      {
        status: 'planned',
        requires_approval: 'approval',
        rightsizing: id,
        note: 'Rightsizing: m5.4xlarge to m5.xlarge',
        actions: [
          {
            method: 'patch',
            executor: 'inventory',
            resource_id: machineId,
            changes: [
              { path: 'instance_type', before: 'm5.4xlarge', after: 'm5.xlarge' },
              { path: 'properties.InstanceType', before: 'm5.4xlarge', after: 'm5.xlarge' },
            ],
          },
        ],
      },
    ]);
    expect(got.headers.get('location')).toBe(`/v1/compliance/remediate/${String(got.json.id)}`);
    for (const secret of ['420', '560', '18.4', '0.76']) expect(got.text).not.toContain(secret);
    await its.remediate();
    const still = await its.send('GET', `/v1/compliance/remediate/${String(got.json.id)}`);
    expect(still.json.status).toBe('planned');
  });

  it('is the same remediation however often it is asked for, until that has ended', async () => {
    const first = await apply();
    expect((await apply()).json.id).toBe(first.json.id);
    const both = await Promise.all([apply(), apply()]);
    expect(both.map(({ json }) => json.id)).toEqual([first.json.id, first.json.id]);
    await its.send('POST', `/v1/compliance/remediate/${String(first.json.id)}/cancel`, {
      body: {},
    });
    const next = await apply({ size: 'm5.2xlarge' });
    expect(next.json.id).not.toBe(first.json.id);
    expect(next.json.note).toBe('Rightsizing: m5.4xlarge to m5.2xlarge');
    const other = await apply({ size: 'm5.xlarge' });
    expect([other.status, other.json.error]).toEqual([409, 'remediation_state']);
  });

  it('changes the size once it is approved, is verified by the values, and can be rolled back', async () => {
    const { json } = await apply();
    const path = `/v1/compliance/remediate/${String(json.id)}`;
    const approved = await its.send('POST', `${path}/approve`, { body: { digest: json.digest } });
    expect([approved.status, approved.text]).toEqual([200, expect.any(String)]);
    await its.remediate();
    expect((await its.send('GET', path)).json).toMatchObject({
      status: 'completed',
      actions: [{ status: 'completed' }],
    });
    const resource = await its.send('GET', `/v1/resources/${machineId}`);
    expect(resource.json).toMatchObject({
      instance_type: 'm5.xlarge',
      properties: { InstanceType: 'm5.xlarge' },
    });
    // What was measured of the larger size recommends nothing more.
    expect((await list(its)).counts).toMatchObject({ recommended: 0, withheld: 1 });
    const back = await its.send('POST', `${path}/rollback`, { body: { dry_run: false } });
    expect(back.status).toBe(202);
    await its.remediate();
    expect((await its.send('GET', `/v1/resources/${machineId}`)).json).toMatchObject({
      instance_type: 'm5.4xlarge',
    });
  });

  it('skips a machine that has changed since', async () => {
    const { json } = await apply();
    const path = `/v1/compliance/remediate/${String(json.id)}`;
    await putMachines(its, machine(machineId, 'm5.8xlarge'));
    await its.send('POST', `${path}/approve`, { body: { digest: json.digest } });
    await its.remediate();
    expect((await its.send('GET', path)).json).toMatchObject({
      status: 'failed',
      actions: [{ status: 'skipped', why: 'the resource has changed since the plan was created' }],
    });
  });

  it('refuses what is guarded, withheld, no size that fits, or asked for without both scopes', async () => {
    expect((await apply({ size: 'm5.large' })).json).toMatchObject({
      error: 'rightsizing_withheld',
      error_description: '"m5.large" is not one of the sizes that fit: m5.xlarge, m5.2xlarge',
    });
    expect((await apply({}, await its.keyWith('cost:admin'))).json).toMatchObject({
      error: 'insufficient_scope',
    });
    expect((await apply({}, await its.keyWith('cost:read', 'compliance:write'))).status).toBe(403);
    expect((await apply({}, await its.keyWith('cost:admin', 'compliance:write'))).status).toBe(202);
    await putMachines(its, machine('i-p', 'm5.4xlarge', { tags: { 'govctl.protect': '1' } }));
    await sendMetrics(its, measured('i-p', 5, 5));
    const found: Rightsizing | undefined = (await list(its)).recommendations.find(
      ({ resource_id: one }) => one === 'i-p',
    );
    id = found?.id ?? '';
    expect((await apply()).json).toMatchObject({ error: 'remediation_guard' });
  });
});
