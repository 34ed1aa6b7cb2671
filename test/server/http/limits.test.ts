import { describe, expect, it } from 'vitest';
import { startTestService } from '../test-service.ts';

const minute = 60_000;
const list = '/v1/policies';
const headersOf = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset', 'retry-after'].map((name) => headers.get(`x-ratelimit-${name}`));

describe('rate limits', () => {
  it('allow 200 requests a minute for each key, and say when to try again', async () => {
    const service = await startTestService({ rateLimit: 'enforce' });
    service.advance(30_000);
    const reset = String(Date.parse('2026-03-01T12:01:00Z') / 1000);
    const first = await service.send('GET', list);
    expect(headersOf(first)).toEqual(['200', '199', reset, null]);
    for (let n = 0; n < 199; n++) expect((await service.send('GET', list)).status).toBe(200);
    const refused = await service.send('GET', list);
    expect(refused.status).toBe(429);
    expect(headersOf(refused)).toEqual(['200', '0', reset, '30']);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(refused.json).toMatchObject({
      error: 'rate_limit_exceeded',
      error_code: 'RATE_001',
      message: expect.stringContaining('200 requests per minute'),
      retry_after: 30,
      limit: 200,
      reset_time: '2026-03-01T12:01:00.000Z',
    });
    expect((await service.send('GET', '/healthz')).status).toBe(200);
    service.advance(30_000);
    expect(headersOf(await service.send('GET', list)).slice(0, 2)).toEqual(['200', '199']);
    await service.close();
  });

  it('count each key for itself', async () => {
    const service = await startTestService({ rateLimit: 'enforce' });
    const other = await service.keyWith('governance:read');
    for (let n = 0; n < 200; n++) await service.send('GET', list);
    expect((await service.send('GET', list)).status).toBe(429);
    expect((await service.send('GET', list, { key: other })).status).toBe(200);
    await service.close();
  });

  it('count the tokens a client gets', async () => {
    const service = await startTestService({ rateLimit: 'enforce' });
    const { json } = await service.send('POST', '/v1/oauth-clients', {
      body: { name: 'eager', scopes: ['governance:read'] },
    });
    const { client_id, client_secret } = json;
    const body = { grant_type: 'client_credentials', client_id, client_secret };
    const ask = () => service.send('POST', '/auth/token', { key: null, body });
    for (let n = 0; n < 200; n++) expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect([refused.status, refused.json.error]).toEqual([429, 'rate_limit_exceeded']);
    service.advance(minute);
    expect((await ask()).headers.get('x-ratelimit-remaining')).toBe('199');
    await service.close();
  });

  it.each([
    ['tokens', 'GET', list, undefined],
    ['clients', 'POST', '/auth/token', { client_id: 'x', client_secret: 'y' }],
  ])(
    'end a flood of wrong %s from one address, and stop nobody else',
    async (_, method, url, who) => {
      const service = await startTestService({ rateLimit: 'enforce' });
      const body = who && { grant_type: 'client_credentials', ...who };
      const guess = (from?: string) =>
        service.send(method, url, {
          key: body ? null : 'wrong',
          ...(body ? { body } : {}),
          ...(from === undefined ? {} : { from }),
        });
      for (let n = 0; n < 60; n++) expect((await guess('192.0.2.1')).status).toBe(401);
      const refused = await guess('192.0.2.1');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
      expect((await guess('192.0.2.2')).status).toBe(401);
      expect((await guess()).status).toBe(401);
      expect((await service.send('GET', list, { from: '192.0.2.1' })).status).toBe(200);
      service.advance(minute);
      expect((await guess('192.0.2.1')).status).toBe(401);
      await service.close();
      const report = await startTestService({ rateLimit: 'report' });
      for (let n = 0; n < 70; n++) {
        const got = await report.send('GET', list, { key: 'wrong', from: '127.0.0.1' });
        expect(got.status).toBe(401);
      }
      await report.close();
    },
  );

  it('are only reported in mode report, and unheard of in mode off', async () => {
    const report = await startTestService({ rateLimit: 'report' });
    for (let n = 0; n < 205; n++) expect((await report.send('GET', list)).status).toBe(200);
    expect(headersOf(await report.send('GET', list)).slice(0, 2)).toEqual(['200', '0']);
    await report.close();
    const off = await startTestService({ rateLimit: 'off' });
    expect(headersOf(await off.send('GET', list))).toEqual([null, null, null, null]);
    await off.close();
  });
});
