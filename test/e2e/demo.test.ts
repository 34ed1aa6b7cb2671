import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment, projectRoot, runCli } from '../support/built-cli.ts';

describe('the demo', () => {
  it('plans, applies, finds the hand edit, checks, shows a fix, takes an inventory, remediates, makes a report, shows what it costs, and says what to type next', async () => {
    const { exitCode, stdout, stderr } = await runCli(['demo']);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(/Plan: (\d+) to create, 0 to update, 0 to delete/);
    expect(stdout).toMatch(/Apply: \d+ applied/);
    expect(stdout).toMatch(/No changes: \d+ documents match their files/);
    expect(stdout).toMatch(/Drift: 1 of \d+ documents of project \S+ was edited outside git/);
    expect(stdout).toMatch(/\d+ failed \(\d+ CRITICAL/);
    expect(stdout).toContain('Imported 6 created');
    expect(stdout).toMatch(/ \d+(\.\d+)? of 100 {2}/);
    expect(stdout).toMatch(
      /CRITICAL\s+arn:aws:ec2:\S+:security-group\/\S+\s+aws-ec2-security-group-no-public-ssh/,
    );
    expect(stdout).toMatch(/-\s+AccessControl: PublicRead\n\s+\+\s+AccessControl: Private/);
    expect(stdout).toMatch(/✓ \S+ {2}aws-rds-instance-backups/);
    expect(stdout).toContain('completed: 1 completed.');
    expect(stdout).toMatch(/Imported \d+ rows from 1 file: billing periods 2 added/);
    expect(stdout).toMatch(/1,626\.54 USD .*\n\n\s+SERVICE/);
    expect(stdout).toMatch(/spent +\[#{16}\.{4}\] 81%: 1,626\.54 USD, 373\.46 USD left/);
    expect(stdout).toMatch(/forecast +9\d%: 1,9\d\d\.\d\d USD, 80% interval/);
    expect(stdout).toMatch(/CRITICAL +Amazon Simple Storage Service/);
    expect(stdout).toMatch(/threshold +80% spent: exceeded since/);
    expect(stdout).toMatch(/next 30 days: 1,6\d\d\.\d\d USD/);
    expect(stdout).toMatch(/suggested +m5\.xlarge: 4 vCPUs, 16 GiB/);
    expect(stdout).toMatch(/m5\.2xlarge +m5\.xlarge .*167\.90 USD/);
    expect(stdout).toMatch(/47\.60 USD +unattached volume/);
    expect(stdout).toMatch(/acme-shop-uploads .* 343\.68 USD/);
    const [, report = ''] = /The report is in (\S+)\./.exec(stderr) ?? [];
    expect(
      readdirSync(report)
        .map((file) => path.extname(file))
        .sort(),
    ).toEqual(['.html', '.pdf']);
    rmSync(report, { recursive: true });
    expect(stderr).toContain('govctl init');
    expect(existsSync(String(/its data is in (\S+)\./.exec(stdout)?.[1]))).toBe(false);
  });

  it('with --keep goes on serving until Ctrl-C, then leaves nothing but the report behind', async () => {
    const child = spawn(
      process.execPath,
      [path.join(projectRoot, 'bin', 'govctl.js'), 'demo', '--keep'],
      {
        env: cleanEnvironment(),
      },
    );
    let [stdout, stderr] = ['', ''];
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const ready = new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
        if (stderr.includes('govctl --help')) resolve();
      });
    });
    await Promise.race([ready, ended]);
    const [, baseUrl = '', token = ''] =
      /GOVCTL_BASE_URL=(\S+) GOVCTL_TOKEN=(\S+)/.exec(stderr) ?? [];
    const listed = await runCli(['policy', 'list', '--limit', '1', '-o', 'json'], {
      env: { GOVCTL_BASE_URL: baseUrl, GOVCTL_TOKEN: token },
    });
    expect(listed.exitCode, listed.stderr).toBe(0);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    const [, report = ''] = /The report is in (\S+)\./.exec(stderr) ?? [];
    rmSync(report, { recursive: true });
    expect(existsSync(String(/its data is in (\S+)\./.exec(stdout)?.[1]))).toBe(false);
  });
});
