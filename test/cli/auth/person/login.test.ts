import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askUntilEntered } from '../../../../src/cli/auth/person/by-device.ts';
import { hasBrowser } from '../../../../src/cli/auth/person/has-browser.ts';
import { listenForAnswer } from '../../../../src/cli/auth/person/listener.ts';
import { base } from '../../../server/oauth/login-service.ts';
import { until } from '../../../support/until.ts';
import type { PersonService } from './person-service.ts';
import { jsonAnswer, startPersonService } from './person-service.ts';

let home: string;
let service: PersonService;
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'govctl-person-'));
  service = await startPersonService(home);
});
afterEach(async () => {
  await service.close();
  rmSync(home, { recursive: true, force: true });
});

const secretsFile = (): string => path.join(home, 'config', 'credentials', 'default.json');

describe('auth login --web', () => {
  it('ends at a small page, keeps the login, and says who is logged in', async () => {
    const { stdout, stderr, exitCode, page } = await service.logInByBrowser();
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Logged in to https:\/\/govctl\.test as ada@example\.com: it can read 0 policies\.\nProfile "default", stored in /,
      ),
    ]);
    expect(stderr).toContain('No browser found. Open this URL');
    expect(page).toContain('You can close this page');
    expect(page).not.toContain('<script');
    expect(statSync(secretsFile()).mode & 0o777).toBe(0o600);
    const policies = await service.run(['policy', 'list']);
    expect(policies).toMatchObject({ exitCode: 0, stderr: 'No policies match.\n' });
    const { stdout: token } = await service.run(['auth', 'token']);
    expect((await service.ask(token.trim())).status).toBe(200);
    expect(service.seen.filter((one) => one.includes('refresh_token'))).toEqual([]);
  });

  it('opens the browser with the address that it shows', async () => {
    if (process.platform !== 'linux') return;
    const opened = path.join(home, 'opened');
    writeFileSync(
      path.join(home, 'xdg-open'),
      `#!/bin/sh\necho "$1" > ${opened}.tmp && /bin/mv ${opened}.tmp ${opened}\n`,
    );
    chmodSync(path.join(home, 'xdg-open'), 0o755);
    const { outcome, said } = await service.beginWeb();
    await until(() => statSync(opened, { throwIfNoEntry: false }) !== undefined);
    expect(readFileSync(opened, 'utf8')).toBe(`${said}\n`);
    await fetch(await service.allow(said));
    expect((await outcome).stderr).toContain('Log in with your browser.');
  });

  it('asks for the scopes of --scope, and for all that the service knows without', async () => {
    const one = await service.beginWeb({}, '--scope', 'governance:read');
    expect(new URL(one.said).searchParams.get('scope')).toBe('governance:read');
    await fetch(await service.allow(one.said));
    expect((await one.outcome).exitCode).toBe(0);
    const { stdout } = await service.run(['auth', 'status', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ logins: [{ scopes: ['governance:read'] }] });
    const all = await service.beginWeb();
    expect(new URL(all.said).searchParams.get('scope')).toContain('admin');
    await fetch(await service.allow(all.said));
    expect((await all.outcome).exitCode).toBe(0);
  });

  it('takes scopes with commas, as other commands do, and refuses one that there is not before it asks anybody', async () => {
    const { outcome, said } = await service.beginWeb({}, '--scope', 'governance:read, admin');
    expect(new URL(said).searchParams.get('scope')).toBe('governance:read admin');
    await fetch(await service.allow(said));
    expect((await outcome).exitCode).toBe(0);
    const wrong = await service.run(['auth', 'login', '--web', '--scope', 'governance:raed']);
    expect(wrong).toMatchObject({ exitCode: 3, stdout: '' });
    expect(wrong.stderr).toContain('Did you mean governance:read?');
  });

  it('ends with exit code 4 where the person refuses', async () => {
    const { outcome, said } = await service.beginWeb();
    const tab = service.browser();
    const page = await service.signIn(tab, new URL(said));
    await fetch((await tab.submit(page, { decision: 'refuse' })).url);
    expect(await outcome).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('was refused: access_denied') as string,
    });
    expect(statSync(path.join(home, 'config'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('is neither ended nor broken by whatever else comes to its port', async () => {
    const { outcome, said } = await service.beginWeb();
    const callback = new URL(new URL(said).searchParams.get('redirect_uri') ?? '');
    const state = new URL(said).searchParams.get('state') ?? '';
    const forged = [
      '/',
      '/favicon.ico',
      '/callback',
      '/callback?code=x&state=wrong',
      '/callback?error=access_denied&state=wrong',
      `/callback?state=${state}`,
      `/callback?state=${state}&state=${state}&code=x`,
      `/callback?state=${state}&code=x&code=y`,
      `/callback?state=${state}&code=x&error=y`,
      `/callback/?state=${state}&code=x`,
      `//callback?state=${state}&code=x`,
      `http://evil.example/callback?state=${state}&code=x`,
    ];
    for (const target of forged)
      expect([target, await ask(callback, target)]).toEqual([target, 404]);
    const right = `/callback?code=x&state=${state}`;
    expect(await ask(callback, right, { host: `evil.example:${callback.port}` })).toBe(404);
    expect(await ask(callback, right, { host: `localhost:${callback.port}` })).toBe(404);
    expect(await ask(callback, right, {}, 'POST')).toBe(404);
    const back = await service.allow(said);
    expect((await fetch(back)).status).toBe(200);
    expect((await outcome).exitCode).toBe(0);
  });

  it('takes no answer that names another issuer, or none', async () => {
    for (const iss of ['https://evil.example', undefined]) {
      const { outcome, said } = await service.beginWeb();
      const back = await service.allow(said);
      if (iss === undefined) back.searchParams.delete('iss');
      else back.searchParams.set('iss', iss);
      await fetch(back);
      const { exitCode, stderr } = await outcome;
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/"iss" \(issuer\)/)]);
      expect(service.seen.filter((one) => one.includes('authorization_code'))).toEqual([]);
    }
  });

  it('ends at once with Ctrl-C, and keeps nothing', async () => {
    const stop = new AbortController();
    const { outcome } = await service.beginWeb({ signal: stop.signal });
    stop.abort();
    expect(await outcome).toMatchObject({ exitCode: 130 });
    expect(statSync(path.join(home, 'config'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('the listener for the browser', () => {
  it('answers a second browser that it is not part of a login', async () => {
    const listener = await listenForAnswer('abc');
    const url = `${listener.redirectUri}?code=x&state=abc`;
    const found = listener.answer(new AbortController().signal);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url)).status).toBe(404);
    expect((await found).href).toBe(url);
    await listener.close();
  });

  it('waits no longer than its signal, and then frees its port', async () => {
    const listener = await listenForAnswer('abc');
    await expect(listener.answer(AbortSignal.timeout(20))).rejects.toThrow();
    await listener.close();
    await expect(fetch(listener.redirectUri)).rejects.toThrow();
  });
});

describe('auth login --device', () => {
  it('shows a code and for how long it works, and waits until it was entered', async () => {
    const { outcome, said } = await service.beginDevice();
    expect(await service.enter(said)).toBe('Device logged in');
    const { stdout, stderr, exitCode } = await outcome;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('as ada@example.com')]);
    expect(stderr).toContain(`Open ${base}/auth/device on any device, and enter the code ${said}.`);
    expect(stderr).toContain('The code expires in 10 minutes.');
    expect((await service.run(['policy', 'list'])).exitCode).toBe(0);
  });

  it('ends with exit code 4 where the person refuses', async () => {
    const { outcome, said } = await service.beginDevice();
    expect(await service.enter(said, 'refuse')).toBe('Login denied');
    expect(await outcome).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('was refused: access_denied') as string,
    });
  });

  it('ends at once with Ctrl-C', async () => {
    const stop = new AbortController();
    const { outcome } = await service.beginDevice({ signal: stop.signal });
    stop.abort();
    expect(await outcome).toMatchObject({ exitCode: 130 });
  });
});

describe('polling with a device code', () => {
  /** @returns when it was asked, in seconds, and how it ended */
  async function poll(
    answers: readonly ('authorization_pending' | 'slow_down' | object)[],
    code: { interval: number; lifetime: number },
  ) {
    let now = 0;
    const asked: number[] = [];
    const ask = async () => {
      asked.push(now / 1_000);
      return answers[asked.length - 1] ?? 'authorization_pending';
    };
    const clock = { now: () => now, sleep: async (ms: number) => void (now += ms) };
    const outcome = await askUntilEntered<object>(ask, code, clock).catch(
      (error: unknown) => error,
    );
    return { asked, outcome };
  }
  const tokens = {};

  it('waits one interval before each request', async () => {
    const pending = 'authorization_pending' as const;
    expect(await poll([pending, pending, tokens], { interval: 5, lifetime: 600 })).toEqual({
      asked: [5, 10, 15],
      outcome: tokens,
    });
  });

  it('waits five seconds longer each time, from each slow_down on', async () => {
    const pending = 'authorization_pending' as const;
    const answers = ['slow_down', pending, 'slow_down', pending, tokens] as const;
    expect(await poll(answers, { interval: 5, lifetime: 600 })).toEqual({
      asked: [5, 15, 25, 40, 55],
      outcome: tokens,
    });
  });

  it('ends when the code expires, in the middle of a wait, too', async () => {
    expect(await poll([], { interval: 5, lifetime: 12 })).toEqual({
      asked: [5, 10],
      outcome: expect.objectContaining({
        error: 'not_logged_in',
        message: 'The code expired before it was entered',
      }) as unknown,
    });
  });
});

describe('auth login on a terminal', () => {
  const logIn = (answers: string[], env: Record<string, string> = {}) => {
    const settings = { tty: true, env, answers, columns: 200 };
    const argv = ['auth', 'login', '--base-url', base];
    return { run: () => service.run(argv, settings), begin: (says: RegExp) => service.begin(argv, settings, says) }; // prettier-ignore
  };

  it('offers the browser, which it opens', async () => {
    const { outcome, said } = await logIn(['web'], { DISPLAY: ':0' }).begin(/^(https:.*)$/m);
    expect(service.seen[0]).toBe('GET /.well-known/oauth-authorization-server');
    await fetch(await service.allow(said));
    expect(await outcome).toMatchObject({ exitCode: 0 });
  });

  it('offers a device code, which it shows', async () => {
    const { outcome, said } = await logIn(['device'], { NO_COLOR: '1' }).begin(
      /enter the code ([A-Z-]{9})\./,
    );
    expect(await service.enter(said)).toBe('Device logged in');
    expect(await outcome).toMatchObject({ exitCode: 0 });
  });

  it('offers a key as ever', async () => {
    const { run } = logIn(['key', service.key]);
    expect(await run()).toMatchObject({ exitCode: 0 });
  });

  it('offers only what the service has', async () => {
    service.answerInstead((url) =>
      url.pathname === '/.well-known/oauth-authorization-server'
        ? jsonAnswer({
            issuer: base,
            authorization_endpoint: `${base}/auth/authorize`,
            token_endpoint: `${base}/auth/token`,
            grant_types_supported: ['authorization_code'],
            code_challenge_methods_supported: ['S256'],
          })
        : undefined,
    );
    expect((await logIn(['device']).run()).stderr).toContain('"device" is not a choice');
    service.answerInstead(() => new Response('', { status: 404 }));
    expect((await logIn(['web']).run()).stderr).toContain('"web" is not a choice');
  });

  it('proposes the browser where there is one to see', () => {
    expect(hasBrowser({ DISPLAY: ':0' }, 'linux')).toBe(true);
    expect(hasBrowser({ WAYLAND_DISPLAY: 'wayland-0' }, 'freebsd')).toBe(true);
    expect(hasBrowser({}, 'linux')).toBe(false);
    expect(hasBrowser({}, 'darwin')).toBe(true);
    expect(hasBrowser({}, 'win32')).toBe(true);
    expect(hasBrowser({ SSH_CONNECTION: '1' }, 'darwin')).toBe(false);
    expect(hasBrowser({ SSH_TTY: '/dev/pts/1', DISPLAY: 'localhost:10.0' }, 'linux')).toBe(false);
  });
});

it('takes one way to log in, and needs to be told which off a terminal', async () => {
  const two = await service.run(['auth', 'login', '--base-url', base, '--web', '--device']);
  expect([two.exitCode, two.stderr]).toEqual([3, expect.stringContaining('--web or --device')]);
  const none = await service.run(['auth', 'login', '--base-url', base]);
  expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('Use --web or')]);
});

it('goes to an address that only the repo names as little as a key does', async () => {
  writeFileSync(path.join(home, 'govctl.yaml'), `project: x\nbase_url: ${base}\n`);
  for (const way of ['--web', '--device']) {
    const outcome = await service.run(['auth', 'login', way]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      4,
      expect.stringContaining(`Your login is not sent to ${base}: only govctl.yaml specifies`),
    ]);
  }
  expect(service.seen).toEqual([]);
});

/** Sends a request as it is, which `fetch` would mend. @returns its status */
const ask = (
  { hostname, port }: URL,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ hostname, port, path: target, method, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .once('error', reject)
      .end();
  });
