import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeys } from '../../../src/server/auth/collection.ts';
import type { StoredApiKey } from '../../../src/server/auth/collection.ts';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const scopes = ['admin', 'compliance:write', 'governance:read'];
const send = (method: string, path: string, body: object, key?: string): Promise<Got> =>
  service.send(method, path, { body, ...(key === undefined ? {} : { key }) });
const makeKey = async (by?: string) =>
  (await send('POST', '/v1/api-keys', { name: 'k', scopes }, by)).json;
const makeClient = async (by?: string) =>
  (await send('POST', '/v1/oauth-clients', { name: 'c', scopes }, by)).json;

async function tokenOf({ client_id, client_secret }: Record<string, unknown>): Promise<string> {
  const grant = { grant_type: 'client_credentials', client_id, client_secret };
  return String(
    (await service.send('POST', '/auth/token', { body: grant, key: null })).json.access_token,
  );
}

/** The user behind the key of the data folder. */
async function operator(): Promise<unknown> {
  const { api_keys: keys } = (await service.send('GET', '/v1/api-keys')).json;
  const bootstrap = (keys as Record<string, unknown>[]).find(({ name }) => name === 'bootstrap');
  expect(bootstrap).not.toHaveProperty('made_by');
  return bootstrap?.user_id;
}

describe('made_by of keys and clients', () => {
  it('is who made the first of them, however many lie between', async () => {
    const first = await makeKey();
    const second = await makeKey(String(first.key));
    const client = await makeClient(String(second.key));
    const third = await makeKey(await tokenOf(client));
    const last = await makeClient(String(third.key));
    const maker = await operator();
    for (const made of [first, second, client, third, last]) {
      expect(made.made_by).toBe(maker);
      expect(made.user_id).not.toBe(maker);
    }
    const shown = await service.send('GET', `/v1/api-keys/${String(second.id)}`);
    expect(shown.json.made_by).toBe(maker);
  });

  it('cannot be sent, and stays when a key is updated', async () => {
    const sent = await send('POST', '/v1/api-keys', { name: 'k', scopes, made_by: 'user_x' });
    expect([sent.status, fieldsOf(sent)]).toEqual([400, ['made_by']]);
    const client = await send('POST', '/v1/oauth-clients', { name: 'c', scopes, made_by: 'x' });
    expect([client.status, fieldsOf(client)]).toEqual([400, ['made_by']]);
    const { id, made_by } = await makeKey();
    const update = { name: 'renamed', made_by: 'user_x', user_id: 'user_x' };
    const updated = await send('PUT', `/v1/api-keys/${String(id)}`, update);
    expect(updated.json).toMatchObject({ name: 'renamed', made_by });
  });

  it('of a key that was made by one without is that key, as nobody knows more', async () => {
    const { id, key, user_id } = await makeKey();
    await service.deps.store.transact(async (tx) => {
      const row = await tx.get(apiKeys, String(id));
      if (!row) throw new Error('it is there');
      // As JSON, it is absent.
      await tx.replace(
        apiKeys,
        JSON.parse(JSON.stringify({ ...row.doc, made_by: undefined })) as StoredApiKey,
      );
    });
    expect((await makeKey(String(key))).made_by).toBe(user_id);
  });
});
