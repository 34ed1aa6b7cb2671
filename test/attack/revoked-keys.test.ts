import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const hour = 3_600_000;

async function writingKey(): Promise<{ readonly id: string; readonly key: string }> {
  const expires_at = new Date(service.deps.clock.now() + hour).toISOString();
  const body = { name: 'importer', scopes: ['compliance:write'], expires_at };
  const { json } = await service.send('POST', '/v1/api-keys', { body });
  return { id: json.id as string, key: json.key as string };
}

const batch = 200;
const lines = (from: number, count = batch): Buffer =>
  Buffer.from(
    Array.from(
      { length: count },
      (_, n) => `${JSON.stringify({ id: `r${from + n}`, type: 'AWS::S3::Bucket' })}\n`,
    ).join(''),
  );

const stored = async (): Promise<number> => {
  const { json } = await service.send('GET', '/v1/resources?limit=1');
  return (json.pagination as { total: number }).total;
};

/** Imports a batch, has something happen, and sends more. */
async function importAround(key: string, happen: () => unknown, more: Buffer) {
  async function* body() {
    yield lines(0);
    while ((await stored()) < batch) await new Promise(setImmediate);
    await happen();
    yield more;
  }
  const response = await service.app.fetch(
    new Request('http://service.test/v1/resources/import', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: ReadableStream.from(body()),
      duplex: 'half',
    }),
    {},
  );
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

describe('an import that is under way', () => {
  it('stores nothing more of what comes after its key was revoked', async () => {
    const { id, key } = await writingKey();
    const revoke = () => service.send('DELETE', `/v1/api-keys/${id}`);
    const got = await importAround(key, revoke, lines(batch));
    expect([got.status, got.json.error]).toEqual([401, 'invalid_token']);
    expect(got.json.error_description).toContain(`${batch} resources are stored`);
    expect(await stored()).toBe(batch);
  });

  it('stores nothing more of what comes after its key expired', async () => {
    const { key } = await writingKey();
    const got = await importAround(key, () => service.advance(hour), lines(batch));
    expect([got.status, got.json.error]).toEqual([401, 'expired_token']);
    expect(await stored()).toBe(batch);
  });

  it('goes on where another key was revoked', async () => {
    const [{ key }, other] = [await writingKey(), await writingKey()];
    const revoke = () => service.send('DELETE', `/v1/api-keys/${other.id}`);
    const got = await importAround(key, revoke, lines(batch));
    expect([got.status, got.json.created]).toEqual([200, 2 * batch]);
  });
});
