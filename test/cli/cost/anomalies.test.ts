import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { csvOf, detectAnomalies, usage } from '../../server/anomalies/anomaly-world.ts';
import { putFocus } from '../../server/cost/put-focus.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const service_ = 'Amazon Elastic Compute Cloud';
  await putFocus(
    service,
    csvOf([
      ...usage({ service: service_ }, { raised: { '2026-02-24': 3, '2026-02-25': 2 } }),
      ...usage({ service: 'S3', account: '22' }, { base: 30, raised: { '2026-01-20': 2 } }),
    ]),
  );
  await detectAnomalies(service);
});
afterEach(() => service.close());

const run = (...argv: string[]) => runIn('en_US.UTF-8', ['cost', 'anomalies', ...argv]);

const runIn = (locale: string, argv: readonly string[]) =>
  runCommandLine(argv, {
    env: {
      GOVCTL_BASE_URL: 'https://service.test',
      GOVCTL_TOKEN: service.key,
      NO_COLOR: '1',
      LANG: locale,
    },
    fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
    now: () => service.deps.clock.now(),
    columns: 80,
    tty: true,
  });

/** IDs are other ones each time. */
const withoutIds = (text: string): string => text.replaceAll(/anm_\w+/g, 'anm_…');

async function firstId(): Promise<string> {
  const { stdout } = await run('-o', 'json');
  const { anomalies } = JSON.parse(stdout) as { anomalies: { id: string }[] };
  return anomalies[0]?.id ?? '';
}

describe('cost anomalies', () => {
  it('lists them in 80 columns, the latest first, with filters', async () => {
    const { stdout, exitCode } = await run();
    expect(exitCode).toBe(0);
    expect(withoutIds(stdout)).toMatchInlineSnapshot(`
      "START       SERVICE             IMPACT  TREND     ID
      2026-02-24  Amazon… Cloud  +300.00 USD  ▂▂▃▃▃█▆▂  anm_…
      2026-01-20  S3              +30.00 USD  ▃▃▅▅▅█▅▃  anm_…
      Hidden columns: DAYS, SEVERITY, ACCOUNT, OVER, STATUS. Use a wider terminal, a
      pipe or -o json.
      "
    `);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(withoutIds((await run('--status', 'resolved')).stdout)).toContain('S3');
    expect((await run('--severity', 'LOW')).stdout).toBe('');
  });

  it('draws in ASCII where the locale says so', async () => {
    const id = await firstId();
    for (const argv of [[], ['get', id]]) {
      const { stdout } = await runIn('C', ['cost', 'anomalies', ...argv]);
      expect(stdout).toMatch(/[-~=+*]#/);
      expect(stdout).not.toMatch(/[▁-█]/);
    }
  });

  it('are listed with their sum under the cost of the days', async () => {
    const argv = ['cost', 'analysis', '--start', '2026-01-01', '--end', '2026-03-01'];
    const { stdout } = await runIn('en_US.UTF-8', argv);
    expect(stdout.slice(stdout.indexOf('anomal') - 2)).toMatchInlineSnapshot(`
      "1 anomaly: +300.00 USD. Use \`govctl cost anomalies\` for details.
           IMPACT   OVER  START       SERVICE                       ACCOUNT
      +300.00 USD  +150%  2026-02-24  Amazon Elastic Compute Cloud  11

      Cost data is available until 2026-02-27.
      "
    `);
  });

  it('writes them as CSV', async () => {
    const { stdout, exitCode } = await run('-o', 'csv');
    const [head, first, ...rest] = stdout.trimEnd().split(/\r?\n/);
    expect([exitCode, head, rest.length]).toEqual([0, 'id,start,end,days,severity,status,provider,account_id,service,expected,actual,impact,currency', 1]); // prettier-ignore
    expect(withoutIds(first ?? '')).toBe('anm_…,2026-02-24,2026-02-25,2,critical,open,aws,11,Amazon Elastic Compute Cloud,200,500,300,USD'); // prettier-ignore
  });

  it('get shows one with its causes', async () => {
    const { stdout } = await run('get', await firstId());
    expect(withoutIds(stdout)).toMatchInlineSnapshot(`
      "Amazon Elastic Compute Cloud: +300.00 USD (+150%)
        id        anm_…
        severity  CRITICAL
        status    open
        provider  aws
        account   11
        days      2026-02-24 to 2026-02-25 (2 days, ongoing)
        expected  200.00 USD
        actual    500.00 USD
        trend     ▃▃▂▂▃▃▃▃▃▂▂▃▃▃▃▃▂▂▃▃▃▃▃▂▂▃▃▃█▆▂ from 2026-01-27
        cause     resource i-1: +328.57 USD
        cause     region eu-west-1: +328.57 USD
        detected  2026-03-01 12:00 UTC
      "
    `);
  });

  it('feedback says whether it was expected', async () => {
    const id = await firstId();
    const { stdout, exitCode } = await run('feedback', id, '--expected', '--note', 'Load test');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/status +resolved/);
    expect(stdout).toMatch(/feedback +expected/);
    expect(stdout).toMatch(/note +Load test/);
    const both = await run('feedback', id, '--expected', '--unexpected');
    expect([both.exitCode, both.stderr]).toEqual([3, expect.stringContaining('either')]);
    const none = await run('feedback', id);
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('--note')]);
    expect((await run('feedback', 'anm_none', '--expected')).exitCode).toBe(1);
  });
});
