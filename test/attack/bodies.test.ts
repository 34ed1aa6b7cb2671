import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import { createBodyChecks } from '../../src/server/http/bodies/body-checks.ts';
import type { BodyChecks } from '../../src/server/http/bodies/body-checks.ts';
import { fieldsOf, policy, startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

let service: TestService;
beforeAll(async () => void (service = await startTestService()));
afterAll(() => service.close());

const mib = 1 << 20;
const json = 'application/json';
const lines = 'application/x-ndjson';

async function importLines(body: Iterable<string>, of: TestService = service) {
  function* bytes() {
    for (const text of body) yield Buffer.from(text);
  }
  return importBytes(bytes(), of);
}

async function importBytes(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  of: TestService = service,
) {
  const response = await of.app.fetch(
    new Request('http://service.test/v1/resources/import', {
      method: 'POST',
      headers: { authorization: `Bearer ${of.key}`, 'content-type': lines },
      body: ReadableStream.from(body),
      duplex: 'half',
    }),
    {},
  );
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const resource = (id: string, more: object = {}) => ({ id, type: 'AWS::S3::Bucket', ...more });
const lineOf = (id: string, more: object = {}) => `${JSON.stringify(resource(id, more))}\n`;

describe('JSON that nests far too deep', () => {
  const deep = (opening: string) => opening.repeat(Math.floor((9 * mib) / opening.length));
  const writers = Object.values(contract)
    .flatMap((noun): { method: string; path: string; body?: unknown }[] => Object.values(noun))
    .filter(({ body }) => body !== undefined)
    .filter(({ path }) => path !== '/auth/token');

  it.each(writers.map(({ method, path }) => [method, path] as const))(
    'is refused by %s %s, with its place',
    async (method, path) => {
      for (const text of [deep('['), deep('{"a":'), `${'['.repeat(101)}${']'.repeat(101)}`]) {
        const got = await service.send(method, path.replaceAll(/:\w+/g, 'none'), { text });
        expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
        expect(got.text).toMatch(/nested more than 100 levels deep at line 1, column (101|501)/);
      }
    },
  );

  it('is refused in a line of an import, and the others are taken', async () => {
    const hostile = `${'['.repeat(900_000)}\n${'{"a":'.repeat(200_000)}\n`;
    const got = await importLines([lineOf('before'), hostile, lineOf('after')]);
    expect(got.json).toMatchObject({
      created: 2,
      rejected_lines: [
        { line: 2, reason: expect.stringContaining('nested more than 100 levels deep') },
        { line: 3, reason: expect.stringContaining('nested more than 100 levels deep') },
      ],
    });
  });
});

describe('an import', () => {
  it('of lines that are no resources ends after 1,000 of them, and says what it did', async () => {
    let sent = 0;
    function* hostile() {
      yield lineOf('good');
      for (; sent < 500_000; sent += 1) yield '{}\n';
    }
    const got = await importLines(hostile());
    expect(got.status).toBe(400);
    expect(got.json).toMatchObject({
      error: 'invalid_resource',
      error_description: expect.stringMatching(/1,000 of the first 1,001 lines .* stored: 1;/),
      lines: 1_001,
      rejected: 1_000,
      created: 1,
    });
    expect(got.json.details).toHaveLength(100);
    expect(sent).toBeLessThan(100_000);
    expect((await service.send('GET', '/v1/resources/good')).status).toBe(200);
  });

  it.each([
    ['empty', '\n'.repeat(200_000)],
    ['long', lineOf('long', { filler: 'x'.repeat(20_000) }).repeat(400)],
  ])('lets others have their turn while it reads %s lines that came at once', async (_, text) => {
    let [turns, isOver] = [0, false];
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await importLines([text]).finally(() => (isOver = true));
    expect(turns).toBeGreaterThan(100);
  });

  it('has a limit of its size, by announcement or as it comes', async () => {
    const small = await startTestService({ maxImportBytes: mib });
    try {
      function* endless() {
        for (let n = 0; n < 100_000; n += 1) yield lineOf(`r-${n}`, { filler: 'x'.repeat(1_000) });
      }
      const got = await importLines(endless(), small);
      expect([got.status, got.json.error]).toEqual([413, 'body_too_large']);
      expect(got.json.error_description).toMatch(/after \d+ lines; \d+ resources are stored/);
      const headers = { 'content-type': lines, 'content-length': String(mib + 1) };
      const announced = await small.send('POST', '/v1/resources/import', { text: 'x', headers });
      expect(announced.status).toBe(413);
      expect(announced.json.hint).toContain('--max-import');
      const restore = await small.send('POST', '/v1/local/restore', { text: 'x', headers });
      expect(restore.status).not.toBe(413);
    } finally {
      await small.close();
    }
  });
});

describe('an object of more than 1 MiB', () => {
  const large = { filler: 'x'.repeat(mib) };

  it('is no resource', async () => {
    const put = await service.send('PUT', '/v1/resources/r', { body: resource('r', large) });
    expect([put.status, put.json.error]).toEqual([413, 'body_too_large']);
    const many = { resources: [resource('a'), resource('b', large)] };
    for (const where of ['/v1/resources', '/v1/policies/validate']) {
      const got = await service.send('POST', where, { body: many });
      expect([got.status, fieldsOf(got)]).toEqual([413, ['resources[1]']]);
    }
    const imported = await importLines([lineOf('r', large)]);
    expect(imported.json).toMatchObject({ rejected_lines: [{ reason: 'is longer than 1 MiB' }] });
  });

  it('is refused before its million fields are checked one by one', async () => {
    const fields = Array.from({ length: 300_000 }, (_, n) => `"k${n}":0`).join(',');
    for (const [method, where] of [
      ['PUT', '/v1/resources/r'],
      ['POST', '/v1/policies'],
      ['POST', '/v1/events'],
    ] as const) {
      expect((await service.send(method, where, { text: `{${fields}}` })).status).toBe(413);
    }
  });

  it('may be many objects', async () => {
    const resources = Array.from({ length: 20 }, (_, n) =>
      resource(`m-${n}`, { filler: 'x'.repeat(100_000) }),
    );
    const got = await service.send('POST', '/v1/resources', { body: { resources } });
    expect([got.status, got.json]).toEqual([200, { created: 20, updated: 0, unchanged: 0 }]);
  });
});

describe('an object of very many lists and maps, which are handed on as a whole', () => {
  const listsOf = (count: number) => ({ n: Array.from({ length: count }, () => []) });

  it('is no resource, however small it is', async () => {
    const wide = { properties: listsOf(15_000) };
    const put = await service.send('PUT', '/v1/resources/r', { body: resource('r', wide) });
    expect([put.status, put.json.error]).toEqual([413, 'body_too_large']);
    expect(put.json.error_description).toBe('The object has more than 10,000 lists and maps');
    const many = { resources: [resource('a'), resource('b', wide)] };
    for (const where of ['/v1/resources', '/v1/policies/validate']) {
      const got = await service.send('POST', where, { body: many });
      expect([got.status, fieldsOf(got)]).toEqual([413, ['resources[1]']]);
    }
    const imported = await importLines([lineOf('r', wide), lineOf('s')]);
    expect(imported.json).toMatchObject({
      created: 1,
      rejected_lines: [{ line: 1, reason: 'column 1: has more than 10,000 lists and maps' }],
    });
  });

  it('is none in many smaller ones of one body', async () => {
    const resources = Array.from({ length: 12 }, (_, n) =>
      resource(`w-${n}`, { properties: listsOf(9_000) }),
    );
    const got = await service.send('POST', '/v1/resources', { body: { resources } });
    expect([got.status, fieldsOf(got)]).toEqual([413, ['body']]);
    const fewer = { resources: resources.slice(2) };
    expect((await service.send('POST', '/v1/resources', { body: fewer })).status).toBe(200);
  });
});

const worker = new URL('../../dist/body-worker.js', import.meta.url);

describe.skipIf(!existsSync(worker))('in a thread', () => {
  let checks: BodyChecks;
  beforeAll(() => void (checks = createBodyChecks(worker)));
  afterAll(() => checks.close());

  const here = createBodyChecks();
  const asker = () => ({ owner: 'somebody', signal: new AbortController().signal });
  const outcome = async (by: BodyChecks, [noun, verb, text]: readonly [string, string, string]) => {
    const sent = { bytes: Buffer.from(text), type: json };
    try {
      return await by.check(noun, verb, sent, asker);
    } catch (error) {
      return error;
    }
  };

  const long = 'x'.repeat(1_000);
  const many = Array.from({ length: 1_000 }, (_, n) =>
    resource(`r-${n}`, {
      tags: JSON.parse('{"__proto__":"a"}') as object,
      list: [1, [2, { a: null }]],
      long,
    }),
  );
  it.each([
    ['many resources', 'resources', 'upsert', JSON.stringify({ resources: many })],
    [
      'one that is wrong',
      'resources',
      'upsert',
      JSON.stringify({ resources: [...many.slice(1), {}] }),
    ],
    [
      'unknown fields',
      'policies',
      'create',
      JSON.stringify(policy('p', Object.fromEntries(many.map(({ id }) => [id, long])))),
    ],
    ['what is no JSON', 'policies', 'create', `{"a":"${long.repeat(100)}`],
    ['what nests too deep', 'policies', 'create', '['.repeat(100_000)],
    ['a policy', 'policies', 'create', `${JSON.stringify(policy('p'))}${' '.repeat(100_000)}`],
  ])('%s comes out as it does here', async (_, ...sent) => {
    const [there, there2, expected] = [
      await outcome(checks, sent),
      await outcome(checks, sent),
      await outcome(here, sent),
    ];
    expect(there).toEqual(expected);
    expect(there2).toEqual(expected);
  });

  it('a line of an import comes out as it does here', async () => {
    for (const line of [
      lineOf('a', { filler: long.repeat(100) }),
      `{"id":"${long.repeat(100)}`,
      '['.repeat(100_000),
    ]) {
      expect(await checks.readLine(line, asker())).toEqual(await here.readLine(line, asker()));
    }
  });

  it('ends for a caller who leaves, and works for the next', async () => {
    const leaving = new AbortController();
    const text = JSON.stringify({ resources: many });
    const sent = { bytes: Buffer.from(text), type: json };
    const work = checks.check('resources', 'upsert', sent, () => ({ signal: leaving.signal }));
    leaving.abort(new Error('gone'));
    await expect(work).rejects.toThrow('gone');
    expect(await outcome(checks, ['resources', 'upsert', text])).toHaveProperty(
      'body.resources.length',
      1_000,
    );
  });
});

it('a snapshot that nests far too deep is refused, and changes nothing', async () => {
  const text = `${'['.repeat(9 * mib)}\n`;
  const headers = { 'content-type': lines };
  const got = await service.send('POST', '/v1/local/restore', { text, headers });
  expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
  expect(got.text).toContain('line 1 is longer than 4 MiB');
});
