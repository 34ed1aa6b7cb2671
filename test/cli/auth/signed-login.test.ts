import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { platformInit } from '../../../src/client/http.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { runCommandLine } from '../../support/fake-world.ts';

const baseUrl = 'https://service.test';

let service: TestService;
let home: string;
let key: { readonly key: string; readonly signing_secret: string };
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'govctl-signed-'));
  service = await startTestService();
  const body = { name: 'ci', scopes: ['governance:read'], require_signature: true };
  key = (await service.send('POST', '/v1/api-keys', { body })).json as unknown as typeof key;
});
afterEach(async () => {
  await service.close();
  rmSync(home, { recursive: true, force: true });
});

const run = (argv: readonly string[], settings: FakeWorldSettings = {}) =>
  runCommandLine(argv, {
    cwd: home,
    now: () => service.deps.clock.now(),
    fetch: async (url, init) => service.app.fetch(new Request(url, platformInit(init)), {}),
    ...settings,
    env: { GOVCTL_CONFIG_DIR: path.join(home, 'config'), GOVCTL_KEYRING: 'off', ...settings.env },
  });
const profiles = (): string => readFileSync(path.join(home, 'config', 'profiles.json'), 'utf8');

describe('logging in with a key that requires signatures', () => {
  it('prompts for the signing secret, keeps it with the key, and signs from then on', async () => {
    const login = await run(['auth', 'login', '--base-url', baseUrl], {
      tty: true,
      answers: ['key', key.key, key.signing_secret],
    });
    expect(login, login.stderr).toMatchObject({ exitCode: 0 });
    expect(login.stdout).toContain('an API key and signed requests');
    expect(profiles()).toContain('"signs": true');
    expect(profiles()).not.toContain('gss_');
    const file = path.join(home, 'config', 'credentials', 'default.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ base_url: baseUrl, secret: key.key, signing_secret: key.signing_secret }); // prettier-ignore
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const list = await run(['policy', 'list']);
    expect(list, list.stderr).toMatchObject({ exitCode: 0 });
    const status = await run(['auth', 'status', '-o', 'json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ logins: [{ signs: true, valid: true }] });
    expect(login.stdout + login.stderr + status.stdout).not.toContain(key.signing_secret);
  });

  it('takes it from the second line of standard input', async () => {
    const login = ['auth', 'login', '--base-url', baseUrl, '--with-token'];
    const alone = await run(login, { stdin: `${key.key}\n` });
    expect(alone.exitCode).toBe(4);
    expect(alone.stderr).toContain('on a second line');
    const both = await run(login, { stdin: `${key.key}\n${key.signing_secret}\n` });
    expect(both, both.stderr).toMatchObject({ exitCode: 0 });
    expect((await run(['policy', 'list'])).exitCode).toBe(0);
    const three = await run(login, { stdin: 'a\nb\nc\n' });
    expect(three.exitCode).toBe(3);
  });

  it('stores nothing where the secret is wrong', async () => {
    const login = await run(['auth', 'login', '--base-url', baseUrl, '--with-token'], {
      stdin: `${key.key}\ngss_wrong\n`,
    });
    expect(login.exitCode).toBe(4);
    expect(login.stderr).toContain('does not match');
    expect(() => profiles()).toThrow();
  });
});

describe('GOVCTL_SIGNING_SECRET', () => {
  const env = () => ({ GOVCTL_TOKEN: key.key, GOVCTL_SIGNING_SECRET: key.signing_secret });

  it('signs the requests of GOVCTL_TOKEN', async () => {
    const signed = await run(['policy', 'list', '--base-url', baseUrl], { env: env() });
    expect(signed, signed.stderr).toMatchObject({ exitCode: 0 });
    const { GOVCTL_TOKEN } = env();
    const unsigned = await run(['policy', 'list', '--base-url', baseUrl], {
      env: { GOVCTL_TOKEN },
    });
    expect(unsigned.exitCode).toBe(4);
    expect(unsigned.stderr).toContain('GOVCTL_SIGNING_SECRET');
  });

  it('goes with GOVCTL_TOKEN only, and as that to no address that only the repo names', async () => {
    const alone = await run(['policy', 'list', '--base-url', baseUrl], {
      env: { GOVCTL_SIGNING_SECRET: key.signing_secret },
    });
    expect(alone.exitCode).toBe(3);
    writeFileSync(path.join(home, 'govctl.yaml'), `project: p\nbase_url: ${baseUrl}\n`);
    const asked: string[] = [];
    const repo = await run(['policy', 'list'], {
      env: env(),
      fetch: (url) => {
        asked.push(url);
        return Promise.reject(new Error('not to be asked'));
      },
    });
    expect([repo.exitCode, asked]).toEqual([4, []]);
  });
});
