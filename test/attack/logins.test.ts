import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/client/transport.ts';
import { openOauth } from '../../src/cli/auth/person/oauth-client.ts';
import { base } from '../server/oauth/login-service.ts';
import type { PersonService } from '../cli/auth/person/person-service.ts';
import { jsonAnswer, startPersonService } from '../cli/auth/person/person-service.ts';
import { actingIn, hostile } from '../support/hostile.ts';

let home: string;
let service: PersonService;
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'govctl-hostile-login-'));
  service = await startPersonService(home);
});
afterEach(async () => {
  await service.close();
  rmSync(home, { recursive: true, force: true });
});

const document = '/.well-known/oauth-authorization-server';

const honest = {
  issuer: base,
  authorization_endpoint: `${base}/auth/authorize`,
  token_endpoint: `${base}/auth/token`,
  device_authorization_endpoint: `${base}/auth/device`,
  grant_types_supported: [
    'authorization_code',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
  code_challenge_methods_supported: ['S256'],
};

describe('a discovery document', () => {
  it.each([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['an issuer below', { issuer: `${base}/tenant` }],
    ['an issuer in the clear', { issuer: 'http://govctl.test' }],
    ['a page elsewhere', { authorization_endpoint: 'https://evil.example/auth/authorize' }],
    ['a page in the clear', { authorization_endpoint: 'http://govctl.test/auth/authorize' }],
    ['a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a page of another user', { authorization_endpoint: 'https://a@govctl.test/auth/authorize' }],
    ['another page', { authorization_endpoint: `${base}/auth/authorize?prompt=none&x="&calc` }],
    ['tokens elsewhere', { token_endpoint: 'https://evil.example/auth/token' }],
    ['tokens at another path', { token_endpoint: `${base}/elsewhere` }],
    ['codes elsewhere', { device_authorization_endpoint: 'https://evil.example/auth/device' }],
    ['text that acts', { issuer: hostile }],
    ['a list for an address', { token_endpoint: ['https://evil.example'] }],
    ['a million ways', { grant_types_supported: Array.from({ length: 1e6 }, () => 'x') }],
  ])('with %s ends the login, and nothing else is asked', async (_, changes) => {
    service.answerInstead((url) =>
      url.pathname === document ? jsonAnswer({ ...honest, ...changes }) : undefined,
    );
    for (const way of ['--web', '--device']) {
      const { exitCode, stderr } = await service.run(['auth', 'login', '--base-url', base, way]);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining('does not support secure login'),
      ]);
      expect(stderr.length).toBeLessThan(1_000);
      expect(actingIn(stderr)).toEqual([]);
    }
    expect(service.seen).toEqual([`GET ${document}`, `GET ${document}`]);
    expect(existsSync(path.join(home, 'config'))).toBe(false);
  });

  it.each([
    [
      'a redirect',
      new Response('', { status: 302, headers: { location: 'https://evil.example' } }),
    ],
    ['a page', new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['null', jsonAnswer(null)],
  ])('that is %s is not followed', async (_, answer) => {
    service.answerInstead(() => answer.clone());
    const { exitCode } = await service.run(['auth', 'login', '--base-url', base, '--web']);
    expect(exitCode).toBe(1);
    expect(service.seen).toEqual([`GET ${document}`]);
  });

  it.each([
    ['without PKCE by hash', { code_challenge_methods_supported: ['plain'] }, '--web'],
    ['without codes', { grant_types_supported: ['authorization_code'] }, '--device'],
    ['without pages', { authorization_endpoint: undefined }, '--web'],
  ])('%s offers no such login', async (_, changes, way) => {
    service.answerInstead(() => jsonAnswer({ ...honest, ...changes }));
    const { exitCode, stderr } = await service.run(['auth', 'login', '--base-url', base, way]);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('does not support login')]);
  });

  it('that is hostile is said on a terminal, and a key can be given as ever', async () => {
    service.answerInstead((url) =>
      url.pathname === document
        ? jsonAnswer({ ...honest, issuer: 'https://evil.example' })
        : undefined,
    );
    const outcome = await service.run(['auth', 'login', '--base-url', base], {
      tty: true,
      answers: ['key', service.key],
    });
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stderr).toMatch(/its issuer is\s+https:\/\/evil\.example/);
  });
});

it('each request of a login ends with Ctrl-C, and with no signal of its own, as a timeout would pass for it', async () => {
  const { signal } = new AbortController();
  const signals: unknown[] = [];
  const transport: Transport = {
    send: () => Promise.reject(new Error('not sent')),
    exchange: async (_, __, sent) => {
      signals.push(sent?.signal);
      return jsonAnswer({ error: 'authorization_pending' }, 400);
    },
  };
  const offer = { web: true, device: true, issuer: base, namesIssuer: true, scopes: [] };
  const { lib, config } = await openOauth(transport, base, offer, signal);
  await expect(lib.initiateDeviceAuthorization(config, {})).rejects.toThrow();
  await expect(lib.genericGrantRequest(config, 'x', {})).rejects.toThrow();
  expect(signals).toEqual([signal, signal]);
});

describe('the answer to a device', () => {
  const device = {
    device_code: 'd',
    user_code: 'BCDF-GHJK',
    verification_uri: `${base}/auth/device`,
    expires_in: 600,
    interval: 5,
  };
  it.each([
    ['an address elsewhere', { verification_uri: 'https://evil.example/device' }],
    ['an address that is none', { verification_uri: hostile }],
    ['a code that acts', { user_code: hostile }],
    ['no code', { user_code: 7 }],
    ['a time that is none', { expires_in: 'soon' }],
  ])('with %s ends the login', async (_, changes) => {
    service.answerInstead((url) =>
      url.pathname === '/auth/device' ? jsonAnswer({ ...device, ...changes }) : undefined,
    );
    const { exitCode, stderr } = await service.run([
      'auth',
      'login',
      '--base-url',
      base,
      '--device',
    ]);
    expect([exitCode, actingIn(stderr)]).toEqual([1, []]);
    expect(service.seen.at(-1)).toBe('POST /auth/device');
  });

  it('that expires ends the login with what to run', async () => {
    service.answerInstead((url) =>
      url.pathname === '/auth/device' ? jsonAnswer({ ...device, expires_in: 0.05 }) : undefined,
    );
    const outcome = await service.run(['auth', 'login', '--base-url', base, '--device']);
    expect(outcome).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('The code expired before it was entered') as string,
    });
  });
});

describe('the answer with the tokens', () => {
  it.each([
    ['no refresh token', { refresh_token: undefined }],
    ['another type', { token_type: 'mac' }],
    ['characters that no header takes', { access_token: 'a\r\nx: y' }],
    ['a refresh token that acts', { refresh_token: hostile }],
  ])('with %s is kept nowhere', async (_, changes) => {
    service.answerInstead((url) =>
      url.pathname === '/auth/token'
        ? jsonAnswer({ access_token: 'a', token_type: 'Bearer', refresh_token: 'r', ...changes })
        : undefined,
    );
    const { outcome, said } = await service.beginWeb();
    await fetch(await service.allow(said));
    const { exitCode, stderr } = await outcome;
    expect([exitCode, actingIn(stderr)]).toEqual([1, []]);
    expect(existsSync(path.join(home, 'config'))).toBe(false);
  });

  it('that is a refusal is said in its words, which do not act', async () => {
    service.answerInstead((url) =>
      url.pathname === '/auth/token'
        ? jsonAnswer({ error: 'invalid_grant', error_description: hostile }, 400)
        : undefined,
    );
    const { outcome, said } = await service.beginWeb();
    await fetch(await service.allow(said));
    const { exitCode, stderr } = await outcome;
    expect([exitCode, actingIn(stderr)]).toEqual([4, []]);
  });

  it('is revoked where the service takes it for nothing', async () => {
    service.answerInstead((url) =>
      url.pathname === '/v1/policies' ? jsonAnswer({ error: 'invalid_token' }, 401) : undefined,
    );
    const { exitCode } = await service.logInByBrowser();
    expect(exitCode).toBe(4);
    expect(service.seen.filter((one) => one === 'POST /auth/revoke')).toHaveLength(2);
  });
});
