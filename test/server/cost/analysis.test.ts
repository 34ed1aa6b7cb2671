import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CostAnalysis } from '../../../src/contract/cost.ts';
import { inventoryOf } from '../inventory-service.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ config: { cost: { tags: ['environment'] } } });
});
afterEach(() => service.close());

const header =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,ResourceId,ChargeCategory,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Tags';
const february = [
  'AWS,1,a1,S3,b-1,Usage,USD,0.1,2026-02-01,2026-02-01,"{""team"":""a""}"',
  'AWS,1,a1,S3,b-1,Usage,USD,0.2,2026-02-02,2026-02-01,"{""team"":""a""}"',
  'AWS,1,a2,EC2,i-1,Usage,USD,5,2026-02-02,2026-02-01,"{""owner"":""kim""}"',
  'AWS,1,a2,EC2,i-1,Credit,USD,-1,2026-02-02,2026-02-01,',
  'AWS,1,a2,RDS,d-1,Usage,EUR,7,2026-02-03,2026-02-01,',
];
const january = [
  'AWS,1,a1,S3,b-1,Usage,USD,1,2026-01-30,2026-01-01,',
  'AWS,1,a1,Glue,,Usage,USD,2,2026-01-31,2026-01-01,',
];

async function put(rows: readonly string[]): Promise<void> {
  await putFocus(service, `${[header, ...rows].join('\n')}\n`);
}

async function analysis(query: string): Promise<CostAnalysis> {
  const { status, text, json } = await service.send('GET', `/v1/cost/analysis?${query}`);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return json as CostAnalysis;
}

const amounts = (one: Pick<CostAnalysis, 'groups'>): Record<string, string> =>
  Object.fromEntries(one.groups.map(({ key, amount }) => [Object.values(key).join(' '), amount]));

describe('the analysis of cost', () => {
  it.each([
    ['2026-02-01', '2026-03-01', { start: '2026-01-01', end: '2026-02-01' }],
    ['2026-01-01', '2026-03-01', { start: '2025-11-01', end: '2026-01-01' }],
    ['2026-02-01', '2026-02-28', { start: '2026-01-05', end: '2026-02-01' }],
    // Without all of its days, a month is compared with the same days of the month before.
    ['2026-03-01', '2026-04-01', { start: '2026-02-01', end: '2026-02-02' }],
  ])('compares %s to %s with %o', async (start, end, before) => {
    const rows = ['2026-01-31', '2026-02-28', '2026-03-01'].map((day) => `AWS,1,a1,S3,b-1,Usage,USD,1,${day},${day.slice(0, 7)}-01,`); // prettier-ignore
    await put(rows);
    expect((await analysis(`start=${start}&end=${end}`)).compared_to).toEqual(before);
  });

  it('has totals, a series, groups and what changed against the period before', async () => {
    await put([...january, ...february]);
    const found = await analysis('start=2026-02-01&end=2026-02-04&group_by=service&currency=USD');
    expect(found).toEqual({
      start: '2026-02-01',
      end: '2026-02-04',
      metric: 'effective',
      granularity: 'day',
      group_by: ['service'],
      compared_to: { start: '2026-01-29', end: '2026-02-01' },
      data_until: '2026-02-03',
      incomplete_periods: [],
      totals: [
        { currency: 'USD', amount: '4.3', previous: '3', change: '1.3', change_percent: 43.33 },
      ],
      currency: 'USD',
      series: [
        { start: '2026-02-01', end: '2026-02-02', amount: '0.1' },
        { start: '2026-02-02', end: '2026-02-03', amount: '4.2' },
        { start: '2026-02-03', end: '2026-02-04', amount: '0' },
      ],
      groups: [
        {
          key: { service: 'EC2' },
          amount: '4',
          previous: '0',
          change: '4',
          change_percent: null,
          share: 0.9302,
          series: ['0', '4', '0'],
        },
        {
          key: { service: 'S3' },
          amount: '0.3',
          previous: '1',
          change: '-0.7',
          change_percent: -70,
          share: 0.0698,
          series: ['0.1', '0.2', '0'],
        },
        {
          key: { service: 'Glue' },
          amount: '0',
          previous: '2',
          change: '-2',
          change_percent: -100,
          share: 0,
          series: ['0', '0', '0'],
        },
      ],
      other: null,
      pagination: { total: 3, limit: 20, offset: 0, has_more: false },
      movers: [
        expect.objectContaining({ key: { service: 'EC2' }, change: '4', kind: 'new' }),
        expect.objectContaining({ key: { service: 'Glue' }, change: '-2', kind: 'gone' }),
        expect.objectContaining({ key: { service: 'S3' }, change: '-0.7', kind: 'down' }),
      ],
      untagged: [
        { tag: 'environment', amount: '4.3', share: 1 },
        { tag: 'owner', amount: '-0.7', share: -0.1628 },
        { tag: 'team', amount: '4', share: 0.9302 },
      ],
      shared: [],
      other_currencies: [],
      anomalies: [],
      unused_resources: [],
      savings: [],
    });
  });

  it('has a block for each currency, and never adds them', async () => {
    await put(february);
    const found = await analysis('start=2026-02-01&end=2026-03-01&group_by=account');
    expect(found.totals.map(({ currency, amount }) => [currency, amount])).toEqual([
      ['EUR', '7'],
      ['USD', '4.3'],
    ]);
    expect([found.currency, amounts(found)]).toEqual(['EUR', { a2: '7' }]);
    expect(found.other_currencies.map((one) => [one.currency, amounts(one)])).toEqual([
      ['USD', { a2: '4', a1: '0.3' }],
    ]);
  });

  it('pages groups, and has the rest as other', async () => {
    await put(
      Array.from({ length: 30 }, (_, at) => `AWS,1,a,S${at},,Usage,USD,${at}.01,2026-02-0${1 + (at % 5)},2026-02-01,`), // prettier-ignore
    );
    const query = 'start=2026-02-01&end=2026-03-01&group_by=service&granularity=week';
    const first = await analysis(`${query}&limit=2`);
    expect(amounts(first)).toEqual({ S29: '29.01', S28: '28.01' });
    expect(first.pagination).toEqual({ total: 30, limit: 2, offset: 0, has_more: true });
    expect(first.other).toMatchObject({ groups: 28, amount: '378.28' });
    for (const [at, { amount }] of first.series.entries()) {
      const parts = [...first.groups.map(({ series }) => series[at]), first.other?.series[at]];
      expect(parts.reduce((sum, one) => sum + Math.round(Number(one) * 100), 0)).toBe(Math.round(Number(amount) * 100)); // prettier-ignore
    }
    const second = await analysis(`${query}&limit=20&offset=20`);
    expect(second.groups).toHaveLength(10);
    expect(second.pagination.has_more).toBe(false);
  });

  it('filters by any of the values of each field, and by tags that are there or not', async () => {
    await put(february);
    const total = async (filter: string) =>
      (await analysis(`start=2026-02-01&end=2026-03-01&currency=USD&${filter}`)).totals[0]?.amount;
    expect(await total('service=S3,EC2&account=a2')).toBe('4');
    expect(await total('category=Credit')).toBe('-1');
    expect(await total('tag=team=a')).toBe('0.3');
    expect(await total('tag=team')).toBe('0.3');
    expect(await total('tag=team%3D')).toBe('4');
    expect(await total('tag=team%3D,team')).toBe('4.3');
    expect(await total('tag=team%3Da,owner%3Dkim')).toBeUndefined();
    expect(await total('owner=kim')).toBe('5');
    expect(await total('provider=azure')).toBeUndefined();
    expect(await total('provider=AWS')).toBe(await total('provider=aws'));
    expect(await total('provider=AWS')).toBeDefined();
  });

  it('finds resources of the inventory in whichever form charges name them', async () => {
    const inventory = inventoryOf(service);
    const id = '0123456789abcdef0';
    await inventory.put(`arn:aws:ec2:eu-west-1:1:instance/i-${id}`, { environment: 'prod' });
    await inventory.put('/subscriptions/s/resourceGroups/g/disks/D', { provider: 'azure', type: 'Azure::Compute::Disk', environment: 'test' }); // prettier-ignore
    await inventory.put('web', { account_id: 'a1', environment: 'dev' });
    await put([
      `AWS,1,a1,EC2,i-${id},Usage,USD,1,2026-02-01,2026-02-01,`,
      'Microsoft,1,s,Disk,/SUBSCRIPTIONS/s/resourcegroups/g/disks/d,Usage,USD,2,2026-02-01,2026-02-01,',
      'AWS,1,a1,X,web,Usage,USD,4,2026-02-01,2026-02-01,',
      'AWS,1,a2,X,web,Usage,USD,8,2026-02-01,2026-02-01,',
    ]);
    const found = await analysis('start=2026-02-01&end=2026-03-01&group_by=environment');
    expect(found.groups.map(({ key, amount }) => [key.environment, amount])).toEqual([
      [null, '8'],
      ['dev', '4'],
      ['test', '2'],
      ['prod', '1'],
    ]);
  });

  it('knows the tags of charges that other filters leave out', async () => {
    await put(february);
    expect((await analysis('provider=azure&tag=team&group_by=tag:owner')).totals).toEqual([]);
  });

  it('takes environment and owner from the tags of a charge, else from the inventory', async () => {
    const inventory = inventoryOf(service);
    await inventory.put('i-1', { environment: 'prod', tags: { Team: 'b' } });
    await inventory.put('d-1', { environment: 'dev' });
    await put(february);
    const query = 'start=2026-02-01&end=2026-03-01';
    const byEnvironment = await analysis(`${query}&group_by=environment&currency=USD`);
    expect(amounts(byEnvironment)).toEqual({ prod: '4', '': '0.3' });
    expect(amounts(await analysis(`${query}&group_by=owner&currency=USD`))).toEqual({
      kim: '5',
      a: '0.3',
      b: '-1',
    });
    const ofProd = await analysis(`${query}&group_by=service&environment=prod`);
    expect(amounts(ofProd)).toEqual({ EC2: '4' });
  });

  it('says what it does not take', async () => {
    await put(february);
    const refused = async (query: string) => {
      const { status, json } = await service.send('GET', `/v1/cost/analysis?${query}`);
      return [status, json.error_description, json.hint];
    };
    expect(await refused('start=2026-02-01&end=2026-02-01')).toEqual([
      400,
      'The query is not valid: end must be after start (2026-02-01); end is exclusive',
      undefined,
    ]);
    expect((await refused('start=2010-02-01&end=2026-02-01'))[1]).toContain('at most 10 years');
    expect((await refused('start=2020-01-01&end=2026-02-01&granularity=day'))[1]).toContain('1,100 entries'); // prettier-ignore
    expect((await refused('group_by=service,account,region,resource'))[1]).toContain('more than 3 fields'); // prettier-ignore
    expect((await refused('group_by=colour'))[1]).toContain('must be tag:KEY or one of provider');
    expect(await refused('group_by=tag:colour')).toEqual([
      400,
      'No charge has the tag colour: charges were imported with environment, owner, team',
      'Add the tag to cost.tags in the configuration of the server, and import the charges again.',
    ]);
  });

  it('without charges has no currency', async () => {
    expect(await analysis('group_by=service')).toMatchObject({
      data_until: null,
      currency: null,
      totals: [],
      groups: [],
    });
  });

  it('needs a scope of cost', async () => {
    const key = async (scope: string) =>
      String(
        (await service.send('POST', '/v1/api-keys', { body: { name: scope, scopes: [scope] } }))
          .json.key,
      );
    for (const [scope, status] of [
      ['governance:read', 403],
      ['cost:read', 200],
      ['cost:admin', 200],
    ] as const) {
      const got = await service.send('GET', '/v1/cost/analysis', { key: await key(scope) });
      expect([scope, got.status]).toEqual([scope, status]);
    }
  });
});
