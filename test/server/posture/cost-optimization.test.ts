import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { putFocus } from '../cost/put-focus.ts';
import { constant, hourly, machine, machineId, sendMetrics } from '../rightsizing/machines.ts';
import { inventoryOf } from '../inventory-service.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const volumeId = 'vol-0123456789abcdef0';
const stoppedId = 'i-0123456789abcdef1';

/** A machine that is four times too large, a volume without an instance, and a stopped instance with two disks. */
async function store(): Promise<void> {
  const header =
    'ProviderName,BillingAccountId,SubAccountId,ServiceName,ChargeCategory,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId\n';
  const february = Array.from({ length: 28 }, (_, at) => {
    const day = `2026-02-${String(at + 1).padStart(2, '0')}`;
    return `AWS,1,11,EC2,Usage,USD,18.432,${day},2026-02-01,${machineId}\n`;
  });
  const others = [
    [volumeId, 'USD', '10.5'],
    ['vol-0123456789abcdef1', 'USD', '2'],
    ['vol-0123456789abcdef2', 'USD', '3'],
    ['eipalloc-0123456789abcdef0', 'EUR', '7'],
  ].map(([id, currency, cost]) => `AWS,1,11,EC2,Usage,${currency},${cost},2026-02-20,2026-02-01,${id}\n`); // prettier-ignore
  await putFocus(service, header + [...february, ...others].join(''));
  const resources = [
    machine(machineId, 'm5.4xlarge', { environment: 'prod' }),
    { id: volumeId, type: 'AWS::EC2::Volume', account_id: '11', properties: { state: 'available' } }, // prettier-ignore
    machine(stoppedId, 'm5.4xlarge', {
      properties: {
        state: { name: 'stopped' },
        blockDeviceMappings: [
          { ebs: { volumeId: 'vol-0123456789abcdef1' } },
          { ebs: { volumeId: 'vol-0123456789abcdef2' } },
        ],
      },
    }),
    {
      id: 'arn:aws:ec2:eu-west-1:22:eip-allocation/eipalloc-0123456789abcdef0',
      type: 'AWS::EC2::EIP',
      account_id: '22',
      properties: { publicIp: '1.2.3.4', associationId: null },
    },
  ];
  await inventoryOf(service).ok('POST', '/v1/resources', { body: { resources } });
  await sendMetrics(
    service,
    ['cpu', 'memory'].flatMap((metric) =>
      hourly(machineId, metric, '2026-02-08T00:00:00Z', constant(15, 20)),
    ),
  );
}

async function read(query = '', key = service.key) {
  const { json } = await service.send('GET', `/v1/governance/overview${query}`, { key });
  return json.governance_overview as Readonly<Record<string, unknown>>;
}

it('the overview says what could be saved, by currency, and counts what is unused or too large', async () => {
  await store();
  const { cost_optimization: found, tools_replaced } = await read();
  // 0.768 an hour × 730 = 560.64, of which 3 of 4 parts fall away: 420.48; and 10.5 + 2 + 3.
  expect(found).toEqual({
    potential_savings: 435.98,
    rightsizing_opportunities: 1,
    unused_resources: 3,
    savings: [
      { currency: 'USD', monthly_cost: '435.98' },
      { currency: 'EUR', monthly_cost: '7' },
    ],
  });
  // The inventory, and cost.
  expect(tools_replaced).toBe(2);
});

it('of a part of the inventory, it says so of this part', async () => {
  await store();
  expect((await read('?environments=prod'))['cost_optimization']).toMatchObject({
    potential_savings: 420.48,
    rightsizing_opportunities: 1,
    unused_resources: 0,
  });
  expect((await read('?account_ids=22&cloud_providers=AWS'))['cost_optimization']).toEqual({
    potential_savings: 7,
    rightsizing_opportunities: 0,
    unused_resources: 1,
    savings: [{ currency: 'EUR', monthly_cost: '7' }],
  });
});

it('without a cost scope, it says nothing of it', async () => {
  await store();
  const none = { potential_savings: 0, rightsizing_opportunities: 0, unused_resources: 0 };
  const key = await service.keyWith('governance:read');
  expect((await read('', key))['cost_optimization']).toEqual(none);
  const reader = await service.keyWith('governance:read', 'cost:read');
  expect((await read('', reader))['cost_optimization']).toMatchObject({ unused_resources: 3 });
});

it('govctl overview has a line of it, where the login may see it', async () => {
  await store();
  const govctl = (key: string) =>
    runCommandLine(['overview'], {
      env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: key },
      fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    });
  expect((await govctl(service.key)).stdout).toContain(
    'Potential savings per month: 435.98 USD, 7.00 EUR (3 unused resources, 1 smaller size).',
  );
  const key = await service.keyWith('governance:read');
  expect((await govctl(key)).stdout).not.toContain('savings');
});
