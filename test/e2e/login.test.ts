import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Listener } from '../../src/server/http/listener.ts';
import { listen } from '../../src/server/http/listener.ts';
import type { LoginService } from '../server/oauth/login-service.ts';
import { startLoginService } from '../server/oauth/login-service.ts';
import { cleanEnvironment, makeTempFolder, projectRoot, runCli } from '../support/built-cli.ts';
import { createFakeWorld, runCommandLine } from '../support/fake-world.ts';
import { until } from '../support/until.ts';

let service: LoginService;
let server: Listener;
let home: string;
/** Requests for tokens since the login, and whether they are answered. */
let refreshes: number;
let isSilent: boolean;

const baseUrl = (): string => `http://127.0.0.1:${server.port}`;
const secretsFile = (): string => path.join(home, 'credentials', 'default.json');
const readSecrets = () =>
  JSON.parse(readFileSync(secretsFile(), 'utf8')) as { secret: string; token: { value: string } };

beforeEach(async () => {
  refreshes = 0;
  isSilent = false;
  home = makeTempFolder();
  server = await listen({
    host: '127.0.0.1',
    port: 0,
    refuse: (status, text) => new Response(text, { status }),
    fetch(request, peer) {
      if (new URL(request.url).pathname === '/auth/token') {
        refreshes += 1;
        if (isSilent) return new Promise<never>(() => undefined);
      }
      return service.app.fetch(request, peer);
    },
  });
  service = await startLoginService(baseUrl());
  await logIn();
  refreshes = 0;
});
afterEach(async () => {
  await server.close(0);
  await service.close();
});

/** Logs in with a browser, over the network. */
async function logIn(): Promise<void> {
  const world = createFakeWorld({
    cwd: home,
    env: { GOVCTL_CONFIG_DIR: home, PATH: home },
    realNetwork: true,
    now: Date.now,
  });
  const outcome = runCommandLine(['auth', 'login', '--base-url', baseUrl(), '--web'], world);
  await until(() => /^http:/m.test(world.written.stderr));
  const tab = service.browser();
  const page = await service.signIn(
    tab,
    new URL(/^http:.*$/m.exec(world.written.stderr)?.[0] ?? ''),
  );
  await fetch((await tab.submit(page, { decision: 'allow' })).url);
  expect(await outcome).toMatchObject({ exitCode: 0 });
}

/** The access token ends, at the service and here. */
function expire(): void {
  service.advance(2 * 60 * 60_000);
  const secrets = readSecrets();
  const token = { ...secrets.token, expires_at: new Date(0).toISOString() };
  writeFileSync(secretsFile(), JSON.stringify({ ...secrets, token }));
}

const env = () => ({ GOVCTL_CONFIG_DIR: home });
const list = () => runCli(['policy', 'list', '-o', 'json'], { cwd: home, env: env() });

describe('a login that many commands use at once', () => {
  it('is refreshed once by twenty processes, all of which succeed, and goes on', async () => {
    expire();
    const outcomes = await Promise.all(Array.from({ length: 20 }, list));
    expect(outcomes.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(
      outcomes.map(() => [0, '']),
    );
    expect(refreshes).toBe(1);
    expire();
    expect((await list()).exitCode).toBe(0);
    expect(refreshes).toBe(2);
    expect(readdirSync(home).sort()).toEqual(['credentials', 'profiles.json']);
  });

  it('is taken over from a process that was killed while it refreshed', async () => {
    expire();
    isSilent = true;
    const killed = execa(
      process.execPath,
      [path.join(projectRoot, 'bin', 'govctl.js'), 'policy', 'list'],
      { cwd: home, env: cleanEnvironment(env()), extendEnv: false, reject: false },
    );
    await until(() => refreshes === 1);
    expect(readdirSync(home)).toContain('default.lock');
    killed.kill('SIGKILL');
    await killed;
    isSilent = false;
    expect(await list()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(refreshes).toBe(2);
    expect(readdirSync(home).sort()).toEqual(['credentials', 'profiles.json']);
  });
});
