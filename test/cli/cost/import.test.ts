import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { platformInit } from '../../../src/client/http.ts';
import type { Fetch } from '../../../src/client/http.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';

let service: TestService;
let cwd: string;
beforeEach(async () => {
  service = await startTestService();
  cwd = await mkdtemp(path.join(tmpdir(), 'govctl-cost-import-'));
});
afterEach(async () => {
  await service.close();
  await rm(cwd, { recursive: true, force: true });
});

const header =
  'ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Extra\n';
const january = `${header}AWS,1,S3,USD,1234.5,2026-01-31,2026-01-01,x\n`;
const february = `${header}AWS,1,S3,USD,3,2026-02-01,2026-02-01,x\nAWS,2,S3,EUR,4,2026-02-01,2026-02-01,x\n`;

const toService: Fetch = async (address, init) =>
  service.app.fetch(new Request(address, platformInit(init)), {});

const run = (
  argv: readonly string[],
  stdin?: string,
  settings: Pick<FakeWorldSettings, 'fetch' | 'signal'> = {},
  command = 'import',
) =>
  runCommandLine(['cost', command, ...argv], {
    cwd,
    env: {
      GOVCTL_BASE_URL: 'https://service.test',
      GOVCTL_TOKEN: service.key,
      NO_COLOR: '1',
    },
    fetch: toService,
    now: () => service.deps.clock.now(),
    ...settings,
    ...(stdin === undefined ? {} : { stdin }),
  });

it('imports files, patterns and standard input, and shows what changed', async () => {
  await writeFile(path.join(cwd, '1.csv'), january);
  await writeFile(path.join(cwd, '2.csv'), february);
  const { stdout, exitCode } = await run(['*.csv']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "Imported 3 rows from 2 files: billing periods 3 added

    PROVIDER  ACCOUNT  PERIOD   CHANGE  ROWS  BEFORE        BILLED
    aws       1        2026-01  added      1          1,234.50 USD
    aws       1        2026-02  added      1              3.00 USD
    aws       2        2026-02  added      1              4.00 EUR
    "
  `);
  const again = await run(['-'], january.replace('1234.5', '7'));
  expect(again.stdout).toContain(
    'aws       1        2026-01  replaced     1  1,234.50 USD  7.00 USD',
  );
  const same = await run(['2.csv', '--name', 'again', '-o', 'json']);
  expect(JSON.parse(same.stdout)).toMatchObject({
    name: 'again',
    status: 'completed',
    result: { changes: { added: 0, replaced: 0, unchanged: 2 } },
  });
});

it('shows in a dry run what was understood', async () => {
  await writeFile(path.join(cwd, '1.csv'), january);
  const { stdout, exitCode } = await run(['--dry-run', '1.csv']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('1.csv: FOCUS, csv, 1 row\n');
  expect(stdout).toContain('  billed           BilledCost\n');
  expect(stdout).toContain('  not used         Extra\n');
  expect(stdout).toContain('Would import 1 row from 1 file: billing periods 1 added');
});

it('shows the columns of files that have the same ones once', async () => {
  await writeFile(path.join(cwd, '1.csv'), january);
  await writeFile(path.join(cwd, '2.csv'), january.replaceAll('2026-01', '2026-02'));
  const { stdout } = await run(['--dry-run', '1.csv', '2.csv']);
  expect(stdout).toContain('1.csv: FOCUS, csv, 1 row\n2.csv: FOCUS, csv, 1 row\n  ');
  expect(stdout.split('BilledCost')).toHaveLength(2);
});

it('of a file with other columns says so on standard error', async () => {
  await writeFile(path.join(cwd, '1.csv'), 'a,b\n1,2\n');
  const { stdout, stderr, exitCode } = await run(['1.csv']);
  expect([exitCode, stdout]).toEqual([3, '']);
  expect(stderr).toContain('error: 1.csv:1:1 the columns (a, b');
});

it('of a row that cannot be read shows file, line and column, and imports nothing', async () => {
  await writeFile(path.join(cwd, '1.csv'), january.replace('1234.5', 'abc'));
  const { stdout, stderr, exitCode } = await run(['1.csv']);
  expect(exitCode).toBe(3);
  expect(stdout).toBe('rejected 1.csv:2:14  BilledCost is not a decimal number\n');
  expect(stderr).toBe(
    'error: A row cannot be read; nothing was imported\n  → Correct the rejected rows, or pass --skip-rejected to import the others.\n',
  );
});

it('refuses what is no cost export before anything is sent', async () => {
  await writeFile(path.join(cwd, 'a.zip'), Buffer.from([0x50, 0x4b, 3, 4, 0, 0]));
  await mkdir(path.join(cwd, 'exports'));
  const said = async (...argv: string[]) => {
    const { stderr, exitCode } = await run(argv);
    return [exitCode, stderr.split('\n')[0]];
  };
  expect(await said('a.zip')).toEqual([3, expect.stringContaining('a.zip is a ZIP archive')]);
  expect(await said('exports')).toEqual([3, expect.stringContaining('exports is a directory')]);
  expect(await said('none.csv')).toEqual([3, expect.stringContaining('no such file')]);
  expect(await said('*.gz')).toEqual([3, expect.stringContaining('No files match *.gz')]);
  const { json } = await service.send('GET', '/v1/cost/imports');
  expect(json.imports).toEqual([]);
});

it('is listed, shown and deleted by its ID', async () => {
  await writeFile(path.join(cwd, '1.csv'), january);
  await run(['1.csv', '--name', 'january']);
  const opened = await service.send('POST', '/v1/cost/imports', { body: { name: 'left open' } });
  const id = String(opened.json.id);
  const imports = (...argv: string[]) => run(argv, undefined, {}, 'imports');
  const { stdout } = await imports('list');
  expect(stdout).toMatch(/^CREATED +STATUS +NAME +SIZE +ROWS +ID\n/);
  expect(stdout).toMatch(/\n\S+ \S+ UTC +open +left open .* imp_\w+\n/);
  expect(stdout).toMatch(/\n\S+ \S+ UTC +completed +january .* 1 +imp_\w+\n/);
  const [done = ''] =
    /imp_\w+(?=\n)/.exec((await imports('list', '--status', 'completed')).stdout) ?? [];
  const shown = await imports('get', done);
  expect(shown.stdout).toContain('status     completed\n');
  expect(shown.stdout).toContain('Imported 1 row from 1 file');
  expect((await imports('delete', id, '--yes')).exitCode).toBe(0);
  expect((await imports('list')).stdout).not.toContain('left open');
});

it('says that charges are older than the server keeps them, and which imports were dry runs', async () => {
  await writeFile(path.join(cwd, '1.csv'), january.replaceAll('2026-', '2019-'));
  const { stdout, exitCode } = await run(['1.csv', '--dry-run']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    '1 billing period is older than the server keeps cost data (retention.cost of its --config file) and will be removed\n',
  );
  expect((await run(['list'], undefined, {}, 'imports')).stdout).toMatch(/completed \(dry run\) /);
});

describe('an import that ends before it is committed', () => {
  const imports = async () => (await service.send('GET', '/v1/cost/imports')).json.imports;
  beforeEach(async () => {
    await writeFile(path.join(cwd, '1.csv'), january);
    await writeFile(path.join(cwd, '2.csv'), february);
  });
  const refusing =
    (isRefused: (address: string, method: string) => boolean): Fetch =>
    async (address, init) =>
      isRefused(address, init.method)
        ? (Response.json(
            { error: 'body_too_large', message: 'too large' },
            { status: 413 },
          ) as never)
        : toService(address, init);

  it('by a file that the server refuses leaves nothing there', async () => {
    const fetch = refusing((address) => address.includes('/files/2'));
    const { stderr, exitCode } = await run(['*.csv'], undefined, { fetch });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('error: too large')]);
    expect(await imports()).toEqual([]);
  });

  it('by Ctrl-C stops sending and leaves nothing there', async () => {
    const ctrlC = new AbortController();
    const fetch: Fetch = async (address, init) => {
      if (!address.includes('/files/2')) return toService(address, init);
      ctrlC.abort();
      init.signal?.throwIfAborted();
      return toService(address, init);
    };
    const { stderr, exitCode } = await run(['*.csv'], undefined, { fetch, signal: ctrlC.signal });
    expect([exitCode, stderr]).toEqual([130, 'error: Interrupted; nothing was imported\n']);
    expect(await imports()).toEqual([]);
  });

  it('says what to do where it cannot be deleted', async () => {
    const fetch = refusing(
      (address, method) => address.includes('/files/2') || method === 'DELETE',
    );
    const { stderr } = await run(['*.csv'], undefined, { fetch });
    expect(stderr).toContain('warning: the open import could not be deleted: too large');
    expect(await imports()).toHaveLength(1);
  });

  it('is not deleted where its commit reached the server, but not the answer', async () => {
    const fetch: Fetch = async (address, init) => {
      const answer = await toService(address, init);
      return address.endsWith('/commit')
        ? (Response.json({ error: 'bad_answer', message: 'lost' }, { status: 400 }) as never)
        : answer;
    };
    const { stderr } = await run(['1.csv'], undefined, { fetch });
    expect(stderr).toContain('error: lost');
    await service.costImportWork.idle();
    expect(await imports()).toMatchObject([{ status: 'completed' }]);
  });
});

it('without waiting says where to look', async () => {
  await writeFile(path.join(cwd, '1.csv'), january);
  const { stderr, exitCode } = await run(['--no-wait', '1.csv']);
  expect([exitCode, stderr]).toEqual([8, expect.stringContaining('govctl cost imports get imp_')]);
});
