import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { csvOf, usage } from '../../server/anomalies/anomaly-world.ts';
import { putFocus } from '../../server/cost/put-focus.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const run = (
  argv: readonly string[],
  { tty = true, ...env }: { tty?: boolean; LANG?: string } = {},
) =>
  runCommandLine(['cost', 'forecast', ...argv], {
    env: {
      GOVCTL_BASE_URL: 'https://service.test',
      GOVCTL_TOKEN: service.key,
      NO_COLOR: '1',
      ...env,
    },
    fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
    now: () => service.deps.clock.now(),
    columns: 80,
    tty,
  });

/** Cost that is never quite the same. */
const noisy = (of: object, base: number) =>
  usage(of, { base }).map((one, at) => ({
    ...one,
    cost: one.cost + ((at * 7_919) % 13) * (base / 60),
  }));

describe('cost forecast', () => {
  beforeEach(() =>
    putFocus(
      service,
      csvOf([
        ...noisy({ service: 'Amazon Elastic Compute Cloud' }, 100),
        ...noisy({ service: 'S3' }, 10),
      ]),
    ),
  );

  it('draws what was and what will be, and says it in words, in 80 columns', async () => {
    const { stdout, stderr, exitCode } = await run([]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatchInlineSnapshot(`
      "Effective usage cost, next 30 days: 3,084.17 USD
      160.34 │                                          ░░░░   ░░░░   ░░░░  ░░░░░  ░
             │      ▅   ▁      ▂     ▁▂     ▂▃    ▁▂▄  ░▒━━━  ▒▒━━━  ▒▒━━━  ▒▒━━━  ▒
             │▄▅▇█  █▅▆██  ▄▅▇██  ▅▆███  ▅▇███  ▆████  ━━▒░░  ━━▒▒░  ━━▒▒░  ━━▒▒░  ━
             │████  █████  █████  █████  █████  █████ ░░░░  ░ ░░   ░ ░░░  ░░░░░░░░░░
       80.17 │████▄▅█████▅▆█████▅▇█████▆ █████▇ █████ ▒     ▒▒     ▒▒     ▒▒     ▒▒
             │██████████████████████████▆██████▇█████▆━     ━━     ━━     ━━     ━━
             │████████████████████████████████████████░     ░░     ░░     ░░     ░░
             │████████████████████████████████████████
        0.00 └────────────────────────────────────────┴─────────────────────────────
      █ cost per day from 2026-01-18   ━ forecast from 2026-02-27   ▒ 80%   ░ 95%

      2026-02-27 to 2026-03-28: 3,084.17 USD, 80% likely 3,025.01 to 3,143.33, 95%
        likely 2,879.43 to 3,288.91
      2026-02: 2,933.26 USD, 80% likely 2,927.28 to 2,939.23; 2,761.00 so far
      Method: the median of three forecasts: exponential smoothing, the last week
        repeated, and the mean of four weeks. 13 earlier two-week forecasts were off
        by 5.41 USD per day on average; repeating the last week would have been off by
        4.79. 88% of days were within the 80% range.
      "
    `);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('lists the largest groups', async () => {
    const { stdout } = await run(['--group-by', 'service', '--days', '14'], { LANG: 'C' });
    expect(stdout.slice(stdout.indexOf('SERVICE'))).toMatchInlineSnapshot(`
      "SERVICE                     TREND         LAST 14D  NEXT 14D  80% FROM        TO
      Amazon Elasti~ompute Cloud  #*##*##*##*#  1,330.00  1,323.60  1,303.85  1,343.35
      S3                          #*##*##*##*#    133.00    132.36    130.39    134.34
      "
    `);
    expect(stdout).toMatch(/^[\x20-\x7e…\n]*$/);
  });

  it('has the same as JSON and CSV', async () => {
    const json = JSON.parse((await run(['--days', '3', '-o', 'json'])).stdout) as {
      forecasts: { points: { date: string; mean: string }[] }[];
    };
    const [first] = json.forecasts[0]?.points ?? [];
    const csv = (await run(['--days', '3', '-o', 'csv'], { tty: false })).stdout.split('\n');
    expect(csv[0]).toBe('currency,part,key,date,mean,low_80,high_80,low_95,high_95');
    expect(csv[1]).toContain(`USD,total,,${first?.date},${first?.mean},`);
    expect(csv.filter(Boolean)).toHaveLength(4);
  });

  it('says what it does not take, and that nothing matches', async () => {
    const long = await run(['--days', '10000']);
    expect([long.exitCode, long.stderr]).toEqual([3, expect.stringContaining('from 1 to 365')]);
    const field = await run(['--group-by', 'colour']);
    expect([field.exitCode, field.stderr]).toEqual([3, expect.stringContaining('tag:KEY')]);
    const none = await run(['--where', 'service=Nothing']);
    expect([none.exitCode, none.stdout, none.stderr]).toEqual([
      0,
      '',
      'No usage matches the filters.\n',
    ]);
  });
});

it('cost forecast says that there are no data', async () => {
  const { stdout, stderr } = await run([]);
  expect(stdout).toBe('');
  expect(stderr.replace(/\s+/g, ' ')).toContain('govctl cost import FILE');
});
