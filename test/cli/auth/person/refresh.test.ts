import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessTokens } from '../../../../src/server/auth/collection.ts';
import { hashSecret } from '../../../../src/server/keys/hashed-secrets.ts';
import { placeHere } from '../../../../src/lock/lock.ts';
import { base } from '../../../server/oauth/login-service.ts';
import { fakeNow } from '../../../support/fake-world.ts';
import type { PersonService } from './person-service.ts';
import { jsonAnswer, startPersonService } from './person-service.ts';

let home: string;
let service: PersonService;
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'govctl-refresh-'));
  service = await startPersonService(home);
  expect((await service.logInByBrowser()).exitCode).toBe(0);
  service.seen.length = 0;
});
afterEach(async () => {
  await service.close();
  rmSync(home, { recursive: true, force: true });
});

const minutes = (amount: number) => ({ now: () => fakeNow + amount * 60_000 });
const config = (...names: string[]): string => path.join(home, 'config', ...names);
const secrets = () =>
  JSON.parse(readFileSync(config('credentials', 'default.json'), 'utf8')) as {
    secret: string;
    token: { value: string; expires_at: string };
  };
const refreshes = (): number => service.seen.filter((one) => one.includes('refresh_token')).length;

describe('the login of a person', () => {
  it('is refreshed half a minute before its token expires, and not before', async () => {
    const before = secrets();
    expect((await service.run(['policy', 'list'], minutes(59))).exitCode).toBe(0);
    expect(refreshes()).toBe(0);
    expect((await service.run(['policy', 'list'], minutes(59.6))).exitCode).toBe(0);
    expect(refreshes()).toBe(1);
    const after = secrets();
    expect(after.secret).not.toBe(before.secret);
    expect(after.token.value).not.toBe(before.token.value);
    expect((await service.run(['policy', 'list'], minutes(100))).exitCode).toBe(0);
    expect(refreshes()).toBe(1);
    expect((await service.run(['auth', 'token'], minutes(180))).stdout.trim()).toBe(
      secrets().token.value,
    );
    expect(refreshes()).toBe(2);
    expect(readdirSync(config()).sort()).toEqual(['credentials', 'profiles.json']);
  });

  it('is refreshed once where the service no longer takes its token', async () => {
    const hash = hashSecret(secrets().token.value);
    await service.deps.store.transact(async (tx) => {
      const known = await tx.find(accessTokens, 'hash', hash);
      if (known) await tx.remove(accessTokens, known.doc.id);
    });
    expect((await service.run(['policy', 'list'])).exitCode).toBe(0);
    expect(refreshes()).toBe(1);
  });

  it('is refreshed once by commands that run together', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => service.run(['policy', 'list'], minutes(61))),
    );
    expect(outcomes.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(
      outcomes.map(() => [0, 'No policies match.\n']),
    );
    expect(refreshes()).toBe(1);
  });

  it.each([
    ['the service has ended it', async () => service.disable()],
    [
      'a refresh token was used twice',
      async () => {
        const { secret } = secrets();
        await service.run(['auth', 'token'], minutes(61));
        const file = config('credentials', 'default.json');
        writeFileSync(file, JSON.stringify({ ...secrets(), secret, token: undefined }));
      },
    ],
  ])('ends with exit code 4 and what to run where %s', async (_, happens) => {
    await happens();
    const outcome = await service.run(['policy', 'list'], minutes(180));
    expect(outcome).toMatchObject({
      exitCode: 4,
      stderr: expect.stringMatching(
        /^error: The login of profile "default" has expired: invalid_grant.*\n {2}→ Run `govctl auth login`\.\n$/,
      ) as string,
    });
  });

  it('goes nowhere but to the service that it was made for', async () => {
    const sent = secrets().secret;
    const file = config('profiles.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(base, 'https://evil.example'));
    const outcome = await service.run(['policy', 'list'], minutes(61));
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      4,
      expect.stringContaining(`is for ${base}; it is not sent to https://evil.example`),
    ]);
    expect(service.seen).toEqual([]);
    expect(secrets().secret).toBe(sent);
  });

  it('is not used up where what comes back could not be kept', async () => {
    const sent = secrets();
    // Whoever tests as root may write anywhere.
    rmSync(config('default.lock'), { force: true });
    mkdirSync(config('default.lock'));
    const outcome = await service.run(['policy', 'list'], minutes(61));
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      expect.stringContaining('default.lock could not be written'),
    ]);
    expect(refreshes()).toBe(0);
    expect(secrets()).toEqual(sent);
  });

  it('is stored when Ctrl-C comes while it is refreshed', async () => {
    const before = secrets();
    const stop = new AbortController();
    service.answerInstead((url) => {
      if (url.pathname === '/auth/token') stop.abort();
      return undefined;
    });
    const outcome = await service.run(['policy', 'list'], { ...minutes(61), signal: stop.signal });
    expect(outcome.exitCode).toBe(130);
    expect(secrets().secret).not.toBe(before.secret);
    service.answerInstead(() => undefined);
    expect((await service.run(['policy', 'list'], minutes(61))).exitCode).toBe(0);
    expect(refreshes()).toBe(1);
  });

  it.each([
    ['an access token of other characters', { access_token: 'a\nb', refresh_token: 'r' }],
    ['a refresh token of other characters', { access_token: 'a', refresh_token: 'r\u001b[2J' }],
    ['a token that is endless', { access_token: 'a'.repeat(100_000), refresh_token: 'r' }],
    ['no token', { refresh_token: 'r' }],
    ['a list', []],
  ])('is kept as it was where the service answers with %s', async (_, answer) => {
    const before = secrets();
    service.answerInstead((url) =>
      url.pathname === '/auth/token' ? jsonAnswer({ token_type: 'Bearer', ...answer }) : undefined,
    );
    const outcome = await service.run(['policy', 'list'], minutes(61));
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      expect.stringContaining('but no access_token'),
    ]);
    expect(secrets()).toEqual(before);
  });

  it.each([1e300, -1e300, 0])('outlives an answer that expires in %d seconds', async (seconds) => {
    service.answerInstead((url) =>
      url.pathname === '/auth/token'
        ? jsonAnswer({
            access_token: 'a',
            token_type: 'Bearer',
            expires_in: seconds,
            refresh_token: 'r',
          })
        : undefined,
    );
    const outcome = await service.run(['auth', 'token'], minutes(61));
    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'a\n' });
    expect(secrets().secret).toBe('r');
  });
});

it('a login that another replaces is ended at the service', async () => {
  const { token } = secrets();
  expect((await service.logInByBrowser()).exitCode).toBe(0);
  expect((await service.ask(token.value)).status).toBe(401);
  expect((await service.ask(secrets().token.value)).status).toBe(200);
});

describe('the lock of a login', () => {
  const lock = async (changes: object): Promise<void> =>
    writeFileSync(
      config('default.lock'),
      JSON.stringify({
        pid: process.pid,
        place: await placeHere(),
        since: Date.now(),
        token: 'x',
        ...changes,
      }),
    );

  it.each([
    ['of a process that was killed', { pid: 2 ** 22 + 1 }],
    ['of another machine, from minutes ago', { place: 'elsewhere', since: Date.now() - 121_000 }],
    ['of a process that stands still for minutes', { since: Date.now() - 121_000 }],
    ['from the future', { since: Date.now() + 3_600_000 }],
    ['of nobody', { pid: 'x' }],
  ])('%s holds nobody up', async (_, changes) => {
    await lock(changes);
    expect((await service.run(['policy', 'list'], minutes(61))).exitCode).toBe(0);
    expect(readdirSync(config()).sort()).toEqual(['credentials', 'profiles.json']);
  });

  it.each([
    ['of a process that is there', {}],
    ['of another machine', { place: 'elsewhere', pid: 2 ** 22 + 1 }],
  ])('%s is waited for until Ctrl-C', async (_, changes) => {
    await lock(changes);
    const stop = new AbortController();
    const outcome = service.run(['policy', 'list'], { ...minutes(61), signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    expect((await outcome).exitCode).toBe(130);
    expect(refreshes()).toBe(0);
  });
});

describe('auth logout of a person', () => {
  it('ends the login at the service, and forgets it', async () => {
    const { token, secret } = secrets();
    const outcome = await service.run(['auth', 'logout', '-o', 'json']);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(outcome.stdout)).toEqual(
      expect.objectContaining({ logged_out: ['default'], revoked: ['default'] }),
    );
    expect((await service.ask(token.value)).status).toBe(401);
    const refreshed = await service.form('/auth/token', {
      grant_type: 'refresh_token',
      client_id: 'govctl-cli',
      refresh_token: secret,
    });
    expect(refreshed.status).toBe(400);
    expect(readdirSync(config('credentials'))).toEqual([]);
  });

  it('forgets it where the service is down, says what is left, and ends with 1', async () => {
    service.answerInstead(() => new Response('', { status: 503 }));
    const outcome = await service.run(['auth', 'logout']);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stdout).toBe('Logged out of https://govctl.test (profile "default").\n');
    expect(outcome.stderr).toContain('could not be revoked at https://govctl.test');
    expect(outcome.stderr).toContain('govctl user revoke ada@example.com');
    expect(readdirSync(config('credentials'))).toEqual([]);
  });
});

it('user revoke ends the login of a person, and says what has ended', async () => {
  const { token } = secrets();
  const admin = { GOVCTL_TOKEN: service.key, GOVCTL_BASE_URL: base };
  const revoked = await service.run(['user', 'revoke', 'ada@example.com', '--yes'], { env: admin });
  expect(revoked.stdout).toMatch(
    /^Revoked for ada@example\.com: 2 sessions, 1 access token, command-line logins\n$/,
  );
  expect((await service.ask(token.value)).status).toBe(401);
  expect(await service.run(['policy', 'list'])).toMatchObject({ exitCode: 4 });
});

describe('auth status of a person', () => {
  it('says who, roles, scopes, and until when', async () => {
    const { stdout, exitCode } = await service.run(['auth', 'status']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^https:\/\/govctl\.test\n {2}login {4}profile "default": ada@example\.com, stored in a file\n {2}token {4}valid: .*\n {2}user {5}ada@example\.com\n {2}roles {4}editor\n {2}secret {3}….{4}\n {2}scopes {3}governance:read compliance:write\n {2}expires {2}2026-01-15 13:00 UTC \(in 60 min\), renewed automatically\n {2}session {2}ends .*\n$/,
    );
    const json = await service.run(['auth', 'status', '--all', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      logins: [
        {
          method: 'person',
          user: { email: 'ada@example.com', roles: ['editor'] },
          scopes: ['governance:read', 'compliance:write'],
          login_expires_at: expect.any(String) as string,
          valid: true,
        },
      ],
    });
  });

  it('is what doctor says, too', async () => {
    const { stdout } = await service.run(['doctor']);
    expect(stdout).toMatch(
      /login +profile "default": ada@example\.com, stored in a file: it can read/,
    );
  });

  it('lets no name that the service sends act on a terminal', async () => {
    service.answerInstead((url) =>
      url.pathname === '/v1/me'
        ? jsonAnswer({
            user_id: 'u',
            kind: 'person',
            scopes: [],
            credential: { id: 'x' },
            user: {
              id: 'u',
              email: 'a\u001b[2J\nb',
              name: '\u009b31m::error::',
              roles: ['r\u0007\n'],
            },
          })
        : undefined,
    );
    const { stdout } = await service.run(['auth', 'status']);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(stdout.split('\n').filter((line) => /^(b|::error)/.test(line))).toEqual([]);
  });
});
