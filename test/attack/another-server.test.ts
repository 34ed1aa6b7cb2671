// What one server has issued is worth nothing at another.
import * as client from 'openid-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allScopes, startLoginService } from '../server/oauth/login-service.ts';
import type { LoginService } from '../server/oauth/login-service.ts';
import { createFakeIssuer } from '../server/trusts/fake-issuer.ts';
import type { FakeIssuer } from '../server/trusts/fake-issuer.ts';
import type { Got } from '../server/test-service.ts';

let one: LoginService;
let other: LoginService;
let issuer: FakeIssuer;
beforeAll(async () => {
  issuer = await createFakeIssuer(() => one.deps.clock.now());
  one = await startLoginService({ receive: (...sent) => issuer.send(...sent) });
  other = await startLoginService();
});
afterAll(async () => {
  await one.close();
  await other.close();
});

const token = (body: object): Promise<Got> => one.send('POST', '/auth/token', { key: null, body });

it('tokens, keys and clients of another server are not known', async () => {
  const { tokens } = await other.login();
  const made = (path: string, body: object) => other.send('POST', path, { body });
  const fields = { name: 'k', scopes: ['governance:read'] };
  const oauthClient = (await made('/v1/oauth-clients', fields)).json;
  const { client_id, client_secret } = oauthClient;
  const grant = { grant_type: 'client_credentials', client_id, client_secret };
  const issued = (await other.send('POST', '/auth/token', { key: null, body: grant })).json;
  const keys = [
    (await made('/v1/api-keys', fields)).json.key,
    issued.access_token,
    tokens.access_token,
    tokens.refresh_token,
    tokens.id_token,
  ];
  for (const key of keys) {
    expect((await other.ask(String(key))).status).toBe(key === tokens.refresh_token || key === tokens.id_token ? 401 : 200); // prettier-ignore
    const got = await one.ask(String(key));
    expect([got.status, got.json.error_description]).toEqual([
      401,
      'Unknown API key or access token; it may have been revoked',
    ]);
  }
  const refused = await token(grant);
  expect([refused.status, refused.json.error]).toEqual([401, 'invalid_client']);
});

it('codes, refresh tokens and logins of another server lead nowhere', async () => {
  const { tokens, tab } = await other.login();
  const config = await one.discover();
  const refresh = client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
  const { back, verifier, state } = await other.consent();
  const code = client.authorizationCodeGrant(config, back.url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  await expect(code).rejects.toMatchObject({ error: 'invalid_grant' });
  const started = await client.initiateDeviceAuthorization(await other.discover(), { scope: allScopes }); // prettier-ignore
  const own = one.browser();
  const form = await one.signIn(own, '/auth/device');
  const answered = await own.submit(form, { code: started.user_code });
  expect(answered.text).toContain('No login is waiting for this code');
  const name = '__Host-govctl_session';
  const account = new Request('https://govctl.test/auth/account', {
    headers: { cookie: `${name}=${tab.cookie(name) ?? ''}` },
  });
  expect((await other.fetch(account.clone())).status).toBe(200);
  expect((await one.fetch(account)).headers.get('location')).toContain('/auth/sign-in');
});

it('an invitation of another server opens nothing', async () => {
  const body = { email: 'new@example.com', roles: ['viewer'] };
  const { invitation_url: url } = (await other.send('POST', '/v1/users', { body })).json;
  const page = await one.browser().open(String(url));
  expect(page.title).not.toBe('Choose a password');
  expect((await other.browser().open(String(url))).title).toBe('Choose a password');
});

it('a job’s token for another server is refused, saying for whom it is', async () => {
  const rule = { name: 'jobs', provider: 'github', repository: 'acme/policies', ref: 'refs/heads/main', scopes: ['governance:read'] }; // prettier-ignore
  await one.send('POST', '/v1/trusts', { body: rule });
  const exchange = async (aud: string): Promise<Got> =>
    token({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: await issuer.sign({ aud }),
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    });
  expect((await exchange('https://govctl.test')).status).toBe(200);
  const refused = await exchange('https://other.test');
  expect([refused.status, refused.json.error, refused.json.error_description]).toEqual([
    400,
    'invalid_grant',
    expect.stringContaining('https://other.test'),
  ]);
});
