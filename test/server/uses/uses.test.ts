import { mkdtemp, readFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Use } from '../../../src/contract/uses.ts';
import type { RequestEvent } from '../../../src/server/observe/request-event.ts';
import { nodeFiles } from '../../../src/server/store/lowdb/file-layer.ts';
import { createUseRecord } from '../../../src/server/uses/record.ts';
import type { UseOptions } from '../../../src/server/uses/record.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

const minute = 60_000;
const day = 86_400_000;

/** A record in a folder of its own, with a clock that stands still. */
async function recordIn(options: Partial<UseOptions> = {}) {
  const dir = await mkdtemp(path.join(tmpdir(), 'govctl-uses-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  const clock = { now: () => now, monotonic: () => now };
  const errors: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_: unknown, message: string) => void errors.push(message),
  };
  const open = () => createUseRecord({ clock, log }, { dir, ...options });
  return { dir, errors, open, ...open(), advance: (ms: number) => void (now += ms) };
}

const event = (fields: Partial<RequestEvent> = {}): RequestEvent => ({
  method: 'GET',
  path: '/v1/policies',
  route: '/v1/policies',
  status: 200,
  durationMs: 1,
  requestId: 'req_1',
  address: '192.0.2.1',
  via: 'key_1',
  actor: 'user_1',
  ...fields,
});

const { signal } = new AbortController();

/** All uses, from as many pages as that takes. */
async function allOf(
  { list }: Pick<Awaited<ReturnType<typeof recordIn>>, 'list'>,
  query: object = {},
): Promise<Use[]> {
  const found: Use[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await list({ limit: 3, ...query, ...(cursor ? { cursor } : {}) }, signal);
    found.push(...page.uses.map((text) => JSON.parse(text) as Use));
    cursor = page.cursor;
    if (!page.hasMore) return found;
  }
}

describe('the record of uses', () => {
  it('keeps minutes that are not written yet, however many they are, up to a number of lines', async () => {
    const record = await recordIn({ limits: { lines: 10 } });
    const use = (): void => {
      record.add(event());
      record.advance(minute);
    };
    for (let n = 0; n < 20; n++) use();
    await record.save();
    expect([(await allOf(record)).length, record.errors]).toEqual([20, []]);
    for (let n = 0; n < 23; n++) use();
    await record.save();
    expect((await allOf(record)).length).toBe(40);
    expect(record.errors).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining('too slow') as string),
    );
  });

  it('has one line a minute for each credential, address, endpoint and outcome, with a count', async () => {
    const record = await recordIn();
    for (let n = 0; n < 5; n++) record.add(event());
    record.add(event({ address: '192.0.2.2' }));
    record.add(event({ via: 'key_2' }));
    record.add(event({ method: 'POST' }));
    record.add(event({ status: 403, error: 'insufficient_scope' }));
    record.add(event({ status: 204 }));
    record.advance(minute);
    record.add(event());
    await record.save();
    const first = await allOf(record);
    expect(first).toHaveLength(5);
    expect(first).toContainEqual({
      id: expect.any(String) as string,
      at: '2026-03-01T12:00:00.000Z',
      credential: 'key_1',
      actor: 'user_1',
      address: '192.0.2.1',
      endpoint: 'GET /v1/policies',
      outcome: '2xx',
      count: 6,
    });
    await record.stop();
    expect(await allOf(record)).toMatchObject([{ at: '2026-03-01T12:01:00.000Z', count: 1 }, ...first]); // prettier-ignore
  });

  it('counts unknown credentials by address and minute, whatever endpoint they are sent to', async () => {
    const record = await recordIn();
    const unknown = { via: undefined, actor: undefined, status: 401, error: 'invalid_token' };
    for (const route of ['/v1/policies', '/v1/scans']) record.add(event({ ...unknown, route }));
    await record.stop();
    const [use, ...more] = await allOf(record);
    expect(more).toEqual([]);
    expect(use).toMatchObject({ address: '192.0.2.1', outcome: 'invalid_token', count: 2 });
    expect(use).not.toHaveProperty('endpoint');
  });

  it('is a file for each day that only its owner can read', async () => {
    const record = await recordIn();
    record.add(event());
    record.advance(day);
    record.add(event());
    await record.stop();
    expect((await readdir(record.dir)).sort()).toEqual(['2026-03-01.ndjson', '2026-03-02.ndjson']);
    if (process.platform !== 'win32') {
      const { mode } = await stat(path.join(record.dir, '2026-03-01.ndjson'));
      expect(mode & 0o777).toBe(0o600);
    }
  });

  it('sums up by endpoint what is too much to tell apart; strangers take no lines of known credentials', async () => {
    const record = await recordIn({ limits: { lines: 30, unknown: 10 } });
    const none = { via: undefined, actor: undefined };
    for (let n = 0; n < 100; n++) {
      record.add(event({ ...none, address: `192.0.2.${n}`, route: '/healthy' }));
    }
    for (let n = 0; n < 25; n++) record.add(event({ via: `key_${n}` }));
    await record.stop();
    const uses = await allOf(record);
    expect(uses.filter(({ credential }) => credential !== undefined)).toHaveLength(20);
    expect(uses.filter(({ others }) => others)).toEqual([
      expect.objectContaining({ endpoint: 'GET /v1/policies', outcome: '2xx', count: 5 }),
      expect.objectContaining({ endpoint: 'GET /healthy', outcome: '2xx', count: 90 }),
    ]);
  });

  it('has a maximum of lines a day for strangers', async () => {
    const record = await recordIn({ limits: { unknownADay: 5 } });
    const none = { via: undefined, actor: undefined };
    for (let n = 0; n < 10; n++) {
      record.add(event({ ...none, address: `192.0.2.${n}` }));
      record.advance(minute);
      await record.save();
    }
    expect((await allOf(record)).filter(({ address }) => address !== undefined)).toHaveLength(5);
    record.advance(day);
    record.add(event({ ...none }));
    record.add(event({ ...none }));
    await record.stop();
    expect((await allOf(record))[0]).toMatchObject({ address: '192.0.2.1', count: 2 });
  });

  it('is paged from the latest on, filtered and cut by time, also while it grows', async () => {
    const record = await recordIn();
    for (let n = 0; n < 50; n++) {
      record.add(event({ via: `key_${n % 5}`, route: n % 2 ? '/v1/scans' : '/v1/policies' }));
      record.advance(6 * 60 * minute);
      await record.save();
    }
    const all = await allOf(record);
    expect(all).toHaveLength(50);
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
    expect(await allOf(record, { credential: 'key_3' })).toHaveLength(10);
    expect(await allOf(record, { endpoint: 'GET /v1/scans' })).toHaveLength(25);
    expect(await allOf(record, { endpoint: '/v1/scans', actor: 'user_1' })).toHaveLength(25);
    expect(await allOf(record, { outcome: '4xx' })).toEqual([]);
    const range = { since: '2026-03-05T00:00:00Z', until: '2026-03-07T06:00:00Z' };
    expect(await allOf(record, range)).toHaveLength(9);
    const first = await record.list({ limit: 10 }, signal);
    record.add(event({ via: 'key_new' }));
    await record.stop();
    const second = await record.list({ limit: 10, cursor: first.cursor }, signal);
    expect(JSON.parse(second.uses[0] ?? '')).toEqual(all[10]);
  });

  it('loses half a line of a crash, and nothing before or after it', async () => {
    const record = await recordIn();
    record.add(event({ via: 'key_a' }));
    record.add(event({ via: 'key_b' }));
    await record.stop();
    const file = path.join(record.dir, '2026-03-01.ndjson');
    await truncate(file, (await stat(file)).size - 20);
    const again = record.open();
    again.add(event({ via: 'key_c' }));
    await again.stop();
    expect((await allOf(again)).map(({ credential }) => credential)).toEqual(['key_c', 'key_a']);
    expect(await allOf(again, { cursor: '2026-03-01.7' })).toEqual([]);
    expect(await allOf(again, { cursor: '2026-03-01.999999999' })).toHaveLength(2);
  });

  it('goes on where the disk takes nothing: the minute is lost, and the log says so', async () => {
    let isFull = true;
    const record = await recordIn({
      files: {
        ...nodeFiles,
        open: (file, mode) =>
          isFull ? Promise.reject(new Error('ENOSPC')) : nodeFiles.open(file, mode),
      },
    });
    record.add(event());
    record.advance(minute);
    await record.save();
    expect(record.errors).toEqual(['one minute of credential usage was not recorded']);
    isFull = false;
    record.add(event());
    await record.stop();
    expect(await allOf(record)).toMatchObject([{ at: '2026-03-01T12:01:00.000Z' }]);
  });

  it('removes days that are too old', async () => {
    const record = await recordIn({ keptDays: 2 });
    for (let n = 0; n < 5; n++) {
      record.add(event());
      record.advance(day);
      await record.save();
    }
    await record.removeOld();
    expect((await readdir(record.dir)).sort()).toEqual(['2026-03-04.ndjson', '2026-03-05.ndjson']);
  });
});

describe('GET /v1/uses', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.close());

  const usesOf = async (search = '') => {
    service.advance(minute);
    await service.uses.save();
    const { json, status } = await service.send('GET', `/v1/uses${search}`);
    expect(status).toBe(200);
    return json as unknown as { uses: Use[]; actors: Record<string, string> };
  };

  it('lists who used what from where, also where it let nobody in, with names', async () => {
    const body = { name: 'robot', scopes: ['governance:read'], ip_allow_list: ['192.0.2.0/24'] };
    const { json } = await service.send('POST', '/v1/api-keys', { body });
    const key = String(json.key);
    const id = String(json.id);
    await service.send('GET', '/v1/policies?tags=x', { key, from: '192.0.2.7' });
    await service.send('GET', '/v1/policies', { key, from: '198.51.100.9' });
    await service.send('GET', '/v1/users', { key, from: '192.0.2.7' });
    await service.send('GET', '/v1/policies', { key: 'gk_wrong', from: '198.51.100.9' });
    const { uses, actors } = await usesOf();
    expect(
      uses.map(({ credential, address, endpoint, outcome }) => [
        credential === id,
        address,
        endpoint,
        outcome,
      ]),
    ).toEqual([
      // prettier-ignore
      [false, '198.51.100.9', undefined, 'invalid_token'],
      [true, '192.0.2.7', 'GET /v1/users', 'insufficient_scope'],
      [true, '198.51.100.9', 'GET /v1/policies', 'address_not_allowed'],
      [true, '192.0.2.7', 'GET /v1/policies', '2xx'],
      [false, undefined, 'POST /v1/api-keys', '2xx'],
    ]);
    expect(actors[uses[1]?.actor ?? '']).toBe('robot');
    expect((await usesOf(`?credential=${id}&address=192.0.2.7`)).uses).toHaveLength(2);
  });

  it('requires audit:read, and refuses a cursor that is none', async () => {
    const key = await service.keyWith('governance:read', 'compliance:write');
    expect((await service.send('GET', '/v1/uses', { key })).status).toBe(403);
    const auditor = await service.keyWith('audit:read');
    expect((await service.send('GET', '/v1/uses', { key: auditor })).status).toBe(200);
    for (const cursor of ['../../etc/passwd', '2026-03-01', '2026-03-01.x', '']) {
      const got = await service.send('GET', `/v1/uses?cursor=${encodeURIComponent(cursor)}`);
      expect([cursor, got.status]).toEqual([cursor, 400]);
    }
  });

  it('has no token, query or path with an ID in its files', async () => {
    const secret = 'gk_not-to-be-seen';
    await service.send('GET', `/v1/policies/${secret}?tags=${secret}`, { key: secret });
    await service.send('GET', `/${secret}`);
    await service.send(secret.replaceAll('_', '-'), '/v1/policies');
    await service.uses.stop();
    const files = await Promise.all(
      (await readdir(service.usesDir)).map((name) => readFile(path.join(service.usesDir, name), 'utf8')), // prettier-ignore
    );
    expect(files.join('')).toContain('"outcome":"not_found"');
    expect(files.join('')).not.toContain('not-to-be-seen');
  });
});
