import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import type { MinimalReports } from '../../support/minimal-reports.ts';
import { createMinimalReports } from '../../support/minimal-reports.ts';

let cwd: string;
let service: MinimalReports;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'govctl-report-'));
  service = createMinimalReports();
});
afterEach(() => rmSync(cwd, { recursive: true }));

const env = { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1' };
const run = (argv: readonly string[], settings: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['report', ...argv], {
    cwd,
    fetch: service.fetch,
    ...settings,
    env: { ...env, ...settings.env },
  });
const sent = (): unknown => {
  const last = service.requests.filter(({ method }) => method === 'POST').at(-1);
  return last && JSON.parse(last.body);
};

describe('govctl report create', () => {
  it('asks for a report and says what is known of it', async () => {
    const outcome = await run(['create', 'SOC 2, January', '--type', 'compliance']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(outcome.stdout).toBe(
      [
        'Created rpt_000001',
        'SOC 2, January',
        '  id      rpt_000001',
        '  type    Compliance Summary',
        '  status  pending, next in the queue, about 15 min left',
        '  → To wait for the report, run `govctl report watch rpt_000001`.',
        '',
      ].join('\n'),
    );
    expect(sent()).toEqual({ name: 'SOC 2, January', type: 'compliance', scope: {} });
  });

  it('makes of its flags what the API takes', async () => {
    const argv = ['create', 'R', '--type', 'risk', '--framework', 'soc2', '--environment', 'a,b'];
    argv.push('--provider', 'AWS', '--from', '2025-12-01', '--to', '2026-01-01T00:00+01:00');
    argv.push('--format', 'pdf,xlsx', '--format', 'html', '--no-summary', '--no-findings');
    argv.push('--include-cost');
    argv.push('--description', 'd', '--password-env', 'PW', '--watermark', 'DRAFT', '--sign');
    argv.push('--at', '2h', '--notify', 'a@example.com', '--notify', 'b@example.com');
    const outcome = await run(argv, { env: { PW: 'long enough' } });
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(sent()).toEqual({
      name: 'R',
      type: 'risk',
      framework: 'soc2',
      description: 'd',
      scope: {
        environments: ['a', 'b'],
        cloud_providers: ['aws'],
        date_range: { start: '2025-12-01T00:00:00.000Z', end: '2025-12-31T23:00:00.000Z' },
      },
      format_options: {
        formats: ['pdf', 'excel', 'html'],
        include_executive_summary: false,
        include_detailed_findings: false,
        include_cost: true,
        security: { password: 'long enough', watermark: 'DRAFT', sign: true },
      },
      delivery: {
        immediate: false,
        scheduled_at: '2026-01-15T14:00:00.000Z',
        notifications: { email: ['a@example.com', 'b@example.com'] },
      },
    });
    expect(outcome.stdout).not.toContain('long enough');
  });

  it('takes a whole range, in a zone', async () => {
    await run([
      'create',
      'R',
      '--type',
      'trend',
      '--range',
      'last_month',
      '--timezone',
      'Asia/Tokyo',
    ]);
    expect(sent()).toMatchObject({
      scope: {
        date_range: { start: '2025-11-30T15:00:00.000Z', end: '2025-12-31T15:00:00.000Z' },
        timezone: 'Asia/Tokyo',
      },
    });
  });

  it('takes a file, whose password and name may come from elsewhere', async () => {
    writeFileSync(
      path.join(cwd, 'r.yaml'),
      'name: From a file\ntype: audit\nformat_options: {formats: [csv]}\n',
    );
    writeFileSync(path.join(cwd, 'pw'), 'secret words\n');
    const outcome = await run(['create', 'Other', '-f', 'r.yaml', '--password-file', 'pw']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(sent()).toEqual({
      name: 'Other',
      type: 'audit',
      scope: {},
      format_options: { formats: ['csv'], security: { password: 'secret words' } },
    });
  });

  it('asks twice for a password, and takes it only where both are the same', async () => {
    const argv = ['create', 'R', '--type', 'risk', '--password'];
    const same = await run(argv, { tty: true, answers: ['one two three', 'one two three'] });
    expect(same.exitCode).toBe(0);
    const other = await run(argv, { tty: true, answers: ['one two three', 'one two'] });
    expect([other.exitCode, other.stderr]).toEqual([3, 'error: Passwords do not match\n']);
    const nobody = await run(argv);
    expect(nobody.stderr).toContain('--password-env');
  });

  it.each([
    [['create'], 'No report name given'],
    [['create', '', '--type', 'risk'], 'No report name given'],
    [['create', 'R'], 'No report type given'],
    [['create', 'R', '--type', 'complience'], 'Did you mean compliance?'],
    [['create', 'R', '--type', 'of it all'], 'Use compliance, '],
    [['create', 'R', '--type', 'risk', '--format', 'pfd'], 'Did you mean pdf?'],
    [['create', 'R', '--type', 'risk', '--to', '1d'], '--to requires --from'],
    [['create', 'R', '--type', 'risk', '--from', 'soon'], '--from soon: must be a date or a time'],
    [['create', 'R', '--type', 'risk', '--at', 'soon'], '--at soon: must be a time or a delay'],
    [['create', 'R', '--type', 'risk', '--at', 'yesterday'], 'or a delay'],
    [
      ['create', 'R', '--type', 'risk', '--at', '2025-01-01'],
      '--at 2025-01-01: must not be in the past',
    ],
    [
      ['create', 'R', '--type', 'risk', '--from', '2026-01-01', '--to', '30d'],
      '--from 2026-01-01 must be before --to 30d',
    ],
    [['create', 'R', '--type', 'risk', '--range', 'last_quater'], 'Did you mean last_quarter?'],
    [
      ['create', 'R', '--type', 'risk', '--range', 'last_week', '--from', '7d'],
      'Use either --range or --from and --to',
    ],
    [
      ['create', 'R', '--type', 'risk', '--range', 'last_week', '--timezone', 'Europe/Berln'],
      'Did you mean Europe/Berlin?',
    ],
    [['create', 'R', '--type', 'risk', '--notify', 'nobody'], '--notify: must be an email address'],
    [['create', 'R', '--type', 'risk', '--password-env', 'NONE'], 'is not set'],
    [['create', '-f', 'r.yaml', '--type', 'risk'], 'Use either --file or --type'],
    [['create', '-f', 'r.yaml', '--no-summary'], 'Use either --file or --no-summary'],
    [['create', '-f', 'none.yaml'], 'none.yaml could not be read'],
  ])('refuses %j before anything is sent', async (argv, message) => {
    const outcome = await run(argv);
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining(message)]);
    expect(service.requests).toEqual([]);
  });

  it('says where in a file something is wrong', async () => {
    writeFileSync(path.join(cwd, 'r.yaml'), 'name: R\ntype: audit\nscope: {}\nformats: [pdf]\n');
    const outcome = await run(['create', '-f', 'r.yaml']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('r.yaml is not a valid report');
    expect(outcome.stderr).toContain('r.yaml:4:1');
  });

  it('says how to look where the answer is lost, and does not ask twice', async () => {
    let asked = 0;
    const outcome = await run(['create', 'R', '--type', 'risk'], {
      fetch: () => {
        asked += 1;
        return Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));
      },
    });
    expect([outcome.exitCode, asked]).toEqual([1, 1]);
    expect(outcome.stderr).toContain('run `govctl report list`');
  });

  it('copes with a server that answers nothing', async () => {
    service = createMinimalReports({ emptyAnswers: true });
    const outcome = await run(['create', 'R', '--type', 'risk']);
    expect([outcome.exitCode, outcome.stdout]).toEqual([0, 'Created R\n']);
    expect(outcome.stderr).toContain('run `govctl report list`');
  });
});

describe('govctl report list', () => {
  it('shows a table, and asks only for what the description offers', async () => {
    service.put({
      name: 'Quarter',
      framework: 'soc2',
      created_at: '2026-01-15T11:55:00Z',
      summary: { compliance_score: 87.5, total_violations: 12, critical_findings: 2 },
    });
    service.put({ name: 'Next', type: 'risk', status: 'generating' });
    const outcome = await run(['list']);
    expect(outcome.stdout).toBe(
      [
        'NAME     TYPE        FRAMEWORK  STATUS      SCORE  VIOLATIONS  CREATED               ID',
        'Quarter  compliance  soc2       completed    87.5          12  2026-01-15 11:55 UTC  rpt_000001',
        'Next     risk        -          generating      -           -  -                     rpt_000002',
        '',
      ].join('\n'),
    );
    const filtered = await run(['list', '--type', 'risk', '--status', 'generating', '-o', 'json']);
    expect(JSON.parse(filtered.stdout)).toMatchObject({
      format_version: 1,
      reports: [{ name: 'Next' }],
      pagination: { total: 1 },
    });
    expect((await run(['list', '--status', 'done'])).stderr).toContain('--status done');
  });

  it('fits 80 columns', async () => {
    service.put({ name: 'A report with quite a long name, for the board', framework: 'iso27001' });
    const outcome = await run(['list'], { tty: true, columns: 80 });
    for (const line of outcome.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('govctl report get', () => {
  it('finds by id and by name, and shows what there is', async () => {
    service.put({
      name: 'Quarter',
      generated_at: '2026-01-15T11:59:00Z',
      content: { pages: 24, sections: [{ name: 'Summary', pages: 2 }, { name: 'Findings' }] },
      summary: { overall_compliance_score: 87.5, total_violations: 12, critical: 2, high: 3 },
    });
    const byName = await run(['get', 'Quarter']);
    const byId = await run(['get', 'rpt_000001', '-o', 'json']);
    expect([byName.exitCode, byId.exitCode]).toEqual([0, 0]);
    expect(JSON.parse(byId.stdout)).toMatchObject({ format_version: 1, id: 'rpt_000001' });
    expect(byName.stdout).toBe(
      [
        'Quarter',
        '  id          rpt_000001',
        '  type        Compliance Summary',
        '  status      completed',
        '  score       87.5 of 100',
        '  violations  12 (2 critical, 3 high)',
        '  contents    2 sections, 24 pages',
        '  formats     pdf (40 kB)',
        '  generated   2026-01-15 11:59 UTC',
        '  → To download the files, run `govctl report download Quarter`; to view the report, `govctl report open Quarter`.',
        '',
      ].join('\n'),
    );
  });

  it('names the nearest, and all where several have the name', async () => {
    service.put({ name: 'Quarter' });
    service.put({ name: 'Month' });
    service.put({ name: 'Month' });
    const near = await run(['get', 'Quartr']);
    expect([near.exitCode, near.stderr]).toEqual([1, expect.stringContaining('"Quarter"?')]);
    const several = await run(['get', 'Month']);
    expect([several.exitCode, several.stderr]).toEqual([
      3,
      expect.stringContaining('rpt_000002, rpt_000003'),
    ]);
    expect((await run(['get', 'rpt_9'])).stderr).toContain('No report with ID or name "rpt_9"');
  });

  it('says what it is about, and what has to be known to read its figures', async () => {
    const range = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-05T00:00:00.000Z' };
    const scope = { environments: ['dev', 'prod'], date_range: range };
    service.put({ name: 'R', status: 'pending', scope });
    const asked = (await run(['get', 'R'])).stdout.replaceAll(/\s+/g, ' ');
    expect(asked).toContain(
      'environments dev, prod period 2026-01-01 00:00 UTC to 2026-01-05 00:00 UTC',
    );
    const notices = ['Nothing was evaluated.'];
    service.put({ name: 'S', status: 'completed', scope, period: 'from A up to B', notices });
    const told = (await run(['get', 'S'])).stdout.replaceAll(/\s+/g, ' ');
    expect(told).toContain('period from A up to B');
    expect(told).toContain('attention Nothing was evaluated.');
  });

  it('says whom it tells, and what became of that', async () => {
    const email = ['a@one.example', 'b@two.example'];
    service.put({ name: 'R', status: 'pending', notifications: { email, deliveries: [] } });
    expect((await run(['get', 'R'])).stdout).toContain('notifies  a@one.example, b@two.example\n');
    const deliveries = [{ target: '2 recipients', status: 'failed', error: 'no mail\u001b[2J' }];
    service.put({ name: 'S', status: 'completed', notifications: { email, deliveries } });
    expect((await run(['get', 'S'])).stdout).toMatch(
      /notifies +2 recipients: failed, no mail�\[2J\n/,
    );
  });

  it.each([
    [{ status: 'pending', queue_position: 3 }, 8, 'pending, number 3 in the queue'],
    [{ status: 'generating', progress: 42.4 }, 8, 'generating 42%'],
    [
      { status: 'pending', scheduled_at: '2026-01-16T00:00:00Z' },
      8,
      'pending, starts at 2026-01-16 00:00 UTC',
    ],
    [{ status: 'failed', failure: { reason: 'disk\u001b[2J full' } }, 0, 'failed: disk�[2J full'],
    [{ status: 'archived' }, 0, 'archived'],
  ])('tells %j apart', async (fields, exitCode, line) => {
    service.put({ name: 'R', ...fields });
    const outcome = await run(['get', 'R']);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stdout).toContain(`  ${line}\n`);
  });
});

describe('govctl report delete', () => {
  it('asks, deletes, and says what other servers lack', async () => {
    service = createMinimalReports({ extends: ['delete'] });
    service.put({ name: 'R' });
    const nobody = await run(['delete', 'R']);
    expect([nobody.exitCode, nobody.stderr]).toEqual([3, expect.stringContaining('--yes')]);
    const no = await run(['delete', 'R'], { tty: true, answers: [false] });
    expect([no.exitCode, service.reports.size]).toEqual([3, 1]);
    const yes = await run(['delete', 'R'], { tty: true, answers: [true] });
    expect([yes.exitCode, yes.stdout, service.reports.size]).toEqual([
      0,
      'Deleted R (rpt_000001)\n',
      0,
    ]);
    service = createMinimalReports();
    service.put({ name: 'R' });
    const plain = await run(['delete', 'R', '--yes']);
    expect([plain.exitCode, plain.stderr]).toEqual([
      1,
      expect.stringContaining('This server does not support deleting reports'),
    ]);
  });
});
