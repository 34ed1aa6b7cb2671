import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/cli/server/launcher.ts';
import { startServer } from '../../../src/server/start.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let folder: string;
let server: RunningServer;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'govctl-policy-real-'));
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    allowTargets: [],
    rateLimit: 'off',
    metrics: false,
    logLevel: 'silent',
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (argv: readonly string[], stdin = '') =>
  runCommandLine(argv, {
    cwd: folder,
    fetch: server.fetch,
    stdin,
    env: {
      GOVCTL_TOKEN: server.apiKey?.key ?? '',
      GOVCTL_BASE_URL: server.baseUrl,
      GOVCTL_CONFIG_DIR: path.join(folder, 'config'),
      GOVCTL_KEYRING: 'off',
    },
  });

describe('policy commands against our own server', () => {
  it('take a policy through its life', async () => {
    const deny = ['--deny', 'resource.acl == "public-read"'];
    for (const [name, severity] of [
      ['one', 'HIGH'],
      ['two', 'LOW'],
      ['three', 'HIGH'],
    ] as const) {
      const flags = [
        '--name',
        name,
        '--type',
        'AWS::S3::Bucket',
        '--severity',
        severity,
        '--tag',
        'a',
      ];
      expect(await run(['policy', 'create', ...flags, ...deny])).toMatchObject({ exitCode: 0 });
    }
    const high = await run(['policy', 'list', '--severity', 'HIGH', '--tag', 'a', '-o', 'ndjson']);
    expect(
      high.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).name),
    ).toEqual(['one', 'three']);

    expect(await run(['policy', 'update', 'one', '--set', 'tags=[b]'])).toMatchObject({
      exitCode: 0,
    });
    expect(await run(['policy', 'disable', 'one', '--yes'])).toMatchObject({ exitCode: 0 });
    const shown = JSON.parse((await run(['policy', 'get', 'one', '-o', 'json'])).stdout);
    expect(shown).toMatchObject({ tags: ['b'], enabled: false, severity: 'HIGH' });

    const stale = await run([
      'policy',
      'update',
      'one',
      '--set',
      'severity=LOW',
      '--if-match',
      '"0"',
    ]);
    expect(stale.exitCode).toBe(5);
    expect(await run(['policy', 'delete', 'one', '--yes', '--if-match', '"0"'])).toMatchObject({
      exitCode: 5,
    });
    expect(await run(['policy', 'delete', shown.id, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await run(['policy', 'get', 'one'])).toMatchObject({ exitCode: 1 });
  });

  it('show where a condition does not compile', async () => {
    const outcome = await run(
      ['policy', 'create', '-f', '-'],
      'name: bad\nresource_type: A::B\nrules: [{condition: "resource.x ==", effect: DENY}]\n',
    );
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('rules[0].condition');
    expect(outcome.stderr).toContain('^');
  });

  it('end a name that is taken with 5', async () => {
    const flags = ['--name', 'two', '--type', 'A::B', '--deny', 'true'];
    expect(await run(['policy', 'create', ...flags])).toMatchObject({ exitCode: 5 });
  });
});

describe('clients and keys of our own server', () => {
  it('log in with what the API made, and are held to their scopes', async () => {
    const made = await run([
      'api',
      'POST',
      '/v1/oauth-clients',
      '-f',
      'name=ci',
      '-f',
      'scopes=[governance:read]',
    ]);
    const { client_id: id, client_secret: secret } = JSON.parse(made.stdout);
    const login = ['auth', 'login', '--profile', 'ci', '--client-id', id];
    expect(await run(login, secret)).toMatchObject({ exitCode: 0 });
    const asClient = {
      cwd: folder,
      fetch: server.fetch,
      env: { GOVCTL_CONFIG_DIR: path.join(folder, 'config') },
    };
    const status = await runCommandLine(['auth', 'status', '-o', 'json'], asClient);
    expect(JSON.parse(status.stdout)).toMatchObject({
      logins: [{ profile: 'ci', valid: true, scope: 'governance:read' }],
    });
    const refused = await runCommandLine(['policy', 'delete', 'two', '--yes'], asClient);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('compliance:write');
  });
});
