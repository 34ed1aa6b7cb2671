import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeTempFolder, projectRoot, runCli, startBuiltServer } from '../support/built-cli.ts';

describe('the packed package, installed into an empty folder', () => {
  let script: string;
  let installed: string;

  beforeAll(async () => {
    const folder = makeTempFolder();
    const packed = await execa(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      { cwd: projectRoot },
    );
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
    installed = path.join(folder, 'empty');
    mkdirSync(installed);
    writeFileSync(path.join(installed, 'package.json'), '{"private":true,"type":"module"}');
    await execa(
      'npm',
      ['install', '--omit=dev', '--no-audit', '--no-fund', path.join(folder, filename)],
      { cwd: installed },
    );
    script = path.join(installed, 'node_modules', 'govctl', 'bin', 'govctl.js');
  }, 300_000);

  it('says its version', async () => {
    const viaBin = await execa(path.join(installed, 'node_modules', '.bin', 'govctl'), [
      '--version',
    ]);
    expect(viaBin.stdout).toMatch(/^\d+\.\d+\.\d+$/);
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
