import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { policy, startTestService } from '../test-service.ts';

let service: TestService;
let ok: ReturnType<typeof inventoryOf>['ok'];
beforeEach(async () => {
  service = await startTestService();
  ({ ok } = inventoryOf(service));
});
afterEach(() => service.close());

const add = async (fields: Readonly<Record<string, unknown>>): Promise<string> =>
  String((await ok('POST', '/v1/local/faults', { body: fields })).json.id);
const list = async (): Promise<unknown> => (await ok('GET', '/v1/local/faults')).json.faults;
const status = async (method: string, path: string, body?: unknown): Promise<number> =>
  (await service.send(method, path, body === undefined ? {} : { body })).status;

describe('a fault of a local server', () => {
  it('answers an error in the shape of all others, as often as it was told to', async () => {
    const id = await add({
      method: 'GET',
      path: '/v1/policies',
      status: 503,
      retry_after: 7,
      count: 2,
    });
    expect(await status('GET', '/v1/scans')).toBe(200);
    expect(await status('POST', '/v1/policies', policy('p'))).toBe(201);
    const hit = await service.send('GET', '/v1/policies');
    expect(hit.status).toBe(503);
    expect(hit.json).toMatchObject({ error: 'unavailable', error_code: 'SRV_002', retry_after: 7 });
    expect(hit.json.error_description).toContain(id);
    expect(hit.headers.get('retry-after')).toBe('7');
    expect(hit.headers.get('x-govctl-local')).toBe(`fault=${id}, faults=1`);
    expect(await status('GET', '/v1/policies?limit=1')).toBe(503);
    const fine = await service.send('GET', '/v1/policies');
    expect([fine.status, fine.headers.get('x-govctl-local')]).toEqual([200, null]);
    expect(await list()).toMatchObject([{ id, hits: 2, left: 0 }]);
  });

  it('hits before anybody asks who is there, and can be any error of the catalogue', async () => {
    await add({ status: 418, count: 'always' });
    await add({ path: '/v1/scans', status: 401, error: 'expired_token' });
    expect((await service.send('GET', '/v1/policies', { key: null })).status).toBe(418);
    const [first] = (await list()) as { id: string }[];
    await ok('DELETE', `/v1/local/faults/${first?.id}`);
    expect((await service.send('GET', '/v1/scans')).json.error).toBe('expired_token');
  });

  it('is for a template, a path or a pattern', async () => {
    const { id } = (await ok('POST', '/v1/policies', { body: policy('one') })).json;
    await add({ path: '/v1/policies/:id', status: 500, count: 'always' });
    expect(await status('GET', `/v1/policies/${id}`)).toBe(500);
    expect(await status('GET', '/v1/policies')).toBe(200);
    await ok('DELETE', '/v1/local/faults');
    await add({ path: '/v1/s*s', status: 500, count: 'always' });
    expect(await status('GET', '/v1/scans')).toBe(500);
    expect(await status('GET', `/v1/policies/${id}`)).toBe(200);
  });

  it('leaves its own endpoints and the liveness of the process alone', async () => {
    await add({ status: 500, count: 'always' });
    expect(await status('GET', '/healthz')).toBe(200);
    expect(await status('GET', '/v1/local')).toBe(200);
    expect(await status('GET', '/readyz')).toBe(500);
    expect((await ok('DELETE', '/v1/local/faults')).json).toEqual({ cleared: 1 });
    expect(await status('GET', '/readyz')).toBe(200);
  });

  it('cuts before anything is done, after all is done, or in the middle of the answer', async () => {
    const names = async (): Promise<string[]> =>
      ((await ok('GET', '/v1/policies')).json.policies as { name: string }[]).map(
        ({ name }) => name,
      );
    await add({ method: 'POST', cut: 'request' });
    await expect(service.send('POST', '/v1/policies', { body: policy('a') })).rejects.toThrow(
      'closed by a fault',
    );
    expect(await names()).toEqual([]);
    await add({ method: 'POST', path: '/v1/policies', cut: 'answer' });
    await expect(service.send('POST', '/v1/policies', { body: policy('a') })).rejects.toThrow(
      'closed by a fault',
    );
    expect(await names()).toEqual(['a']);
    await add({ path: '/v1/policies', cut: 'body' });
    await expect(service.send('GET', '/v1/policies')).rejects.toThrow('closed by a fault');
  });

  it('holds a request back', async () => {
    await add({ path: '/v1/policies', delay_ms: 30 });
    const before = performance.now();
    expect(await status('GET', '/v1/policies')).toBe(200);
    expect(performance.now() - before).toBeGreaterThan(25);
  });

  it.each([
    [{}, 'status'],
    [{ status: 200 }, 'status'],
    [{ status: 500, cut: 'body' }, 'cut'],
    [{ retry_after: 1, delay_ms: 5 }, 'status'],
    [{ status: 500, error: 'usage_error' }, 'error'],
    [{ status: 500, path: 'policies' }, 'path'],
    [{ status: 500, count: 0 }, 'count'],
    [{ status: 500, probability: 1 }, 'probability'],
  ])('is refused as %j', async (body, field) => {
    const got = await service.send('POST', '/v1/local/faults', { body });
    expect(got.status).toBe(400);
    expect(got.text).toContain(`"field":"${field}"`);
  });

  it('is not found where it is gone', async () => {
    expect((await service.send('DELETE', '/v1/local/faults/flt_1')).json.error).toBe(
      'fault_not_found',
    );
  });
});

describe('the request log of a local server', () => {
  const requests = async (query = ''): Promise<Record<string, unknown>[]> =>
    (await ok('GET', `/v1/local/requests${query}`)).json.requests as Record<string, unknown>[];

  it('has what was asked and answered, without values of queries and without itself', async () => {
    const fault = await add({ method: 'GET', path: '/v1/scans', status: 502 });
    await service.send('GET', '/v1/policies?tags=secret');
    await service.send('GET', '/v1/scans', { headers: { 'x-request-id': 'mine' } });
    await service.send('GET', '/nowhere');
    const all = await requests();
    expect(all).toMatchObject([
      { number: 1, method: 'GET', path: '/v1/policies', route: '/v1/policies', status: 200 },
      { number: 2, status: 502, error: 'internal_error', request_id: 'mine', fault },
      { number: 3, path: '/nowhere', status: 404, error: 'not_found' },
    ]);
    expect(all[0]?.bytes).toBe(
      '{"policies":[],"pagination":{"total":0,"limit":20,"offset":0,"has_more":false}}'.length,
    );
    expect(JSON.stringify(all)).not.toContain('secret');
  });

  it('keeps the last thousand, and goes on behind a number', async () => {
    for (let at = 0; at < 1_005; at++) await service.send('GET', '/healthz');
    expect((await requests('?limit=1000')).map(({ number }) => number).at(0)).toBe(6);
    expect((await requests('?limit=2')).map(({ number }) => number)).toEqual([1_004, 1_005]);
    expect((await requests('?after=1&limit=2')).map(({ number }) => number)).toEqual([6, 7]);
    expect(await requests('?after=1005')).toEqual([]);
    expect((await ok('GET', '/v1/local/requests')).json.last).toBe(1_005);
  });
});
