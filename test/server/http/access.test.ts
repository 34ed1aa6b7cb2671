import { readFile } from 'node:fs/promises';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../src/contract/contract.ts';
import type { Endpoint, Scope } from '../../../src/contract/endpoint.ts';
import { builtInRoles, isBuiltInRole } from '../../../src/contract/roles.ts';
import type { BuiltInRole } from '../../../src/contract/roles.ts';
import { signedHeaders } from '../../support/signed-request.ts';
import { allScopes, base, startLoginService } from '../oauth/login-service.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { startTestService } from '../test-service.ts';
import { createFakeIssuer } from '../trusts/fake-issuer.ts';
import type { FakeIssuer } from '../trusts/fake-issuer.ts';

type Row = Readonly<Record<string, string>>;

/** The tables of docs/reference/access.md. */
async function readTables(): Promise<readonly (readonly Row[])[]> {
  const file = new URL('../../../docs/reference/access.md', import.meta.url);
  const tables = (await readFile(file, 'utf8')).split('\n\n').filter((part) => part[0] === '|');
  return tables.map((text) => {
    const [head = [], , ...rows] = text
      .trim()
      .split('\n')
      .map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim().replaceAll('`', ''))); // prettier-ignore
    return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [head[at] ?? '', cell])));
  });
}

const endpoints = Object.values(contract).flatMap((verbs): Endpoint[] => Object.values(verbs));
const roles = Object.keys(builtInRoles).filter(isBuiltInRole);
const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
/** Of these, one scope is not enough for everything. */
const takeMore = new Set(['POST /v1/cost/rightsizing/:id/apply']);

let service: LoginService;
let issuer: FakeIssuer;
/** `GET /v1/policies` → role → whether it may. */
let may: ReadonlyMap<string, Row>;
/** Credential → what is answered. */
let refusals: ReadonlyMap<string, Row>;
/** A key of an owner, which makes all the others: the folder's own is disabled once an owner has signed in. */
let every: string;
beforeAll(async () => {
  issuer = await createFakeIssuer(() => service.deps.clock.now());
  service = await startLoginService({ receive: (...sent) => issuer.send(...sent) });
  await service.addUser('first@example.com', ['owner']);
  every = (await makeKey({}, (await service.login('first@example.com')).tokens.access_token)).key;
  const [first = [], second = []] = await readTables();
  may = new Map(first.map((row) => [`${row.method ?? ''} ${row.path ?? ''}`, row]));
  refusals = new Map(second.map((row) => [row.credential ?? '', row]));
});
afterAll(() => service.close());

type Headers = Readonly<Record<string, string>>;

/** What an endpoint answers to who sends this token, as far as it is about the token. */
async function answerTo(
  { method, path, body }: Endpoint,
  token: string | null,
  headers: Headers = {},
): Promise<{ readonly status: number; readonly error: string }> {
  const sent = { key: token, headers, ...(body ? { body: {} } : {}) };
  const got = await service.send(method, path.replace(/:\w+/g, 'none'), sent);
  const isOpen = { status: 200, error: 'yes' };
  if (got.status !== 401 && got.status !== 403) return isOpen;
  const error = String(got.json.error);
  // Those are about what is asked for, not about who asks.
  if (/^(report_password|link_|download_|not_local)/.test(error)) return isOpen;
  return { status: got.status, error };
}

interface Key {
  readonly id: string;
  readonly key: string;
  readonly signing_secret: string;
}

async function makeKey(fields: object, by = every): Promise<Key> {
  const body = { name: 'k', scopes: builtInRoles.owner, ...fields };
  const made = await service.send('POST', '/v1/api-keys', { body, key: by });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return made.json as unknown as Key;
}

const manage = async (method: string, path: string, body?: object): Promise<void> => {
  const { status, text } = await service.send(method, path, { key: every, ...(body ? { body } : {}) }); // prettier-ignore
  expect([status, text]).toEqual([method === 'DELETE' ? 204 : 200, text]);
};

async function makeClientToken(scopes: readonly Scope[]) {
  const body = { name: 'c', scopes };
  const { client_id, client_secret } = (await service.send('POST', '/v1/oauth-clients', { body, key: every })).json; // prettier-ignore
  const grant = { grant_type: 'client_credentials', client_id, client_secret };
  const { json } = await service.send('POST', '/auth/token', { key: null, body: grant });
  return { id: String(client_id), token: String(json.access_token) };
}

let people = 0;

async function logIn(role: BuiltInRole) {
  const email = `${role}-${(people += 1)}@example.com`;
  const id = await service.addUser(email, [role], every);
  const { config, tokens } = await service.login(email);
  return { id, email, config, token: tokens.access_token, refresh: tokens.refresh_token ?? '' };
}

async function logInByCode(role: BuiltInRole): Promise<string> {
  const email = `${role}-${(people += 1)}@example.com`;
  await service.addUser(email, [role], every);
  const config = await service.discover();
  const started = await client.initiateDeviceAuthorization(config, { scope: allScopes });
  const tab = service.browser();
  const form = await service.signIn(tab, '/auth/device', email);
  await tab.submit(await tab.submit(form, { code: started.user_code }), { decision: 'allow' });
  const poll = client.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 });
  return (await poll).access_token;
}

const board = 'https://board.example.com/callback';

async function logInToProgram(role: BuiltInRole): Promise<string> {
  const email = `${role}-${(people += 1)}@example.com`;
  await service.addUser(email, [role], every);
  const body = { name: 'Board', scopes: builtInRoles.owner, redirect_uris: [board], public: true };
  const { json } = await service.send('POST', '/v1/oauth-clients', { body, key: every });
  const config = await client.discovery(new URL(base), String(json.client_id), undefined, client.None(), {
    [client.customFetch]: (url, options) => service.fetch(new Request(url, options as RequestInit)),
  }); // prettier-ignore
  const { url, verifier, state } = await service.begin(config, { redirect_uri: board });
  const tab = service.browser();
  const back = await tab.submit(await service.signIn(tab, url, email), { decision: 'allow' });
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  return (await client.authorizationCodeGrant(config, back.url, checks)).access_token;
}

async function exchange(scopes: readonly Scope[]) {
  const repository = `acme/repo-${(people += 1)}`;
  const rule = { name: 'jobs', provider: 'github', repository, ref: 'refs/heads/main', scopes };
  const made = await service.send('POST', '/v1/trusts', { body: rule, key: every });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  const grant = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: await issuer.sign({ repository, sub: `repo:${repository}:ref:refs/heads/main` }),
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  };
  const { json } = await service.send('POST', '/auth/token', { key: null, body: grant });
  return { id: String(made.json.id), token: String(json.access_token) };
}

const notAdmin: readonly Scope[] = builtInRoles.owner.filter((scope) => scope !== 'admin');

/** Who sends a request, by the words of the reference. */
const holders = {
  'an API key': async (role) => (await makeKey({ scopes: builtInRoles[role] })).key,
  'an OAuth client': async (role) => (await makeClientToken(builtInRoles[role])).token,
  'a person': async (role) => (await logIn(role)).token,
  'a person with a device code': logInByCode,
  'a program that a person allowed': logInToProgram,
  'a CI job': async (role) =>
    (await exchange(builtInRoles[role].filter((scope) => scope !== 'admin'))).token,
} satisfies Record<string, (role: BuiltInRole) => Promise<string>>;

/** What such a token never has, whatever the role. */
const neverHas: Partial<Record<keyof typeof holders, readonly (Scope | 'any' | null)[]>> = {
  'a person with a device code': ['admin', 'cost:admin'],
  'a CI job': ['admin'],
};

describe('who can call what', () => {
  it('is in the reference for every endpoint, and for no other', () => {
    expect([...may.keys()].sort()).toEqual(endpoints.map(nameOf).sort());
  });

  it.each(Object.entries(holders))(
    'is as the reference says for %s of every role',
    async (kind, tokenOf) => {
      // prettier-ignore
      const isPerson = kind.startsWith('a person');
      const never = neverHas[kind as keyof typeof holders] ?? [];
      for (const role of roles) {
        const token = await tokenOf(role);
        for (const endpoint of endpoints) {
          const name = nameOf(endpoint);
          const row = may.get(name) ?? {};
          const isPermitted = row[role] === 'yes' && !never.includes(endpoint.scope);
          if (isPermitted && takeMore.has(name)) continue;
          const isOwn = isPerson && Object.values(row).includes('own');
          const { error } = await answerTo(endpoint, token);
          const expected = isPermitted || isOwn ? 'yes' : 'insufficient_scope';
          expect([role, name, error]).toEqual([role, name, expected]);
        }
      }
    },
  );
});

type Sent = readonly [token: string | null, headersFor?: (endpoint: Endpoint) => Promise<Headers>];

/** Signs each request, with a secret of somebody else's. */
const signedWrongly =
  ({ id, key }: Key) =>
  ({ method, path, body }: Endpoint): Promise<Headers> =>
    signedHeaders({
      method,
      url: `http://service.test${path.replace(/:\w+/g, 'none')}`,
      key,
      keyId: id,
      secret: `gss_${'x'.repeat(43)}`,
      now: service.deps.clock.now(),
      body: body ? '{}' : '',
    });

const in1h = (): string => new Date(service.deps.clock.now() + 3_600_000).toISOString();
const after = (seconds: number, token: string): Sent => {
  service.advance(seconds * 1_000);
  return [token];
};

/** Each with every scope that its kind may have. */
const powerless: Readonly<Record<string, () => Promise<Sent>>> = {
  'no token': () => Promise.resolve([null]),
  'only the cookie of a browser that is signed in': async () => {
    const tab = service.browser();
    const { email } = await logIn('owner');
    expect((await service.signIn(tab, '/auth/account', email)).title).toBe('Your account');
    const name = '__Host-govctl_session';
    const session = tab.cookie(name);
    expect(session).toMatch(/./);
    return [null, () => Promise.resolve({ cookie: `${name}=${session ?? ''}` })];
  },
  'an unknown token': () => Promise.resolve([`gk_${'x'.repeat(43)}`]),
  'an API key of another server': async () => {
    const other = await startTestService();
    await other.close();
    return [other.key];
  },
  'a revoked API key': async () => {
    const { id, key } = await makeKey({});
    await manage('DELETE', `/v1/api-keys/${id}`);
    return [key];
  },
  'a token of a deleted client': async () => {
    const { id, token } = await makeClientToken(builtInRoles.owner);
    await manage('DELETE', `/v1/oauth-clients/${id}`);
    return [token];
  },
  'a token of a person who has logged out': async () => {
    const { config, token, refresh } = await logIn('owner');
    await client.tokenRevocation(config, refresh);
    return [token];
  },
  'a token of a disabled person': async () => {
    const { id, token } = await logIn('admin');
    await manage('PUT', `/v1/users/${id}`, { disabled: true });
    return [token];
  },
  'an API key of a disabled person': async () => {
    const { id, token } = await logIn('admin');
    const { key } = await makeKey({ scopes: builtInRoles.admin }, token);
    await manage('PUT', `/v1/users/${id}`, { disabled: true });
    return [key];
  },
  'a token of a deleted trust rule': async () => {
    const { id, token } = await exchange(notAdmin);
    await manage('DELETE', `/v1/trusts/${id}`);
    return [token];
  },
  'an expired API key': async () => after(3_601, (await makeKey({ expires_at: in1h() })).key),
  'an expired token of a client': async () =>
    after(3_601, (await makeClientToken(builtInRoles.owner)).token),
  'an expired token of a person': async () => after(3_601, (await logIn('owner')).token),
  'an expired token of a CI job': async () => after(901, (await exchange(notAdmin)).token),
  'an API key, from another address': async () => [
    (await makeKey({ ip_allow_list: ['203.0.113.0/24'] })).key,
  ],
  'an API key, from another country': async () => [(await makeKey({ countries: ['DE'] })).key],
  'an API key that requires signatures, unsigned': async () => [
    (await makeKey({ require_signature: true })).key,
  ],
  'an API key that requires signatures, signed with another secret': async () => {
    const key = await makeKey({ require_signature: true });
    return [key.key, signedWrongly(key)];
  },
};

describe('what a credential that does not work gets at every endpoint', () => {
  it('is in the reference, credential by credential', () => {
    expect([...refusals.keys()]).toEqual(Object.keys(powerless));
  });

  it.each(Object.entries(powerless))('is as the reference says for %s', async (name, make) => {
    const [token, headersFor] = await make();
    const { status, error } = refusals.get(name) ?? {};
    for (const endpoint of endpoints) {
      if (endpoint.scope === null) continue;
      const answered = await answerTo(endpoint, token, await headersFor?.(endpoint));
      expect([nameOf(endpoint), answered]).toEqual([
        nameOf(endpoint),
        { status: Number(status), error },
      ]);
    }
  });
});
