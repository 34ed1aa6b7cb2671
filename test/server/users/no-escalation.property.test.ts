import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permits, scopes as allScopes } from '../../../src/contract/endpoint.ts';
import type { Scope } from '../../../src/contract/endpoint.ts';
import { builtInRoles } from '../../../src/contract/roles.ts';
import { apiKeys } from '../../../src/server/auth/collection.ts';
import { users } from '../../../src/server/users/collection.ts';
import { scopesOfRoles, scopesOfUser } from '../../../src/server/users/service.ts';
import { startTestService } from '../test-service.ts';

const names = ['u0', 'u1', 'u2', 'u3'] as const;
const own = ['r0', 'r1'] as const;
const name = fc.constantFrom(...names);
const roles = fc.uniqueArray(fc.constantFrom(...Object.keys(builtInRoles), ...own), {
  minLength: 1,
  maxLength: 3,
});
const scopes = fc.uniqueArray(fc.constantFrom(...allScopes), { minLength: 1, maxLength: 4 });
const role = fc.constantFrom(...own);

/** What somebody tries. */
const action = fc.oneof(
  fc.record({ method: fc.constant('PUT'), user: name, body: fc.record({ roles }) }),
  fc.record({
    method: fc.constant('PUT'),
    user: name,
    body: fc.record({ disabled: fc.boolean() }),
  }),
  fc.record({ method: fc.constant('PUT'), role, body: fc.record({ scopes }) }),
  fc.record({
    method: fc.constant('POST'),
    body: fc.record({ email: fc.constantFrom('x@example.com', 'y@example.com'), roles }),
  }),
);

describe('changes of users and roles by anybody, in any order', () => {
  it('give nobody a scope that whoever made the change has not, and make owners only by owners', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(name, action), { minLength: 1, maxLength: 25 }),
        fc.array(roles, { minLength: names.length, maxLength: names.length }),
        async (tries, begin) => {
          const service = await startTestService();
          const { store } = service.deps;
          const keys = new Map<string, string>();
          const ids = new Map<string, string>();
          for (const one of own) {
            const body = { name: one, scopes: ['governance:read'] };
            await service.send('POST', '/v1/roles', { body });
          }
          for (const [at, one] of names.entries()) {
            // An owner, and an admin, among them.
            const its = at === 0 ? ['owner'] : at === 1 ? ['admin'] : begin[at];
            const body = { email: `${one}@example.com`, roles: its };
            const { id } = (await service.send('POST', '/v1/users', { body })).json;
            const key = { name: one, scopes: allScopes };
            const made = (await service.send('POST', '/v1/api-keys', { body: key })).json;
            await store.transact(async (tx) => {
              const user = await tx.get(users, String(id));
              const found = await tx.get(apiKeys, String(made.id));
              if (!user || !found) throw new Error('they are there');
              await tx.replace(users, { ...user.doc, activated_at: user.doc.created_at });
              await tx.replace(apiKeys, { ...found.doc, bound_to: String(id) });
            });
            keys.set(one, String(made.key));
            ids.set(one, String(id));
          }
          const all = async () => {
            const page = { orderBy: 'id', direction: 'asc', limit: 100 } as const;
            const { rows } = await store.page(users, page);
            const shown = rows.map(async ({ doc }) => {
              const granted = await scopesOfRoles(store, doc.roles);
              return [doc.id, { granted, isOwner: doc.roles.includes('owner') }] as const;
            });
            return new Map(await Promise.all(shown));
          };
          for (const [who, { method, body, ...of }] of tries) {
            const before = await all();
            const id = ids.get(who) ?? '';
            const has = await scopesOfUser(store, id);
            const path =
              'user' in of
                ? `/v1/users/${ids.get(of.user) ?? ''}`
                : 'role' in of
                  ? `/v1/roles/${of.role}`
                  : '/v1/users';
            const got = await service.send(method, path, { body, key: keys.get(who) ?? '' });
            expect(got.status).toBeLessThan(500);
            const after = await all();
            for (const [user, { granted, isOwner }] of after) {
              const had = before.get(user)?.granted ?? [];
              const gained = granted.filter((scope: Scope) => !had.includes(scope));
              expect(gained.filter((scope) => !permits(has, scope))).toEqual([]);
              if (isOwner !== (before.get(user)?.isOwner ?? false)) {
                expect(before.get(id)?.isOwner).toBe(true);
              }
            }
            const { json } = await service.send('GET', '/v1/users?role=owner&status=active');
            expect((json.users as unknown[]).length).toBeGreaterThan(0);
          }
          await service.close();
        },
      ),
      { numRuns: 15 },
    );
  });
});
