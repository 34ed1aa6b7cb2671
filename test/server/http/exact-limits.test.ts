import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRateLimiter } from '../../../src/server/http/limits.ts';
import { createRequestCounts } from '../../../src/server/http/request-counts.ts';
import { startServer } from '../../../src/server/start.ts';
import type { RunningServer, ServerOptions } from '../../../src/server/start.ts';
import { bytesInUse } from '../../support/bytes-in-use.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const clients = 64;
const minute = 60_000;
const hour = 60 * minute;
const noon = Date.parse('2026-03-01T12:00:00Z');

/** Has 64 clients ask until each is told that it is enough. */
const together = (ask: (client: number) => Promise<boolean>): Promise<unknown> =>
  Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (await ask(client));
    }),
  );

const descending = (from: number, to: number): number[] =>
  Array.from({ length: from - to + 1 }, (_, n) => from - n);

interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | null;
}

/** What was left after each answer, by the end of the window that it tells of; and the refusals. */
function tally() {
  const left = new Map<string, number[]>();
  let refused = 0;
  return {
    left,
    refused: () => refused,
    add({ status, header }: Answer): void {
      if (status === 429) {
        refused += 1;
        return;
      }
      const window = header('x-ratelimit-reset') ?? '';
      left.set(window, [...(left.get(window) ?? []), Number(header('x-ratelimit-remaining'))]);
    },
    /** Most first. */
    ofWindow: (end: number): number[] =>
      [...(left.get(String(end / 1_000)) ?? [])].sort((a, b) => b - a),
  };
}

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-exact-'));
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    allowTargets: [],
    metrics: false,
    logLevel: 'silent',
    rateLimit: 'enforce',
    ...options,
  });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return server;
}

const get = (server: RunningServer, key: string, agent?: Agent) =>
  new Promise<Answer>((resolve, reject) =>
    request(
      `${server.baseUrl}/v1/policies`,
      { headers: { authorization: `Bearer ${key}` }, ...(agent ? { agent } : {}) },
      (answer) =>
        answer.resume().once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            header: (name) => (answer.headers[name] as string | undefined) ?? null,
          }),
        ),
    )
      .once('error', reject)
      .end(),
  );

describe('under 64 clients at once', () => {
  it('the 200th request of a minute is the last, over real connections', async () => {
    const server = await start({ clock: { now: () => noon, monotonic: () => performance.now() } });
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const counted = tally();
    let asked = 0;
    await together(async () => {
      if (asked++ >= 320) return false;
      counted.add(await get(server, server.apiKey?.key ?? '', agent));
      return true;
    });
    agent.destroy();
    expect(counted.ofWindow(noon + minute)).toEqual(descending(199, 0));
    expect(counted.refused()).toBe(120);
  });

  it('each minute has its 200 where the clock crosses into the next in the midst of them', async () => {
    let now = noon;
    const server = await start({ clock: { now: () => now, monotonic: () => performance.now() } });
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const counted = tally();
    let asked = 0;
    await together(async () => {
      if (asked++ >= 700) return false;
      if (asked === 100 || asked === 400) now += minute;
      counted.add(await get(server, server.apiKey?.key ?? '', agent));
      return true;
    });
    agent.destroy();
    const [first, second, third] = [1, 2, 3].map((n) => counted.ofWindow(noon + n * minute));
    // Those of the first minute that were on their way when it ended count for the second.
    expect(first).toEqual(descending(199, 200 - (first?.length ?? 0)));
    expect(first?.length).toBeLessThan(200);
    expect(second).toEqual(descending(199, 0));
    expect(third).toEqual(descending(199, 0));
  });

  it('the 10,000th request of an hour is the last, and refused ones count for no window', async () => {
    const service = await startTestService({ rateLimit: 'enforce' });
    let answered = 0;
    let refusals = 0;
    const ends = new Set<unknown>();
    await together(async () => {
      const got = await service.send('GET', '/v1/policies/pol_none');
      if (got.status === 404) {
        answered += 1;
        return true;
      }
      refusals += 1;
      ends.add(
        `${String(got.json.limit)} ${got.json.limit === 200 ? '' : String(got.json.reset_time)}`.trim(),
      );
      if (got.json.limit !== 200) return false;
      // One of those who were refused moves the clock for all.
      if (refusals % clients === 0) service.advance(minute);
      return true;
    });
    expect(answered).toBe(10_000);
    expect(ends).toEqual(new Set(['200', '10000 2026-03-01T13:00:00.000Z']));
    service.advance(hour);
    const next = await service.send('GET', '/v1/policies/pol_none');
    expect(next.headers.get('x-ratelimit-remaining')).toBe('199');
    await service.close();
  });

  it('the 100,000th request of a day is the last, of all keys together', async () => {
    const service = await startTestService({ rateLimit: 'enforce' });
    const made = 100;
    // Making them counts, too.
    const keys = await keysOf(service, made);
    service.advance(minute);
    let next = 0;
    let answered = 0;
    let last: unknown;
    await together(async () => {
      const n = next++;
      if (n > 0 && n % (200 * keys.length) === 0) service.advance(minute);
      const { status, text } = await ask(service, keys[n % keys.length] ?? '');
      if (status === 200) {
        answered += 1;
        return true;
      }
      const refusal = JSON.parse(text) as { readonly limit: number };
      // A key may be ahead of the others for a moment, at the end of a minute.
      if (refusal.limit === 200) return true;
      last = refusal;
      return false;
    });
    expect(answered).toBe(100_000 - made);
    expect(last).toMatchObject({ limit: 100_000, reset_time: '2026-03-02T00:00:00.000Z' });
    const other = await service.send('GET', '/v1/policies/pol_none');
    expect([other.status, other.json.limit]).toEqual([429, 100_000]);
    service.advance(12 * hour);
    expect((await service.send('GET', '/v1/policies/pol_none')).status).toBe(404);
    await service.close();
  });
});

/** As cheap as it gets: there are 100,000. */
async function ask({ app }: TestService, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await app.fetch(new Request('http://service.test/v1/policies', { headers }), {});
  return { status: answer.status, text: answer.status === 200 ? '' : await answer.text() };
}

async function keysOf(service: TestService, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let n = 0; n < count; n++) keys.push(await service.keyWith('governance:read'));
  return keys;
}

describe('the headers', () => {
  it('tell of the longest of the windows that have as little left: before it ends, a retry is in vain', () => {
    let now = noon;
    const limiter = createRateLimiter('enforce', { now: () => now, monotonic: () => now });
    const take = (key: string) => limiter.take(key, false);
    for (let n = 0; n < 49 * 200; n++) {
      if (n > 0 && n % 200 === 0) now += minute;
      take('a');
    }
    now += minute;
    for (let n = 0; n < 199; n++) take('a');
    expect(take('a')).toEqual({
      'X-RateLimit-Limit': '10000',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String((noon + hour) / 1_000),
    });
    expect(() => take('a')).toThrow(
      /^The limit of 10,000 requests per hour of this key is exceeded; retry in 660 s$/,
    );
  });
});

describe('a restart', () => {
  it('goes on with the counts of the key and of all', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'govctl-exact-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    let now = noon;
    const clock = { now: () => now, monotonic: () => performance.now() };
    const apiKey = `gk_${'r'.repeat(43)}`;
    const again = () => start({ dataDir: path.join(folder, 'data'), clock, apiKey });
    const leftAfter = async (server: RunningServer) =>
      (await get(server, apiKey)).header('x-ratelimit-remaining');
    for (const left of ['199', '198', '197']) {
      const server = await again();
      expect(await leftAfter(server)).toBe(left);
      await server.stop();
    }
    now += minute;
    const server = await again();
    expect(await leftAfter(server)).toBe('199');
  });

  it('after a kill forgets no more than a minute of all, and 19 requests of a key beside', async () => {
    const service = await startTestService({ rateLimit: 'enforce' });
    const made = async (name: string) =>
      (
        await service.send('POST', '/v1/api-keys', {
          body: { name, scopes: ['governance:read'] },
        })
      ).json as { readonly id: string; readonly key: string };
    const [busy, quiet] = [await made('busy'), await made('quiet')];
    const ask = ({ key }: { readonly key: string }) =>
      service.send('GET', '/v1/policies/pol_none', { key });
    // What is in the store is what a start after a kill finds.
    const leftAfterKill = async ({ id }: { readonly id: string }) => {
      const limiter = createRateLimiter('enforce', service.deps.clock);
      await createRequestCounts(service.deps.store, limiter).load();
      return limiter.take(id, false)['X-RateLimit-Remaining'];
    };
    for (let n = 0; n < 50; n++) await ask(busy);
    for (let n = 0; n < 19; n++) await ask(quiet);
    await service.maintain();
    for (let n = 0; n < 5; n++) await ask(busy);
    expect(await leftAfterKill(busy)).toBe('149');
    expect(await leftAfterKill(quiet)).toBe('199');
    await ask(quiet);
    await service.maintain();
    expect(await leftAfterKill(busy)).toBe('149');
    expect(await leftAfterKill(quiet)).toBe('179');
    await service.close();
  });
});

it('10,000 keys take no more memory after many hours than after one', () => {
  let now = noon;
  const limiter = createRateLimiter('enforce', { now: () => now, monotonic: () => now });
  const anHour = (part: string): void => {
    for (let n = 0; n < 10_000; n++) limiter.take(`key_${part}_${n}`, false);
    now += hour;
  };
  anHour('first');
  const before = bytesInUse();
  for (let n = 0; n < 8; n++) {
    now += 24 * hour;
    anHour(String(n));
  }
  expect(bytesInUse() - before).toBeLessThan(2 << 20);
});
