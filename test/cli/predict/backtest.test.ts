import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readDataset } from '../../../src/cli/predict/read-dataset.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';

const line = (resource: string, ...history: [string, string][]): string =>
  JSON.stringify({ resource, check: 'encrypted', history });
const days = (n: number): string => new Date(Date.UTC(2025, 0, 1) + n * 86_400_000).toISOString();

/** One that fails every 20 days, and others that failed once. */
const dataset = [
  line('bucket.flaps', ...Array.from({ length: 20 }, (_, n): [string, string] => [days(n * 10), n % 2 === 0 ? 'PASS' : 'FAIL'])), // prettier-ignore
  ...Array.from({ length: 30 }, (_, n) =>
    line(`bucket.${n}`, [days(0), 'PASS'], [days(n * 5 + 5), 'FAIL'], [days(n * 5 + 6), 'PASS']),
  ),
].join('\n');

const backtest = (files: Record<string, string>, ...argv: string[]) =>
  runCommandLine(['predict', 'backtest', ...argv], { cwd: makeRepo(files), columns: 80 });

describe('predict backtest of a dataset', () => {
  it('says how good each method would have been, beside two baselines, and its limits', async () => {
    const { stdout, exitCode } = await backtest({ 'a.ndjson': dataset }, '--dataset', 'a.ndjson', '--horizon', '20'); // prettier-ignore
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "METHOD                   N  ALERTS  PRECISION  RECALL  SKILL/NEVER  SKILL/30D
      recurrence               1       4  100%       10%     0.03         0.56
      trend                    0       0  -          -       -            -
      failed in last 30 days  31      67  12%        20%     -1.22        0.00
      never                    0       0  -          0%      0.00         0.55

      31 series, 5,190 daily forecasts for 20 days, 40 failures, 2025-01-01 to
        2025-07-10.
      recurrence beats both baselines.
      - trend: n = 0, because the history contains no numeric values to replay.
      - date_certain and exemption_expiry are not replayed, because they depend only
        on dates.
      "
    `);
    for (const row of stdout.split('\n')) expect(row.length).toBeLessThanOrEqual(80);
  });

  it('has the same in JSON, of all files of a directory', async () => {
    const files = { 'd/a.ndjson': dataset, 'd/b.jsonl': dataset, 'd/README': 'not read' };
    const { stdout } = await backtest(files, '--dataset', 'd', '--since', '2025-03-01', '-o', 'json'); // prettier-ignore
    const answer = JSON.parse(stdout) as { methods: object[] };
    expect(answer).toMatchObject({
      dataset: 'd',
      histories: 2,
      from: '2025-03-01',
      horizon_days: 30,
      series: 62,
    });
    expect(answer.methods).toMatchObject([
      { method: 'recurrence', n: 2, beats_both: true },
      { method: 'trend', n: 0, alerts: 0, precision: null, recall: null, beats_both: false },
      { method: 'failed in last 30 days' },
      { method: 'never', alerts: 0, skill_never: 0 },
    ]);
  });

  const good = line('a.b', [days(0), 'PASS']);
  it.each([
    ['{', ':2: this is not JSON'],
    ['[]', ':2: the line: '],
    [JSON.stringify({ resource: 'a', check: 'b' }), ':2: history: '],
    [line('a', [days(0), 'OK']), ':2: history.0.1: '],
    [line('a', ['yesterday', 'PASS']), ':2: history.0.0: must be a time'],
    [
      line('a', [days(2), 'PASS'], [days(1), 'FAIL']),
      ':2: history: must be in chronological order',
    ],
  ])('refuses %s with its line', async (bad, message) => {
    const { stderr, exitCode } = await backtest({ 'a.ndjson': `${good}\n${bad}` }, '--dataset', 'a.ndjson'); // prettier-ignore
    expect(stderr).toContain(`a.ndjson${message}`);
    expect(exitCode).toBe(3);
  });

  it('refuses what would take all memory, or years to replay, in one line of an error', async () => {
    const hostile: Record<string, [content: string, message: string]> = {
      'newlines.ndjson': ['\n'.repeat(5_000_000), 'newlines.ndjson is empty'],
      'brackets.ndjson': ['['.repeat(9 << 20), 'brackets.ndjson:1: the line is longer than 8 MiB'],
      'ages.ndjson': [
        line('a', ['0001-01-01T00:00:00Z', 'PASS'], ['9999-12-31T00:00:00Z', 'FAIL']),
        'ages.ndjson:1: the history is longer than 50 years',
      ],
      'apart.ndjson': [
        `${line('a', ['1970-01-01T00:00:00Z', 'FAIL'])}\n\n${line('b', ['2026-01-01T00:00:00Z', 'PASS'])}`,
        'apart.ndjson:3: the history is longer than 50 years',
      ],
    };
    for (const [file, [content, message]] of Object.entries(hostile)) {
      const { stderr, exitCode } = await backtest({ [file]: content }, '--dataset', file);
      expect(stderr).toContain(message);
      expect(stderr.length).toBeLessThan(1_000);
      expect(exitCode).toBe(3);
    }
  });

  it('reads so many lines of a dataset at most, over all its files', async () => {
    const two = `${good}\n\n${good}\n`;
    const cwd = makeRepo({ 'd/a.ndjson': two, 'd/b.ndjson': two });
    const { signal } = new AbortController();
    expect(await readDataset({ cwd, signal }, 'd', 4)).toHaveLength(2);
    await expect(readDataset({ cwd, signal }, 'd', 3)).rejects.toThrow(
      'b.ndjson:3: a dataset must not contain more than',
    );
  });

  it.each([
    [['--dataset', 'none'], 'none could not be read: no such file'],
    [['--dataset', '.'], 'No .ndjson files in .'],
    [['--dataset', 'empty.jsonl'], 'empty.jsonl is empty'],
    [['--horizon', '1.5'], '--horizon 1.5: must be a number of days'],
    [['--since', 'monday'], '--since monday: must be a date or a time'],
  ])('refuses %j', async (argv, message) => {
    const files = argv.includes('.') ? { 'a.txt': '' } : { 'empty.jsonl': '\n' };
    const { stderr, exitCode } = await backtest(files, ...argv);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(3);
  });
});

describe('predict backtest of a service', () => {
  let service: TestService;
  let inventory: ReturnType<typeof inventoryOf>;
  beforeEach(async () => {
    service = await startTestService();
    inventory = inventoryOf(service);
    onTestFinished(() => service.close());
  });
  const run = (...argv: string[]) =>
    runCommandLine(['predict', ...argv], {
      fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
      now: () => service.deps.clock.now(),
      env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: service.key },
    });

  it('replays the histories of its violations, and counts what never failed', async () => {
    await inventory.createPolicy('p', {});
    await service.evaluator.run();
    for (const id of ['steady', 'fails', 'gone']) await inventory.put(id, { public: false });
    service.advance(40 * 86_400_000);
    await inventory.put('fails', { public: true });
    await inventory.put('gone', { public: true });
    service.advance(86_400_000);
    await inventory.put('fails', { public: false });
    await inventory.ok('DELETE', '/v1/resources/gone');
    service.advance(60 * 86_400_000);
    const { stdout } = await run('backtest', '-o', 'json');
    const answer = JSON.parse(stdout) as object;
    // When the deleted one passed is not known, so that its failure is not a fall.
    expect(answer).toMatchObject({ dataset: null, series: 2, failures: 1 });
    expect(answer).toMatchObject({ methods: [{ n: 0 }, { n: 0 }, { n: 1, alerts: 1 }, {}] });
  });

  it('says that there is nothing where nothing is stored', async () => {
    const { stdout, exitCode } = await run('backtest');
    expect(stdout).toContain('no series, 0 daily forecasts');
    expect(exitCode).toBe(0);
  });

  it('is what the list names for methods that are off', async () => {
    const { stderr } = await run('list');
    expect(stderr).toContain('Disabled methods: trend, recurrence');
    expect(stderr).toContain('docs/prediction.md');
  });
});
