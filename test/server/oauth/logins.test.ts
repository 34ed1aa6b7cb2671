import { createHash } from 'node:crypto';
import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LoginService } from './login-service.ts';
import { allScopes, base, callback, startLoginService } from './login-service.ts';

let service: LoginService;
beforeEach(async () => void (service = await startLoginService()));
afterEach(() => service.close());

const refused = { error: 'invalid_grant' };

describe('a login with a code', () => {
  it('gives tokens with the scopes that the person has, and an ID token', async () => {
    const { tokens } = await service.login();
    expect(tokens.token_type).toBe('bearer');
    expect(tokens.scope?.split(' ').sort()).toEqual(
      ['compliance:write', 'governance:read', 'openid'].sort(),
    );
    expect(tokens.claims()).toMatchObject({ iss: base, aud: 'govctl-cli', sub: service.userId });
    expect((await service.ask(tokens.access_token)).status).toBe(200);
    expect((await service.ask(tokens.access_token, '/v1/users')).status).toBe(403);
  });

  it('ends with what the person loses, at once, and is not refreshed', async () => {
    const { config, tokens } = await service.login();
    await service.disable();
    expect((await service.ask(tokens.access_token)).status).toBe(401);
    const refreshed = client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await expect(refreshed).rejects.toMatchObject(refused);
  });

  it('goes on with refresh tokens, each of which is used once; a second use ends all of them', async () => {
    const { config, tokens } = await service.login();
    const first = tokens.refresh_token ?? '';
    const second = await client.refreshTokenGrant(config, first);
    expect((await service.ask(second.access_token)).status).toBe(200);
    await expect(client.refreshTokenGrant(config, first)).rejects.toMatchObject(refused);
    expect((await service.ask(second.access_token)).status).toBe(401);
    const third = client.refreshTokenGrant(config, second.refresh_token ?? '');
    await expect(third).rejects.toMatchObject(refused);
  });

  it('gives one of twenty that use a refresh token at the same moment an answer', async () => {
    const { config, tokens } = await service.login();
    const tries = Array.from({ length: 20 }, () =>
      client.refreshTokenGrant(config, tokens.refresh_token ?? ''),
    );
    const done = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled');
    expect(done.length).toBeLessThanOrEqual(1);
  });

  it('is refused where the code is used twice, and the tokens of its first use end', async () => {
    const { config, back, verifier, state, tokens } = await service.login();
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const again = client.authorizationCodeGrant(config, back.url, checks);
    await expect(again).rejects.toMatchObject(refused);
    expect((await service.ask(tokens.access_token)).status).toBe(401);
  });

  it('can be revoked by its client, and by no other', async () => {
    const { config, tokens } = await service.login();
    const other = await service.send('POST', '/v1/oauth-clients', {
      body: { name: 'other', scopes: ['governance:read'] },
    });
    const { client_id, client_secret } = other.json as Record<string, string>;
    const form = { client_id: client_id ?? '', client_secret: client_secret ?? '' };
    const token = tokens.access_token;
    expect((await service.form('/auth/revoke', { ...form, token })).status).toBe(200);
    expect((await service.ask(token)).status).toBe(200);
    expect((await service.form('/auth/introspect', { ...form, token })).json).toEqual({
      active: false,
    });
    await client.tokenRevocation(config, tokens.refresh_token ?? '');
    expect((await service.ask(token)).status).toBe(401);
  });

  it('goes back to the program with an error where the person refuses', async () => {
    const config = await service.discover();
    const { url } = await service.begin(config);
    const tab = service.browser();
    const page = await service.signIn(tab, url);
    const back = await tab.submit(page, { decision: 'refuse' });
    expect(back.url.searchParams.get('error')).toBe('access_denied');
    expect(back.url.searchParams.get('iss')).toBe(base);
  });

  it('takes only the verifier whose hash the challenge is, as in RFC 7636 appendix B', async () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge);
    const exchange = async (given?: string) => {
      const { back } = await service.consent({ code_challenge: challenge });
      return service.form('/auth/token', {
        grant_type: 'authorization_code',
        client_id: 'govctl-cli',
        redirect_uri: callback,
        code: back.url.searchParams.get('code') ?? '',
        ...(given === undefined ? {} : { code_verifier: given }),
      });
    };
    expect((await exchange(verifier)).status).toBe(200);
    expect((await exchange(`${verifier.slice(0, -1)}l`)).json).toMatchObject(refused);
    expect((await exchange()).status).toBe(400);
    // What `plain` would take.
    expect((await exchange(challenge)).json).toMatchObject(refused);
  });

  it.each([
    ['the method plain', { code_challenge_method: 'plain' }],
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['no method', { code_challenge_method: undefined }],
    ['response_type=token', { response_type: 'token' }],
    ['response_type=id_token', { response_type: 'id_token' }],
  ])('is refused with %s', async (_, changes) => {
    const { url } = await service.begin(await service.discover(), changes);
    const page = await service.browser().open(url);
    expect(`${page.url.href} ${page.title}`).toMatch(
      /[?#]error=(invalid_request|unsupported_response_type)&|This login cannot continue$/,
    );
  });

  it.each([
    'https://evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1@evil.example/callback',
    'http://127.0.0.1:51234/callback/../elsewhere',
    'http://127.0.0.1:51234/other',
    'http://127.0.0.1:51234/callback?x=1',
    'http://127.0.0.1:51234/callback#x',
    'http://localhost:51234/callback',
    'https://127.0.0.1:51234/callback',
    'http://[::1]:51234/callback/',
    'javascript:alert(1)',
    '//evil.example/callback',
  ])('never leads to %s', async (redirect_uri) => {
    const { url } = await service.begin(await service.discover(), { redirect_uri });
    const page = await service.browser().open(url);
    expect([page.status, page.title]).toEqual([400, 'This login cannot continue']);
    expect(page.url.origin).toBe(base);
  });

  it.each(['http://127.0.0.1:1/callback', 'http://[::1]:65535/callback'])(
    'may lead to %s: a program listens where it can',
    async (redirect_uri) => {
      const { url } = await service.begin(await service.discover(), { redirect_uri });
      const page = await service.signIn(service.browser(), url);
      expect(page.title).toBe('Authorize govctl CLI?');
      expect(page.headers.get('content-security-policy')).toContain(
        `form-action 'self' ${new URL(redirect_uri).origin};`,
      );
    },
  );

  it('is another browser’s: whoever gets the link of a page cannot go on with it', async () => {
    const config = await service.discover();
    const { url } = await service.begin(config);
    const page = await service.signIn(service.browser(), url);
    const other = service.browser();
    await service.signIn(other, '/auth/sign-in');
    expect((await other.open(page.url)).title).toBe('This login has expired');
  });

  it('takes no form of another site', async () => {
    const config = await service.discover();
    const { url } = await service.begin(config);
    const tab = service.browser();
    const page = await service.signIn(tab, url);
    const forged = await tab.open(page.url, {
      method: 'POST',
      body: 'decision=allow',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
      },
    });
    expect([forged.status, forged.title]).toEqual([400, 'Request failed']);
  });
});

describe('a login with a device code', () => {
  const start = async () => {
    const config = await service.discover();
    return {
      config,
      started: await client.initiateDeviceAuthorization(config, { scope: allScopes }),
    };
  };

  it('is let in by a person who signs in anew and types the code', async () => {
    const { config, started } = await start();
    expect(started).toMatchObject({
      verification_uri: `${base}/auth/device`,
      interval: 5,
      expires_in: 600,
    });
    expect(started.verification_uri_complete).toBeUndefined();
    expect(started.user_code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    const tab = service.browser();
    const form = await service.signIn(tab, '/auth/device');
    expect(form.text).not.toContain(started.user_code);
    const code = started.user_code.toLowerCase().replace('-', ' ');
    const confirm = await tab.submit(form, { code });
    expect(confirm.text).toContain('192.0.2.7');
    const done = await tab.submit(confirm, { decision: 'allow' });
    expect(done.title).toBe('Device logged in');
    const poll = () => client.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 });
    const tokens = await poll();
    expect((await service.ask(tokens.access_token)).status).toBe(200);
    expect(tokens.scope).not.toContain('admin');
    await expect(poll()).rejects.toMatchObject(refused);
  });

  it('is told where the person refuses', async () => {
    const { config, started } = await start();
    const tab = service.browser();
    const form = await service.signIn(tab, '/auth/device');
    const confirm = await tab.submit(form, { code: started.user_code });
    expect((await tab.submit(confirm, { decision: 'refuse' })).title).toBe('Login denied');
    const poll = client.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 });
    await expect(poll).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('asks every 5 seconds, and 5 seconds less often each time that it was too early', async () => {
    const { started } = await start();
    const ask = async (afterSeconds = 0): Promise<unknown> => {
      service.advance(afterSeconds * 1_000);
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'govctl-cli',
        device_code: started.device_code,
      };
      const got = await service.form('/auth/token', form);
      return got.status === 400 ? got.json.error : got.status;
    };
    expect(await ask()).toBe('authorization_pending');
    expect(await ask(5)).toBe('authorization_pending');
    expect(await ask(4.999)).toBe('slow_down');
    expect(await ask(9.999)).toBe('slow_down');
    expect(await ask(15)).toBe('authorization_pending');
    const tab = service.browser();
    const form = await service.signIn(tab, '/auth/device');
    const confirm = await tab.submit(form, { code: started.user_code });
    await tab.submit(confirm, { decision: 'allow' });
    expect(await ask()).toBe(200);
  });

  it('gets nothing for a code that it guesses, that is another kind’s, or that has expired', async () => {
    const { started } = await start();
    const ask = async (device_code: string): Promise<unknown> => {
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      const got = await service.form('/auth/token', { grant_type, client_id: 'govctl-cli', device_code }); // prettier-ignore
      return got.json.error;
    };
    for (const guess of ['x', started.user_code, `${started.device_code}x`, '']) {
      expect(['invalid_grant', 'invalid_request']).toContain(await ask(guess));
    }
    expect(await ask(started.device_code)).toBe('authorization_pending');
    // oidc-provider knows the system's clock alone.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    try {
      expect(await ask(started.device_code)).toBe('expired_token');
      const tab = service.browser();
      const form = await service.signIn(tab, '/auth/device');
      const late = await tab.submit(form, { code: started.user_code });
      expect(late.text).toContain('No login is waiting for this code');
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks for the password again where the sign-in was minutes ago', async () => {
    const tab = service.browser();
    await service.signIn(tab, '/auth/sign-in');
    expect((await tab.open('/auth/device')).title).toBe('Log in on a device');
    service.advance(6 * 60_000);
    expect((await tab.open('/auth/device')).title).toBe('Sign in');
  });

  it('cannot be guessed: five wrong codes, and no other is tried for ten minutes', async () => {
    const { started } = await start();
    const tab = service.browser();
    const form = await service.signIn(tab, '/auth/device');
    for (let n = 0; n < 5; n++) {
      const wrong = await tab.submit(form, { code: `BBBB-BBB${'BCDFG'[n] ?? ''}` });
      expect(wrong.text).toContain('No login is waiting for this code');
    }
    const late = await tab.submit(form, { code: started.user_code });
    expect([late.status, late.text]).toEqual([
      429,
      expect.stringContaining('Too many incorrect codes'),
    ]);
  });
});

describe('strangers who begin logins', () => {
  it('are stopped at 120 a minute from one address', async () => {
    const limited = await startLoginService({ rateLimit: 'enforce' });
    try {
      const config = await limited.discover();
      const { url } = await limited.begin(config);
      const ask = async () => (await limited.browser().open(url)).status;
      for (let n = 0; n < 120; n++) expect(await ask()).toBe(200);
      expect(await ask()).toBe(429);
      limited.advance(60_000);
      expect(await ask()).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
