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
import { hasTool, runTool } from '../support/system-tool.ts';
import { until } from '../support/until.ts';

const govctl = path.join(projectRoot, 'bin', 'govctl.js');
const processes = 20;

let service: LoginService;
let server: Listener;
let home: string;
/** Requests for tokens since the login. */
let refreshes: number;
/** Where such a request stops: before the service has it, or when the service has answered it. */
let stopsAt: 'never' | 'request' | 'answer';
let isStopped: boolean;

const baseUrl = (): string => `http://127.0.0.1:${server.port}`;
const secretsFile = (): string => path.join(home, 'credentials', 'default.json');
const env = () => ({ GOVCTL_CONFIG_DIR: home });
const never = (): Promise<never> => {
  isStopped = true;
  return new Promise(() => undefined);
};

beforeEach(async () => {
  refreshes = 0;
  stopsAt = 'never';
  isStopped = false;
  home = makeTempFolder();
  server = await listen({
    host: '127.0.0.1',
    port: 0,
    refuse: (status, text) => new Response(text, { status }),
    async fetch(request, peer) {
      if (new URL(request.url).pathname !== '/auth/token') return service.app.fetch(request, peer);
      refreshes += 1;
      if (stopsAt === 'request') return never();
      const answer = await service.app.fetch(request, peer);
      return stopsAt === 'answer' ? never() : answer;
    },
  });
  service = await startLoginService({ publicUrl: baseUrl() });
});
afterEach(async () => {
  await server.stopListening();
  await server.close(0);
  await service.close();
});

/** Logs in with a browser, over the network. */
async function logIn(): Promise<void> {
  const world = createFakeWorld({
    cwd: home,
    env: { ...env(), PATH: home },
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
  refreshes = 0;
}

/** The access token expires, at the service and here. */
function expire(): void {
  service.advance(2 * 60 * 60_000);
  const secrets = JSON.parse(readFileSync(secretsFile(), 'utf8')) as { token: object };
  const token = { ...secrets.token, expires_at: new Date(0).toISOString() };
  writeFileSync(secretsFile(), JSON.stringify({ ...secrets, token }));
}

const list = () => runCli(['policy', 'list'], { cwd: home, env: env() });
const listed = [0, 'No policies match.\n'];
/** On a busy machine, those that wait for the lock say so. */
const withoutWaits = (text: string): string =>
  text.replaceAll(/^warning: waiting for process .*\n/gm, '');
/** @returns exit code and stderr of each */
const listAtOnce = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, list))).map(({ exitCode, stderr }) => [
    exitCode,
    withoutWaits(stderr),
  ]);

/** Has a command stop in the middle of its refresh, begins others, and kills it. @returns what the others did */
async function killTheOneThatRefreshes(where: 'request' | 'answer') {
  stopsAt = where;
  const holder = execa(process.execPath, [govctl, 'policy', 'list'], {
    cwd: home,
    env: cleanEnvironment(env()),
    extendEnv: false,
    reject: false,
  });
  await until(() => isStopped);
  stopsAt = 'never';
  const others = listAtOnce(processes - 1);
  // One of them tries to take the lock.
  await until(() => readdirSync(home).some((name) => name.startsWith('default.lock.')));
  holder.kill('SIGKILL');
  await holder;
  return others;
}

describe('a login that twenty processes use at once', () => {
  beforeEach(logIn);

  it('is refreshed once, all of them succeed, and it lives on', async () => {
    for (const round of [1, 2]) {
      expire();
      expect(await listAtOnce(processes)).toEqual(Array(processes).fill(listed));
      expect(refreshes).toBe(round);
    }
    expect(readdirSync(home).sort()).toEqual(['credentials', 'profiles.json']);
  });

  it('is refreshed by another where the one that began is killed before the service has its request', async () => {
    expire();
    expect(await killTheOneThatRefreshes('request')).toEqual(Array(processes - 1).fill(listed));
    expect(refreshes).toBe(2);
    expect(readdirSync(home).sort()).toEqual(['credentials', 'profiles.json']);
  });

  it('ends with what to run where the one that refreshes is killed before it stores the answer', async () => {
    expire();
    const refused = expect.stringMatching(
      /^error: The login of profile "default" has expired: invalid_grant.*\n {2}→ Run `govctl auth login`\.\n$/,
    ) as string;
    expect(await killTheOneThatRefreshes('answer')).toEqual(
      Array(processes - 1).fill([4, refused]),
    );
    await logIn();
    expect((await list()).exitCode).toBe(0);
    expect(readdirSync(home).sort()).toEqual(['credentials', 'profiles.json']);
  });
});

const hasKeychain =
  hasTool('gnome-keyring-daemon', () => runTool('gnome-keyring-daemon', '--version')) &&
  hasTool('dbus-run-session', () => runTool('dbus-run-session', '--version'));

describe.skipIf(!hasKeychain)('a login in a real keychain', () => {
  it('is refreshed once by twenty processes, and nothing of it is in a file', async () => {
    const run = `"${process.execPath}" "${govctl}"`;
    const script = [
      `printf 'pass\\n' | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1`,
      `${run} auth login --base-url ${baseUrl()} --device 2>&1`,
      `read -r`,
      `for i in $(seq ${processes}); do (${run} policy list 2> $i.err; echo "exit $? $(tail -n 1 $i.err)") & done`,
      `wait`,
    ].join('\n');
    const session = execa('dbus-run-session', ['--', 'bash', '-c', script], {
      cwd: home,
      env: {
        ...cleanEnvironment({ ...env(), HOME: home, XDG_RUNTIME_DIR: home }),
        GOVCTL_KEYRING: 'auto',
      },
      extendEnv: false,
      reject: false,
    });
    let said = '';
    session.stdout.on('data', (text: Buffer) => (said += text.toString()));
    await until(() => /enter the code [A-Z-]{9}\./.test(said));
    const tab = service.browser();
    const form = await service.signIn(tab, '/auth/device');
    const confirm = await tab.submit(form, {
      code: /enter the code ([A-Z-]{9})\./.exec(said)?.[1] ?? '',
    });
    await tab.submit(confirm, { decision: 'allow' });
    await until(() => said.includes(`stored in the system keychain`));
    // The service no longer takes the token, which is what a clock that is behind sees, too.
    service.advance(2 * 60 * 60_000);
    refreshes = 0;
    session.stdin.end('\n');
    await session;
    expect(said.match(/^exit .*$/gm)).toEqual(
      Array.from({ length: processes }, () => 'exit 0 No policies match.'),
    );
    expect(refreshes).toBe(1);
    expect(readdirSync(home)).not.toContain('credentials');
  });
});
