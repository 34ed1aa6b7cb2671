import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli, startBuiltServer } from '../support/built-cli.ts';
import { installPacked } from '../support/packed-install.ts';
import { startPasswordSsh } from '../support/password-ssh.ts';
import { until } from '../support/until.ts';

describe('the packed package, installed into an empty folder', () => {
  let script: string;
  let installed: string;

  beforeAll(async () => {
    installed = await installPacked();
    script = path.join(installed, 'node_modules', 'govctl', 'bin', 'govctl.js');
  }, 300_000);

  it('says its version', async () => {
    const viaBin = await execa(path.join(installed, 'node_modules', '.bin', 'govctl'), [
      '--version',
    ]);
    expect(viaBin.stdout).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('runs no script of any package when it is installed', () => {
    const lock = path.join(installed, 'node_modules', '.package-lock.json');
    const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
    };
    expect(Object.keys(packages)).toContain('node_modules/govctl');
    const own = path.join(installed, 'node_modules', 'govctl', 'package.json');
    const { scripts } = JSON.parse(readFileSync(own, 'utf8')) as { scripts: object };
    expect(Object.keys(scripts).filter((name) => /install|prepare/.test(name))).toEqual([]);
    const withScript = Object.entries(packages).filter(([, one]) => one.hasInstallScript);
    expect(withScript).toEqual([]);
    expect(Object.keys(packages).filter((name) => /ssh2|cpu-features|nan$/.test(name))).toEqual([]);
  });

  it('carries the licences of what it bundles', () => {
    const file = path.join(installed, 'node_modules', 'govctl', 'dist', 'licenses.txt');
    const text = readFileSync(file, 'utf8');
    for (const name of ['ssh2', 'ssh2-sftp-client', 'asn1', 'bcrypt-pbkdf', 'tweetnacl', 'zod']) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'));
    }
  });

  it('logs in to an SFTP server with what it bundles', async () => {
    const ssh = await startPasswordSsh({ right: ['pa55word'] });
    const config = path.join(installed, 'server.yaml');
    writeFileSync(config, `secrets: {SFTP_PASSWORD: {hosts: ["127.0.0.1:${ssh.port}"]}}\n`);
    const server = await startBuiltServer({
      script,
      args: ['--config', config],
      env: { SFTP_PASSWORD: 'pa55word' },
    });
    const call = async (method: string, url: string, body?: unknown) => {
      const response = await fetch(new URL(url, server.baseUrl), {
        method,
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return response.text();
    };
    const created = await call('POST', '/v1/reports/schedules', {
      name: 'Weekly',
      schedule: { cron: '0 9 * * 1' },
      report_template: { name: 'R', type: 'risk', format_options: { formats: ['csv'] } },
      delivery: { sftp: { host: '127.0.0.1', port: ssh.port, username: 'u', path: '/in', password_env: 'SFTP_PASSWORD' } }, // prettier-ignore
    });
    const { id } = JSON.parse(created) as { id: string };
    await call('POST', `/v1/reports/schedules/${id}/run`);
    let runs = '';
    await until(async () => {
      runs = await call('GET', `/v1/reports/schedules/${id}/runs`);
      return runs.includes('"error"');
    });
    expect(runs).toContain('does not let the user write to the directory');
    expect(ssh.passwords).toEqual(['pa55word']);
    expect(await server.stop()).toBe(0);
    await ssh.close();
  });

  it('starts the service, takes a policy through it and stops cleanly', async () => {
    const server = await startBuiltServer({ script });
    const listed = await runCli(['policy', 'list', '-o', 'json'], {
      script,
      cwd: installed,
      env: { GOVCTL_BASE_URL: server.baseUrl, GOVCTL_TOKEN: server.key },
    });
    expect(listed.stderr).toBe('No policies match.\n');
    expect(JSON.parse(listed.stdout)).toMatchObject({ format_version: 1, policies: [] });
    expect(await server.stop()).toBe(0);
  });

  it('plays the demo with the policy library it carries', async () => {
    const demo = await runCli(['demo'], { script, cwd: installed });
    expect(demo.stderr).toContain('govctl init');
    expect(demo.exitCode).toBe(0);
  });

  it('gives programs a typed client', async () => {
    const program = `
      import { createClient } from 'govctl/client';
      const client = createClient({ baseUrl: 'http://service.test', fetch: async () => Response.json({ policies: [], pagination: { total: 0, limit: 20, offset: 0, has_more: false } }) });
      console.log((await client.policies.list()).data.pagination.total);`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program], {
      cwd: installed,
    });
    expect(stdout).toBe('0');
  });

  it('gives receivers the check of what webhooks send', async () => {
    const program = `
      import { verifyWebhook } from 'govctl/webhook';
      try {
        verifyWebhook({ body: '{}', headers: {}, secret: 'long enough' });
      } catch (error) {
        console.log(error.name, error.reason);
      }`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program], {
      cwd: installed,
    });
    expect(stdout).toBe('WebhookVerificationError missing_header');
  });
});
