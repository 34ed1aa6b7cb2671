import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policySortFields } from '../../../src/contract/policies.ts';
import type { TestService } from '../test-service.ts';
import { fieldsOf, listOf, namesOf, policy, startTestService } from '../test-service.ts';

const seeds = [
  { name: 'a', severity: 'HIGH', tags: ['x', 'y'], enabled: true },
  { name: 'b', severity: 'CRITICAL', tags: ['x'], enabled: false },
  { name: 'c', tags: ['y'], resource_type: 'GCP::Storage::Bucket' },
  { name: 'd', severity: 'LOW', description: 'zebra' },
  {
    name: 'e',
    severity: 'MEDIUM',
    description: 'ant',
    remediation_action: 'notify',
    auto_remediation: true,
  },
];

describe('listing policies', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    for (const { name, ...fields } of seeds) {
      service.advance(1000);
      await service.send('POST', '/v1/policies', { body: policy(name, fields) });
    }
  });
  afterAll(() => service.close());
  const names = async (query: string): Promise<string[]> =>
    namesOf(await service.send('GET', `/v1/policies?${query}`));

  it('answers newest first, twenty at most, in the contract’s shape', async () => {
    const got = await service.send('GET', '/v1/policies');
    expect(namesOf(got)).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(Object.keys(got.json)).toEqual(['policies', 'pagination']);
    expect(got.json.pagination).toEqual({ total: 5, limit: 20, offset: 0, has_more: false });
  });

  it.each([
    ['severity=HIGH', ['a']],
    ['severity=HIGH,CRITICAL', ['a', 'b']],
    ['severity=HIGH,HIGH', ['a']],
    ['enabled=true', ['a', 'c', 'd', 'e']],
    ['enabled=false', ['b']],
    ['tags=x', ['a', 'b']],
    ['tags=x,y', ['a']],
    ['tags=none', []],
    ['resource_type=GCP::Storage::Bucket', ['c']],
    ['resource_type=GCP::Storage::Bucket,AWS::S3::Bucket&tags=y', ['a', 'c']],
    ['severity=HIGH,CRITICAL&enabled=false&tags=x', ['b']],
  ])('filters by %s', async (query, expected) => {
    const got = await service.send('GET', `/v1/policies?sort_by=name&order=asc&${query}`);
    expect(namesOf(got)).toEqual(expected);
    expect(listOf(got).pagination.total).toBe(expected.length);
  });

  it.each([
    ['severity', 'asc', 'deabc'],
    ['severity', 'desc', 'baedc'],
    ['description', 'asc', 'edabc'],
    ['description', 'desc', 'decba'],
    ['auto_remediation', 'asc', 'eabcd'],
    ['enabled', 'asc', 'bacde'],
    ['name', 'desc', 'edcba'],
  ])(
    'sorts by %s %s: severity by rank, absent last, ties by id',
    async (field, order, expected) => {
      expect((await names(`sort_by=${field}&order=${order}`)).join('')).toBe(expected);
    },
  );

  it('pages by cursor through every sort field, both ways, without a gap', async () => {
    for (const field of policySortFields) {
      for (const order of ['asc', 'desc']) {
        const whole = await names(`sort_by=${field}&order=${order}`);
        const paged: string[] = [];
        let cursor = '';
        for (;;) {
          const got = await service.send(
            'GET',
            `/v1/policies?limit=2&sort_by=${field}&order=${order}${cursor}`,
          );
          expect(listOf(got).pagination.offset).toBe(paged.length);
          paged.push(...namesOf(got));
          const { has_more: more, next_cursor: next } = listOf(got).pagination;
          expect(next !== undefined).toBe(more);
          if (next === undefined) break;
          cursor = `&cursor=${next}`;
        }
        expect([field, order, paged]).toEqual([field, order, whole]);
      }
    }
  });

  it('pages by offset, past the end too', async () => {
    expect(await names('limit=2&offset=2')).toEqual(['c', 'b']);
    const past = await service.send('GET', '/v1/policies?offset=99');
    expect(past.json).toMatchObject({
      policies: [],
      pagination: { total: 5, offset: 99, has_more: false },
    });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=1&cursor=x', 'cursor'],
    ['cursor=garbled', 'cursor'],
    [`cursor=${Buffer.from('[1,2]').toString('base64url')}`, 'cursor'],
    ['cursor=', 'cursor'],
    ['sort_by=rules', 'sort_by'],
    ['order=up', 'order'],
    ['severity=high', 'severity'],
    ['severity=HIGH,', 'severity'],
    ['enabled=yes', 'enabled'],
    ['tags=', 'tags'],
    ['tags=a&tags=b', 'tags'],
    ['limt=5', 'limt'],
  ])('refuses %s with 400, naming %s', async (query, field) => {
    const got = await service.send('GET', `/v1/policies?${query}`);
    expect([got.status, got.json.error, fieldsOf(got)]).toEqual([
      400,
      'malformed_request',
      [field],
    ]);
  });

  it('refuses a cursor of another order, filter or list', async () => {
    const next =
      listOf(await service.send('GET', '/v1/policies?limit=2')).pagination.next_cursor ?? '';
    expect(await names(`limit=2&cursor=${next}`)).toEqual(['c', 'b']);
    for (const url of [
      `/v1/policies?cursor=${next}&order=asc`,
      `/v1/policies?cursor=${next}&sort_by=name`,
      `/v1/policies?cursor=${next}&enabled=true`,
      `/v1/audit-log?cursor=${next}`,
    ]) {
      const got = await service.send('GET', url);
      expect([url, got.status, fieldsOf(got)]).toEqual([url, 400, ['cursor']]);
    }
  });

  it('gives a cursor that fits its own limit, however long the names', async () => {
    const long = '字'.repeat(256);
    const created = await service.send('POST', '/v1/policies', {
      body: policy(long, { description: '\u0001'.repeat(9000) }),
    });
    for (const field of ['name', 'description']) {
      const order = field === 'name' ? 'desc' : 'asc';
      const first = await service.send(
        'GET',
        `/v1/policies?limit=1&sort_by=${field}&order=${order}`,
      );
      expect(namesOf(first)).toEqual([long]);
      const next = listOf(first).pagination.next_cursor ?? '';
      expect(
        (
          await service.send(
            'GET',
            `/v1/policies?limit=1&sort_by=${field}&order=${order}&cursor=${next}`,
          )
        ).status,
      ).toBe(200);
    }
    await service.send('DELETE', `/v1/policies/${String(created.json.id)}`);
  });
});

describe('paging while others write', () => {
  it('neither skips nor repeats a policy that did not change', async () => {
    const service = await startTestService();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('name', 'created_at', 'severity', 'description'),
        fc.constantFrom('asc', 'desc'),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ insert: fc.boolean(), at: fc.nat(30) }), { maxLength: 12 }),
        fc.uuid(),
        async (field, order, limit, disturbances, run) => {
          const fieldsFor = (n: number) => ({
            tags: [run],
            ...(n % 3 ? { severity: ['LOW', 'HIGH', 'CRITICAL'][n % 3] } : {}),
            ...(n % 4 ? { description: `d${n % 5}` } : {}),
          });
          const add = async (n: number): Promise<string> => {
            const name = `${run} ${String(n).padStart(2, '0')}`;
            const got = await service.send('POST', '/v1/policies', {
              body: policy(name, fieldsFor(n)),
            });
            return String(got.json.id);
          };
          const steady: string[] = [];
          const passing: string[] = [];
          for (let n = 0; n < 10; n++) (n % 2 ? passing : steady).push(await add(n * 3));
          const seen: string[] = [];
          let cursor = '';
          for (let page = 0; ; page++) {
            const got = await service.send(
              'GET',
              `/v1/policies?tags=${run}&limit=${limit}&sort_by=${field}&order=${order}${cursor}`,
            );
            seen.push(...listOf(got).policies.map(({ id }) => id));
            const disturbance = disturbances[page];
            if (disturbance?.insert) await add(disturbance.at * 100 + page).catch(() => undefined);
            else if (disturbance) {
              const gone = passing.splice(disturbance.at % Math.max(1, passing.length), 1)[0];
              if (gone) await service.send('DELETE', `/v1/policies/${gone}`);
            }
            const next = listOf(got).pagination.next_cursor;
            if (next === undefined) break;
            cursor = `&cursor=${next}`;
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(steady.filter((id) => !seen.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
    await service.close();
  });
});

describe('the other lists', () => {
  it.each([
    ['/v1/api-keys', 'api_keys'],
    ['/v1/oauth-clients', 'oauth_clients'],
    ['/v1/users', 'users'],
    ['/v1/roles', 'roles'],
    ['/v1/trusts', 'trusts'],
    ['/v1/audit-log', 'audit_log'],
  ])('of %s are sorted by any scalar field of their items, page by page', async (url, plural) => {
    const service = await startTestService();
    for (const name of ['b', 'c', 'a']) {
      const body = { name, scopes: ['governance:read'] };
      await service.send('POST', '/v1/oauth-clients', { body });
      await service.send('POST', '/v1/roles', { body });
      const rule = { provider: 'github', repository: `acme/${name}`, ref: `refs/heads/${name}` };
      await service.send('POST', '/v1/trusts', { body: { ...body, ...rule } });
      const user = { email: `${name}@example.com`, roles: [name], name: `The ${name}` };
      await service.send('POST', '/v1/users', { body: user });
      await service.send('POST', '/v1/api-keys', {
        body:
          name === 'c'
            ? body
            : { ...body, expires_at: `2027-01-0${name === 'a' ? 1 : 2}T00:00:00Z` },
      });
      service.advance(1_000);
    }
    type Row = Readonly<Record<string, unknown>>;
    const rowsOf = async (query: string): Promise<[Row[], string | undefined]> => {
      const { json } = await service.send('GET', `${url}?${query}`);
      return [json[plural] as Row[], (json.pagination as { next_cursor?: string }).next_cursor];
    };
    const [all] = await rowsOf('limit=100');
    const fields = new Set(
      all.flatMap((row) => Object.keys(row).filter((field) => !Array.isArray(row[field]))),
    );
    expect(fields.size).toBeGreaterThan(4);
    for (const field of fields) {
      const [first, cursor] = await rowsOf(`sort_by=${field}&order=asc&limit=2`);
      const [rest] = await rowsOf(`sort_by=${field}&order=asc&limit=100&cursor=${cursor ?? ''}`);
      const rows = [...first, ...rest];
      expect(new Set(rows.map(({ id }) => id)).size, field).toBe(all.length);
      const values = rows.map((row) => row[field]).filter((value) => value !== undefined);
      const sorted = [...values].sort((a, b) => {
        if (typeof a === 'number') return a - Number(b);
        return String(a) < String(b) ? -1 : 1;
      });
      expect(values, field).toEqual(sorted);
    }
    await service.close();
  });
});

describe('a cursor', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    for (const seed of seeds)
      await service.send('POST', '/v1/policies', { body: policy(seed.name, seed) });
  });
  afterAll(() => service.close());
  const first = async (query: string) =>
    String(
      listOf(await service.send('GET', `/v1/policies?limit=1${query}`)).pagination.next_cursor,
    );

  it('is taken only as it was handed out', async () => {
    const cursor = await first('');
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const changed = (...edit: readonly [at: number, to: unknown]): string =>
      Buffer.from(JSON.stringify(parts.with(...edit))).toString('base64url');
    const garbled = [`${cursor}!!!`, `${cursor}==`, ` ${cursor}`, changed(2, 5), changed(1, 7)];
    for (const text of garbled) {
      const got = await service.send('GET', `/v1/policies?cursor=${encodeURIComponent(text)}`);
      expect([got.status, fieldsOf(got)]).toEqual([400, ['cursor']]);
    }
    expect((await service.send('GET', `/v1/policies?cursor=${cursor}`)).status).toBe(200);
  });

  it('stays good when the same tags are asked for in another order', async () => {
    for (const name of ['tagged 1', 'tagged 2']) {
      const body = policy(name, { tags: ['x', 'y'] });
      expect((await service.send('POST', '/v1/policies', { body })).status).toBe(201);
    }
    const cursor = await first('&tags=x,y');
    const got = await service.send('GET', `/v1/policies?tags=y,x&cursor=${cursor}`);
    expect([got.status, namesOf(got).length]).toEqual([200, 2]);
    expect((await service.send('GET', `/v1/policies?tags=y&cursor=${cursor}`)).status).toBe(400);
  });
});
