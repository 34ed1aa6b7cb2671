import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { platformInit } from '../../src/client/http.ts';
import type { Fetch, FetchInit } from '../../src/client/http.ts';
import type { Signing } from '../../src/client/sign-request.ts';
import { csvOf, usage } from '../server/anomalies/anomaly-world.ts';
import type { TestService } from '../server/test-service.ts';
import { policy, startTestService } from '../server/test-service.ts';

let service: TestService;
let key: { readonly id: string; readonly key: string; readonly signing_secret: string };
let sent: FetchInit[];
/** Statuses that the network answers before it lets a request through. */
let failures: number[];

beforeEach(async () => {
  service = await startTestService();
  const body = { name: 'ci', scopes: ['governance:read', 'compliance:write', 'cost:admin'], require_signature: true }; // prettier-ignore
  key = (await service.send('POST', '/v1/api-keys', { body })).json as unknown as typeof key;
  [sent, failures] = [[], []];
});
afterEach(() => service.close());

const fetch: Fetch = async (url, init) => {
  sent.push(init);
  const status = failures.shift();
  if (status !== undefined) {
    await service.app.fetch(new Request(url, platformInit(init)), {});
    return new Response('{}', { status });
  }
  return service.app.fetch(new Request(url, platformInit(init)), {});
};
const clientWith = (changes: Partial<Signing> = {}) =>
  createClient({
    baseUrl: 'http://service.test/',
    fetch,
    token: async () => key.key,
    sleep: async () => undefined,
    signing: { secret: key.signing_secret, now: () => service.deps.clock.now(), ...changes },
  });

describe('a client with a signing secret', () => {
  it('is let in with whatever it asks: queries, bodies, IDs that need escapes, nothing', async () => {
    const client = clientWith();
    const made = await client.policies.create({ body: policy('a "b" ü') as never });
    expect(made.status).toBe(201);
    const { data } = await client.policies.list({ query: { tags: 'a b,ü&=?#', limit: 5 } });
    expect(data.pagination.total).toBe(0);
    await client.policies.update({ params: { id: made.data.id }, body: { severity: 'LOW' } });
    await client.policies.delete({ params: { id: made.data.id } });
    await expect(client.policies.get({ params: { id: 'ü/../%2e#?' } })).rejects.toMatchObject({
      error: 'policy_not_found',
    });
    await client.system.health();
    expect(sent.at(-1)?.headers).not.toHaveProperty('signature');
  });

  it('signs each try anew, as each signature works once', async () => {
    failures = [503, 502];
    await clientWith().policies.create({ body: policy('p') as never });
    const inputs = sent.map(({ headers }) => headers['signature-input']);
    expect(inputs).toHaveLength(3);
    expect(new Set(inputs).size).toBe(3);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('may name the key by its ID, and is refused with another secret', async () => {
    await clientWith({ keyId: key.id }).policies.list();
    await expect(clientWith({ secret: 'gss_else' }).policies.list()).rejects.toMatchObject({
      error: 'signature_invalid',
      exitCode: 4,
    });
  });

  it('is told what is wrong where its clock is', async () => {
    const late = clientWith({ now: () => service.deps.clock.now() - 400_000 });
    await expect(late.policies.list()).rejects.toThrow("the server's time, which is 2026-03-01");
  });

  it('signs uploads, which it reads twice, and none that can be read only once', async () => {
    const csv = Buffer.from(csvOf(usage()));
    let opened = 0;
    const open = (): Readable => {
      opened += 1;
      return Readable.from([csv.subarray(0, 1_000), csv.subarray(1_000)]);
    };
    const sha256 = async (bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
      const hash = createHash('sha256');
      for await (const chunk of bytes) hash.update(chunk);
      return hash.digest();
    };
    for (const client of [clientWith(), clientWith({ sha256 })]) {
      const { data } = await client.costImports.create({ body: {} });
      const params = { id: data.id, n: '1' };
      const put = await client.costImports.put({ params, body: { open } });
      expect(put.status).toBe(200);
      await expect(
        client.costImports.put({ params, body: { open, isOnce: true } }),
      ).rejects.toMatchObject({ error: 'usage_error' });
    }
    expect(opened).toBe(4);
  });
});
