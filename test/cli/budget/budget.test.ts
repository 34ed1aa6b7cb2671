import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startBudgets } from '../../server/budgets/budget-world.ts';
import type { BudgetWorld } from '../../server/budgets/budget-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { createMinimalService } from '../../support/minimal-service.ts';

let world: BudgetWorld;
beforeEach(async () => {
  world = await startBudgets();
});
afterEach(() => world.close());

const run = (argv: readonly string[], settings: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['budget', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: world.key, NO_COLOR: '1' },
    fetch: async (url, init) => world.app.fetch(new Request(url, init), {}),
    ...settings,
  });

const json = async (...argv: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await run([...argv, '-o', 'json'])).stdout) as Record<string, unknown>;

const create = (...flags: string[]): Promise<Outcome> =>
  run(['create', '--name', 'platform', '--amount', '1,000', '--currency', 'USD', ...flags]);

/** Ten a day until 14 March, which is yesterday. */
async function spendDaily(): Promise<void> {
  const day = 86_400_000;
  world.advance(14 * day);
  await world.spend(
    ...Array.from({ length: 73 }, (_, at) => ({
      day: new Date(Date.parse('2026-01-01') + at * day).toISOString().slice(0, 10),
      billed: '10',
      tags: { team: at % 2 === 0 ? 'web' : 'data' },
    })),
  );
}

describe('govctl budget create', () => {
  it('shows what was spent, what is forecast, and which thresholds are crossed', async () => {
    await spendDaily();
    const { exitCode, stdout } = await create('--amount', '150', '--owner', 'ann');
    expect(exitCode).toBe(0);
    expect(stdout.replace(/bud_\w+/g, 'bud_X')).toMatchInlineSnapshot(`
      "Created bud_X
      platform
        id         bud_X
        amount     150.00 USD per month
        counts     billed cost
        owner      ann
        period     2026-03, until 2026-03-31
        spent      [##################..] 93%: 140.00 USD, 10.00 USD left
        forecast   206%: 310.00 USD, 80% interval 310.00 USD to 310.00 USD
        threshold  80% spent: exceeded since 2026-03-15 12:00 UTC
        threshold  100% spent: not exceeded
        threshold  100% forecast: exceeded since 2026-03-15 12:00 UTC
        data       until 2026-03-14
        updated    2026-03-15 12:00 UTC
      "
    `);
  });

  it('takes a filter, thresholds and tags', async () => {
    await spendDaily();
    await create(
      ...['--filter', 'provider=aws', '--filter', 'provider=azure', '--filter', 'tag:team=web'],
      ...['--threshold', '50%', '--threshold', 'forecast:100', '--tag', 'a', '--period', 'quarter'],
      ...['--metric', 'effective', '--description', 'All of it'],
    );
    expect(await json('get', 'platform')).toMatchObject({
      amount: '1000',
      period: 'quarter',
      metric: 'effective',
      filter: { provider: ['aws', 'azure'], tags: { team: ['web'] } },
      thresholds: [
        { percent: 50, on: 'actual' },
        { percent: 100, on: 'forecast' },
      ],
      tags: ['a'],
      status: { spent: '370' },
    });
    const { stdout } = await run(['get', 'platform']);
    expect(stdout).toContain('effective cost of provider aws or azure, tag team web');
  });

  it.each([
    [['--filter', 'aws'], '--filter aws: must be FIELD=VALUE'],
    [['--filter', 'provder=aws'], 'Did you mean provider?'],
    [['--filter', 'team=web'], 'tag:KEY for a tag'],
    [['--threshold', 'much'], '--threshold much: must be a percentage'],
    [['--threshold', '2000'], 'thresholds[0].percent'],
    [['--amount', '0'], 'amount must be more than 0'],
    [['--amount', '1,00'], 'amount must be more than 0'],
    [['--currency', 'usd'], 'currency must be a currency code such as USD'],
    [['--period', 'week'], "--period <period>' argument 'week' is invalid"],
  ])('refuses %j', async (flags, said) => {
    const outcome = await create(...flags);
    expect(outcome.stderr).toContain(said);
    expect(outcome.exitCode).toBe(3);
  });

  it('refuses a second one of a name', async () => {
    await create();
    const outcome = await create();
    expect(outcome.exitCode).toBe(5);
    expect(outcome.stderr).toContain('Another budget is named "platform"');
  });
});

describe('govctl budget list', () => {
  it('shows a bar, the percentage and the forecast in 80 columns, without colors', async () => {
    await spendDaily();
    await create('--owner', 'ann');
    await run(['create', '--name', 'small', '--amount', '140.01', '--currency', 'USD']);
    await run(['create', '--name', 'euros', '--amount', '9', '--currency', 'EUR']);
    const { stdout } = await run(['list'], { columns: 80, tty: true });
    expect(stdout).toMatchInlineSnapshot(`
      "NAME      PERIOD         AMOUNT       SPENT  USED              FORECAST  OWNER
      euros     2026-03      9.00 EUR    0.00 EUR  [..........] 0%          -  
      platform  2026-03  1,000.00 USD  140.00 USD  [#.........] 14%       31%  ann
      small     2026-03    140.01 USD  140.00 USD  [#########.] 99%      221%  
      Hidden column: ID. Use a wider terminal, a pipe or -o json.
      "
    `);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('says that there is no cost data, instead of showing that nothing is spent', async () => {
    const created = await create();
    const shown = await run(['get', 'platform']);
    for (const { stdout } of [created, shown]) {
      expect(stdout).toMatch(/^ +spent +no cost data$/m);
      expect(stdout).not.toMatch(/\b0%/);
    }
    const { stdout } = await run(['list']);
    expect(stdout).toContain('no cost data');
    expect(stdout).not.toContain('0%');
  });

  it('filters, and writes CSV', async () => {
    await create('--owner', 'ann', '--tag', 'x');
    await run(['create', '--name', 'other', '--amount', '9', '--currency', 'EUR']);
    expect((await json('list', '--owner', 'ann', '--tag', 'x')).budgets).toMatchObject([
      { name: 'platform' },
    ]);
    expect(await json('list', '--period', 'year')).toMatchObject({ budgets: [] });
    const { stdout } = await run(['list', '-o', 'csv', '--owner', 'ann']);
    expect(stdout.replace(/bud_\w+/, 'bud_X').split('\n')).toEqual([
      'id,name,owner,period,amount,currency,current_period,spent,spent_percent,remaining,forecast,data_until',
      'bud_X,platform,ann,month,1000,USD,2026-03,0,0,1000,,',
      '',
    ]);
  });
});

describe('govctl budget update and delete', () => {
  it('change a budget by its name', async () => {
    await spendDaily();
    await create('--filter', 'tag:team=web');
    const updated = await run(['update', 'platform', '--amount', '2000', '--no-filter']);
    expect(updated.stdout).toContain('2,000.00 USD per month');
    expect(updated.stdout).toContain('7%: 140.00 USD, 1,860.00 USD left');
    await run(['update', 'platform', '--no-threshold', '--name', 'web']);
    expect(await json('get', 'web')).toMatchObject({ thresholds: [], amount: '2000' });
    const none = await run(['update', 'web']);
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('--amount 12000')]);
    expect(await run(['delete', 'web', '-y'])).toMatchObject({ exitCode: 0 });
    const gone = await run(['get', 'web']);
    expect(gone.stderr).toContain('No budget with ID, name or key "web"');
  });
});

describe('a server without budgets, or a key that may not see them', () => {
  it('is told in one line', async () => {
    const minimal = createMinimalService();
    const elsewhere = await run(['list'], { fetch: minimal.fetch });
    expect(elsewhere.stderr).toContain('This server does not support budgets');
    const GOVCTL_TOKEN = await world.keyWith('governance:read');
    const env = { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN };
    const refused = await run(['list'], { env });
    expect(refused.stderr).toContain('This requires the scope cost:read');
    expect(refused.exitCode).toBe(4);
  });
});
