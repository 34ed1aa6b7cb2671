import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createHttpFetch } from '../../../src/cli/credentials/http-fetch.ts';
import { startServer } from '../../../src/server/start.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';

const config = `cost:
  tags: [squad]
  shared:
    - name: support
      match: { service: [Support] }
      group_by: tag:squad
      split: proportional
`;
const charges = `ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Tags
AWS,1,S3,USD,30,2026-02-01,2026-02-01,"{""Squad"":""a""}"
AWS,1,S3,USD,10,2026-02-01,2026-02-01,"{""Squad"":""b""}"
AWS,1,Support,USD,8,2026-02-01,2026-02-01,
`;

it('a server reads the tags and the shared cost of its configuration file', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-cost-'));
  const controller = new AbortController();
  try {
    writeFileSync(path.join(folder, 'server.yaml'), config);
    writeFileSync(path.join(folder, 'focus.csv'), charges);
    const world = createFakeWorld({ cwd: folder, launchServer: startServer, signal: controller.signal }); // prettier-ignore
    const argv = 'server --port 0 --log-level silent -o json --config server.yaml'.split(' ');
    const serving = runCommandLine(argv, world);
    while (!world.written.stdout.includes('\n')) {
      expect(world.written.stderr).toBe('');
      await new Promise((done) => setTimeout(done, 10));
    }
    const ready = JSON.parse(world.written.stdout) as { base_url: string; api_key: string };
    const run = (...words: string[]) =>
      runCommandLine(['cost', ...words], {
        cwd: folder,
        env: { GOVCTL_BASE_URL: ready.base_url, GOVCTL_TOKEN: ready.api_key, GOVCTL_KEYRING: 'off' }, // prettier-ignore
        fetch: createHttpFetch({}),
      });
    expect(await run('import', 'focus.csv')).toMatchObject({ exitCode: 0 });
    const range = ['--start', '2026-02-01', '--end', '2026-03-01'];
    const { stdout } = await run('analysis', '--group-by', 'tag:squad', ...range, '-o', 'csv');
    expect(stdout).toBe(
      'currency,tag:squad,amount,previous,change,change_percent,shared\nUSD,a,30,0,30,,6\nUSD,b,10,0,10,,2\n',
    );
    const unknown = await run('analysis', '--group-by', 'tag:project', ...range);
    expect(unknown.stderr).toContain('charges were imported with');
    controller.abort();
    expect(await serving).toMatchObject({ exitCode: 0 });
  } finally {
    controller.abort();
    rmSync(folder, { recursive: true, force: true });
  }
});
