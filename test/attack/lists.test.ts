import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KnownResource } from '../../src/contract/resources.ts';
import { listLookedUp, listPage } from '../../src/server/http/paging.ts';
import type { Filters } from '../../src/server/http/paging.ts';
import { resources } from '../../src/server/resources/collection.ts';
import type { Reader } from '../../src/server/store/store.ts';
import { inventoryOf } from '../server/inventory-service.ts';
import type { TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

// More than a server sorts at once.
const count = 5000;

const regions = ['eu-west-1', 'us-east-1', 'ap-south-1'];

const bucket = (n: number) => ({
  id: `bucket-${String(n).padStart(5, '0')}`,
  type: 'AWS::S3::Bucket',
  name: `name-${String((n * 7919) % count).padStart(5, '0')}`,
  region: regions[n % 3] ?? '',
  environment: n % 4 === 0 ? 'production' : 'staging',
  account_id: String(100_000_000_000 + (n % 50)),
});

const all = Array.from({ length: count }, (_, n) => bucket(n));

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const lines = all.map((one) => `${JSON.stringify(one)}\n`).join('');
  expect((await inventoryOf(service).importLines(lines)).status).toBe(200);
}, 60_000);
afterAll(() => service.close());

const list = async (query: string) => {
  const { status, json } = await service.send('GET', `/v1/resources?${query}`);
  expect(status).toBe(200);
  const { total } = json.pagination as { total: number };
  return { ids: (json.resources as KnownResource[]).map(({ id }) => id), total };
};

test('every sort of a list at once, each for the first time, holds up no other answer', async () => {
  const sorts = ['name', 'updated_at', 'region', 'account_id', 'environment', 'type', 'provider'];
  const answered: string[] = [];
  const lists = sorts.map((sort) =>
    list(`sort_by=${sort}&limit=1`).then(() => answered.push('list')),
  );
  // Those that are asked for later are answered first: nobody waits until an order is built.
  for (let n = 0; n < 3; n += 1) {
    await service.send('GET', '/healthz');
    answered.push('health');
  }
  await Promise.all(lists);
  expect(answered.slice(0, 3)).toEqual(['health', 'health', 'health']);
  expect(answered).toHaveLength(3 + sorts.length);
});

test('any number of filters is counted, and any offset is reached, as the rows themselves say', async () => {
  const wanted = all
    .filter(({ region, environment, account_id: account }) => {
      const isNear = region === 'eu-west-1' || region === 'us-east-1';
      return isNear && environment === 'staging' && Number(account) % 50 < 25;
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ id }) => id);
  const accounts = Array.from({ length: 25 }, (_, n) => String(100_000_000_000 + n)).join(',');
  const filters = `region=eu-west-1,us-east-1&environment=staging&account_id=${accounts}`;
  const query = `${filters}&sort_by=name&order=asc`;
  for (const offset of [0, 500, wanted.length - 3]) {
    const expected = { ids: wanted.slice(offset, offset + 10), total: wanted.length };
    expect(await list(`${query}&limit=10&offset=${offset}`)).toEqual(expected);
  }
});

test('a page of any length says the same as one row at a time', async () => {
  const long = await startTestService();
  const note = 'é'.repeat(400_000);
  const ids = Array.from({ length: 6 }, (_, n) => `long-${n}`);
  for (const id of ids) {
    const put = { id, type: 'AWS::S3::Bucket', properties: { note } };
    expect((await long.send('PUT', `/v1/resources/${id}`, { body: put })).status).toBe(201);
  }
  const [whole, ...single] = await Promise.all(
    [
      'sort_by=id&order=asc&limit=5',
      ...ids.map((_, n) => `sort_by=id&order=asc&limit=1&offset=${n}`),
    ].map((query) => long.send('GET', `/v1/resources?${query}`)),
  );
  expect(whole?.status).toBe(200);
  expect(whole?.json.resources).toEqual(
    single.slice(0, 5).flatMap(({ json }) => json.resources as KnownResource[]),
  );
  const { next_cursor: cursor, ...pagination } = whole?.json.pagination as Record<string, unknown>;
  expect(pagination).toEqual({ total: 6, limit: 5, offset: 0, has_more: true });
  const rest = await long.send(
    'GET',
    `/v1/resources?sort_by=id&order=asc&limit=5&cursor=${String(cursor)}`,
  );
  expect((rest.json.resources as KnownResource[]).map(({ id }) => id)).toEqual(['long-5']);
  await long.close();
});

interface PageOptions {
  readonly query: { readonly limit: number; readonly sort_by: string; readonly order: 'asc' };
  readonly filters: Filters;
  readonly plural: string;
  readonly show: () => string;
}
const rows = Array.from({ length: 50 }, (_, n) => ({ doc: { id: `r${n}` }, revision: 1 }));
const reader = { page: () => ({ rows, total: 50, hasMore: false }) } as unknown as Reader;

test.each([
  ['shown', (options: PageOptions) => listPage(reader, resources, options)],
  [
    'looked up',
    ({ show, ...options }: PageOptions) =>
      listLookedUp(reader, resources, { ...options, show: async () => show() }),
  ],
] as const)(
  'a long page of what is %s is made for whoever takes it: nothing of it lies in memory for others, or for the next one',
  async (_, list) => {
    const query = { limit: 50, sort_by: 'id', order: 'asc' } as const;
    let shown = 0;
    const answer = () =>
      list({
        query,
        filters: {},
        plural: 'resources',
        show: () => {
          shown += 1;
          return JSON.stringify('x'.repeat(200_000));
        },
      });
    for (const time of ['first', 'next']) {
      shown = 0;
      const { body } = await answer();
      if (typeof body === 'string') throw new Error(`the ${time} page was made in one piece`);
      expect(shown).toBeLessThan(5);
      const taken = body.open()[Symbol.asyncIterator]();
      await taken.next();
      await taken.next();
      expect(shown).toBeLessThan(10);
      await taken.return?.();
    }
  },
);
