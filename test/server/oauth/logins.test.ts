import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { users } from '../../../src/server/users/collection.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';
import { Browser } from './browser.ts';
import { fakeSignIn } from './fake-sign-in.ts';

const base = 'https://govctl.test';
const allScopes = 'openid offline_access governance:read compliance:write cost:admin admin';

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ signIn: fakeSignIn, isLocal: false });
  await addUser('ada@example.com', ['editor']);
});
afterEach(() => service.close());

const addUser = (email: string, roles: string[]) =>
  service.deps.store.transact((tx) =>
    tx.insert(users, {
      id: service.deps.ids.next('user'),
      email,
      roles,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      created_by: 'user_x',
    }),
  );

const fetchHere = async (request: Request): Promise<Response> =>
  service.app.fetch(request, { remoteAddress: '192.0.2.7' });
const customFetch: client.CustomFetch = (url, options) =>
  fetchHere(new Request(url, options as RequestInit));

const discover = async (id = 'govctl-cli') => {
  const config = await client.discovery(new URL(base), id, undefined, client.None(), {
    [client.customFetch]: customFetch,
  });
  return config;
};

const browser = () => new Browser(base, fetchHere);

async function signIn(tab: Browser, where: URL | string, email = 'ada@example.com') {
  const page = await tab.open(where);
  expect(page.title).toBe('Sign in');
  return tab.submit(page, { email, password: 'right' });
}

async function begin(config: client.Configuration, scope = allScopes) {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: 'http://127.0.0.1:51234/callback',
    scope,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url, verifier, state };
}

async function login(scope = allScopes, email = 'ada@example.com') {
  const config = await discover();
  const { url, verifier, state } = await begin(config, scope);
  const tab = browser();
  const consent = await signIn(tab, url, email);
  expect(consent.title).toBe('Log in to govctl command line?');
  const back = await tab.submit(consent, { decision: 'allow' });
  expect(back.url.origin).toBe('http://127.0.0.1:51234');
  const tokens = await client.authorizationCodeGrant(config, back.url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  return { config, tokens, tab, back, verifier, state };
}

const ask = (token: string, path = '/v1/policies') =>
  service.send('GET', path, { headers: { authorization: `Bearer ${token}` }, key: null });

describe('a login with a code', () => {
  it('gives tokens with the scopes that the person has, and an ID token', async () => {
    const { tokens } = await login();
    expect(tokens.token_type).toBe('bearer');
    expect(tokens.scope?.split(' ').sort()).toEqual([
      'compliance:write',
      'governance:read',
      'openid',
    ]);
    expect(tokens.claims()).toMatchObject({ iss: base, aud: 'govctl-cli' });
    expect((await ask(tokens.access_token)).status).toBe(200);
    expect((await ask(tokens.access_token, '/v1/api-keys')).status).toBe(403);
  });

  it('ends with what the person loses, at once', async () => {
    const { tokens } = await login();
    const found = (await service.deps.store.find(users, 'email', 'ada@example.com'))?.doc;
    if (!found) throw new Error('no user');
    await service.deps.store.transact((tx) =>
      tx.replace(users, { ...found, disabled_at: '2026-01-02T00:00:00.000Z' }),
    );
    expect((await ask(tokens.access_token)).status).toBe(401);
  });

  it('goes on with refresh tokens, each of which is used once; a second use ends all of them', async () => {
    const { config, tokens } = await login();
    const first = tokens.refresh_token ?? '';
    const second = await client.refreshTokenGrant(config, first);
    expect((await ask(second.access_token)).status).toBe(200);
    await expect(client.refreshTokenGrant(config, first)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await ask(second.access_token)).status).toBe(401);
    await expect(
      client.refreshTokenGrant(config, second.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('is refused where the code is used twice, and the tokens of its first use end', async () => {
    const { config, back, verifier, state, tokens } = await login();
    await expect(
      client.authorizationCodeGrant(config, back.url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
      }),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await ask(tokens.access_token)).status).toBe(401);
  });

  it('can be revoked by its client', async () => {
    const { config, tokens } = await login();
    await client.tokenRevocation(config, tokens.refresh_token ?? '');
    expect((await ask(tokens.access_token)).status).toBe(401);
  });
});

describe('a login with a device code', () => {
  it('is let in by a person who signs in anew and types the code', async () => {
    const config = await discover();
    const started = await client.initiateDeviceAuthorization(config, { scope: allScopes });
    expect(started).toMatchObject({
      verification_uri: `${base}/auth/device`,
      interval: 5,
      expires_in: 600,
    });
    expect(started.verification_uri_complete).toBeUndefined();
    expect(started.user_code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    const tab = browser();
    const form = await signIn(tab, '/auth/device');
    expect(form.text).not.toContain(started.user_code);
    const confirm = await tab.submit(form, {
      code: started.user_code.toLowerCase().replace('-', ' '),
    });
    expect(confirm.text).toContain('192.0.2.7');
    const done = await tab.submit(confirm, { decision: 'allow' });
    expect(done.title).toBe('Device logged in');
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 });
    expect((await ask(tokens.access_token)).status).toBe(200);
    expect(tokens.scope).not.toContain('admin');
  });
});
