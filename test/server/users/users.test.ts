import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeys } from '../../../src/server/auth/collection.ts';
import { users } from '../../../src/server/users/collection.ts';
import type { StoredUser } from '../../../src/server/users/collection.ts';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

interface Shown {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly status: string;
}
const send = (method: string, path: string, body?: object, key?: string): Promise<Got> =>
  service.send(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { key }),
  });
const shownOf = (got: Got): Shown => got.json as unknown as Shown;
async function make(name: string, roles: readonly string[], key?: string): Promise<Shown> {
  const got = await send('POST', '/v1/users', { email: `${name}@example.com`, roles }, key);
  expect(got.text).toContain(name);
  expect(got.status).toBe(201);
  return shownOf(got);
}

/** A user who has chosen a password. */
async function makeActive(name: string, ...roles: string[]): Promise<Shown> {
  const user = await make(name, roles);
  await change(user.id, (doc) => ({ ...doc, activated_at: doc.created_at }));
  return user;
}
const change = (id: string, to: (doc: StoredUser) => StoredUser) =>
  service.deps.store.transact(async (tx) => {
    const found = await tx.get(users, id);
    if (!found) throw new Error('it is there');
    await tx.replace(users, to(found.doc));
  });

/** An API key that a user has made, with some of their scopes. */
async function keyOf({ id, scopes: all }: Shown, scopes = all): Promise<string> {
  const { key, id: keyId } = (await send('POST', '/v1/api-keys', { name: 'k', scopes })).json;
  await service.deps.store.transact(async (tx) => {
    const found = await tx.get(apiKeys, String(keyId));
    if (!found) throw new Error('it is there');
    await tx.replace(apiKeys, { ...found.doc, bound_to: id });
  });
  return String(key);
}
const status = async (...sent: Parameters<typeof send>): Promise<unknown[]> => {
  const got = await send(...sent);
  return got.status < 300 ? [got.status] : [got.status, got.json.error];
};
const auditOf = async (subject: string): Promise<unknown[]> => {
  const { json } = await send('GET', `/v1/audit-log?subject=${subject}&order=asc`);
  return (json.audit_log as { action: string; changes?: unknown }[]).map(({ action, changes }) =>
    changes === undefined ? action : [action, changes],
  );
};

describe('a user', () => {
  it('is created with a link that is shown once, kept as a hash, and good for 7 days', async () => {
    const got = await send('POST', '/v1/users', {
      email: 'Ann@Example.com',
      name: 'Ann',
      roles: ['editor', 'cost-viewer', 'editor'],
    });
    const { invitation_url, invitation_expires_at, ...user } = got.json;
    expect(got.status).toBe(201);
    expect(got.headers.get('cache-control')).toBe('no-store');
    expect(got.headers.get('location')).toBe(`/v1/users/${String(user.id)}`);
    expect(invitation_expires_at).toBe('2026-03-08T12:00:00.000Z');
    const [, token = ''] = /^https:\/\/govctl\.test\/auth\/invitation\/(gin_[\w-]{43})$/.exec(String(invitation_url)) ?? []; // prettier-ignore
    expect(token).not.toBe('');
    expect(user).toEqual({
      id: expect.stringMatching(/^user_/),
      email: 'ann@example.com',
      name: 'Ann',
      roles: ['editor', 'cost-viewer'],
      scopes: ['governance:read', 'compliance:write', 'cost:read'],
      status: 'invited',
      second_factor: false,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
      created_by: expect.stringMatching(/^user_/),
    });
    const stored = await service.deps.store.get(users, String(user.id));
    expect(JSON.stringify(stored)).not.toContain(token);
    for (const path of [`/v1/users/${String(user.id)}`, '/v1/users/ANN@example.com']) {
      const read = await send('GET', path);
      expect([read.json, read.headers.get('etag')]).toEqual([user, '"1"']);
    }
    expect(await auditOf(String(user.id))).toEqual(['user.create']);
  });

  it.each([
    ['no email address', { email: 'ann', roles: ['viewer'] }, 'email'],
    ['no role', { email: 'a@example.com', roles: [] }, 'roles'],
    ['a role that there is not', { email: 'a@example.com', roles: ['viewer', 'x'] }, 'roles[1]'],
    ['a password', { email: 'a@example.com', roles: ['viewer'], password: 'x' }, 'password'],
  ])('with %s is refused', async (_, body, field) => {
    const got = await send('POST', '/v1/users', body);
    expect([got.status, got.json.error, fieldsOf(got)]).toEqual([400, 'invalid_user', [field]]);
  });

  it('has an email address of their own', async () => {
    await make('ann', ['viewer']);
    const body = { email: 'ANN@example.com', roles: ['viewer'] };
    expect(await status('POST', '/v1/users', body)).toEqual([409, 'user_email_taken']);
  });

  it('is updated in part; nothing is written where nothing changes', async () => {
    const { id } = await makeActive('ann', 'viewer');
    const path = `/v1/users/${id}`;
    const before = await send('GET', path);
    const same = await send('PUT', path, before.json);
    expect([same.status, same.headers.get('etag')]).toEqual([200, '"1"']);
    const named = await send('PUT', path, { name: 'Ann', roles: ['editor'] });
    expect(named.json).toMatchObject({ name: 'Ann', roles: ['editor'], status: 'active' });
    expect(named.headers.get('etag')).toBe('"2"');
    const off = await send('PUT', path, { name: null, disabled: true });
    expect(off.json).toMatchObject({ scopes: [], status: 'disabled' });
    expect(off.json).not.toHaveProperty('name');
    expect((await send('PUT', path, { disabled: false })).json.status).toBe('active');
    const stale = await service.send('PUT', path, {
      body: { name: 'B' },
      headers: { 'if-match': '"1"' },
    });
    expect(stale.status).toBe(412);
    expect(fieldsOf(await send('PUT', path, { email: 'b@example.com' }))).toEqual(['email']);
    expect(await auditOf(id)).toEqual([
      'user.create',
      ['user.update', ['name', 'roles']],
      ['user.update', ['name', 'disabled']],
      ['user.update', ['disabled']],
    ]);
  });

  it('is found by role and status', async () => {
    await makeActive('ann', 'viewer', 'auditor');
    await make('bob', ['viewer']);
    const emails = async (query: string) => {
      const { json } = await send('GET', `/v1/users?order=asc&${query}`);
      return (json.users as Shown[]).map(({ email }) => email.split('@')[0]);
    };
    expect(await emails('')).toEqual(['ann', 'bob']);
    expect(await emails('role=auditor,owner')).toEqual(['ann']);
    expect(await emails('status=invited')).toEqual(['bob']);
    expect(await emails('status=invited&role=auditor')).toEqual([]);
  });

  it('whose roles change is announced, with what they could do before', async () => {
    const { id } = await make('ann', ['viewer']);
    await send('PUT', `/v1/users/${id}`, { roles: ['viewer', 'auditor'] });
    await send('PUT', `/v1/users/${id}`, { roles: ['auditor', 'viewer'], name: 'Ann' });
    const { json } = await send('GET', '/v1/events?type=user.role.changed');
    expect((json.events as { data: unknown }[]).map(({ data }) => data)).toEqual([
      {
        user: {
          id,
          email: 'ann@example.com',
          roles: ['viewer', 'auditor'],
          scopes: ['governance:read', 'audit:read'],
          previous_roles: ['viewer'],
          previous_scopes: ['governance:read'],
        },
      },
    ]);
  });
});

describe('what is bound to a user', () => {
  async function boundTo(user: Shown): Promise<{ key: string; token: string }> {
    const key = await keyOf(user);
    const { client_id, client_secret } = (
      await send('POST', '/v1/oauth-clients', { name: 'c', scopes: ['governance:read'] }, key)
    ).json;
    const grant = { grant_type: 'client_credentials', client_id, client_secret };
    const got = await service.send('POST', '/auth/token', { body: grant, key: null });
    return { key, token: String(got.json.access_token) };
  }

  it('loses what the user loses, at the next request', async () => {
    const ann = await makeActive('ann', 'admin');
    const { key } = await boundTo(ann);
    expect(await status('GET', '/v1/users', undefined, key)).toEqual([200]);
    await send('PUT', `/v1/users/${ann.id}`, { roles: ['viewer'] });
    expect(await status('GET', '/v1/users', undefined, key)).toEqual([403, 'insufficient_scope']);
    expect(await status('GET', '/v1/policies', undefined, key)).toEqual([200]);
    await send('PUT', `/v1/users/${ann.id}`, { disabled: true });
    expect(await status('GET', '/v1/policies', undefined, key)).toEqual([401, 'invalid_token']);
  });

  it('goes by one request, with how much it was; the user stays', async () => {
    const ann = await makeActive('ann', 'admin');
    const bob = await makeActive('bob', 'admin');
    const { key, token } = await boundTo(ann);
    const { token: other } = await boundTo(bob);
    const got = await send('POST', '/v1/users/ann@example.com/revoke');
    expect(got.json).toMatchObject({
      id: ann.id,
      revoked: { api_keys: 1, oauth_clients: 1, access_tokens: 1 },
    });
    for (const gone of [key, token]) {
      expect(await status('GET', '/v1/policies', undefined, gone)).toEqual([401, 'invalid_token']);
    }
    expect(await status('GET', '/v1/policies', undefined, other)).toEqual([200]);
    expect((await send('GET', `/v1/users/${ann.id}`)).json.status).toBe('active');
    expect((await auditOf(ann.id)).at(-1)).toEqual([
      'user.revoke',
      ['api_keys: 1', 'oauth_clients: 1', 'access_tokens: 1'],
    ]);
  });

  it('goes with the user in one step', async () => {
    const ann = await makeActive('ann', 'admin');
    const { token } = await boundTo(ann);
    expect(await status('DELETE', `/v1/users/${ann.id}`)).toEqual([204]);
    expect(await status('GET', '/v1/policies', undefined, token)).toEqual([401, 'invalid_token']);
    for (const path of ['/v1/api-keys', '/v1/oauth-clients']) {
      const { text } = await send('GET', path);
      expect(text).not.toContain(ann.id);
    }
    expect(await status('GET', `/v1/users/${ann.id}`)).toEqual([404, 'user_not_found']);
  });

  it('stays at a reset but for sign-ins, as keys are no sign-ins', async () => {
    const ann = await makeActive('ann', 'viewer');
    const key = await keyOf(ann);
    await change(ann.id, (doc) => ({
      ...doc,
      password: 'hash',
      totp: { secret: 'sealed', used: 1 },
      recovery_codes: ['x'],
      devices: ['y'],
    }));
    const got = await send('POST', `/v1/users/${ann.id}/reset`);
    expect(got.json).toMatchObject({ status: 'invited', second_factor: false });
    expect(got.json.invitation_url).toContain('/auth/invitation/gin_');
    expect(got.headers.get('cache-control')).toBe('no-store');
    const stored = (await service.deps.store.get(users, ann.id))?.doc;
    expect(Object.keys(stored ?? {})).not.toEqual(expect.arrayContaining(['password']));
    for (const field of ['password', 'totp', 'recovery_codes', 'devices', 'activated_at']) {
      expect(stored).not.toHaveProperty(field);
    }
    expect(await status('GET', '/v1/policies', undefined, key)).toEqual([200]);
  });
});

describe('an admin', () => {
  it('grants nothing beyond their own scopes, and touches nobody who has more', async () => {
    const admin = await makeActive('admin', 'admin');
    const owner = await makeActive('olga', 'owner');
    await makeActive('oscar', 'owner');
    const costly = await makeActive('carl', 'cost-viewer');
    const key = await keyOf(admin);
    const refused = [403, 'insufficient_scope'];
    for (const roles of [['owner'], ['viewer', 'cost-viewer']]) {
      const body = { email: 'x@example.com', roles };
      expect(await status('POST', '/v1/users', body, key)).toEqual(refused);
      expect(await status('PUT', `/v1/users/${admin.id}`, { roles }, key)).toEqual(refused);
    }
    for (const { id } of [owner, costly]) {
      for (const body of [{ name: 'x' }, { roles: ['viewer'] }, { disabled: true }]) {
        expect(await status('PUT', `/v1/users/${id}`, body, key)).toEqual(refused);
      }
      expect(await status('POST', `/v1/users/${id}/reset`, undefined, key)).toEqual(refused);
      expect(await status('DELETE', `/v1/users/${id}`, undefined, key)).toEqual(refused);
      expect(await status('POST', `/v1/users/${id}/revoke`, undefined, key)).toEqual([200]);
    }
    const mine = await make('new', ['editor', 'auditor'], key);
    expect(await status('PUT', `/v1/users/${mine.id}`, { roles: ['admin'] }, key)).toEqual([200]);
    expect(await status('DELETE', `/v1/users/${mine.id}`, undefined, key)).toEqual([204]);
  });

  it('touches nobody who has more when enabled again', async () => {
    const key = await keyOf(await makeActive('admin', 'admin'));
    await makeActive('oscar', 'owner');
    const { id } = await makeActive('olga', 'owner');
    await send('PUT', `/v1/users/${id}`, { disabled: true });
    for (const body of [{ disabled: false }, { roles: ['viewer'] }]) {
      expect(await status('PUT', `/v1/users/${id}`, body, key)).toEqual([
        403,
        'insufficient_scope',
      ]);
    }
  });
});

describe('a role that nobody may grant', () => {
  it('such as one with scopes that no caller has, or none at all, is refused in words, and nobody gets it', async () => {
    const admin = await makeActive('admin', 'admin');
    const key = await keyOf(admin);
    await send('POST', '/v1/roles', { name: 'treasurer', scopes: ['cost:admin'] });
    const path = `/v1/users/${admin.id}`;
    const wider = await send('PUT', path, { roles: ['admin', 'treasurer'] }, key);
    expect([wider.status, wider.json.error_description]).toEqual([
      403,
      'A user with cost:admin requires the scope cost:admin; the token has: governance:read compliance:write audit:read admin',
    ]);
    for (const by of [key, undefined]) {
      const unknown = await send('PUT', path, { roles: ['admin', 'nobody'] }, by);
      expect([unknown.status, unknown.json.details]).toEqual([
        400,
        [{ field: 'roles[1]', message: 'is not a role: nobody' }],
      ]);
    }
    expect((await send('PUT', path, { roles: [] }, key)).status).toBe(400);
    expect((await send('GET', path)).json.roles).toEqual(['admin']);
  });
});

describe('the role owner', () => {
  it("is granted and taken only by owners and the operator's own key, whatever scopes another has", async () => {
    const owner = await makeActive('olga', 'owner');
    const scopes = [...owner.scopes];
    const other = await makeActive('ann', 'viewer');
    const made = await send('POST', '/v1/roles', { name: 'everything', scopes });
    expect(made.status).toBe(201);
    const almost = await keyOf(await makeActive('almost', 'everything'));
    const operators = String((await send('POST', '/v1/api-keys', { name: 'k', scopes })).json.key);
    for (const key of [almost, operators]) {
      const refused = [403, 'insufficient_scope'];
      expect(await status('PUT', `/v1/users/${other.id}`, { roles: ['owner'] }, key)).toEqual(
        refused,
      );
      expect(await status('PUT', `/v1/users/${owner.id}`, { name: 'x' }, key)).toEqual(refused);
      expect(await status('DELETE', `/v1/users/${owner.id}`, undefined, key)).toEqual(refused);
    }
    const narrow = await keyOf(owner, ['governance:read', 'admin']);
    const to = { roles: ['owner'] };
    expect(await status('PUT', `/v1/users/${other.id}`, to, narrow)).toEqual([
      403,
      'insufficient_scope',
    ]);
    expect(await status('PUT', `/v1/users/${other.id}`, to, await keyOf(owner))).toEqual([200]);
  });

  it('stays with the last active owner, who is not deleted, disabled or reset by an owner', async () => {
    const owner = await makeActive('olga', 'owner');
    await make('invited', ['owner']);
    const disabled = await makeActive('gone', 'owner');
    await send('PUT', `/v1/users/${disabled.id}`, { disabled: true });
    const key = await keyOf(owner);
    const path = `/v1/users/${owner.id}`;
    const refused = [409, 'last_owner'];
    for (const by of [undefined, key]) {
      expect(await status('DELETE', path, undefined, by)).toEqual(refused);
      expect(await status('PUT', path, { disabled: true }, by)).toEqual(refused);
      expect(await status('PUT', path, { roles: ['admin'] }, by)).toEqual(refused);
    }
    expect(await status('POST', `${path}/reset`, undefined, key)).toEqual(refused);
    expect(await status('PUT', path, { roles: ['owner', 'viewer'] }, key)).toEqual([200]);
    // The way back for an owner who has lost all.
    expect(await status('POST', `${path}/reset`)).toEqual([200]);
  });

  const removals = {
    deleted: (id: string, key: string) => send('DELETE', `/v1/users/${id}`, undefined, key),
    disabled: (id: string, key: string) => send('PUT', `/v1/users/${id}`, { disabled: true }, key),
    demoted: (id: string, key: string) => send('PUT', `/v1/users/${id}`, { roles: ['viewer'] }, key), // prettier-ignore
    reset: (id: string, key: string) => send('POST', `/v1/users/${id}/reset`, undefined, key),
  };
  const ways = Object.keys(removals) as (keyof typeof removals)[];

  it.each(ways.flatMap((way, at) => ways.slice(at).map((other) => [way, other] as const)))(
    'stays with one of two owners who are %s and %s at once, by each other or by themselves',
    async (way, other) => {
      for (const whose of ['each other’s', 'their own'] as const) {
        const [one, two] = [await makeActive('olga', 'owner'), await makeActive('oscar', 'owner')];
        const [keyOfOne, keyOfTwo] = [await keyOf(one), await keyOf(two)];
        const [first, second] = whose === 'their own' ? [one, two] : [two, one];
        const both = await Promise.all([
          removals[way](first.id, keyOfOne),
          removals[other](second.id, keyOfTwo),
        ]);
        expect(both.filter(({ status: got }) => got < 300)).toHaveLength(1);
        const { json } = await send('GET', '/v1/users?role=owner&status=active');
        expect(json.users).toHaveLength(1);
        await service.close();
        service = await startTestService();
      }
    },
  );
});
