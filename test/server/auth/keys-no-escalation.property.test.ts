import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permits, scopes as allScopes, within } from '../../../src/contract/endpoint.ts';
import type { Scope } from '../../../src/contract/endpoint.ts';
import { builtInRoles } from '../../../src/contract/roles.ts';
import { accessTokens } from '../../../src/server/auth/collection.ts';
import { hashSecret } from '../../../src/server/keys/hashed-secrets.ts';
import { scopesOfUser } from '../../../src/server/users/service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
beforeAll(async () => void (service = await startTestService()));
afterAll(() => service.close());

const people = [0, 1, 2] as const;
const person = fc.constantFrom(...people);
const scopes = fc.uniqueArray(fc.constantFrom(...allScopes), { minLength: 1, maxLength: 6 });
const role = fc.constantFrom(...Object.keys(builtInRoles));
/** Which of the secrets that were shown so far, or of the keys that were made. */
const some = fc.nat({ max: 1_000 });

/** What somebody tries with a login or a key, and what happens to people meanwhile. */
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('create' as const), by: some, scopes }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('update' as const),
      by: some,
      key: some,
      body: fc.oneof(
        fc.record({ name: fc.constantFrom('a', 'b'), scopes }),
        fc.record({ expires_at: fc.constant(null), bound_to: person }),
        fc.record({ user_id: fc.constant('user_x'), made_by: person, ip_allow_list: fc.constant(null) }), // prettier-ignore
        fc.record({ bootstrap: fc.constant(true), disabled_at: fc.constant(null) }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('rotate' as const),
      by: some,
      key: some,
      overlap_seconds: fc.constantFrom(0, 3_600),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('revoke' as const), by: some, key: some }) }, // prettier-ignore
  { weight: 2, arbitrary: fc.record({ does: fc.constant('role' as const), person, role }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('disable' as const), person, disabled: fc.boolean() }) }, // prettier-ignore
);

/** A login or key, and the most that it may ever do. */
interface Secret {
  readonly text: string;
  /** Whose it is: it also has at most what they have now. */
  readonly user: string;
  readonly most: readonly Scope[];
}

let logins = 0;

/** As a login that was cut to these scopes stores it. */
async function logIn(user: string, granted: readonly Scope[]): Promise<Secret> {
  const text = `gat_${String((logins += 1)).padEnd(43, 'x')}`;
  const now = service.deps.clock.now();
  await service.deps.store.transact((tx) =>
    tx.insert(accessTokens, {
      id: service.deps.ids.next('tok'),
      hash: hashSecret(text),
      kind: 'person',
      client_id: user,
      user_id: user,
      bound_to: user,
      scopes: granted,
      created_at: new Date(now).toISOString(),
      expires_at: now + 3_600_000,
    }),
  );
  return { text, user, most: granted };
}

describe('keys that people and keys make, change and rotate in any order, while people lose and gain roles', () => {
  it('never permit more than the credential that made or last rotated them, nor more than their person', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(...people.map(() => fc.tuple(role, scopes))),
        fc.array(action, { minLength: 1, maxLength: 30 }),
        async (begin, tries) => {
          const users: string[] = [];
          const secrets: Secret[] = [];
          const keys: string[] = [];
          for (const [first, granted] of begin) {
            const body = { email: `p${(logins += 1)}@example.com`, roles: [first] };
            const { json } = await service.send('POST', '/v1/users', { body });
            users.push(String(json.id));
            secrets.push(await logIn(String(json.id), granted));
            secrets.push(await logIn(String(json.id), allScopes));
          }
          const may = async ({ text }: Secret): Promise<readonly Scope[]> => {
            const got = await service.send('GET', '/v1/me', { key: text });
            return got.status === 200 ? (got.json.scopes as Scope[]) : [];
          };
          for (const one of tries) {
            if (one.does === 'role' || one.does === 'disable') {
              const body = one.does === 'role' ? { roles: [one.role] } : { disabled: one.disabled };
              const who = users[one.person] ?? '';
              await service.send('PUT', `/v1/users/${who}`, { body });
            } else {
              const by = secrets[one.by % secrets.length];
              const key = 'key' in one ? (keys[one.key % keys.length] ?? 'key_none') : '';
              if (!by) continue;
              const has = await may(by);
              const [method, path, body] = {
                create: ['POST', '', 'scopes' in one ? { name: 'k', scopes: one.scopes } : {}],
                update: ['PUT', `/${key}`, 'body' in one ? one.body : {}],
                rotate: ['POST', `/${key}/rotate`, 'overlap_seconds' in one ? { overlap_seconds: one.overlap_seconds } : {}], // prettier-ignore
                revoke: ['DELETE', `/${key}`, undefined],
              }[one.does] as [string, string, object | undefined];
              const got = await service.send(method, `/v1/api-keys${path}`, { key: by.text, ...(body ? { body } : {}) }); // prettier-ignore
              expect(got.status).toBeLessThan(500);
              if (got.status === 200 || got.status === 201) {
                if (one.does === 'create') keys.push(String(got.json.id));
                const { key: text } = got.json;
                if (text !== undefined) secrets.push({ text: String(text), user: by.user, most: has }); // prettier-ignore
              }
            }
            for (const secret of secrets) {
              const now = await scopesOfUser(service.deps.store, secret.user);
              const most = within(secret.most, now);
              expect((await may(secret)).filter((scope) => !permits(most, scope))).toEqual([]);
            }
          }
          for (const id of users) await service.send('DELETE', `/v1/users/${id}`);
          for (const { text } of secrets) {
            expect((await service.send('GET', '/v1/me', { key: text })).status).toBe(401);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
