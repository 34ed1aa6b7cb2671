import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putFocus } from '../../server/cost/put-focus.ts';
import {
  constant,
  hourly,
  machine,
  machineId,
  putMachines,
  sendMetrics,
} from '../../server/rightsizing/machines.ts';
import { startTestService } from '../../server/test-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';

let service: TestService;
let folder: string;
beforeEach(async () => {
  service = await startTestService();
  folder = await mkdtemp(path.join(tmpdir(), 'govctl-metrics-'));
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (argv: readonly string[], settings: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['cost', ...argv], {
    cwd: folder,
    env: {
      GOVCTL_BASE_URL: 'http://service.test',
      GOVCTL_TOKEN: service.key,
      LC_ALL: 'C',
    },
    fetch: (url, init) => Promise.resolve(service.app.fetch(new Request(url, init), {})),
    ...settings,
  });

const put = (name: string, content: unknown): Promise<void> =>
  writeFile(
    path.join(folder, name),
    typeof content === 'string' ? content : JSON.stringify(content),
  );

const header =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,ChargeCategory,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId\n';

/** Four machines: two recommendations, one withheld, one right-sized. */
async function fill(): Promise<void> {
  await putMachines(
    service,
    machine(machineId, 'm5.4xlarge', { name: 'web', environment: 'production' }),
    machine('i-b', 'm5.2xlarge'),
    machine('i-c', 'm5.2xlarge'),
    machine('i-d', 'm5.large'),
  );
  const days = Array.from({ length: 28 }, (_, at) => String(at + 1).padStart(2, '0'));
  await putFocus(
    service,
    header +
      days
        .map((day) => `AWS,1,11,EC2,Usage,USD,18.432,2026-02-${day},2026-02-01,${machineId}\n`)
        .join(''),
  );
  const from = '2026-02-08T00:00:00Z';
  await sendMetrics(service, [
    ...hourly(machineId, 'cpu', from, constant(15, 20)),
    ...hourly(machineId, 'memory', from, constant(18, 20)),
    ...[...['i-b', 'i-c', 'i-d'].flatMap((id) => hourly(id, 'cpu', from, constant(30, 20)))],
    ...['i-b', 'i-d'].flatMap((id) => hourly(id, 'memory', from, constant(20, 20))),
  ]);
}

describe('govctl cost rightsizing', () => {
  beforeEach(fill);

  it('lists what is larger than needed, with bars, saving, risk, totals and what is withheld', async () => {
    const { exitCode, stdout } = await run(['rightsizing']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        'RESOURCE             SIZE        SUGGESTED  CPU     MEMORY  SAVES/MONTH  RISK',
        'i-0123456789abcdef0  m5.4xlarge  m5.xlarge  15% #   18% #    420.48 USD  high',
        'i-b                  m5.2xlarge  m5.xlarge  30% ##  20% #       unknown  medium',
        '',
        'Potential savings: 420.48 USD per month, of 560.64 USD for 1 machine.',
        '2 recommendations, 1 right-sized.',
        'Withheld: 1 (memory not measured 1). Use --status withheld to list withheld recommendations.',
        '',
      ].join('\n'),
    );
  });

  it('fits into 80 columns, in ASCII', async () => {
    for (const argv of [
      ['rightsizing'],
      ['rightsizing', '--status', 'withheld,fits'],
      ['rightsizing', 'get', machineId],
    ]) {
      const { stdout } = await run(argv, { tty: true, columns: 80 });
      for (const line of stdout.replace(/\u001b\[[\d;]*m/g, '').split('\n')) {
        expect([line, line.length <= 80]).toEqual([line, true]);
        expect(line).toMatch(/^[ -~…]*$/);
      }
    }
  });

  it('filters, and lists what is withheld with the reason; memory can be assumed', async () => {
    expect((await run(['rightsizing', '--environment', 'production'])).stdout).not.toContain('i-b');
    expect((await run(['rightsizing', '--status', 'withheld'])).stdout).toMatch(
      /^i-c +m5.2xlarge +memory not measured$/m,
    );
    const assumed = await run(['rightsizing', '--assume-memory', '40']);
    expect(assumed.stdout).toMatch(/^i-c +m5.2xlarge +m5.xlarge .*40%\?.* high$/m);
    const wrong = await run(['rightsizing', '--assume-memory', '0']);
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      3,
      expect.stringContaining('--assume-memory 0'),
    ]);
  });

  it('prints the answer of the service as JSON, and rows as CSV', async () => {
    const { stdout } = await run(['rightsizing', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      format_version: 1,
      recommendations: [{ monthly_saving: '420.48' }, { resource_id: 'i-b' }],
      totals: [{ currency: 'USD', monthly_saving: '420.48' }],
      counts: { recommended: 2, withheld: 1, fits: 1, stopped: 0 },
    });
    const csv = (await run(['rightsizing', '-o', 'csv'])).stdout.split(/\r?\n/);
    expect(csv[0]).toContain('resource_id,provider,');
    expect(csv[1]).toContain(
      `${machineId},aws,11,eu-west-1,production,recommended,,m5.4xlarge,m5.xlarge,15,18,480,high,USD,560.64,420.48,rsz_`,
    );
  });

  it('get shows the evidence of one, by the ID of its resource', async () => {
    const { exitCode, stdout } = await run(['rightsizing', 'get', machineId]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('m5.xlarge: 4 vCPUs, 16 GiB; would use 60% of CPU, 72% of memory');
    expect(stdout).toContain('0.768 USD per hour, from 516.096 over 672 hours');
    expect(stdout).toContain('p99.5 15%, max 15%; 480 hours, 2026-02-08 to 2026-02-27');
    const missing = await run(['rightsizing', 'get', 'i-x']);
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      expect.stringContaining('There is no virtual machine "i-x"'),
    ]);
  });

  it('lists a machine that the inventory has by its ARN by its instance ID, and takes that for get and apply', async () => {
    const name = 'i-0aaa1111bbbb2222c';
    const inventoryId = `arn:aws:ec2:eu-west-1:11:instance/${name}`;
    await putMachines(service, machine(inventoryId, 'm5.2xlarge'));
    const from = '2026-02-08T00:00:00Z';
    await sendMetrics(service, [
      ...hourly(name, 'cpu', from, constant(15, 20)),
      ...hourly(name, 'memory', from, constant(18, 20)),
    ]);
    expect((await run(['rightsizing'])).stdout).toMatch(new RegExp(`^${name} `, 'm'));
    const shown = await run(['rightsizing', 'get', name]);
    expect([shown.exitCode, shown.stdout.split('\n')[0]]).toEqual([0, inventoryId]);
    const planned = await run(['rightsizing', 'apply', name]);
    expect([planned.exitCode, planned.stdout]).toEqual([0, expect.stringContaining(inventoryId)]);
    expect((await run(['rightsizing', 'get', 'i-0aaa1111bbbb22220'])).exitCode).toBe(1);
  });

  it('apply plans a remediation, and says how to approve it', async () => {
    const { exitCode, stdout, stderr } = await run([
      'rightsizing',
      'apply',
      machineId,
      '--size',
      'm5.2xlarge',
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('instance_type: "m5.4xlarge" → "m5.2xlarge"');
    expect(stdout).toContain('Waiting for approval.');
    expect(stderr).toMatch(
      /Nothing was changed. To approve the remediation, run `govctl remediate approve rem_\w+`\./,
    );
    expect((await run(['rightsizing', 'apply', 'i-d'])).exitCode).toBe(5);
  });
});

describe('govctl cost rightsizing without machines', () => {
  it('says beside a CSV without rows that there are none', async () => {
    const { exitCode, stdout, stderr } = await run(['rightsizing', '-o', 'csv']);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^No recommendations\.$/m)]);
    expect(stdout).toMatch(/^resource_id,[^\n]*\n$/);
    const table = await run(['rightsizing']);
    expect([table.stdout, table.stderr]).toEqual([
      'No recommendations.\n',
      expect.not.stringContaining('No recommendations'),
    ]);
  });
});

describe('govctl cost metrics import', () => {
  beforeEach(() =>
    putMachines(service, machine(machineId, 'm5.4xlarge'), machine('i-b', 'm5.large')),
  );

  const cloudwatch = {
    Label: 'CPUUtilization',
    Datapoints: Array.from({ length: 48 }, (_, at) => ({
      Timestamp: new Date(Date.UTC(2026, 1, 10, at)).toISOString(),
      Maximum: 12,
      Unit: 'Percent',
    })),
  };

  it('stores files of several formats, and the same again changes nothing', async () => {
    await mkdir(path.join(folder, 'metrics'));
    await put('metrics/cpu.json', cloudwatch);
    await put(
      'metrics/own.ndjson',
      hourly(machineId, 'memory', '2026-02-10T00:00:00Z', [10, 20])
        .map((point) => JSON.stringify(point))
        .join('\n'),
    );
    await put('metrics/net.json', { Label: 'NetworkIn', Datapoints: [{}, {}] });
    const { exitCode, stdout } = await run([
      'metrics',
      'import',
      'metrics',
      '--resource',
      machineId,
    ]);
    expect([exitCode, stdout]).toEqual([
      0,
      [
        'FILE                FORMAT                 POINTS  MACHINES  FROM        UNTIL',
        'metrics/cpu.json    CloudWatch statistics      48         1  2026-02-10  2026-02-11',
        'metrics/net.json    CloudWatch statistics       0         0  -           -',
        'metrics/own.ndjson  NDJSON                      2         1  2026-02-10  2026-02-10',
        '',
        'Skipped other metrics: NetworkIn 2',
        'Stored: 50 points of 1 machine; 200 15-minute intervals changed.',
        '',
      ].join('\n'),
    ]);
    const again = await run([
      'metrics',
      'import',
      'metrics',
      '--resource',
      machineId,
      '-o',
      'json',
    ]);
    expect(JSON.parse(again.stdout)).toMatchObject({
      dry_run: false,
      points: 50,
      resources: 1,
      changed: 0,
    });
  });

  it('--dry-run shows what the files contain, and asks no server', async () => {
    await put('cpu.json', cloudwatch);
    const { exitCode, stdout } = await run(
      ['metrics', 'import', 'cpu.json', '--resource', 'i-x', '--dry-run'],
      {
        fetch: () => Promise.reject(new Error('asked')),
      },
    );
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('Dry run: 48 points of 1 machine; nothing was sent.'),
    ]);
  });

  it('reads standard input', async () => {
    const [line] = hourly('i-b', 'cpu', '2026-02-10T00:00:00Z', [10]);
    const { stdout } = await run(['metrics', 'import', '-'], {
      stdin: `\n${JSON.stringify(line)}\r\n\r\n`,
    });
    expect(stdout).toContain('Stored: 1 point of 1 machine; 4 15-minute intervals changed.');
  });

  it.each([
    [
      'cpu.json',
      { ...cloudwatch, Datapoints: [{ Timestamp: 'x', Maximum: 1 }] },
      'cpu.json Datapoints[0].Timestamp: must be a time',
    ],
    [
      'cpu.json',
      { ...cloudwatch, Datapoints: cloudwatch.Datapoints.map((one) => ({ ...one, Maximum: -1 })) },
      'cpu.json Datapoints[0]: statistics.max must be from 0 to 1000',
    ],
    [
      'cpu.json',
      {
        ...cloudwatch,
        Datapoints: cloudwatch.Datapoints.map(({ Timestamp }) => ({ Timestamp, Average: 1 })),
      },
      'cpu.json Datapoints[0]: period_seconds must be at most 300 for an average, not 3,600',
    ],
    ['cpu.json', '{"Label":', 'cpu.json: is not JSON'],
    [
      'data.json',
      { hello: 1 },
      'data.json: is not a supported file; supported formats are NDJSON with resource_id and metric',
    ],
    [
      'own.ndjson',
      '{"resource_id":"i-b","metric":"cpu","at":"2026-02-10T00:00:00Z","period_seconds":60,"value":1}\n\n{"resource_id":"i-b","metric":"cpu","at":"2026-02-10T00:00:00Z","period_seconds":0,"value":1}\n',
      'own.ndjson:3: period_seconds must be at least 1',
    ],
    [
      'own.ndjson',
      '{"resource_id":"i-b","metric":"cpu","at":"2026-02-10T00:00:00Z","period_seconds":60,"value":1}\nNaN\n',
      'own.ndjson:2: is not JSON',
    ],
    [
      'own.ndjson',
      '\n{"resource_id":"i-b"}\n',
      'own.ndjson: is not a supported file; supported formats are NDJSON',
    ],
  ])(
    'refuses %s, with file and place, before anything is stored',
    async (name, content, message) => {
      await put('a-good.json', cloudwatch);
      await put(name, content);
      const { exitCode, stderr } = await run(
        ['metrics', 'import', 'a-good.json', name, '--resource', machineId],
        {
          fetch: () => Promise.reject(new Error('asked')),
        },
      );
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining(message)]);
    },
  );

  it('names file and place of a machine that is not known, or leaves it out', async () => {
    const lines = [
      ...hourly('i-b', 'cpu', '2026-02-10T00:00:00Z', [10]),
      ...hourly('i-x', 'cpu', '2026-02-10T00:00:00Z', [10]),
    ];
    await put('own.ndjson', lines.map((point) => JSON.stringify(point)).join('\n\n'));
    const { exitCode, stderr } = await run(['metrics', 'import', 'own.ndjson']);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining(
        'own.ndjson:3: resource_id is not a virtual machine of the inventory: "i-x"',
      ),
    ]);
    const skipped = await run(['metrics', 'import', 'own.ndjson', '--skip-unknown']);
    expect([skipped.exitCode, skipped.stdout]).toEqual([
      0,
      expect.stringContaining('Skipped: 1 point for machines that are not in the inventory'),
    ]);
  });

  it.each([
    ['--period', '0'],
    ['--period', 'x'],
    ['--statistic', 'sum'],
  ])('refuses %s %s', async (...flags) => {
    await put('cpu.json', cloudwatch);
    expect((await run(['metrics', 'import', 'cpu.json', ...flags])).exitCode).toBe(3);
  });
});
