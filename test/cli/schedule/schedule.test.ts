import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { createMinimalReports } from '../../support/minimal-reports.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';

let service: TestService;
let cwd: string;
beforeEach(async () => {
  service = await startTestService();
  cwd = mkdtempSync(path.join(tmpdir(), 'govctl-schedule-'));
});
afterEach(async () => {
  await service.close();
  rmSync(cwd, { recursive: true });
});

const run = (argv: readonly string[], settings: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['schedule', ...argv], {
    cwd,
    now: () => Date.parse('2026-03-01T12:00:00Z'),
    fetch: (url, init) => service.app.fetch(new Request(url, init), {}) as Promise<Response>,
    ...settings,
    env: {
      GOVCTL_BASE_URL: 'https://service.test',
      GOVCTL_TOKEN: service.key,
      NO_COLOR: '1',
      ...settings.env,
    },
  });
const json = async (...argv: string[]) =>
  JSON.parse((await run([...argv, '-o', 'json'])).stdout) as Record<string, unknown>;

const weekly = ['create', 'Weekly', '--cron', '0 9 * * 1', '--timezone', 'Europe/Berlin'];
weekly.push('--type', 'compliance', '--email', 'a@example.com');

describe('govctl schedule create', () => {
  it('creates one, and says when it fires in words and in its zone', async () => {
    const outcome = await run([...weekly, '--framework', 'soc2', '--range', 'last_week']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(outcome.stdout.replace(/sch_\w+|user_\w+/g, 'ID')).toBe(
      [
        'Created ID',
        'Weekly',
        '  id       ID',
        '  when     At 09:00, only on Monday (0 9 * * 1, Europe/Berlin)',
        '  report   "Weekly", Compliance Summary, soc2, last week',
        '  email    a@example.com',
        '  problem  delivery.email.recipients cannot be sent to: no mail server is configured. Ask the operator to set smtp in the --config file, or GOVCTL_SMTP_URL',
        '  status   enabled',
        '  next     Mon 2 Mar 2026 09:00 Europe/Berlin (2026-03-02 08:00 UTC)',
        '  created  2026-03-01 12:00 UTC by bootstrap',
        '  updated  2026-03-01 12:00 UTC',
        '',
      ].join('\n'),
    );
  });

  it('says what the server lacks for a channel', async () => {
    const outcome = await run([...weekly, '--chat', '#compliance']);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain(
      '  problem  delivery.chat.channel is #compliance, for which this server has no URL',
    );
  });

  it('makes of its flags what the API takes', async () => {
    const argv = [...weekly, '--email', 'b@example.com', '--subject', 'Of {{date}}', '--links'];
    argv.push('--sftp', 'me@sftp.example.com:2222/in', '--sftp-password-env', 'SFTP_PASSWORD');
    argv.push('--team-chat-env', 'TEAM_HOOK');
    argv.push('--s3', 's3://bucket/a/b', '--s3-region', 'eu-west-1', '--format', 'pdf,csv');
    argv.push(
      '--report-name',
      'Of the week',
      '--no-findings',
      '--include-cost',
      '--environment',
      'prod',
      '--disabled',
    );
    argv.push('--tag', 'audit', '--description', 'For the auditor', '--sign');
    let sent: unknown;
    const outcome = await run(argv, {
      fetch: (_, { body = '' }) => {
        sent = JSON.parse(body);
        return Promise.resolve(new Response(null, { status: 201 }));
      },
    });
    expect([outcome.exitCode, outcome.stdout]).toEqual([0, 'Created Weekly\n']);
    expect(sent).toEqual({
      name: 'Weekly',
      description: 'For the auditor',
      schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
      report_template: {
        name: 'Of the week',
        type: 'compliance',
        scope: { environments: ['prod'] },
        format_options: {
          formats: ['pdf', 'csv'],
          include_detailed_findings: false,
          include_cost: true,
          security: { sign: true },
        },
      },
      delivery: {
        email: {
          recipients: ['a@example.com', 'b@example.com'],
          subject: 'Of {{date}}',
          attach: false,
        },
        team_chat: { webhook_url_env: 'TEAM_HOOK' },
        sftp: {
          host: 'sftp.example.com',
          port: 2222,
          username: 'me',
          path: '/in',
          password_env: 'SFTP_PASSWORD',
        },
        object_storage: { provider: 's3', bucket: 'bucket', prefix: 'a/b', region: 'eu-west-1' },
      },
      enabled: false,
      tags: ['audit'],
    });
  });

  it('takes a file, also one of a repo', async () => {
    writeFileSync(
      path.join(cwd, 's.yaml'),
      'kind: Schedule\nname: Filed\nschedule: {cron: "0 9 1 * *"}\nreport_template: {name: M, type: audit}\n',
    );
    expect((await run(['create', '-f', 's.yaml'])).exitCode).toBe(0);
    expect(await json('get', 'Filed')).toMatchObject({ schedule: { cron: '0 9 1 * *' } });
    const both = await run(['create', 'X', '-f', 's.yaml']);
    expect([both.exitCode, both.stderr]).toEqual([
      3,
      expect.stringContaining('Use either --file or a name'),
    ]);
  });

  it.each([
    [['create', 'X'], 'A schedule requires --cron'],
    [['create', 'X', '--type', 'risk', '--report-type', 'risk'], 'cannot be used with option'],
    [['create', 'X', '--type', 'complience'], 'Did you mean compliance?'],
    [['create', '-f', 's.yaml', '--s3-region', 'x'], 'Use either --file or --s3-region'],
    [['create', '-f', 's.yaml', '--no-summary'], 'Use either --file or --no-summary'],
    [['create', 'X', '--cron', '* * * * *'], 'A schedule requires --type'],
    [['create', 'X', '--cron', '0 9 * *', '--report-type', 'risk'], '--cron: must be a cron'],
    [['create', 'X', '--cron', '0 0 31 2 *', '--report-type', 'risk'], '--cron: '],
    [[...weekly, '--timezone', 'Europe/Berln'], 'Did you mean Europe/Berlin?'],
    [[...weekly, '--email', 'nobody'], '--email recipients: must be an email address'],
    [[...weekly, '--subject', 'x', '--sftp', 'host'], '--sftp host: must be user@host/directory'],
    [
      [...weekly, '--team-chat-env', 'https://x'],
      '--team-chat-env webhook_url_env: must be the name of an environment variable',
    ],
    [[...weekly, '--s3', '/x'], '--s3 /x: must be bucket'],
  ])('refuses %j', async (argv, message) => {
    const outcome = await run(argv);
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining(message)]);
  });
});

describe('govctl schedule', () => {
  beforeEach(async () => {
    expect((await run(weekly)).exitCode).toBe(0);
  });

  it('says so where another one has the name, and its weekday in UTC, too', async () => {
    const argv = ['create', 'Weekly', '--cron', '0 9 * * 1', '--type', 'risk'];
    const outcome = await run(argv);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^warning: the schedule has no delivery channel.*\nwarning: another schedule already has the name "Weekly": sch_\w+\. To delete one/,
      ),
    ]);
    expect(outcome.stdout).toContain('next     Mon 2 Mar 2026 09:00 UTC\n');
  });

  it('lists, finds by name, and names the nearest', async () => {
    const list = await run(['list']);
    expect(list.stdout).toMatch(
      /^NAME +CRON +ZONE +NEXT +LAST +ID\nWeekly +0 9 \* \* 1 +Europe\/Berlin +2026-03-02 08:00 UTC +- +sch_\w+\n$/,
    );
    expect((await run(['list', '--disabled'])).stderr).toBe('No schedules match.\n');
    const near = await run(['get', 'Wekly']);
    expect([near.exitCode, near.stderr]).toEqual([1, expect.stringContaining('"Weekly"?')]);
  });

  it('fits 80 columns', async () => {
    const list = await run(['list'], { tty: true, columns: 80 });
    for (const line of list.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('changes what flags name, and leaves the rest', async () => {
    const changed = await run(['update', 'Weekly', '--cron', '0 8 * * 1', '--subject', 'S']);
    expect([changed.exitCode, changed.stderr]).toEqual([0, '']);
    expect(await json('get', 'Weekly')).toMatchObject({
      schedule: { cron: '0 8 * * 1', timezone: 'Europe/Berlin' },
      report_template: { name: 'Weekly', type: 'compliance' },
      delivery: { email: { recipients: ['a@example.com'], subject: 'S' } },
    });
    await run(['update', 'Weekly', '--remove', 'email', '--name', 'Other']);
    const other = await json('get', 'Other');
    expect(Object.keys(other.delivery ?? {})).toEqual([]);
    expect((await run(['update', 'Other'])).stderr).toContain('No changes specified');
  });

  it('switches on and off, and says show the next runs of a schedule', async () => {
    expect((await run(['disable', 'Weekly', '--yes'])).stdout).toMatch(
      /^Disabled Weekly \(sch_\w+\)\n$/,
    );
    expect((await run(['disable', 'Weekly'])).stdout).toContain('is already disabled');
    const on = await run(['enable', 'Weekly']);
    expect(on.stdout).toContain(': next Mon 2 Mar 2026 09:00 Europe/Berlin (2026-03-02 08:00 UTC)');
  });

  it('is run now, beside its times, and shows what became of it', async () => {
    const started = await run(['run', 'Weekly']);
    expect([started.exitCode, started.stderr]).toEqual([
      0,
      'To show the run, use `govctl schedule runs Weekly`.\n',
    ]);
    expect(started.stdout).toContain('cause   manual');
    const waited = await run(['run', 'Weekly', '--wait', '--timeout', '150ms']);
    expect([waited.exitCode, waited.stderr]).toEqual([8, expect.stringContaining('within 150ms')]);
    const runs = await run(['runs', 'Weekly']);
    expect(
      runs.stdout
        .replace(/\w+_\w{26}/g, 'ID')
        .trim()
        .split('\n')[0],
    ).toMatch(/^2026-03-01 12:00 UTC {2}manual {2}pending {2}ID pending$/);
    expect(((await json('runs', 'Weekly')).runs as unknown[]).length).toBe(2);
  });

  it('is deleted after asking', async () => {
    expect((await run(['delete', 'Weekly'])).exitCode).toBe(3);
    expect((await run(['delete', 'Weekly', '--yes'])).stdout).toContain('its reports were kept');
    expect((await run(['get', 'Weekly'])).exitCode).toBe(1);
  });
});

describe('govctl schedule next', () => {
  it('says when a cron fires, in words and in its zone, without any server', async () => {
    const argv = ['next', '--cron', '30 2 * * *', '--timezone', 'Europe/Berlin', '--count', '3'];
    const outcome = await run(argv, {
      now: () => Date.parse('2026-03-27T12:00:00Z'),
      fetch: () => Promise.reject(new Error('a server was asked')),
      env: { GOVCTL_BASE_URL: '', GOVCTL_TOKEN: '' },
    });
    expect(outcome).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [
        'At 02:30 (30 2 * * *, Europe/Berlin)',
        '  Sat 28 Mar 2026 02:30 Europe/Berlin  2026-03-28T01:30:00.000Z',
        '  Sun 29 Mar 2026 03:00 Europe/Berlin  2026-03-29T01:00:00.000Z  after clocks go forward 1 h',
        '  Mon 30 Mar 2026 02:30 Europe/Berlin  2026-03-30T00:30:00.000Z',
        '',
      ].join('\n'),
    });
  });

  it('says it of a schedule, as data too', async () => {
    await run(weekly);
    expect(await json('next', 'Weekly', '--count', '1')).toEqual({
      format_version: 1,
      schedule_id: expect.stringMatching(/^sch_/) as string,
      name: 'Weekly',
      cron: '0 9 * * 1',
      timezone: 'Europe/Berlin',
      description: 'At 09:00, only on Monday',
      fires: [{ at: '2026-03-02T08:00:00.000Z', local: 'Mon 2 Mar 2026 09:00 Europe/Berlin' }],
    });
  });

  it.each([
    [['next'], 'Use either a schedule or --cron'],
    [['next', 'X', '--cron', '* * * * *'], 'Use either a schedule or --cron'],
    [['next', '--cron', '* * * *'], 'must be a cron expression of five fields'],
    [['next', '--cron', '0 0 31 2 *'], '--cron "0 0 31 2 *" '],
    [['next', '--cron', '* * * * *', '--timezone', 'Berlin'], 'unknown time zone'],
    [['next', '--cron', '* * * * *', '--count', '0'], '--count 0'],
  ])('refuses %j', async (argv, message) => {
    const outcome = await run(argv);
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining(message)]);
  });
});

describe('a server that only does what the description says', () => {
  it.each([
    ['list'],
    ['get', 'X'],
    ['runs', 'X'],
    ['run', 'X'],
    ['enable', 'sch_1'],
    ['delete', 'X'],
  ])('lacks what `schedule %s` needs, in one line', async (...argv) => {
    const plain = createMinimalReports();
    const outcome = await run(argv, { fetch: plain.fetch });
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      expect.stringContaining('This server does not support viewing and updating schedules'),
    ]);
  });
});
