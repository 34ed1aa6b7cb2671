// Somebody who has little tries every way by which authority is made, to end with more. Further ways: the company's accounts in
// company-sign-in.test.ts, ID tokens of jobs in ci-tokens.test.ts, costs in test/server/http/no-cost.test.ts, approval in
// test/server/remediation/approval.test.ts, the first owner and break-glass in test/server/sign-in/first-owner.test.ts; users and
// roles, and keys, in any order in the property tests no-escalation and keys-no-escalation.
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/contract/endpoint.ts';
import { builtInRoles } from '../../src/contract/roles.ts';
import type { LoginService } from '../server/oauth/login-service.ts';
import { startLoginService } from '../server/oauth/login-service.ts';
import type { Got } from '../server/test-service.ts';
import { createFakeIssuer } from '../server/trusts/fake-issuer.ts';
import type { FakeIssuer } from '../server/trusts/fake-issuer.ts';

let service: LoginService;
let issuer: FakeIssuer;
/** Of Olga, an owner; of Adam, an admin; of Ada, an editor. */
let owner: string;
let adam: string;
let ada: string;
let olgasId: string;
let adamsId: string;
beforeAll(async () => {
  issuer = await createFakeIssuer(() => service.deps.clock.now());
  service = await startLoginService({ receive: (...sent) => issuer.send(...sent) });
  olgasId = await service.addUser('olga@example.com', ['owner']);
  owner = (await service.login('olga@example.com')).tokens.access_token;
  adamsId = await service.addUser('adam@example.com', ['admin'], owner);
  adam = (await service.login('adam@example.com')).tokens.access_token;
  ada = (await service.login()).tokens.access_token;
});
afterAll(() => service.close());

const as = (key: string, method: string, path: string, body?: object): Promise<Got> =>
  service.send(method, path, { key, ...(body ? { body } : {}) });
const made = async (key: string, path: string, body: object): Promise<Record<string, string>> => {
  const got = await as(key, 'POST', path, body);
  expect([got.status, got.text]).toEqual([201, got.text]);
  return got.json as Record<string, string>;
};
const scopesOf = async (token: unknown): Promise<unknown> => {
  const got = await as(String(token), 'GET', '/v1/me');
  return got.status === 200 ? got.json.scopes : got.status;
};
const clientToken = async ({ client_id, client_secret }: Record<string, string>, scope?: string) =>
  service.send('POST', '/auth/token', {
    key: null,
    body: { grant_type: 'client_credentials', client_id, client_secret, ...(scope ? { scope } : {}) }, // prettier-ignore
  });
const idToken = 'urn:ietf:params:oauth:token-type:id_token';
const exchange = (token: string, more: object = {}): Promise<Got> =>
  service.send('POST', '/auth/token', {
    key: null,
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: idToken,
      ...more,
    },
  });
let rules = 0;
/** A rule for a repository of its own, and the token of a job there. */
async function trust(by: string, scopes: readonly Scope[]) {
  const repository = `acme/repo-${(rules += 1)}`;
  const rule = { name: 'jobs', provider: 'github', repository, ref: 'refs/heads/main', scopes };
  const { id = '' } = await made(by, '/v1/trusts', rule);
  return { id, job: await issuer.sign({ repository, sub: `repo:${repository}:ref:refs/heads/main` }) }; // prettier-ignore
}

/** Adam's own login, and what he makes of it: each has his scopes, or fewer. */
const adamsCredentials: readonly (readonly [string, () => Promise<string>])[] = [
  ['his login', () => Promise.resolve(adam)],
  ['a key', async () => (await made(adam, '/v1/api-keys', { name: 'k', scopes: builtInRoles.admin })).key ?? ''], // prettier-ignore
  [
    'a key that a key made',
    async () => {
      const body = { name: 'k', scopes: builtInRoles.admin };
      const { key = '' } = await made(adam, '/v1/api-keys', body);
      return (await made(key, '/v1/api-keys', body)).key ?? '';
    },
  ],
  [
    'a client',
    async () => {
      const body = { name: 'c', scopes: builtInRoles.admin };
      const { json } = await clientToken(await made(adam, '/v1/oauth-clients', body));
      return String(json.access_token);
    },
  ],
];

describe.each(adamsCredentials)('an admin, with %s,', (_, credentialOf) => {
  let by: string;
  beforeAll(async () => void (by = await credentialOf()));
  const refused = async (method: string, path: string, body?: object): Promise<void> => {
    const got = await as(by, method, path, body);
    expect([method, path, got.status, got.json.error]).toEqual([
      method,
      path,
      403,
      'insufficient_scope',
    ]);
  };

  it('makes no user, role, key, client or trust rule with more than they have', async () => {
    for (const role of ['owner', 'cost-viewer']) {
      await refused('POST', '/v1/users', { email: 'x@example.com', roles: [role] });
      await refused('PUT', `/v1/users/${adamsId}`, { roles: ['admin', role] });
      await refused('PUT', `/v1/users/${service.userId}`, { roles: [role] });
    }
    for (const scope of ['cost:read', 'cost:admin']) {
      await refused('POST', '/v1/roles', { name: 'more', scopes: [scope] });
      await refused('POST', '/v1/api-keys', { name: 'k', scopes: [scope] });
      await refused('POST', '/v1/oauth-clients', { name: 'c', scopes: [scope] });
      await refused('POST', '/v1/trusts', { name: 't', provider: 'github', repository: 'acme/x', ref: 'refs/heads/main', scopes: [scope] }); // prettier-ignore
    }
  });

  it('takes over nobody and nothing that has more', async () => {
    const all = { name: 'x', scopes: builtInRoles.owner };
    const { id: key } = await made(owner, '/v1/api-keys', all);
    const { id: oauthClient } = await made(owner, '/v1/oauth-clients', all);
    const { id: rule } = await trust(owner, ['cost:read']);
    const bootstrap = (await as(by, 'GET', '/v1/api-keys?sort_by=created_at&order=asc&limit=1')).json; // prettier-ignore
    const [{ id: operators = '' } = {}] = bootstrap.api_keys as { id?: string }[];
    await refused('POST', `/v1/users/${olgasId}/reset`);
    await refused('PUT', `/v1/users/${olgasId}`, { roles: ['viewer'] });
    for (const [method, path, body] of [
      ['POST', `/v1/api-keys/${key}/rotate`, {}],
      ['PUT', `/v1/api-keys/${key}`, { expires_at: '2030-01-01T00:00:00Z' }],
      ['POST', `/v1/api-keys/${operators}/rotate`, {}],
      ['PUT', `/v1/api-keys/${operators}`, { name: 'x' }],
      ['POST', `/v1/oauth-clients/${oauthClient}/rotate`, {}],
      ['PUT', `/v1/oauth-clients/${oauthClient}`, { name: 'y' }],
      ['PUT', `/v1/trusts/${rule}`, { repository: 'adam/own' }],
    ] as const) {
      await refused(method, path, body);
    }
  });

  it('widens nothing of their own afterwards', async () => {
    const name = `own-${String(_).replaceAll(' ', '-')}`;
    await made(by, '/v1/roles', { name, scopes: ['governance:read'] });
    await as(by, 'PUT', `/v1/users/${service.userId}`, { roles: ['editor', name] });
    await refused('PUT', `/v1/roles/${name}`, { scopes: ['governance:read', 'cost:read'] });
    const { id } = await trust(by, ['governance:read']);
    await refused('PUT', `/v1/trusts/${id}`, { scopes: ['cost:read'] });
    for (const noun of ['api-keys', 'oauth-clients']) {
      const own = await made(by, `/v1/${noun}`, { name: 'k', scopes: ['governance:read'] });
      for (const body of [{ scopes: ['cost:read'] }, { bound_to: olgasId }]) {
        const got = await as(by, 'PUT', `/v1/${noun}/${own.id ?? ''}`, body);
        expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
      }
      const named = { made_by: olgasId, user_id: olgasId };
      expect((await as(by, 'PUT', `/v1/${noun}/${own.id ?? ''}`, named)).json).toMatchObject({
        made_by: adamsId,
      });
    }
    ada = (await service.login()).tokens.access_token;
  });

  it('does not accept an invitation in the place of somebody who has more by then', async () => {
    const email = `new-${Math.random()}@example.com`;
    const { id, invitation_url: url = '' } = await made(by, '/v1/users', { email, roles: ['viewer'] }); // prettier-ignore
    const raised = await as(owner, 'PUT', `/v1/users/${id ?? ''}`, { roles: ['cost-viewer'] });
    expect(raised.status).toBe(200);
    expect((await service.browser().open(url)).title).not.toBe('Choose a password');
  });
});

describe('a login', () => {
  const loginWith = async (scope: string, email = 'ada@example.com') => {
    const { config, back, verifier, state } = await service.consent({ scope }, email);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    return { config, tokens: await client.authorizationCodeGrant(config, back.url, checks) };
  };

  it('has no more than the person, whatever the program asks for', async () => {
    const { tokens } = await loginWith('openid offline_access governance:read cost:admin admin');
    expect(await scopesOf(tokens.access_token)).toEqual(['governance:read']);
  });

  it('is not widened by a refresh, nor when the person gets more', async () => {
    const { config, tokens } = await loginWith('openid offline_access governance:read');
    const refresh = tokens.refresh_token ?? '';
    const wider = client.refreshTokenGrant(config, refresh, {
      scope: 'openid offline_access governance:read compliance:write',
    });
    await expect(wider).rejects.toMatchObject({ error: 'invalid_scope' });
    const next = await client.refreshTokenGrant(config, refresh);
    expect(await scopesOf(next.access_token)).toEqual(['governance:read']);
  });

  it('by device code has neither admin nor cost:admin, and makes nothing that has', async () => {
    const config = await service.discover();
    const started = await client.initiateDeviceAuthorization(config, { scope: 'governance:read admin cost:admin' }); // prettier-ignore
    const tab = service.browser();
    const form = await service.signIn(tab, '/auth/device', 'olga@example.com');
    await tab.submit(await tab.submit(form, { code: started.user_code }), { decision: 'allow' });
    const poll = client.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 });
    const token = (await poll).access_token;
    expect(await scopesOf(token)).toEqual(['governance:read']);
    const wider = { name: 'k', scopes: ['admin'] };
    expect((await as(token, 'POST', '/v1/api-keys', wider)).status).toBe(403);
  });

  it('is no ID token of a job, and a job’s access token is none, either', async () => {
    const { id, job } = await trust(owner, ['governance:read']);
    const access = String((await exchange(job)).json.access_token);
    for (const token of [access, ada, 'x.y.z']) {
      const got = await exchange(token);
      expect([got.status, got.json.error]).toEqual([400, 'invalid_grant']);
    }
    await as(owner, 'DELETE', `/v1/trusts/${id}`);
  });
});

describe('a client or a job', () => {
  it('gets no token with more than the client or the rule has', async () => {
    const oauthClient = await made(adam, '/v1/oauth-clients', { name: 'c', scopes: ['governance:read'] }); // prettier-ignore
    expect((await clientToken(oauthClient, 'governance:read admin')).json.error).toBe('invalid_scope'); // prettier-ignore
    const { job } = await trust(adam, ['governance:read']);
    expect((await exchange(job, { scope: 'compliance:write' })).json.error).toBe('invalid_scope');
    const token = (await exchange(job)).json.access_token;
    expect(await scopesOf(token)).toEqual(['governance:read']);
    const key = { name: 'k', scopes: ['governance:read'] };
    expect((await as(String(token), 'POST', '/v1/api-keys', key)).status).toBe(403);
  });

  it('loses what the maker loses, at once, in tokens that it has and in those it gets', async () => {
    const id = await service.addUser('vera@example.com', ['admin'], owner);
    const vera = (await service.login('vera@example.com')).tokens.access_token;
    const scopes = ['governance:read', 'compliance:write'] as const;
    const oauthClient = await made(vera, '/v1/oauth-clients', { name: 'c', scopes });
    const { job } = await trust(vera, scopes);
    const { key } = await made(vera, '/v1/api-keys', { name: 'k', scopes });
    const before = [
      key,
      (await clientToken(oauthClient)).json.access_token,
      (await exchange(job)).json.access_token,
    ];
    await as(owner, 'PUT', `/v1/users/${id}`, { roles: ['viewer'] });
    const after = [
      (await clientToken(oauthClient)).json.access_token,
      (await exchange(job)).json.access_token,
    ];
    for (const token of [...before, ...after]) {
      expect(await scopesOf(token)).toEqual(['governance:read']);
    }
    await as(owner, 'PUT', `/v1/users/${id}`, { disabled: true });
    for (const token of [...before, ...after]) expect(await scopesOf(token)).toBe(401);
  });
});

describe('an editor', () => {
  it('gets no answer of another caller by their Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'same' };
    const body = { name: 'r', scopes: ['governance:read'] };
    const first = await service.send('POST', '/v1/roles', { key: owner, body, headers });
    expect(first.status).toBe(201);
    const again = await service.send('POST', '/v1/roles', { key: ada, body, headers });
    expect(again.status).toBe(403);
  });
});
