import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import { putFocus } from '../../server/cost/put-focus.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  // The clock of the service stands at 2026-03-01; two weeks later, the data are one day behind.
  service.advance(14 * 86_400_000);
});
afterEach(() => service.close());

const run = (
  argv: readonly string[],
  { columns = 80, ...env }: { columns?: number; LANG?: string } = {},
) =>
  runCommandLine(['cost', ...argv], {
    env: {
      GOVCTL_BASE_URL: 'https://service.test',
      GOVCTL_TOKEN: service.key,
      NO_COLOR: '1',
      ...env,
    },
    fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
    now: () => service.deps.clock.now(),
    columns,
    tty: true,
  });

const two = (n: number): string => String(n).padStart(2, '0');

/** Charges from 2026-02-01 to 2026-03-14. */
function putCharges(further: readonly string[] = []): Promise<void> {
  const rows = [
    'ProviderName,BillingAccountId,SubAccountId,ServiceName,ChargeCategory,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Tags',
  ];
  const charge = (service: string, cost: number, month: number, day: number, tags = '', category = 'Usage') =>
    rows.push(`AWS,1,11112222333${service.length % 10},${service},${category},USD,${cost.toFixed(4)},2026-${two(month)}-${two(day)},2026-${two(month)}-01,"${tags}"`); // prettier-ignore
  for (let at = 1; at <= 42; at++) {
    const [month, day] = at <= 28 ? [2, at] : [3, at - 28];
    charge('Amazon Elastic Compute Cloud', 100 + at, month, day, '{""owner"":""kim""}');
    charge('Amazon Simple Storage Service', 20.005, month, day);
    if (month === 3) charge('Amazon Relational Database Service', at, month, day);
    if (month === 2) charge('AWS Glue', 3, month, day);
  }
  for (let at = 0; at < 12; at++) charge(`Small ${at}`, 0.5 + at / 10, 3, 3);
  charge('Amazon Elastic Compute Cloud', -50, 3, 5, '', 'Credit');
  return putFocus(service, `${[...rows, ...further].join('\n')}\n`);
}

describe('cost analysis by three fields on a narrow terminal', () => {
  it('cuts the names of services such that they differ', async () => {
    const names = ['Amazon Elastic Container Registry Public', 'Amazon Elastic Container Service Public', 'Amazon Elastic Kubernetes Public']; // prettier-ignore
    const rows = names.map(
      (name, at) => `AWS,1,1111222233334444-payer,${name},Usage,USD,${900 - at},2026-03-14,2026-03-01,`, // prettier-ignore
    );
    await putCharges(rows);
    const { stdout } = await run([
      ...['analysis', '--month', '2026-03', '--group-by', 'service,account,provider'],
    ]);
    const shown = stdout
      .split('\n')
      .filter((line) => line.startsWith('Ama') && line.includes('4-payer'));
    expect(shown.map((line) => line.slice(0, 14))).toEqual([
      'Ama…try Public',
      'Ama…ice Public',
      'Ama…tes Public',
    ]);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('cost summary', () => {
  it('shows the month so far beside the same days of the month before', async () => {
    await putCharges();
    const { stdout, stderr, exitCode } = await run(['summary']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatchInlineSnapshot(`
      "Effective cost 2026-03-01 to 2026-03-14, compared with 2026-02-01 to 2026-02-14

      2,636.67 USD  +44.3%  ▇▇█▇▆▇████████

      SERVICE                              COST  SHARE            CHANGE  TREND
      Amazon Elastic Compute Cloud     1,847.00    70%  ████████  +22.7%  ▇▇█▅████████
      Amazon Relation…atabase Service    497.00    19%  ██▏          new  ▆▆▆▇▇▇▇▇████
      Amazon Simple Storage Service      280.07    11%  █▎            0%  ████████████
      Small 11                             1.60    <1%  ▏            new  ▁█▁▁▁▁▁▁▁▁▁▁
      Small 10                             1.50    <1%  ▏            new  ▁█▁▁▁▁▁▁▁▁▁▁
      Small 9                              1.40    <1%  ▏            new  ▁█▁▁▁▁▁▁▁▁▁▁
      Small 8                              1.30    <1%  ▏            new  ▁█▁▁▁▁▁▁▁▁▁▁
      Small 7                              1.20    <1%  ▏            new  ▁█▁▁▁▁▁▁▁▁▁▁
      Small 6                              1.10    <1%  ▏            new  ▁█▁▁▁▁▁▁▁▁▁▁
      Small 5                              1.00    <1%  ▏            new  ▁█▁▁▁▁▁▁▁▁▁▁
      other (6)                            3.50    <1%  ▏                 ▁█▁▁▁▁▁▁▁▁▁▁

      Included credits: -50.00 USD
      Cost data is available until 2026-03-14.
      "
    `);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('shows a whole month beside all of the month before', async () => {
    await putFocus(
      service,
      ['ProviderName,BillingAccountId,ServiceName,ChargeCategory,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart', 'AWS,1,S3,Usage,USD,1,2026-01-31,2026-01-01', 'AWS,1,S3,Usage,USD,1,2026-02-28,2026-02-01', ''].join('\n'), // prettier-ignore
    );
    const { stdout } = await run(['summary', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      start: '2026-02-01',
      end: '2026-03-01',
      compared_to: { start: '2026-01-01', end: '2026-02-01' },
      totals: [{ currency: 'USD', amount: '1', previous: '1' }],
    });
  });

  it('has the whole answer and the credits as JSON', async () => {
    await putCharges();
    const { stdout } = await run(['summary', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      format_version: 1,
      start: '2026-03-01',
      end: '2026-03-15',
      compared_to: { start: '2026-02-01', end: '2026-02-15' },
      data_until: '2026-03-14',
      credits: [{ currency: 'USD', amount: '-50' }],
    });
  });

  it('without data says how to import some', async () => {
    const { stdout, stderr, exitCode } = await run(['summary']);
    expect([stdout, stderr, exitCode]).toEqual([
      '',
      'No cost data yet. To import an export from your provider, run `govctl cost\n  import FILE`.\n',
      0,
    ]);
  });
});

describe('cost analysis', () => {
  it('shows groups, what changed most and what lacks tags', async () => {
    await putCharges();
    const { stdout } = await run(['analysis', '--group-by', 'service,account', '--last', '14d', '--limit', '3']); // prettier-ignore
    expect(stdout).toMatchInlineSnapshot(`
      "Effective cost 2026-03-02 to 2026-03-15, compared with 2026-02-17 to 2026-03-01

      2,458.67 USD  +27.8%  ▇█▇▆▇████████

      SERVICE           ACCOUNT           COST  SHARE             CHANGE  TREND
      Amazon E…e Cloud  111122223338  1,718.00    70%  ████████    +7.4%  ▇█▅█████████
      Amazon R…Service  111122223334    468.00    19%  ██▏       +1,514%  ▆▆▇▇▇▇▇▇████
      Amazon S…Service  111122223339    260.07    11%  █▎             0%  ████████████
      other (13)                         12.60     1%  ▏                  █▁▁▁▁▁▁▁▁▁▁▁

       CHANGE
      +439.00  +1,514%  Amazon Relational Database Service, 111122223334
      +119.00    +7.4%  Amazon Elastic Compute Cloud, 111122223338
       -36.00     gone  AWS Glue, 111122223338
        +1.60      new  Small 11, 111122223338
        +1.50      new  Small 10, 111122223338

      WITHOUT TAG    COST  SHARE
      owner        690.67    28%
      No charge has the tags application, cost-center, environment, project, team.

      Cost data is available until 2026-03-14.
      "
    `);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('compares a month with the one before, or with the period that is given', async () => {
    await putCharges();
    const head = async (...flags: readonly string[]): Promise<string | undefined> =>
      (await run(['analysis', ...flags])).stdout.split('\n')[0];
    expect(await head('--month', '2026-02')).toBe(
      'Effective cost 2026-02-01 to 2026-02-28, compared with 2026-01-01 to 2026-01-31',
    );
    expect(await head('--month', '2026-03')).toBe(
      'Effective cost 2026-03-01 to 2026-03-31, compared with 2026-02-01 to 2026-02-14',
    );
    expect(
      await head(
        '--month',
        '2026-03',
        '--compare-start',
        '2026-02-10',
        '--compare-end',
        '2026-02-24',
      ),
    ).toBe('Effective cost 2026-03-01 to 2026-03-31, compared with 2026-02-10 to 2026-02-23');
    const wrong = await run(['analysis', '--month', '2026-13']);
    expect([wrong.exitCode, wrong.stderr]).toEqual([3, expect.stringContaining('--month 2026-13: must be a month')]); // prettier-ignore
    expect((await run(['analysis', '--month', '2026-03', '--last', '7d'])).stderr).toContain('Use either --month'); // prettier-ignore
  });

  it('is drawn in ASCII where the locale says so', async () => {
    await putCharges();
    const { stdout } = await run(['analysis', '--last', '14d', '--limit', '2'], { LANG: 'C' });
    expect(stdout).toMatchInlineSnapshot(`
      "Effective cost 2026-03-02 to 2026-03-15, compared with 2026-02-17 to 2026-03-01

      2,458.67 USD  +27.8%  *#*+*########

      SERVICE                             COST  SHARE             CHANGE  TREND
      Amazon Elastic Compute Cloud    1,718.00    70%  ########    +7.4%  *#=#########
      Amazon Relation~tabase Service    468.00    19%  ##        +1,514%  ++******####
      other (14)                        272.67    11%  #                  #+++++++++++

       CHANGE
      +439.00  +1,514%  Amazon Relational Database Service
      +119.00    +7.4%  Amazon Elastic Compute Cloud
       -36.00     gone  AWS Glue
        +1.60      new  Small 11
        +1.50      new  Small 10

      WITHOUT TAG    COST  SHARE
      owner        690.67    28%
      No charge has the tags application, cost-center, environment, project, team.

      Cost data is available until 2026-03-14.
      "
    `);
    expect(stdout.replaceAll('…', '')).toMatch(/^[\x00-\x7f]*$/);
  });

  it('writes the groups as CSV and NDJSON', async () => {
    await putCharges();
    const argv = ['analysis', '--group-by', 'service', '--last', '14d', '--limit', '2', '-o'];
    expect((await run([...argv, 'csv'])).stdout).toMatchInlineSnapshot(`
      "currency,service,amount,previous,change,change_percent
      USD,Amazon Elastic Compute Cloud,1718,1599,119,7.44
      USD,Amazon Relational Database Service,468,29,439,1513.79
      USD,other,272.665,296.065,,
      "
    `);
    expect((await run([...argv, 'ndjson'])).stdout).toMatchInlineSnapshot(`
      "{"currency":"USD","key":{"service":"Amazon Elastic Compute Cloud"},"amount":"1718","previous":"1599","change":"119","change_percent":7.44,"share":0.6988}
      {"currency":"USD","key":{"service":"Amazon Relational Database Service"},"amount":"468","previous":"29","change":"439","change_percent":1513.79,"share":0.1903}
      "
    `);
  });

  it('filters by fields and tags', async () => {
    await putCharges();
    const total = async (...argv: string[]) => {
      const { stdout } = await run(['analysis', '--last', '14d', '-o', 'json', ...argv]);
      return (JSON.parse(stdout) as { totals: { amount: string }[] }).totals[0]?.amount;
    };
    expect(await total('--where', 'service=Small 1')).toBe('0.6');
    expect(await total('--where', 'tag:owner=kim', '--where', 'service=Small 1')).toBeUndefined();
    expect(await total('--where', 'tag:owner=', '--where', 'category=Credit')).toBe('-50');
  });

  it('groups by policy, and says that a resource counts in each that it fails', async () => {
    const inventory = inventoryOf(service);
    for (const name of ['no-public-buckets', 'no-open-buckets']) await inventory.createPolicy(name);
    await inventory.put('arn:aws:s3:::shop', { public: true, account_id: '1' });
    await service.evaluator.run();
    await putFocus(
      service,
      `ProviderName,BillingAccountId,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId
AWS,1,USD,25,2026-03-01,2026-03-01,shop
AWS,1,USD,75,2026-03-02,2026-03-01,other
`,
    );
    const asked = ['analysis', '--group-by', 'policy', '--last', '20d'];
    expect((await run(asked)).stdout).toMatchInlineSnapshot(`
      "Effective cost 2026-02-24 to 2026-03-15, compared with 2026-02-17 to 2026-02-23

      100.00 USD  new  ▁▁▁▁▁▃█

      POLICY              COST  SHARE            CHANGE  TREND
      no-public-buckets  25.00    25%  ████████     new
      no-open-buckets    25.00    25%  ████████     new

      A resource that fails several policies counts for each of them. Without
      duplicates: 25.00 USD (25% of the total).

      CHANGE
      +25.00  new  no-public-buckets
      +25.00  new  no-open-buckets

      No charge has the tags application, cost-center, environment, owner, project,
      team.

      Cost data is available until 2026-03-02.
      "
    `);
    expect((await run([...asked, '-o', 'csv'])).stdout.replace(/pol_\w+/g, 'pol')).toMatchInlineSnapshot(`
      "currency,policy,policy_name,amount,previous,change,change_percent
      USD,pol,no-public-buckets,25,0,25,
      USD,pol,no-open-buckets,25,0,25,
      "
    `); // prettier-ignore
  });

  it('says which words it does not take', async () => {
    const said = async (...argv: string[]) => {
      const { stderr, exitCode } = await run(['analysis', ...argv]);
      return [exitCode, stderr];
    };
    expect(await said('--where', 'servise=S3')).toMatchInlineSnapshot(`
      [
        3,
        "error: --where servise=S3: must be FIELD=VALUE
        → Did you mean service? Fields: provider, billing_account, account, service,
          service_category, category, region, resource, environment, owner, tag:KEY.
      ",
      ]
    `);
    expect(await said('--last', '3x')).toMatchInlineSnapshot(`
      [
        3,
        "error: --last 3x: must be a number of days or weeks
        → Use whole days or weeks, such as 30d or 12w.
      ",
      ]
    `);
    expect(await said('--last', '3d', '--start', '2026-01-01')).toMatchInlineSnapshot(`
      [
        3,
        "error: Use either --start or --last
      ",
      ]
    `);
    expect((await said('--group-by', 'colour'))[1]).toContain('group_by must be tag:KEY or one of');
  });
});
