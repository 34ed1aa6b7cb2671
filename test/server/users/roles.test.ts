import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const send = (method: string, path: string, body?: object, key?: string): Promise<Got> =>
  service.send(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { key }),
  });
const status = async (...sent: Parameters<typeof send>): Promise<unknown[]> => {
  const got = await send(...sent);
  return got.status < 300 ? [got.status] : [got.status, got.json.error];
};
const reporter = {
  name: 'reporter',
  description: 'Makes reports',
  scopes: ['governance:read', 'compliance:write'],
};

describe('roles', () => {
  it('are listed with the built-in ones, page by page and in any order', async () => {
    await send('POST', '/v1/roles', reporter);
    const namesOf = async (query: string): Promise<[string[], string | undefined]> => {
      const { json } = await send('GET', `/v1/roles?${query}`);
      const { next_cursor: next } = json.pagination as { next_cursor?: string };
      return [(json.roles as { name: string }[]).map(({ name }) => name), next];
    };
    const [first, cursor = ''] = await namesOf('order=asc&limit=5');
    expect(first).toEqual(['admin', 'auditor', 'cost-viewer', 'editor', 'owner']);
    expect(await namesOf(`order=asc&limit=5&cursor=${cursor}`)).toEqual([
      ['reporter', 'viewer'],
      undefined,
    ]);
    expect((await namesOf('sort_by=built_in&order=asc&limit=1'))[0]).toEqual(['reporter']);
  });

  it('are created, read, updated and deleted', async () => {
    const created = await send('POST', '/v1/roles', reporter);
    const role = {
      ...reporter,
      id: 'reporter',
      built_in: false,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
      created_by: expect.stringMatching(/^user_/),
    };
    expect([created.status, created.json]).toEqual([201, role]);
    expect(created.headers.get('location')).toBe('/v1/roles/reporter');
    expect((await send('GET', '/v1/roles/reporter')).json).toEqual(role);
    const same = await send('PUT', '/v1/roles/reporter', created.json);
    expect(same.headers.get('etag')).toBe(created.headers.get('etag'));
    const updated = await send('PUT', '/v1/roles/reporter', {
      description: null,
      scopes: ['governance:read'],
    });
    expect(updated.json).toMatchObject({ scopes: ['governance:read'] });
    expect(updated.json).not.toHaveProperty('description');
    expect(fieldsOf(await send('PUT', '/v1/roles/reporter', { name: 'x' }))).toEqual(['name']);
    expect(await status('DELETE', '/v1/roles/reporter')).toEqual([204]);
    expect(await status('GET', '/v1/roles/reporter')).toEqual([404, 'role_not_found']);
  });

  it('have names of their own, which no built-in role has', async () => {
    await send('POST', '/v1/roles', reporter);
    for (const name of ['reporter', 'owner']) {
      const body = { ...reporter, name };
      expect(await status('POST', '/v1/roles', body)).toEqual([409, 'role_name_taken']);
    }
    for (const name of ['__proto__', 'A', 'a b', '']) {
      expect(await status('POST', '/v1/roles', { ...reporter, name })).toEqual([
        400,
        'invalid_role',
      ]);
    }
    expect(await status('GET', '/v1/roles/constructor')).toEqual([404, 'role_not_found']);
  });

  it('that are built in stay as they are', async () => {
    expect((await send('GET', '/v1/roles/viewer')).json).toMatchObject({
      scopes: ['governance:read'],
      built_in: true,
    });
    const refused = [409, 'role_in_use'];
    expect(await status('PUT', '/v1/roles/viewer', { scopes: ['admin'] })).toEqual(refused);
    expect(await status('DELETE', '/v1/roles/viewer')).toEqual(refused);
  });

  it('stay while a user has them', async () => {
    await send('POST', '/v1/roles', reporter);
    const body = { email: 'ann@example.com', roles: ['reporter'] };
    const { json } = await send('POST', '/v1/users', body);
    const got = await send('DELETE', '/v1/roles/reporter');
    expect([got.status, got.json.error, got.text]).toEqual([
      409,
      'role_in_use',
      expect.stringContaining('1 user has the role reporter'),
    ]);
    await send('DELETE', `/v1/users/${String(json.id)}`);
    expect(await status('DELETE', '/v1/roles/reporter')).toEqual([204]);
  });

  it('give and take scopes at once, which is announced for each user whose scopes change', async () => {
    await send('POST', '/v1/roles', reporter);
    const make = async (email: string, ...roles: string[]) =>
      String((await send('POST', '/v1/users', { email, roles })).json.id);
    const ann = await make('ann@example.com', 'reporter');
    await make('bob@example.com', 'reporter', 'auditor', 'editor');
    await send('PUT', '/v1/roles/reporter', { scopes: ['governance:read', 'compliance:write', 'audit:read'] }); // prettier-ignore
    expect((await send('GET', `/v1/users/${ann}`)).json.scopes).toEqual([
      'governance:read',
      'compliance:write',
      'audit:read',
    ]);
    const { json } = await send('GET', '/v1/events?type=user.role.changed');
    expect((json.events as { data: unknown }[]).map(({ data }) => data)).toMatchObject([
      {
        user: {
          email: 'ann@example.com',
          scopes: ['governance:read', 'compliance:write', 'audit:read'],
          previous_scopes: ['governance:read', 'compliance:write'],
        },
      },
    ]);
  });

  it('are made and changed only within the scopes of the caller, before and after', async () => {
    const key = await service.keyWith('admin', 'governance:read');
    const refused = [403, 'insufficient_scope'];
    const put = (scopes: string[]) => status('PUT', '/v1/roles/reporter', { scopes }, key);
    expect(await status('POST', '/v1/roles', reporter, key)).toEqual(refused);
    await send('POST', '/v1/roles', reporter);
    expect(await put(['governance:read'])).toEqual(refused);
    await send('PUT', '/v1/roles/reporter', { scopes: ['governance:read'] });
    expect(await put(['governance:read', 'cost:read'])).toEqual(refused);
    expect(await put(['governance:read', 'audit:read'])).toEqual([200]);
    expect(await status('DELETE', '/v1/roles/reporter', undefined, key)).toEqual([204]);
  });
});
