// What a new user does with the README in a terminal of 80 columns, from the packed and installed package.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { widthOf } from '../../src/cli/terminal/printable.ts';
import { makeTempFolder } from '../support/built-cli.ts';
import { installPacked } from '../support/packed-install.ts';
import { linesOf, openShell } from '../support/shell-in-terminal.ts';
import type { Shown, ShellInTerminal } from '../support/shell-in-terminal.ts';
import { hasTool, readTool } from '../support/system-tool.ts';

const columns = 80;

describe.runIf(hasTool('script of util-linux', () => void readTool('script', '--version')))(
  'the first hour, in a terminal',
  () => {
    const home = makeTempFolder();
    const shop = path.join(home, 'shop');
    let shell: ShellInTerminal;
    let other: ShellInTerminal;
    let url = '';

    beforeAll(async () => {
      const installed = await installPacked();
      const env = {
        PATH: `${path.join(installed, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
        HOME: home,
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
      };
      execFileSync('git', ['init', '-q', '-b', 'main', home]);
      shell = await openShell(home, env, columns);
      other = await openShell(home, env, columns);
    }, 300_000);
    afterAll(async () => {
      await Promise.all([shell.close(), other.close()]);
    });

    /** What a command shows, without a line that the terminal would break. */
    const govctl = async (
      command: string,
      ...answers: readonly (readonly [RegExp, string])[]
    ): Promise<Shown> => {
      const shown = await shell.run(`govctl ${command}`, ...answers);
      // A question is painted again with each key.
      const lines = linesOf(shown.text);
      const written = lines.slice(lines.findLastIndex((line) => line.includes('✔')) + 1);
      const long = written.filter((line) => widthOf(line) > columns);
      expect([command, long]).toEqual([command, []]);
      expect(shown.text).not.toMatch(/undefined|NaN|\[object|\n {4}at /);
      return shown;
    };

    it('shows what there is to do', async () => {
      expect(await govctl('')).toMatchObject({
        exitCode: 0,
        text: expect.stringContaining('create a repo of policies') as string,
      });
      for (const command of ['init', 'check', 'apply', 'server', 'violation resolve']) {
        expect((await govctl(`${command} --help`)).exitCode).toBe(0);
      }
      expect((await govctl('chekc')).text).toContain('check');
    }, 120_000);

    it('creates a repo that is valid, and checks a template with it', async () => {
      const made = await govctl('init shop', [/Project name/, '\r'], [/Install source/, '\r']);
      expect([made.exitCode, made.text]).toEqual([0, expect.stringContaining('cd shop')]);
      await shell.run('cd shop && mkdir infra');
      writeFileSync(
        path.join(shop, 'infra', 'shop.yaml'),
        'Resources:\n  Uploads:\n    Type: AWS::S3::Bucket\n  Jobs:\n    Type: AWS::SQS::Queue\n',
      );
      expect(await govctl('validate')).toMatchObject({ exitCode: 0 });
      expect(await govctl('test')).toMatchObject({ exitCode: 0 });
      const checked = await govctl('check infra');
      expect([checked.exitCode, checked.text]).toEqual([
        2,
        expect.stringMatching(/infra\/shop\.yaml:2:3 {2}Uploads[^]+1 failed/),
      ]);
      const explained = await govctl('check infra --explain');
      expect(explained.text).toContain('versioning.enabled');
      expect((await govctl('check infra --fix')).text).toContain('no patch in the policy');
    }, 120_000);

    it('starts a service in a second terminal, and logs in to it', async () => {
      const served = await other.start('cd shop && govctl server --port 0', /Log in .*\n/);
      url = /http:\/\/[\w.:]+/.exec(served)?.[0] ?? '';
      const key = /gk_[\w-]+/.exec(served)?.[0] ?? '';
      const login = await govctl(
        `auth login --base-url ${url}`,
        [/an API key/, '\r'],
        [/API key for/, `${key}\r`],
      );
      expect([login.exitCode, login.text]).toEqual([0, expect.not.stringContaining(key)]);
      expect((await govctl('auth status')).exitCode).toBe(0);
    }, 120_000);

    it('applies the policies after a question, and finds an edit outside git', async () => {
      const refused = await govctl('apply', [/Apply 1 change/, 'n\r']);
      expect(refused.exitCode).toBe(3);
      const applied = await govctl('apply', [/Apply 1 change/, 'y\r']);
      expect([applied.exitCode, applied.text]).toEqual([0, expect.stringContaining('1 applied')]);
      expect((await govctl('policy list')).text).toContain('shop - S3 buckets keep');
      await govctl('policy disable s3-versioning --yes');
      const drift = await govctl('drift');
      expect([drift.exitCode, drift.text]).toEqual([2, expect.stringContaining('true → false')]);
      expect((await govctl('apply', [/Apply 1 change/, 'y\r'])).exitCode).toBe(0);
      expect((await govctl('drift')).exitCode).toBe(0);
    }, 120_000);

    it('evaluates an inventory, and triages what is wrong in it', async () => {
      writeFileSync(
        path.join(shop, 'inventory.json'),
        JSON.stringify({
          resources: ['invoices', 'uploads', 'exports'].map((name, index) => ({
            id: `arn:aws:s3:::${name}`,
            type: 'AWS::S3::Bucket',
            tags: { team: 'web' },
            versioning: { enabled: index === 0 },
          })),
        }),
      );
      expect((await govctl('resource import inventory.json')).text).toContain('3 created');
      expect((await govctl('overview')).text).toContain('of 100');
      const listed = await govctl('violation list');
      expect(listed.text).toMatch(/HIGH +arn:\S+ploads/);
      expect((await govctl('violation summary --by policy')).text).toContain('2');
      expect(
        (await govctl('violation resolve --policy s3-versioning --reason accepted --dry-run'))
          .exitCode,
      ).toBe(0);
      const resolved = await govctl('violation resolve --severity HIGH --reason accepted', [
        /Resolve 2/,
        'y\r',
      ]);
      expect(resolved.exitCode).toBe(0);
      expect((await govctl('evaluation list')).exitCode).toBe(0);
      expect((await govctl('predict list')).exitCode).toBe(0);
    }, 120_000);

    it('makes a report, and looks at what happened', async () => {
      const report = await govctl(
        'report create "First report" --type compliance --format pdf --out reports',
      );
      expect([report.exitCode, report.text]).toEqual([
        0,
        expect.stringMatching(/\.pdf .* verified/),
      ]);
      expect(readdirSync(path.join(shop, 'reports'))).toHaveLength(1);
      for (const command of [
        'report list',
        'event list',
        'audit list',
        'doctor',
        'schedule list',
      ]) {
        expect([command, (await govctl(command)).exitCode]).toEqual([command, 0]);
      }
      const listening = await shell.start('govctl webhook listen', /Press q to quit/);
      expect(listening).toContain(url);
      expect((await shell.end('q')).exitCode).toBe(0);
    }, 120_000);

    it('breaks between words what a local server says of its test aids', async () => {
      const created = await govctl(
        'webhook create --name "Receiver of the team that answers for findings" --url http://127.0.0.1:9/receiver --event all --generate-secret',
      );
      expect(created.exitCode).toBe(0);
      const tested = await govctl('webhook test "Receiver of the team that answers for findings"');
      expect(tested.exitCode).toBe(2);
      for (const command of [
        "server fault add '/v1/policies/*' --method PUT --status 503 --retry-after 30 --delay 500ms --count 3",
        'server seed',
        'server clock advance 2d',
        'server snapshot ../a-directory-with-a-long-name-for-snapshots-of-the-first-hour.json',
        'server reset --yes',
        'server restore ../a-directory-with-a-long-name-for-snapshots-of-the-first-hour.json --yes',
      ]) {
        const { exitCode } = await govctl(command);
        expect([command, exitCode]).toEqual([command, 0]);
      }
    }, 240_000);

    it('says what to do once the service is stopped', async () => {
      expect((await other.end('\u0003')).exitCode).toBe(0);
      const plan = await govctl('plan');
      expect([plan.exitCode, plan.text]).toEqual([1, expect.stringContaining(url)]);
    }, 120_000);
  },
);
