import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { putFocus } from '../cost/put-focus.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { Got, TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

const charges = `ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId
AWS,1,11,S3,USD,1000.10,2026-02-20,2026-02-01,costly
AWS,1,11,S3,USD,234.4,2026-02-21,2026-02-01,costly
AWS,1,22,S3,EUR,7,2026-02-21,2026-02-01,abroad
`;

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let reader: string;
let governance: string;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
  await inventory.createPolicy('first', { severity: 'CRITICAL' });
  await inventory.createPolicy('second', { severity: 'LOW' });
  await inventory.put('arn:aws:s3:::costly', { public: true, account_id: '11' });
  await inventory.put('abroad', { public: true, account_id: '22' });
  await inventory.put('unknown', { public: true, account_id: '11' });
  await service.evaluator.run();
  reader = await service.keyWith('governance:read', 'cost:read');
  governance = await service.keyWith('governance:read');
});
afterEach(() => service.close());

type Row = Readonly<Record<string, unknown>>;
const rowsOf = ({ json }: Got): readonly Row[] => json.violations as Row[];
const get = (path: string, key = reader) => service.send('GET', path, { key });

const govctl = (key: string, ...argv: string[]) =>
  runCommandLine(argv, {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: key },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

describe('what the resource of a violation costs', () => {
  const list = '/v1/violations?severity=CRITICAL&sort_by=resource_id&order=asc';

  it('is shown beside it, with all digits, and absent where it is not known', async () => {
    await putFocus(service, charges);
    const rows = rowsOf(await get(list));
    expect(rows.map((row) => [row['monthly_cost'], row['cost_currency']])).toEqual([
      ['7', 'EUR'],
      ['1234.5', 'USD'],
      [undefined, undefined],
    ]);
    expect(Object.keys(rows[2] ?? {})).not.toContain('monthly_cost');
    const one = await get(`/v1/violations/${String(rows[1]?.['id'])}`);
    expect(one.json).toMatchObject({ monthly_cost: '1234.5', cost_currency: 'USD' });
  });

  it('is shown in a list by a filter that has no index, too', async () => {
    await putFocus(service, charges);
    expect(rowsOf(await get(`${list}&text=costly`))[0]).toMatchObject({ monthly_cost: '1234.5' });
  });

  it('is not shown to a key without a cost scope, whoever asked the same before', async () => {
    await putFocus(service, charges);
    const [seen] = rowsOf(await get(list));
    expect(seen).toHaveProperty('monthly_cost');
    for (const asked of ['once', 'again']) {
      const { text } = await get(list, governance);
      expect(text, asked).toContain('abroad');
      expect(text).not.toMatch(/cost":|"cost_currency/);
      const one = await get(`/v1/violations/${String(seen?.['id'])}`, governance);
      expect(one.text).not.toContain('monthly_cost');
      const summary = await get('/v1/violations/summary?group_by=policy', governance);
      expect(summary.text).not.toContain('monthly_cost');
    }
  });

  it('changes with an import, though the violation stays as it is', async () => {
    await putFocus(service, charges);
    const [row] = rowsOf(await get(list));
    const path = `/v1/violations/${String(row?.['id'])}`;
    const etag = (await get(path)).headers.get('etag') ?? '';
    await putFocus(service, charges.replace('EUR,7', 'EUR,8'));
    const again = await service.send('GET', path, { key: reader, headers: { 'if-none-match': etag } }); // prettier-ignore
    expect(again.json).toMatchObject({ monthly_cost: '8' });
  });
});

describe('what the resources of a summary cost', () => {
  it('counts a resource once a group and once in all, by currency', async () => {
    await putFocus(service, charges);
    await inventory.put('costly', { public: true, account_id: '11' });
    await service.evaluator.run();
    const { json } = await get('/v1/violations/summary?group_by=policy');
    const costs = [
      { currency: 'EUR', monthly_cost: '7' },
      { currency: 'USD', monthly_cost: '1234.5' },
    ];
    expect(json).toMatchObject({
      total: 8,
      groups: [
        { label: 'first', monthly_costs: costs },
        { label: 'second', monthly_costs: costs },
      ],
      monthly_costs: costs,
    });
  });

  it('is absent where no cost is known', async () => {
    const none = await get('/v1/violations/summary?group_by=resource');
    expect(none.text).not.toContain('monthly_cost');
    await putFocus(service, charges);
    const { json } = await get('/v1/violations/summary?group_by=resource&resource_id=unknown');
    expect(json).not.toHaveProperty('monthly_costs');
  });
});

describe('the command line', () => {
  it('has a column of costs where the service says any, and none else', async () => {
    const before = await govctl(reader, 'violation', 'list');
    expect(before.stdout).not.toContain('COST');
    await putFocus(service, charges);
    const after = await govctl(reader, 'violation', 'list');
    expect(after.stdout).toMatch(/MONTHLY COST/);
    expect(after.stdout).toMatch(/1,234\.50 USD/);
    expect((await govctl(governance, 'violation', 'list')).stdout).not.toContain('COST');
  });

  it('says in a violation what its resource costs', async () => {
    await putFocus(service, charges);
    const [row] = rowsOf(await get('/v1/violations?resource_id=abroad'));
    const { stdout } = await govctl(reader, 'violation', 'get', String(row?.['id']));
    expect(stdout).toMatch(/cost\s+7\.00 EUR in the last 30 days of data/);
  });

  it('summarizes violations, with what their resources cost', async () => {
    await putFocus(service, charges);
    const { stdout, stderr, exitCode } = await govctl(reader, 'violation', 'summary', '--by', 'account'); // prettier-ignore
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(/^ACCOUNT .* MONTHLY COST$/m);
    expect(stdout).toMatch(/^11 .*1,234\.50 USD$/m);
    expect(stderr).toContain('6 violations. Their resources cost 7.00 EUR, 1,234.50 USD');
    const plain = await govctl(governance, 'violation', 'summary', '--severity', 'low');
    expect(plain.stdout).not.toContain('COST');
    expect(plain.stderr).toContain('3 violations.');
    expect((await govctl(reader, 'violation', 'summary', '--text', 'nothing')).stdout).toBe(
      'No violations match.\n',
    );
  });
});
