import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idempotencyKeys } from '../../../src/server/http/idempotency.ts';
import { createSecretBox } from '../../../src/server/keys/secret-box.ts';
import type { TestService } from '../test-service.ts';
import { listOf, policy, startTestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const post = (key: string, name = 'p', sent: { key?: string } = {}) =>
  service.send('POST', '/v1/policies', {
    body: policy(name),
    headers: { 'idempotency-key': key },
    ...sent,
  });
const count = async (): Promise<number> =>
  listOf(await service.send('GET', '/v1/policies')).pagination.total;

describe('an Idempotency-Key', () => {
  it('gets the stored answer when the request is repeated, and nothing happens twice', async () => {
    const first = await post('k');
    const second = await post('k');
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await count()).toBe(1);
  });

  it('keeps nothing of a request that its password could be guessed with', async () => {
    const text = JSON.stringify({
      name: 'Protected',
      type: 'compliance',
      scope: {},
      format_options: { security: { password: 'hunter2hunter2' } },
    });
    const headers = { 'idempotency-key': 'k' };
    await service.send('POST', '/v1/reports', { text, headers });
    const page = { orderBy: 'expires_at', direction: 'asc', limit: 1 } as const;
    const [row] = (await service.deps.store.page(idempotencyKeys, page)).rows;
    const request = `POST /v1/reports ${text}`;
    for (const encoding of ['base64url', 'hex'] as const) {
      expect(JSON.stringify(row)).not.toContain(hash('sha256', request, encoding));
    }
    expect((await service.send('POST', '/v1/reports', { text, headers })).status).toBe(201);
    const other = createSecretBox(Buffer.alloc(32), () => Buffer.alloc(12));
    expect(other.fingerprint(request)).not.toBe(service.deps.secrets.fingerprint(request));
  });

  it('knows what an earlier version of the server wrote down', async () => {
    const first = await post('k');
    const { store } = service.deps;
    const page = { orderBy: 'expires_at', direction: 'asc', limit: 1 } as const;
    const [row] = (await store.page(idempotencyKeys, page)).rows;
    if (!row) throw new Error('it was just kept');
    const fingerprint = hash('sha256', `POST /v1/policies ${JSON.stringify(policy('p'))}`, 'base64url'); // prettier-ignore
    await store.transact((tx) => tx.replace(idempotencyKeys, { ...row.doc, fingerprint }));
    expect((await post('k')).text).toBe(first.text);
    expect((await post('k', 'q')).json.error).toBe('idempotency_key_reused');
  });

  it('lets only one of many at the same moment happen', async () => {
    const got = await Promise.all(Array.from({ length: 8 }, () => post('k')));
    expect(new Set(got.map(({ text }) => text)).size).toBe(1);
    expect(got.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(
      7,
    );
    expect(await count()).toBe(1);
  });

  it('lets only one of many at the same moment send what a webhook is tested with', async () => {
    let sent = 0;
    const tested = await startTestService({
      receive() {
        sent += 1;
        return Promise.resolve({ durationMs: 1, status: 200 });
      },
    });
    try {
      const body = { url: 'http://127.0.0.1:9/', events: ['user.login'], secret: 'for-a-test' };
      const { json } = await tested.send('POST', '/v1/webhooks', { body });
      const headers = { 'idempotency-key': 'k' };
      const path = `/v1/webhooks/${String(json.id)}/test`;
      const send = () => tested.send('POST', path, { headers, body: { event_type: 'user.login' } });
      const got = await Promise.all([send(), send(), send()]);
      expect(new Set(got.map(({ text }) => text)).size).toBe(1);
      expect([got[0]?.status, sent]).toEqual([200, 1]);
    } finally {
      await tested.close();
    }
  });

  it('gets the stored answer although what it was about is gone', async () => {
    const tested = await startTestService({
      receive: () => Promise.resolve({ durationMs: 1, status: 200 }),
    });
    try {
      const body = { url: 'http://127.0.0.1:9/', events: ['user.login'], secret: 'for-a-test' };
      const { json } = await tested.send('POST', '/v1/webhooks', { body });
      const one = `/v1/webhooks/${String(json.id)}`;
      const test = () =>
        tested.send('POST', `${one}/test`, {
          body: { event_type: 'user.login' },
          headers: { 'idempotency-key': 'test' },
        });
      const redeliver = () =>
        tested.send('POST', `${one}/redeliver`, {
          body: {},
          headers: { 'idempotency-key': 'redeliver' },
        });
      const first = [await test(), await redeliver()];
      await tested.send('DELETE', one);
      const second = [await test(), await redeliver()];
      expect(first.map(({ status }) => status)).toEqual([200, 202]);
      expect(second.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    } finally {
      await tested.close();
    }
  });

  it('refuses another body under the same key', async () => {
    await post('k');
    const got = await post('k', 'other');
    expect(got.status).toBe(409);
    expect(got.json).toMatchObject({ error: 'idempotency_key_reused', error_code: 'REQ_005' });
    expect(await count()).toBe(1);
  });

  it('is for one caller', async () => {
    const other = await service.keyWith('compliance:write');
    await post('k');
    const got = await post('k', 'other', { key: other });
    expect(got.status).toBe(201);
  });

  it('is forgotten after 24 hours, and swept away', async () => {
    await post('k');
    service.advance(24 * 3_600_000 - 1);
    expect((await post('k')).headers.get('idempotent-replayed')).toBe('true');
    service.advance(1);
    expect((await post('k')).json.error).toBe('policy_name_taken');
    expect((await post('k', 'other')).status).toBe(201);
    service.advance(48 * 3_600_000);
    await service.maintain();
    const { idempotencyKeys } = await import('../../../src/server/http/idempotency.ts');
    const left = await service.deps.store.page(idempotencyKeys, {
      orderBy: 'expires_at',
      direction: 'asc',
      limit: 9,
    });
    expect(left.total).toBe(0);
  });

  it('does not keep a refusal: the corrected request may use it', async () => {
    await post('first');
    expect((await post('k')).json.error).toBe('policy_name_taken');
    expect((await post('k', 'free')).status).toBe(201);
  });

  it('does not keep an answer with a secret: a repeat is refused', async () => {
    const create = () =>
      service.send('POST', '/v1/api-keys', {
        body: { name: 'ci', scopes: ['governance:read'] },
        headers: { 'idempotency-key': 'k' },
      });
    const first = await create();
    expect(first.headers.get('cache-control')).toBe('no-store');
    const second = await create();
    expect([second.status, second.json.error]).toEqual([409, 'idempotency_key_reused']);
    expect(second.text).not.toContain(String(first.json.key));
  });

  it.each(['', 'a b', 'x'.repeat(256), 'é'])(
    'must be short printable ASCII, not %j',
    async (key) => {
      const got = await post(key);
      expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    },
  );
});
