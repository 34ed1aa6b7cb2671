import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { putFocus } from '../cost/put-focus.ts';
import { inventoryOf } from '../inventory-service.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const day = 86_400_000;
const charges = `ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId
AWS,1,11,EC2,USD,10.5,2026-02-20,2026-02-01,vol-0123456789abcdef0
AWS,1,11,EC2,USD,4,2026-02-20,2026-02-01,vol-0123456789abcdef1
AWS,1,11,EC2,USD,99,2026-02-20,2026-02-01,i-0123456789abcdef0
AWS,1,22,EC2,EUR,3,2026-02-20,2026-02-01,eipalloc-0123456789abcdef0
`;

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const arn = (rest: string, account = '11'): string => `arn:aws:ec2:eu-west-1:${account}:${rest}`;
const volume = arn('volume/vol-0123456789abcdef0');
const instance = arn('instance/i-0123456789abcdef0');
const address = arn('eip-allocation/eipalloc-0123456789abcdef0', '22');

async function store(): Promise<void> {
  const resources = [
    { id: volume, type: 'AWS::EC2::Volume', account_id: '11', properties: { state: 'available' } },
    { id: arn('volume/vol-0123456789abcdef2'), type: 'AWS::EC2::Volume', account_id: '11', properties: { state: 'available' } }, // prettier-ignore
    { id: 'used', type: 'AWS::EC2::Volume', account_id: '11', properties: { state: 'in-use' } },
    {
      id: instance,
      type: 'AWS::EC2::Instance',
      account_id: '11',
      properties: {
        state: { name: 'stopped' },
        blockDeviceMappings: [
          { ebs: { volumeId: 'vol-0123456789abcdef1' } },
          { ebs: { volumeId: 'vol-0123456789abcdef1' } },
        ],
      },
    },
    {
      id: address,
      type: 'AWS::EC2::EIP',
      account_id: '22',
      properties: { publicIp: '1.2.3.4', associationId: null },
    },
    {
      id: 'snapshot',
      type: 'AWS::EC2::Snapshot',
      account_id: '11',
      properties: { startTime: new Date(service.deps.clock.now() - 80 * day).toISOString() },
    },
  ];
  await inventory.ok('POST', '/v1/resources', { body: { resources } });
}

interface Listed {
  readonly unused_resources: readonly Readonly<Record<string, unknown>>[];
  readonly potential_savings: unknown;
  readonly pagination: { readonly total: number; readonly next_cursor?: string };
}

const list = async (query = ''): Promise<Listed> =>
  (await inventory.ok('GET', `/v1/cost/unused?${query}`)).json as unknown as Listed;
const idsOf = async (query: string): Promise<unknown[]> =>
  (await list(query)).unused_resources.map(({ id }) => id);

describe('unused resources', () => {
  it('are those that the inventory says are not used, with what they cost, the costliest first', async () => {
    await putFocus(service, charges);
    await store();
    const found = await list();
    expect(found.unused_resources).toEqual([
      expect.objectContaining({
        id: volume,
        kind: 'unattached_volume',
        reason: 'volume is not attached (state: available)',
        monthly_cost: '10.5',
        cost_currency: 'USD',
      }),
      expect.objectContaining({ id: instance, monthly_cost: '4', disks: expect.anything() as unknown }), // prettier-ignore
      expect.objectContaining({ id: address, monthly_cost: '3', cost_currency: 'EUR' }),
      expect.not.objectContaining({ monthly_cost: expect.anything() as unknown }),
    ]);
    expect(found.potential_savings).toEqual([
      { currency: 'EUR', monthly_cost: '3' },
      { currency: 'USD', monthly_cost: '14.5' },
    ]);
  });

  it('adds no charge twice, though a volume is listed by itself and as the disk of an instance', async () => {
    await putFocus(service, charges);
    await store();
    const twice = { id: 'vol-0123456789abcdef1', type: 'AWS::EC2::Volume', properties: { state: 'available' } }; // prettier-ignore
    await inventory.ok('POST', '/v1/resources', { body: { resources: [twice] } });
    const { potential_savings, pagination } = await list();
    expect(pagination.total).toBe(5);
    expect(potential_savings).toContainEqual({ currency: 'USD', monthly_cost: '14.5' });
  });

  it('are kept up with the inventory and the charges, and with time', async () => {
    await store();
    expect((await list()).pagination.total).toBe(4);
    expect((await list()).potential_savings).toEqual([]);
    await putFocus(service, charges);
    expect((await list()).unused_resources[0]).toMatchObject({ monthly_cost: '10.5' });
    service.advance(11 * day);
    expect(await idsOf('kind=old_snapshot')).toEqual(['snapshot']);
    await inventory.ok('PUT', `/v1/resources/${encodeURIComponent(volume)}`, {
      body: { id: volume, type: 'AWS::EC2::Volume', properties: { state: 'in-use' } },
    });
    await inventory.ok('DELETE', `/v1/resources/${encodeURIComponent(address)}`);
    expect(await idsOf('sort_by=id&order=asc')).toEqual(
      [instance, arn('volume/vol-0123456789abcdef2'), 'snapshot'].sort(),
    );
  });

  it.each([
    ['account=22', [address]],
    ['provider=AWS&type=AWS::EC2::Instance', [instance]],
    ['kind=unused_address,stopped_instance', [instance, address]],
    ['environment=prod', []],
  ])('are filtered by %s', async (query, ids) => {
    await putFocus(service, charges);
    await store();
    expect(await idsOf(query)).toEqual(ids);
  });

  it('come page by page in every order, none twice and none left out', async () => {
    await putFocus(service, charges);
    await store();
    for (const sort of ['monthly_cost', 'id', 'kind', 'type', 'since']) {
      for (const order of ['asc', 'desc']) {
        const seen: unknown[] = [];
        for (let cursor = ''; ;) {
          const page = await list(`limit=1&sort_by=${sort}&order=${order}${cursor}`);
          seen.push(...page.unused_resources.map(({ id }) => id));
          if (page.pagination.next_cursor === undefined) break;
          cursor = `&cursor=${page.pagination.next_cursor}`;
        }
        expect([sort, order, seen]).toEqual([sort, order, await idsOf(`sort_by=${sort}&order=${order}`)]); // prettier-ignore
      }
    }
  });

  it('are found in an inventory of an earlier version, and in a snapshot without them', async () => {
    await store();
    const { unusedModule } = await import('../../../src/server/unused/module.ts');
    const { unusedResources } = await import('../../../src/server/unused/collection.ts');
    const before = await idsOf('sort_by=id');
    await service.deps.store.transact(async (tx) => {
      for (const id of [...before, 'snapshot']) await tx.remove(unusedResources, String(id));
    });
    expect(await idsOf('')).toEqual([]);
    await service.deps.store.transact((tx) => unusedModule.derive(tx));
    expect(await idsOf('sort_by=id')).toEqual(before);
  });

  it('take a cost scope', async () => {
    const key = await service.keyWith('governance:read');
    expect((await service.send('GET', '/v1/cost/unused', { key })).status).toBe(403);
  });
});

it('govctl cost unused lists them, and says what they cost in all', async () => {
  await putFocus(service, charges);
  await store();
  const govctl = (...argv: string[]) =>
    runCommandLine(['cost', 'unused', ...argv], {
      env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key },
      fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    });
  const { stdout, stderr, exitCode } = await govctl();
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toMatch(/^MONTHLY COST +KIND +RESOURCE/m);
  expect(stdout).toMatch(/10\.50 USD +unattached volume +arn:aws:ec2/);
  expect(stderr).toContain('Potential savings per month: 3.00 EUR, 14.50 USD.');
  const json = await govctl('--account', '22', '-o', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject({ unused_resources: [{ id: address }] });
  const csv = await govctl('--account', '22', '-o', 'csv');
  expect(csv.stdout.split(/\r?\n/)).toEqual([
    'id,kind,type,name,provider,account_id,region,environment,reason,since,monthly_cost,cost_currency',
    expect.stringMatching(`^${address},unused_address,AWS::EC2::EIP,,aws,22,.*,3,EUR$`),
    '',
  ]);
});
