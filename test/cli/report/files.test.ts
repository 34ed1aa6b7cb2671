import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileNameOf, idInFileName } from '../../../src/cli/report/file-name.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import type { MinimalReports, ReportFaults } from '../../support/minimal-reports.ts';
import { contentOf, createMinimalReports } from '../../support/minimal-reports.ts';
import { until } from '../../support/until.ts';

let cwd: string;
let service: MinimalReports;
const start = (faults: ReportFaults = {}): void => void (service = createMinimalReports(faults));
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'govctl-report-'));
  start({ extends: ['range', 'hash'] });
});
afterEach(() => rmSync(cwd, { recursive: true }));

const run = (argv: readonly string[], settings: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['report', ...argv], {
    cwd,
    fetch: service.fetch,
    ...settings,
    env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1', ...settings.env },
  });
const names = (folder = '.'): string[] => readdirSync(path.join(cwd, folder)).sort();
const hashOf = (format: string): string =>
  createHash('sha256').update(contentOf('rpt_000001', format)).digest('hex');

describe('govctl report watch', () => {
  const states = [
    { status: 'pending', queue_position: 2 },
    { status: 'pending', queue_position: 2 },
    { status: 'generating', progress: 10 },
    { status: 'generating', progress: 60.2 },
  ];

  it('prints a line for each change in a pipe, and ends with 0', async () => {
    start({ states: [...states, { status: 'completed' }] });
    service.put({ name: 'R', status: 'pending' });
    const outcome = await run(['watch', 'rpt_000001']);
    const at = '2026-01-15 12:00:00 UTC  rpt_000001';
    expect(outcome).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [
        `${at}  pending, number 2 in the queue`,
        `${at}  generating 10%`,
        `${at}  generating 60%`,
        `${at}  completed`,
        '',
      ].join('\n'),
    });
  });

  it('gives each state as ndjson, and the last as json', async () => {
    start({ states: [...states, { status: 'failed', failure: { reason: 'full' } }] });
    service.put({ name: 'R', status: 'pending' });
    const lines = await run(['watch', 'rpt_000001', '-o', 'ndjson']);
    expect(lines.exitCode).toBe(1);
    expect(
      lines.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { status: string }).status),
    ).toEqual(['pending', 'generating', 'generating', 'failed']);
    const last = await run(['watch', 'rpt_000001', '-o', 'json']);
    expect(JSON.parse(last.stdout)).toMatchObject({
      status: 'failed',
      failure: { reason: 'full' },
    });
  });

  it('ends with 8 when the time is up, and says that it goes on', async () => {
    start({ states: [{ status: 'generating', progress: 1 }] });
    service.put({ name: 'R', status: 'pending' });
    const outcome = await run(['watch', 'rpt_000001', '--timeout', '150ms']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      8,
      expect.stringContaining('not completed within 150ms; the service is still'),
    ]);
    expect((await run(['watch', 'R', '--timeout', 'soon'])).exitCode).toBe(3);
  });

  it('says that it goes on when nobody waits any more', async () => {
    start({ states: [{ status: 'generating' }] });
    const interrupt = new AbortController();
    const argv = ['create', 'R', '--type', 'risk', '--wait'];
    const waited = run(argv, { signal: interrupt.signal });
    await until(() => service.requests.length > 1);
    interrupt.abort();
    const outcome = await waited;
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      130,
      expect.stringContaining(
        'error: Interrupted; the work continues in the service\n  → To keep waiting, run `govctl report watch rpt_000001`.',
      ),
    ]);
  });

  it('says so where it is deleted meanwhile', async () => {
    start({ states: [{ status: 'generating' }] });
    service.put({ name: 'R', status: 'pending' });
    const watched = run(['watch', 'rpt_000001']);
    await until(() => service.requests.length > 1);
    service.reports.clear();
    const outcome = await watched;
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      expect.stringContaining('No report with ID or name "rpt_000001"'),
    ]);
  });
});

describe('govctl report create --wait', () => {
  it('waits, and with --out downloads every format', async () => {
    start({
      states: [
        { status: 'generating' },
        { status: 'completed', formats: [{ format: 'pdf' }, { format: 'html' }] },
      ],
    });
    const argv = ['create', 'Q 1: "x"', '--type', 'risk', '--format', 'pdf,html', '--out', 'a/b'];
    const outcome = await run(argv);
    expect(outcome.exitCode).toBe(0);
    expect(names('a/b')).toEqual(['q-1-x.rpt_000001.html', 'q-1-x.rpt_000001.pdf']);
    expect(outcome.stdout).toContain(path.join('a/b', 'q-1-x.rpt_000001.pdf'));
    expect(outcome.stderr).toContain('Created rpt_000001\npending, next in the queue');
    expect(outcome.stderr).toContain('the server provides no SHA-256');
  });

  it('writes one format under a name, and nothing to standard output', async () => {
    start({ states: [{ status: 'completed', formats: [{ format: 'pdf' }] }] });
    const argv = ['create', 'R', '--type', 'risk', '--out'];
    expect((await run([...argv, 'r.pdf'])).exitCode).toBe(0);
    expect(names()).toEqual(['r.pdf']);
    const asked = service.requests.length;
    const piped = await run([...argv, '-']);
    expect([piped.exitCode, piped.stderr]).toEqual([
      3,
      expect.stringContaining('--out -: must be a directory or a file'),
    ]);
    expect([names(), service.requests.length]).toEqual([['r.pdf'], asked]);
  });

  it('ends with 1 where it fails', async () => {
    start({ states: [{ status: 'failed', failure: { reason: 'the disk is full' } }] });
    const outcome = await run(['create', 'R', '--type', 'risk', '--wait']);
    expect([outcome.exitCode, outcome.stdout]).toEqual([
      1,
      expect.stringContaining('failed: the disk is full'),
    ]);
  });
});

describe('govctl report download', () => {
  it('fetches what was generated, under a name that holds the id, with a verified hash', async () => {
    service.put({ name: 'Quarter', formats: [{ format: 'pdf', url: 'x' }, { format: 'excel' }] });
    const outcome = await run(['download', 'Quarter', '-o', 'json']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(names()).toEqual(['quarter.rpt_000001.pdf', 'quarter.rpt_000001.xlsx']);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      report_id: 'rpt_000001',
      files: [
        { format: 'pdf', file: 'quarter.rpt_000001.pdf', sha256: hashOf('pdf'), verified: true },
        { format: 'excel', verified: true, resumed: false },
      ],
    });
  });

  it('takes a file, a folder or standard output', async () => {
    service.put({ name: 'Quarter' });
    mkdirSync(path.join(cwd, 'there'));
    await run(['download', 'Quarter', '--format', 'csv', '--out', 'q.csv']);
    await run(['download', 'Quarter', '--out', 'there']);
    await run(['download', 'Quarter', '--out', 'made/']);
    expect(readFileSync(path.join(cwd, 'q.csv'))).toEqual(contentOf('rpt_000001', 'csv'));
    expect([names('there'), names('made')]).toEqual([
      ['quarter.rpt_000001.pdf'],
      ['quarter.rpt_000001.pdf'],
    ]);
    const piped = await run(['download', 'Quarter', '--out', '-']);
    expect(piped.stdout).toBe(contentOf('rpt_000001', 'pdf').toString('latin1'));
    const several = await run(['download', 'Quarter', '--format', 'pdf,csv', '--out', 'q.csv']);
    expect([several.exitCode, several.stderr]).toEqual([
      3,
      expect.stringContaining('--out must be a directory for 2 files'),
    ]);
  });

  it('says beside a CSV on standard output that it contains only the header', async () => {
    start();
    service.put({ name: 'Trend', formats: [{ format: 'csv', url: 'http://service.test/csv' }] });
    const download = async (content: string) =>
      run(['download', 'Trend', '--format', 'csv', '--out', '-'], {
        fetch: async (url, init) =>
          url.includes('/download/')
            ? new Response(content, { headers: { etag: '"v1"' } })
            : service.fetch(url, init),
      });
    expect(await download('scan,score\r\n')).toEqual({
      exitCode: 0,
      stdout: 'scan,score\r\n',
      stderr: 'No data: the CSV of report rpt_000001 contains only the header.\n',
    });
    expect(await download('scan,score\r\nscn_1,90\r\n')).toMatchObject({ stderr: '' });
  });

  it('makes a folder of what is not called as the file is', async () => {
    service.put({ name: 'Quarter' });
    service.put({ name: 'Locked', protected: true });
    const get = (...argv: string[]) => run(['download', ...argv]);
    await get('Quarter', '--format', 'csv', '--out', 'made');
    await get('Quarter', '--format', 'excel', '--out', 'Q.XLSX');
    await get('Locked', '--format', 'csv', '--out', 'locked.zip');
    expect(names()).toEqual(['Q.XLSX', 'locked.zip', 'made']);
    expect(names('made')).toEqual(['quarter.rpt_000001.csv']);
    const other = await get('Locked', '--format', 'csv', '--out', 'locked.csv');
    expect([other.exitCode, other.stderr]).toEqual([
      3,
      [
        'error: --out locked.csv: the output is not a .csv file',
        '  → Use locked.csv.zip, or locked.csv/ for a directory.',
        '',
      ].join('\n'),
    ]);
    const several = await get('Quarter', '--format', 'pdf,csv', '--out', 'q.pdf');
    expect(several.stderr).toContain('--out must be a directory for 2 files');
  });

  it('says so where no folder can be made', async () => {
    service.put({ name: 'Quarter' });
    writeFileSync(path.join(cwd, 'file'), '');
    for (const out of ['file/in', 'file/in/it']) {
      const outcome = await run(['download', 'Quarter', '--out', out]);
      expect([outcome.exitCode, outcome.stderr]).toEqual([
        1,
        expect.stringContaining(`The directory ${out} could not be created`),
      ]);
    }
  });

  it.skipIf(process.platform !== 'linux')('ends where a file system takes none', async () => {
    service.put({ name: 'Quarter' });
    const outcome = await run(['download', 'Quarter', '--out', '/proc/nope/it']);
    expect(outcome.stderr).toContain('The directory /proc/nope/it could not be created');
  });

  it('writes no PDF to a terminal, and nothing beside it to a pipe', async () => {
    service.put({ name: 'Quarter' });
    const shown = await run(['download', 'Quarter', '--out', '-'], { tty: true });
    expect([shown.exitCode, shown.stderr]).toEqual([3, expect.stringContaining('to a terminal')]);
    const both = await run(['download', 'Quarter', '--out', '-', '-o', 'json']);
    expect([both.exitCode, both.stderr]).toEqual([3, expect.stringContaining('both write to')]);
  });

  it('goes on where an earlier run was cut', async () => {
    service.put({ name: 'Quarter' });
    const whole = contentOf('rpt_000001', 'pdf');
    const part = path.join(cwd, 'q.pdf.part');
    writeFileSync(part, whole.subarray(0, 1_000));
    writeFileSync(`${part}.json`, JSON.stringify({ etag: '"rpt_000001-pdf"' }));
    const outcome = await run(['download', 'Quarter', '--out', 'q.pdf', '-o', 'json']);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      files: [{ resumed: true, verified: true }],
    });
    expect(readFileSync(path.join(cwd, 'q.pdf'))).toEqual(whole);
    expect(names()).toEqual(['q.pdf']);
    expect(service.requests.at(-1)?.headers).toMatchObject({ range: 'bytes=1000-' });
  });

  it.each([
    [{ status: 'pending' }, 8, 'has no files yet: its status is pending'],
    [{ status: 'failed', failure: { reason: 'no disk' } }, 1, 'failed and has no files'],
  ])('says of %j that there is nothing', async (fields, exitCode, message) => {
    service.put({ name: 'R', ...fields });
    const outcome = await run(['download', 'R']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      exitCode,
      expect.stringContaining(message),
    ]);
    expect(names()).toEqual([]);
  });

  it('asks for a password once, where the server wants one', async () => {
    service.put({
      name: 'R',
      password: 'open it',
      formats: [{ format: 'pdf' }, { format: 'csv' }],
      protected: true,
    });
    const outcome = await run(['download', 'R'], { tty: true, answers: ['open it'] });
    expect(outcome.exitCode).toBe(0);
    expect(names()).toEqual(['r.rpt_000001.csv.zip', 'r.rpt_000001.pdf']);
    const nobody = await run(['download', 'R', '--out', 'n/']);
    expect([nobody.exitCode, nobody.stderr]).toEqual([
      4,
      expect.stringContaining('--password-env'),
    ]);
    const wrong = await run(['download', 'R', '--password-env', 'PW'], { env: { PW: 'no' } });
    expect([wrong.exitCode, wrong.stderr]).toEqual([4, expect.stringContaining('incorrect')]);
  });
});

describe('govctl report link', () => {
  it('works with a server that says no more than the url', async () => {
    service.put({ name: 'R' });
    const made = await run(['link', 'R', '--expires', '1h']);
    expect([made.exitCode, made.stdout]).toEqual([
      0,
      'R, pdf\nhttps://s.test/files/rpt_000001?signature=abc\n',
    ]);
    expect(JSON.parse(service.requests.at(-1)?.body ?? '')).toEqual({
      format: 'pdf',
      expires_in: 3600,
    });
    await run(['link', 'R']);
    expect(JSON.parse(service.requests.at(-1)?.body ?? '')).toMatchObject({ expires_in: 3600 });
    for (const argv of [['--list'], ['--revoke', 'lnk_1']]) {
      const other = await run(['link', 'R', ...argv]);
      expect([other.exitCode, other.stderr]).toEqual([
        1,
        expect.stringContaining('This server does not support'),
      ]);
    }
  });

  it.each([
    [['--expires', 'soon'], '--expires soon: must be a duration'],
    [['--format', 'pdf,csv'], 'Use a single --format for a link'],
    [['--list', '--format', 'pdf'], 'only to create a link'],
    [['--list', '--revoke', 'lnk_1'], 'cannot be used with'],
  ])('refuses %j', async (argv, message) => {
    const outcome = await run(['link', 'R', ...argv]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining(message)]);
  });
});

describe('govctl report verify', () => {
  const write = (name: string, format = 'pdf'): string => {
    writeFileSync(path.join(cwd, name), contentOf('rpt_000001', format));
    return name;
  };

  it('compares with the record of the report that the name says, and ends with 2 where it differs', async () => {
    service.put({ name: 'R', metadata: { sha256: { pdf: hashOf('pdf'), csv: hashOf('csv') } } });
    const same = await run(['verify', write('r.rpt_000001.csv', 'csv')]);
    expect([same.exitCode, same.stdout]).toEqual([
      0,
      `✓ r.rpt_000001.csv is the unchanged csv file of "R" (rpt_000001)\n  SHA-256 ${hashOf('csv')}\n  not signed\n`,
    ]);
    const other = await run(['verify', write('other', 'html'), '--report', 'R', '-o', 'json']);
    expect(other.exitCode).toBe(2);
    expect(JSON.parse(other.stdout)).toMatchObject({
      matches: false,
      signature: { signed: false },
    });
  });

  it('asks which report it should be of, and says what the server does not', async () => {
    service.put({ name: 'R' });
    const asked = await run(['verify', write('file')], { tty: true, answers: ['R'] });
    expect([asked.exitCode, asked.stdout]).toEqual([
      2,
      expect.stringContaining('the server provides no SHA-256'),
    ]);
    const nobody = await run(['verify', 'file']);
    expect([nobody.exitCode, nobody.stderr]).toEqual([3, expect.stringContaining('--report')]);
    expect((await run(['verify', 'none.pdf'])).exitCode).toBe(3);
  });
});

describe('govctl report open', () => {
  it('shows the file with what the system has for it; off a terminal it says where it is', async () => {
    service.put({ name: 'R', formats: [{ format: 'pdf' }, { format: 'html' }] });
    const piped = await run(['open', 'R']);
    expect(piped.stdout).toMatch(/r\.rpt_000001\.html\n$/);
    expect(readFileSync(piped.stdout.trim())).toEqual(contentOf('rpt_000001', 'html'));
    rmSync(path.dirname(piped.stdout.trim()), { recursive: true });
    const bin = path.join(cwd, 'bin');
    mkdirSync(bin);
    writeFileSync(
      path.join(bin, 'xdg-open'),
      `#!/bin/sh\necho "$1" > ${path.join(cwd, 'opened')}.tmp && mv ${path.join(cwd, 'opened')}.tmp ${path.join(cwd, 'opened')}\n`,
    );
    chmodSync(path.join(bin, 'xdg-open'), 0o755);
    if (process.platform !== 'linux') return;
    const env = { PATH: `${bin}:${process.env.PATH ?? ''}` };
    const shown = await run(['open', 'R', '--format', 'pdf'], { tty: true, env });
    await until(() => names().includes('opened'));
    expect(readFileSync(path.join(cwd, 'opened'), 'utf8')).toBe(shown.stdout);
    const without = await run(['open', 'R'], { tty: true, env: { PATH: cwd } });
    expect([without.exitCode, without.stderr]).toEqual([
      0,
      expect.stringContaining('No application found'),
    ]);
  });
});

describe('the name of a report’s file', () => {
  it.each([
    ['SOC 2, January', 'pdf', 'soc-2-january.rpt_1.pdf'],
    ['../../etc/passwd', 'excel', 'etc-passwd.rpt_1.xlsx'],
    ['四半期レポート', 'html', '四半期レポート.rpt_1.html'],
    ['\u001b[2J\u0000', '../x', '2j.rpt_1.x'],
    ['', 'csv', 'report.rpt_1.csv'],
    ['x'.repeat(300), 'json', `${'x'.repeat(60)}.rpt_1.json`],
  ])('of %j is harmless', (name, format, expected) => {
    expect(fileNameOf({ id: 'rpt_1', name }, format)).toBe(expected);
    expect(idInFileName(expected)).toBe('rpt_1');
  });

  it('holds no id where it holds none', () => {
    expect(idInFileName('report.pdf')).toBe(undefined);
    expect(idInFileName('xrpt_1.pdf')).toBe(undefined);
  });
});
