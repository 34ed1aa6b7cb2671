import * as jose from 'jose';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scopes } from '../../../src/contract/endpoint.ts';
import { createLogins } from '../../../src/server/wiring/logins.ts';
import type { LoginService } from './login-service.ts';
import { base, startLoginService } from './login-service.ts';

let service: LoginService;
beforeEach(async () => void (service = await startLoginService()));
afterEach(() => service.close());

const names = ['openid-configuration', 'oauth-authorization-server'];
const grants = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
];
/** All that they say. */
const everything = {
  issuer: base,
  authorization_endpoint: `${base}/auth/authorize`,
  token_endpoint: `${base}/auth/token`,
  device_authorization_endpoint: `${base}/auth/device`,
  revocation_endpoint: `${base}/auth/revoke`,
  introspection_endpoint: `${base}/auth/introspect`,
  userinfo_endpoint: `${base}/auth/userinfo`,
  jwks_uri: `${base}/.well-known/jwks.json`,
  code_challenge_methods_supported: ['S256'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grants,
  id_token_signing_alg_values_supported: ['ES256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  authorization_response_iss_parameter_supported: true,
  request_uri_parameter_supported: false,
  claims_parameter_supported: false,
  claim_types_supported: ['normal'],
  claims_supported: ['sub', 'email', 'name', 'roles', 'sid', 'auth_time', 'iss'],
  scopes_supported: ['openid', 'offline_access', ...scopes, 'email', 'profile'],
  subject_types_supported: ['public'],
};

describe('the documents of the authorization server', () => {
  it.each(names)('say what works, and nothing else: %s', async (name) => {
    const got = await service.send('GET', `/.well-known/${name}`, { key: null });
    expect([got.status, got.json]).toEqual([200, everything]);
    const answered = new Response(got.text, { headers: { 'content-type': 'application/json' } });
    expect((await oauth.processDiscoveryResponse(new URL(base), answered)).issuer).toBe(base);
  });

  it('name endpoints that there are, and grants that are known', async () => {
    for (const [field, where] of Object.entries(everything)) {
      if (!/_endpoint$|_uri$/.test(field)) continue;
      const { pathname } = new URL(String(where));
      const isForm = /token|device|revo|introspect/.test(field);
      const got = isForm
        ? await service.form(pathname, {})
        : await service.send('GET', pathname, { key: null });
      expect([field, [200, 400, 401].includes(got.status)]).toEqual([field, true]);
    }
    for (const grant_type of grants) {
      const { json } = await service.form('/auth/token', { grant_type, client_id: 'govctl-cli' });
      expect([grant_type, json.error]).not.toEqual([grant_type, 'unsupported_grant_type']);
    }
    const { json } = await service.form('/auth/token', { grant_type: 'password' });
    expect(json.error).toBe('unsupported_grant_type');
  });

  it('leave out device codes where the operator turned them off', async () => {
    const logins = createLogins(service.deps, {
      signIn: service.signIn as never,
      baseUrl: () => base,
      limiter: { loginBegun: () => undefined },
      fetch: () => new Response(),
      deviceLogin: false,
    });
    const read = await logins.beside(new Request(`${base}/.well-known/${names[0] ?? ''}`), {}, 'r');
    const fields = (await read?.json()) as Record<string, unknown>;
    expect(fields).not.toHaveProperty('device_authorization_endpoint');
    expect(fields.grant_types_supported).not.toContain(grants[3]);
    const post = new Request(`${base}/auth/device`, { method: 'POST' });
    expect(logins.beside(post, {}, 'r')).toBeUndefined();
  });

  it('publish keys without their private parts', async () => {
    const { json } = await service.send('GET', '/.well-known/jwks.json', { key: null });
    const [key] = json.keys as Record<string, unknown>[];
    expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'sig' });
    expect(key).not.toHaveProperty('d');
  });
});

describe('what the documents do not name', () => {
  it.each(['form_post', 'fragment', 'query.jwt', 'web_message'])(
    'is refused: the response mode %s',
    async (response_mode) => {
      const { url } = await service.begin(await service.discover(), { response_mode });
      const { url: back } = await service.browser().open(url);
      expect(back.searchParams.get('error')).toBe('unsupported_response_mode');
      expect(back.hash).toBe('');
    },
  );

  it.each([
    ['a request object without a signature', () => new jose.UnsecuredJWT({ scope: 'openid admin' }).encode()], // prettier-ignore
    ['a signed request object', async () => new jose.SignJWT({ scope: 'openid' }).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))], // prettier-ignore
  ])('is refused: %s', async (_, make) => {
    const { url } = await service.begin(await service.discover(), { request: await make() });
    const { url: back } = await service.browser().open(url);
    expect(back.searchParams.get('error')).toBe('request_not_supported');
  });

  it('is refused: a request object at an address', async () => {
    const request_uri = 'https://evil.example/request';
    const { url } = await service.begin(await service.discover(), { request_uri });
    const { url: back } = await service.browser().open(url);
    expect(back.searchParams.get('error')).toBe('request_uri_not_supported');
  });

  it('is not done: tokens stay bearer tokens where a proof of a key is sent along', async () => {
    const { config, tokens } = await service.login();
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP }).catch((error: unknown) => error); // prettier-ignore
    expect(next).not.toMatchObject({ token_type: 'dpop' });
  });
});

describe('an ID token as a hint of who is meant', () => {
  const payload = () => ({ sub: service.userId, iss: base, aud: 'govctl-cli' });
  const sign = async (alg: string, key: jose.CryptoKey | Uint8Array, header: object = {}) =>
    new jose.SignJWT(payload()).setProtectedHeader({ alg, ...header }).setIssuedAt().setExpirationTime('1h').sign(key); // prettier-ignore
  async function published(): Promise<{ kid: string; pem: string }> {
    const { json } = await service.send('GET', '/.well-known/jwks.json', { key: null });
    const [key] = json.keys as jose.JWK[];
    const own = await jose.importJWK(key ?? {}, 'ES256');
    return { kid: key?.kid ?? '', pem: await jose.exportSPKI(own as jose.CryptoKey) };
  }

  it.each<[string, () => Promise<string>]>([
    ['without a signature', () => Promise.resolve(new jose.UnsecuredJWT(payload()).encode())],
    [
      'with the public key as a secret',
      async () => {
        const { kid, pem } = await published();
        return sign('HS256', new TextEncoder().encode(pem), { kid });
      },
    ],
    [
      'of another key under the kid of the right one',
      async () => {
        const { kid } = await published();
        return sign('ES256', (await jose.generateKeyPair('ES256')).privateKey, { kid });
      },
    ],
    [
      'with a kid that there is not',
      async () =>
        sign('ES256', (await jose.generateKeyPair('ES256')).privateKey, {
          kid: '../../etc/passwd',
        }),
    ],
    [
      'that brings its own key',
      async () => {
        const { privateKey, publicKey } = await jose.generateKeyPair('ES256');
        return sign('ES256', privateKey, { jwk: await jose.exportJWK(publicKey) });
      },
    ],
  ])('is refused %s', async (_, make) => {
    const { tab } = await service.login();
    const config = await service.discover();
    const { url } = await service.begin(config, { id_token_hint: await make(), prompt: 'none' });
    const { url: back } = await tab.open(url);
    expect(back.searchParams.get('error')).toBe('invalid_request');
    expect(back.searchParams.get('code')).toBeNull();
  });
});
