import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { builtInRoles, isBuiltInRole } from '../../../src/contract/roles.ts';
import type { BuiltInRole } from '../../../src/contract/roles.ts';
import { accessTokens } from '../../../src/server/auth/collection.ts';
import { hashSecret } from '../../../src/server/keys/hashed-secrets.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { startLoginService } from '../oauth/login-service.ts';

/** What docs/reference/access.md says: `GET /v1/policies` → role → whether it may. */
async function readTable(): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const text = await readFile(
    new URL('../../../docs/reference/access.md', import.meta.url),
    'utf8',
  );
  const [head = [], , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  return new Map(
    rows.map(([method = '', path = '', ...cells]) => [
      `${method} ${path}`,
      Object.fromEntries(cells.map((cell, at) => [head[at + 2] ?? '', cell])),
    ]),
  );
}

const endpoints = Object.values(contract).flatMap((verbs): Endpoint[] => Object.values(verbs));
const roles = Object.keys(builtInRoles).filter(isBuiltInRole);
/** Of these, one scope is not enough for everything. */
const takeMore = new Set(['POST /v1/cost/rightsizing/:id/apply']);

let service: LoginService;
let table: Awaited<ReturnType<typeof readTable>>;
/** A key with every scope: the folder's own is disabled once an owner has signed in. */
let every: string;
beforeAll(async () => {
  service = await startLoginService();
  every = await makeKey({ scopes: builtInRoles.owner }, service.key);
  table = await readTable();
});
afterAll(() => service.close());

/** What an endpoint answers to who sends this token, as far as it is about the token. */
async function answerTo({ method, path, body }: Endpoint, token: string | null): Promise<string> {
  const got = await service.send(method, path.replace(/:\w+/g, 'none'), {
    key: token,
    ...(body ? { body: {} } : {}),
  });
  if (got.status !== 401 && got.status !== 403) return 'yes';
  const { error } = got.json;
  // Those are about what is asked for, not about who asks.
  return /^(report_password|link_|download_|not_local)/.test(String(error)) ? 'yes' : String(error);
}

const makeKey = async (fields: object, by = every): Promise<string> => {
  const body = { name: 'k', ...fields };
  const made = await service.send('POST', '/v1/api-keys', { body, key: by });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return String(made.json.key);
};

async function makeClientToken(role: BuiltInRole): Promise<string> {
  const body = { name: role, scopes: builtInRoles[role] };
  const { client_id, client_secret } = (await service.send('POST', '/v1/oauth-clients', { body, key: every })).json; // prettier-ignore
  const grant = { grant_type: 'client_credentials', client_id, client_secret };
  return String((await service.send('POST', '/auth/token', { key: null, body: grant })).json.access_token); // prettier-ignore
}

async function signIn(role: BuiltInRole): Promise<string> {
  const email = `${role}@example.com`;
  await service.addUser(email, [role]);
  return (await service.login(email)).tokens.access_token;
}

/** As the exchange of a CI job's token stores it. */
async function putCiToken(role: BuiltInRole): Promise<string> {
  const secret = `gat_${role.padEnd(43, 'x')}`;
  const now = service.deps.clock.now();
  await service.deps.store.transact((tx) =>
    tx.insert(accessTokens, {
      id: service.deps.ids.next('tok'),
      hash: hashSecret(secret),
      kind: 'ci',
      client_id: 'trust_x',
      user_id: 'user_ci',
      scopes: builtInRoles[role],
      created_at: new Date(now).toISOString(),
      expires_at: now + 900_000,
    }),
  );
  return secret;
}

describe('who can call what', () => {
  it.each([
    ['an API key', (role: BuiltInRole) => makeKey({ scopes: builtInRoles[role] })],
    ['a client', makeClientToken],
    ['a person', signIn],
    ['a CI job', putCiToken],
  ])('is as the reference says for %s of every role', async (kind, tokenOf) => {
    for (const role of roles) {
      const token = await tokenOf(role);
      for (const endpoint of endpoints) {
        const name = `${endpoint.method} ${endpoint.path}`;
        const may = table.get(name)?.[role];
        const answered = await answerTo(endpoint, token);
        if (may === 'yes' && takeMore.has(name)) continue;
        const isOpen = may === 'yes' || (may === 'own' && kind === 'a person');
        expect([role, name, answered]).toEqual([role, name, isOpen ? 'yes' : 'insufficient_scope']);
      }
    }
  });

  it.each([
    ['no token', () => Promise.resolve(null), 'invalid_token'],
    ['an unknown token', () => Promise.resolve(`gk_${'x'.repeat(43)}`), 'invalid_token'],
    [
      'a revoked key',
      async () => {
        const made = (await service.send('POST', '/v1/api-keys', { body: { name: 'k', scopes: ['admin'] }, key: every })).json; // prettier-ignore
        const gone = await service.send('DELETE', `/v1/api-keys/${String(made.id)}`, {
          key: every,
        });
        expect(gone.status).toBe(204);
        return String(made.key);
      },
      'invalid_token',
    ],
    [
      'a key of another address',
      () => makeKey({ scopes: builtInRoles.owner, ip_allow_list: ['203.0.113.0/24'] }),
      'address_not_allowed',
    ],
    [
      'a key of another country',
      () => makeKey({ scopes: builtInRoles.owner, countries: ['DE'] }),
      'country_not_allowed',
    ],
    [
      'a key that requires signatures, without one',
      () => makeKey({ scopes: builtInRoles.owner, require_signature: true }),
      'signature_required',
    ],
    [
      'an expired key',
      async () => {
        const expires_at = new Date(service.deps.clock.now() + 60_000).toISOString();
        const key = await makeKey({ scopes: builtInRoles.owner, expires_at });
        service.advance(61_000);
        return key;
      },
      'expired_token',
    ],
  ])('is nothing with %s', async (_, tokenOf, error) => {
    const token = await tokenOf();
    for (const endpoint of endpoints) {
      if (endpoint.scope === null) continue;
      const name = `${endpoint.method} ${endpoint.path}`;
      expect([name, await answerTo(endpoint, token)]).toEqual([name, error]);
    }
  });
});
