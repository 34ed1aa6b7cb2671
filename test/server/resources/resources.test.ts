import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../../src/server/http/listener.ts';
import { resources as resourcesSpec } from '../../../src/server/resources/collection.ts';
import { until } from '../../support/until.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { fieldsOf, policy, startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const bucket = (id: string, fields = {}) => ({ id, type: 'AWS::S3::Bucket', ...fields });
const pageOfOne = { orderBy: 'id', direction: 'asc', limit: 1 } as const;
const nested = (levels: number): string =>
  `{"id":"deep","type":"A::B","a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe('PUT /v1/resources/:id', () => {
  it('creates with 201, replaces the whole resource with 200, and writes nothing where nothing changes', async () => {
    const id = 'arn:aws:s3:::a/b c';
    const created = await inventory.put(id, { region: 'eu-west-1', anything: { goes: [1] } });
    expect([created.status, created.json]).toEqual([
      201,
      {
        ...bucket(id, { region: 'eu-west-1', anything: { goes: [1] } }),
        provider: 'aws',
        tags: {},
        properties: {},
        _meta: { created_at: '2026-03-01T12:00:00.000Z', updated_at: '2026-03-01T12:00:00.000Z' },
      },
    ]);
    service.advance(1_000);
    // What was answered can be sent back.
    const same = await inventory.put(id, created.json);
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([
      200,
      created.text,
      created.headers.get('etag'),
    ]);
    const replaced = await inventory.put(id, { public: true });
    expect(replaced.json).not.toHaveProperty('region');
    expect(replaced.json._meta).toEqual({
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:01.000Z',
    });
    const log = await inventory.ok(
      'GET',
      `/v1/audit-log?subject=${encodeURIComponent(id)}&order=asc`,
    );
    expect(log.json.audit_log).toMatchObject([
      { action: 'resource.create' },
      { action: 'resource.update', changes: ['region', 'anything', 'public'] },
    ]);
  });

  it('heeds If-Match, also for one that is not there', async () => {
    const etag = (await inventory.put('r')).headers.get('etag') ?? '';
    await inventory.put('r', { public: true });
    const send = (id: string, match: string) =>
      service.send('PUT', `/v1/resources/${id}`, {
        body: bucket(id),
        headers: { 'if-match': match },
      });
    expect((await send('r', etag)).status).toBe(412);
    expect((await send('r', '*')).status).toBe(200);
    expect((await send('new', '*')).status).toBe(412);
  });

  it.each([
    ['another id than the path', bucket('other'), 'id'],
    ['no type', { id: 'r' }, 'type'],
    ['a tag that is no text', bucket('r', { tags: { a: 1 } }), 'tags.a'],
    [
      'a tag named as a prototype that is no text',
      bucket('r', { tags: JSON.parse('{"__proto__":{"toString":1}}') as unknown }),
      'tags.__proto__',
    ],
    ['a type with a wildcard', { id: 'r', type: 'AWS::*' }, 'type'],
    ['a list', [], ''],
  ])('refuses %s as RES_001', async (_, body, field) => {
    const got = await service.send('PUT', '/v1/resources/r', { body });
    expect([got.status, got.json.error_code, fieldsOf(got)]).toEqual([400, 'RES_001', [field]]);
  });

  it('refuses what cannot be kept as JSON: deep nesting and numbers out of range', async () => {
    const deep = await service.send('PUT', '/v1/resources/deep', { text: nested(90) });
    expect([deep.status, deep.text]).toEqual([400, expect.stringContaining('nested deeper than')]);
    const deeper = await service.send('PUT', '/v1/resources/deep', { text: nested(5_000) });
    expect([deeper.status, deeper.json.error]).toEqual([400, 'malformed_request']);
    const fits = await service.send('PUT', '/v1/resources/deep', { text: nested(60) });
    expect(fits.status).toBe(201);
    const huge = await service.send('PUT', '/v1/resources/n', {
      text: '{"id":"n","type":"A::B","n":1e999}',
    });
    expect([huge.status, huge.text]).toEqual([400, expect.stringContaining('out of range')]);
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'keeps an attribute, a tag and a property named %s, and what policies say of the rest',
    async (word) => {
      await inventory.createPolicy('p');
      const text = `{"id":"r","type":"AWS::S3::Bucket","public":true,"${word}":{"public":false},"tags":{"${word}":"v"},"properties":{"${word}":{"a":1}}}`;
      const got = await service.send('PUT', '/v1/resources/r', { text });
      expect(got.status).toBe(201);
      expect(got.text.split(`"${word}"`)).toHaveLength(4);
      expect((await inventory.violation()).status).toBe('OPEN');
      const listed = await inventory.ok('GET', `/v1/resources?tags=${word}=v`);
      expect(listed.json).toMatchObject({ pagination: { total: 1 } });
    },
  );

  it('keeps NUL, lone surrogates and any script as they are', async () => {
    for (const [at, name] of ['a\u0000b', '\ud800', '加密', '\u202e'].entries()) {
      expect((await inventory.put(`r${at}`, { name })).json.name).toBe(name);
    }
  });
});

describe('POST /v1/resources', () => {
  it('lets requests that read take their turn while many policies look at many resources', async () => {
    let turns = 0;
    let isWorking = false;
    const tick = (): void => {
      turns += 1;
      if (isWorking) setImmediate(tick);
    };
    const watched = await startTestService({
      wrapStore: (store) => ({
        ...store,
        transact: (work) =>
          store.transact(async (tx) => {
            [isWorking, turns] = [true, 0];
            setImmediate(tick);
            return work(tx).finally(() => (isWorking = false));
          }),
      }),
    });
    try {
      for (let at = 0; at < 10; at++) await inventoryOf(watched).createPolicy(`p${at}`);
      const resources = Array.from({ length: 1_000 }, (_, at) =>
        bucket(`r${at}`, { public: false }),
      );
      await watched.send('POST', '/v1/resources', { body: { resources } });
      expect(turns).toBeGreaterThan(10);
    } finally {
      await watched.close();
    }
  });

  it('counts what it creates, updates and leaves, all or none', async () => {
    const send = (resources: unknown) =>
      service.send('POST', '/v1/resources', { body: { resources } });
    expect((await send([bucket('a'), bucket('b')])).json).toEqual({
      created: 2,
      updated: 0,
      unchanged: 0,
    });
    expect((await send([bucket('a'), bucket('b', { x: 1 }), bucket('c')])).json).toEqual({
      created: 1,
      updated: 1,
      unchanged: 1,
    });
    const twice = await send([bucket('d'), bucket('e'), bucket('d', { x: 1 })]);
    expect([twice.status, fieldsOf(twice)]).toEqual([400, ['resources[2].id']]);
    expect((await send([bucket('b', { x: 1 }), bucket('c'), bucket('c')])).json).toEqual({
      created: 0,
      updated: 0,
      unchanged: 3,
    });
    const broken = await send([bucket('d'), { id: 'e' }]);
    expect([broken.status, fieldsOf(broken)]).toEqual([400, ['resources[1].type']]);
    expect((await send(Array.from({ length: 1_001 }, (_, at) => bucket(`${at}`)))).status).toBe(
      400,
    );
    expect((await service.send('GET', '/v1/resources')).json).toMatchObject({
      pagination: { total: 3 },
    });
  });
});

describe('POST /v1/resources/import', () => {
  it('stores the good lines and names the others by line, id and reason', async () => {
    const lines = [
      `\ufeff${JSON.stringify(bucket('first'))}\r`,
      '',
      '{"id": "half"',
      '{"id": "untyped"}',
      'null',
      nested(80),
      JSON.stringify(bucket('first', { x: 1 })),
      JSON.stringify(bucket('last')),
    ];
    const got = await inventory.importLines(lines.join('\n'));
    expect([got.status, got.json]).toMatchObject([
      200,
      {
        lines: 7,
        created: 2,
        updated: 0,
        unchanged: 0,
        rejected: 5,
        rejected_lines: [
          { line: 3 },
          { line: 4 },
          { line: 5 },
          { line: 6, id: 'deep', reason: expect.stringContaining('nested deeper') as unknown },
          { line: 7, id: 'first', reason: 'has the ID of line 1, but different content' },
        ],
      },
    ]);
    expect((await inventory.ok('GET', '/v1/resources/first')).json.x).toBeUndefined();
  });

  it('takes an id twice only with the same content, in one batch and over many', async () => {
    await inventory.importLines(JSON.stringify(bucket('old', { x: 0 })));
    const others = Array.from({ length: 300 }, (_, at) => bucket(`other-${at}`));
    const lines = [
      bucket('old', { x: 1 }),
      { type: 'AWS::S3::Bucket', id: 'new' },
      bucket('new'),
      ...others,
      bucket('old', { x: 1 }),
      bucket('old', { x: 0 }),
      bucket('new', { x: 2 }),
    ];
    const { json } = await inventory.importLines(
      lines.map((one) => JSON.stringify(one)).join('\n'),
    );
    expect(json).toMatchObject({
      lines: 306,
      created: 301,
      updated: 1,
      unchanged: 2,
      rejected_lines: [
        { line: 305, id: 'old', reason: 'has the ID of line 1, but different content' },
        { line: 306, id: 'new', reason: 'has the ID of line 2, but different content' },
      ],
    });
    expect((await inventory.ok('GET', '/v1/resources/old')).json.x).toBe(1);
  });

  it('names a hundred rejected lines at most, and counts all', async () => {
    const { json } = await inventory.importLines('{}\n'.repeat(250));
    expect([json.rejected, (json.rejected_lines as unknown[]).length]).toEqual([250, 100]);
  });

  it('is one entry of the audit log, however many batches it takes', async () => {
    const lines = Array.from({ length: 450 }, (_, at) => JSON.stringify(bucket(`r${at}`)));
    await inventory.importLines(lines.join('\n'));
    const log = await inventory.ok('GET', '/v1/audit-log?action=resource.import');
    expect(log.json).toMatchObject({ pagination: { total: 1 } });
  });

  it('rejects a line with a tag named as a prototype that is no text', async () => {
    const got = await inventory.importLines(
      '{"id":"r","type":"A::B","tags":{"__proto__":{"toString":1}}}',
    );
    expect(got.json).toMatchObject({
      rejected_lines: [{ line: 1, reason: expect.stringContaining('tags.__proto__: must be') }],
    });
  });

  it('rejects a line that is no UTF-8 or too long, and takes the others', async () => {
    const good = (id: string) => Buffer.from(`${JSON.stringify(bucket(id))}\n`);
    const chunks = [
      good('a'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      ...Array.from({ length: 11 }, () => Buffer.alloc(1 << 20, 0x20)),
      Buffer.from('x\n'),
      good('b'),
    ];
    const response = await service.app.fetch(
      new Request('http://service.test/v1/resources/import', {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
        body: ReadableStream.from(chunks),
        duplex: 'half',
      } as RequestInit),
      {},
    );
    expect(await response.json()).toMatchObject({
      created: 2,
      rejected_lines: [
        { line: 2, reason: 'is not valid UTF-8' },
        { line: 3, reason: 'is longer than 1 MiB' },
      ],
    });
  });

  it('takes a body of more than 10 MiB, and reads it no faster than it stores it', async () => {
    let made = 0;
    let ahead = 0;
    const filler = 'x'.repeat(10_000);
    const stored = () => service.deps.store.page(resourcesSpec, pageOfOne);
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { total } = await stored();
          ahead = Math.max(ahead, made - total);
          if (made === 1_200) controller.close();
          else {
            const line = JSON.stringify(bucket(`r-${made++}`, { filler }));
            controller.enqueue(Buffer.from(`${line}\n`));
          }
        },
      },
      { highWaterMark: 0 },
    );
    const response = await service.app.fetch(
      new Request('http://service.test/v1/resources/import', {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
        body,
        duplex: 'half',
      } as RequestInit),
      {},
    );
    expect(await response.json()).toMatchObject({ created: 1_200, rejected: 0 });
    expect(ahead).toBeLessThan(250);
  });

  it('keeps what came before the stream broke off, and says so', async () => {
    let sent = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) controller.error(new Error('cut'));
        else {
          const lines = Array.from({ length: 450 }, (_, at) => JSON.stringify(bucket(`r-${at}`)));
          controller.enqueue(Buffer.from(`${lines.join('\n')}\n`));
        }
        sent = true;
      },
    });
    const response = await service.app.fetch(
      new Request('http://service.test/v1/resources/import', {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
        body,
        duplex: 'half',
      } as RequestInit),
      {},
    );
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('400 resources are stored');
  });

  it('is no import of nothing where its sender is gone before it is read', async () => {
    const listener = await listen({
      host: '127.0.0.1',
      port: 0,
      fetch: (asked, peer) => service.app.fetch(asked, peer),
      refuse: (status) => new Response(null, { status }),
    });
    const fault = { path: '/v1/resources/import', delay_ms: 200 };
    await inventory.ok('POST', '/v1/local/faults', { body: fault });
    const line = JSON.stringify(bucket('r'));
    const head = [
      'POST /v1/resources/import HTTP/1.1',
      'Host: service.test',
      `Authorization: Bearer ${service.key}`,
      'Content-Type: application/x-ndjson',
      'Content-Length: 1000',
      'Idempotency-Key: k',
    ];
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(`${head.join('\r\n')}\r\n\r\n${line}`);
    const ok = async (path: string) => (await inventory.ok('GET', path)).text;
    await until(async () => (await ok('/v1/local/faults')).includes('"hits":1'));
    socket.destroy();
    await until(async () => (await ok('/v1/local/requests')).includes('/v1/resources/import'));
    expect(await ok('/v1/local/requests')).toContain('"error":"malformed_request"');
    const repeat = await inventory.importLines(line, { 'idempotency-key': 'k' });
    expect(repeat.json).toMatchObject({ created: 1 });
    await listener.stopListening();
    await listener.close(0);
  });

  it('answers a repeat with its Idempotency-Key from the record, without storing anything', async () => {
    const headers = { 'idempotency-key': 'k' };
    const line = JSON.stringify(bucket('r'));
    const first = await inventory.importLines(line, headers);
    await inventory.put('r', { changed: true });
    const repeat = await inventory.importLines(line, headers);
    expect([repeat.text, repeat.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await inventory.ok('GET', '/v1/resources/r')).json.changed).toBe(true);
    const other = await inventory.importLines(JSON.stringify(bucket('q')), headers);
    expect(other.status).toBe(409);
    expect((await service.send('GET', '/v1/resources/q')).status).toBe(404);
  });

  it('takes lines of JSON only, and the writing scope', async () => {
    const json = await service.send('POST', '/v1/resources/import', { body: bucket('r') });
    expect(json.status).toBe(415);
    const key = await service.keyWith('governance:read');
    const refused = await service.send('POST', '/v1/resources/import', {
      text: '',
      key,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(refused.status).toBe(403);
  });
});

describe('GET /v1/resources', () => {
  it.each([
    ['type=AZURE::storage::accounts', ['c']],
    ['type=AWS::S3::Bucket,Azure::Storage::Accounts', ['a', 'b', 'c']],
    ['provider=aws&region=eu-west-1', ['a']],
    ['provider=AWS&region=eu-west-1', ['a']],
    ['tags=team', ['a', 'b']],
    ['tags=team=x', ['a']],
    ['tags=team=x,tier=1', ['a']],
    ['account_id=1,2', ['a', 'b']],
    ['environment=production', ['b']],
  ])('filtered by %s', async (query, ids) => {
    await inventory.put('a', {
      region: 'eu-west-1',
      tags: { team: 'x', tier: '1' },
      account_id: '1',
    });
    await inventory.put('b', { tags: { team: 'y' }, account_id: '2', environment: 'production' });
    await inventory.put('c', { type: 'azure::storage::accounts' });
    const got = await inventory.ok('GET', `/v1/resources?${query}&sort_by=id&order=asc`);
    expect((got.json.resources as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  });

  it('pages through ids as long as they may be', async () => {
    const ids = ['加', 'b', 'a'].map((letter) => letter.repeat(2_048)).sort();
    for (const id of ids)
      await inventory.ok('POST', '/v1/resources', { body: { resources: [bucket(id)] } });
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await inventory.ok('GET', `/v1/resources?sort_by=id&order=asc&limit=1${cursor}`);
      seen.push(...(page.json.resources as { id: string }[]).map(({ id }) => id));
      const { next_cursor: next } = page.json.pagination as { next_cursor?: string };
      if (next === undefined) break;
      cursor = `&cursor=${next}`;
    }
    expect(seen).toEqual(ids);
  });
});

describe('POST /v1/policies/validate', () => {
  const validate = (body: object, key?: string) =>
    service.send('POST', '/v1/policies/validate', { body, ...(key ? { key } : {}) });

  it('says what stored and given policies find, and stores nothing', async () => {
    const id = await inventory.createPolicy('stored', { severity: 'HIGH' });
    await inventory.createPolicy('off', { enabled: false });
    const resources = [bucket('a', { public: true }), bucket('b', { public: false }), bucket('c')];
    const key = await service.keyWith('governance:read');
    const all = await validate({ resources }, key);
    expect([all.status, all.json.summary]).toEqual([
      200,
      { evaluated: 3, pass: 1, fail: 1, error: 1, exempt: 0 },
    ]);
    expect(all.json.results).toMatchObject([
      { policy: 'stored', policy_id: id, resource: 'a', status: 'FAIL', severity: 'HIGH' },
      { resource: 'b', status: 'PASS' },
      { resource: 'c', status: 'ERROR', reason: 'missing_attribute', path: 'resource.public' },
    ]);
    const inline = await validate({ resources, policies: [policy('given')], mode: 'failures' });
    expect(inline.json.results).toMatchObject([
      { policy: 'given', resource: 'a' },
      { policy: 'given', resource: 'c' },
    ]);
    expect((await service.send('GET', '/v1/resources')).json).toMatchObject({
      pagination: { total: 0 },
    });
  });

  it('counts exemptions by id and key for a policy given that the service has', async () => {
    const tags = ['govctl.owner:web', 'govctl.key:k@0123456789ab'];
    const id = await inventory.createPolicy('stored', { tags });
    await inventory.createPolicy('of others', {
      tags: ['govctl.owner:app', 'govctl.key:k@0123456789ab'],
    });
    const resources = [bucket('by-id', { public: true }), bucket('by-key', { public: true })];
    await inventory.exempt({ policy: id, resources: ['by-id'] });
    await inventory.exempt({ policy: 'k', project: 'web', resources: ['by-key'] });
    const renamed = await validate({ resources, policies: [policy('renamed', { tags })] });
    expect(renamed.json.summary).toMatchObject({ evaluated: 2, exempt: 2 });
    const sameName = await validate({ resources, policies: [policy('stored')] });
    expect(sameName.json.summary).toMatchObject({ evaluated: 2, exempt: 1, fail: 1 });
  });

  it('counts exemptions of the service', async () => {
    await inventory.createPolicy('p');
    await inventory.exempt({ resources: ['a'] });
    const got = await validate({ resources: [bucket('a', { public: true })] });
    expect(got.json.results).toMatchObject([
      { status: 'EXEMPT', exemption: 'agreed (team-a, until 2026-03-31)' },
    ]);
  });

  it('refuses a condition that does not compile, an unknown policy, and too much at once', async () => {
    const resources = [bucket('a')];
    const wrong = { ...policy('x'), rules: [{ condition: 'resurce.a', effect: 'DENY' }] };
    const broken = await validate({ resources, policies: [wrong] });
    expect([broken.json.error, fieldsOf(broken)]).toEqual([
      'policy_condition_invalid',
      ['policies[0].rules[0].condition'],
    ]);
    expect((await validate({ resources, policy_ids: ['pol_x'] })).status).toBe(404);
    const many = await validate({
      resources: Array.from({ length: 1_000 }, (_, at) => bucket(`${at}`)),
      policies: Array.from({ length: 101 }, (_, at) => policy(`${at}`)),
    });
    expect([many.status, many.text]).toEqual([400, expect.stringContaining('101000 evaluations')]);
  });
});
