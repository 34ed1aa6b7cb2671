import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../inventory-service.ts';
import type { Got, TestService } from '../test-service.ts';
import { policy, startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const hour = 3_600_000;
const clock = async (): Promise<unknown> => (await inventory.ok('GET', '/v1/local/clock')).json;
const advance = async (body: Readonly<Record<string, unknown>>): Promise<Got> =>
  service.send('POST', '/v1/local/clock/advance', { body });

describe('a server that others can reach', () => {
  it('refuses every test aid with not_local, and marks no answer', async () => {
    const open = await startTestService({ isLocal: false });
    for (const [method, path, body] of [
      ['GET', '/v1/local'],
      ['GET', '/v1/local/clock'],
      ['PUT', '/v1/local/clock', { now: '2030-01-01T00:00:00Z' }],
      ['DELETE', '/v1/local/clock'],
      ['POST', '/v1/local/clock/advance', { by: '1h' }],
      ['GET', '/v1/local/faults'],
      ['POST', '/v1/local/faults', { status: 500 }],
      ['DELETE', '/v1/local/faults'],
      ['DELETE', '/v1/local/faults/flt_1'],
      ['GET', '/v1/local/requests'],
      ['GET', '/v1/local/snapshot'],
      ['POST', '/v1/local/reset'],
    ] as const) {
      const got = await open.send(method, path, body ? { body } : {});
      expect([path, got.status, got.json.error]).toEqual([path, 403, 'not_local']);
      expect(got.headers.has('x-govctl-local')).toBe(false);
    }
    const headers = { 'content-type': 'application/x-ndjson' };
    const restored = await open.send('POST', '/v1/local/restore', { text: '{}', headers });
    expect(restored.json.error).toBe('not_local');
    await open.close();
  });
});

describe('the clock of a local server', () => {
  it('is set, goes on from there, says so in every answer, and is put back', async () => {
    const before = await service.send('GET', '/v1/policies');
    expect(before.headers.has('x-govctl-local')).toBe(false);
    const set = await inventory.ok('PUT', '/v1/local/clock', {
      body: { now: '2026-03-02T13:00:00Z' },
    });
    expect(set.json).toEqual({
      now: '2026-03-02T13:00:00.000Z',
      system_now: '2026-03-01T12:00:00.000Z',
      offset_ms: 25 * hour,
    });
    service.advance(1_500);
    expect(await clock()).toMatchObject({ now: '2026-03-02T13:00:01.500Z' });
    const after = await service.send('POST', '/v1/policies', { body: policy('late') });
    expect(after.headers.get('x-govctl-local')).toBe('clock=+1d1h,offset_ms=90000000');
    expect(after.json.created_at).toBe('2026-03-02T13:00:01.500Z');
    const unmatched = await service.send('GET', '/nowhere');
    expect(unmatched.headers.get('x-govctl-local')).toBe('clock=+1d1h,offset_ms=90000000');
    const reset = await inventory.ok('DELETE', '/v1/local/clock');
    expect(reset.json).toMatchObject({ offset_ms: 0 });
    expect(reset.headers.has('x-govctl-local')).toBe(false);
  });

  it('goes back, while ids and sequences go on growing', async () => {
    const early = await inventory.createPolicy('early');
    await inventory.ok('PUT', '/v1/local/clock', { body: { now: '2020-01-01T00:00:00Z' } });
    const late = await inventory.createPolicy('late');
    expect(late > early).toBe(true);
    expect((await service.send('GET', `/v1/policies/${late}`)).json.created_at).toBe(
      '2020-01-01T00:00:00.000Z',
    );
  });

  it('expires tokens and begins rate windows anew', async () => {
    const limited = await startTestService({ rateLimit: 'enforce' });
    const client = await limited.send('POST', '/v1/oauth-clients', {
      body: { name: 'ci', scopes: ['governance:read'] },
    });
    const issued = await limited.send('POST', '/auth/token', {
      key: null,
      body: { grant_type: 'client_credentials', ...pick(client, ['client_id', 'client_secret']) },
    });
    const token = String(issued.json.access_token);
    const left = async (): Promise<number> =>
      Number((await limited.send('GET', '/v1/policies')).headers.get('x-ratelimit-remaining'));
    const first = await left();
    expect(await left()).toBe(first - 1);
    expect((await limited.send('GET', '/v1/policies', { key: token })).status).toBe(200);
    const moved = await limited.send('POST', '/v1/local/clock/advance', { body: { by: '61m' } });
    expect(moved.json).toMatchObject({ reached: true, steps: 0 });
    expect(await left()).toBeGreaterThanOrEqual(first);
    expect((await limited.send('GET', '/v1/policies', { key: token })).json.error).toBe(
      'expired_token',
    );
    await limited.close();
  });

  it('does on its way what becomes due, at its own time', async () => {
    await inventory.createPolicy('p');
    await inventory.put('b', { public: true });
    await inventory.exempt({ expires: '2026-03-03' });
    expect((await inventory.violation()).status).toBe('EXEMPT');
    const got = await advance({ by: 'P7D' });
    expect(got.json).toMatchObject({
      from: '2026-03-01T12:00:00.000Z',
      target: '2026-03-08T12:00:00.000Z',
      now: '2026-03-08T12:00:00.000Z',
      reached: true,
      steps: 1,
    });
    expect(await inventory.violation()).toMatchObject({ status: 'OPEN' });
    const [exemption] = (await service.send('GET', '/v1/exemptions')).json.exemptions as {
      updated_at: string;
    }[];
    expect(exemption?.updated_at).toBe('2026-03-04T00:00:00.000Z');
  });

  it('settles with a duration of nothing, and takes a moment that has passed for reached', async () => {
    await inventory.put('b', { public: true });
    await inventory.createPolicy('p');
    expect(await inventory.violations()).toHaveLength(0);
    expect((await advance({ by: '0s' })).json).toMatchObject({ reached: true, steps: 0 });
    expect(await inventory.violations()).toHaveLength(1);
    expect((await advance({ to: '2020-01-01T00:00:00Z' })).json).toMatchObject({
      reached: true,
      now: '2026-03-01T12:00:00.000Z',
    });
  });

  it.each([
    [{ by: 'tomorrow' }, 'by'],
    [{ by: 'P1M' }, 'by'],
    [{ by: '-1h' }, 'by'],
    [{}, 'by'],
    [{ by: '1h', to: '2030-01-01T00:00:00Z' }, 'by'],
    [{ by: '1h', within_ms: 0 }, 'within_ms'],
  ])('refuses %j', async (body, field) => {
    const got = await advance(body);
    expect(got.status).toBe(400);
    expect(got.text).toContain(`"field":"${field}"`);
  });

  it('does not leave the years that a timestamp can say', async () => {
    expect((await advance({ by: '999999999w' })).status).toBe(400);
    expect(await clock()).toMatchObject({ offset_ms: 0 });
  });
});

const pick = ({ json }: Got, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, json[name]]));
