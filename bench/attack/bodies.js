// Sends long, deep and invalid bodies, and asks for pages at deep offsets of long lists.
import { again, asked, headersOf } from './attack.js';

const most = 10 << 20;
const post = (name, path, body, type) => ({
  name,
  method: 'POST',
  path,
  headers: headersOf(asked.writer, type),
  body: Buffer.from(body),
});
const filled = (make, between = ',', around = 20) => {
  const parts = [];
  for (let length = 0, n = 0; length < most - around - 1_000; n++) {
    const part = make(n);
    parts.push(part);
    length += Buffer.byteLength(part) + between.length;
  }
  return parts.join(between);
};
const resource = (n, size) =>
  JSON.stringify({
    id: `long-${n}`,
    type: 'Attack::On::Body',
    properties: { filler: 'x'.repeat(size) },
  });
const deep = '['.repeat(30);

const badLines = post(
  '500,000 lines of {}',
  '/v1/resources/import',
  '{}\n'.repeat(500_000),
  'application/x-ndjson',
);
again(() => badLines, { atOnce: 1, pause: 500 });
const longBodies = [
  post('10 MiB of [', '/v1/policies/validate', '['.repeat(most - 10)),
  post('10 MiB of {"a":', '/v1/policies/validate', '{"a":'.repeat(most / 5 - 10)),
  post('10 MiB of numbers', '/v1/policies', `{"name":"x","tags":[${filled(String)}]}`),
  post('10 MiB of keys', '/v1/policies', `{${filled((n) => `"key-${n}":${n}`)}}`),
  post(
    '10 MiB of resources',
    '/v1/resources',
    `{"resources":[${filled((n) => resource(n, 11_000), ',', 20_000)}]}`,
  ),
  post(
    '10 MiB of small resources',
    '/v1/resources',
    `{"resources":[${filled((n) => resource(n, 10))}]}`,
  ),
  post('10 MiB of depth', '/v1/policies/validate', `[${filled(() => `${deep}${']'.repeat(30)}`)}]`),
  post('10 MiB of text', '/v1/policies/validate', `{"resources":"${'é'.repeat(most / 2 - 100)}"}`),
];
again((turn) => longBodies[turn % longBodies.length], { atOnce: 1, pause: 200 });

const sorts = [
  'name',
  'region',
  'type',
  'updated_at',
  'account_id',
  'environment',
  'provider',
  'created_at',
  'id',
];
const filters = [
  'environment=staging&region=eu-west-1,us-east-1&provider=bench',
  `environment=staging,production&region=eu-west-1&type=${Array.from({ length: 20 }, (_, n) => `Bench::Row::Thing${n}`)}`,
  'account_id=100000000001,100000000002&region=us-east-1&environment=development',
  'tags=team=team-1',
  '',
];
const lists = ['resources', 'resources', 'violations', 'events'];
again(
  (turn) => {
    const list = lists[turn % lists.length];
    const sort = list === 'resources' ? `&sort_by=${sorts[turn % sorts.length]}` : '';
    const filter = list === 'resources' ? `&${filters[turn % filters.length]}` : '';
    const offset = (turn * 7_919) % asked.rows;
    return {
      name: `pages of ${list}`,
      path: `/v1/${list}?limit=100&offset=${offset}${sort}${filter}&order=${turn % 2 ? 'asc' : 'desc'}`,
      headers: headersOf(asked.readOnly),
    };
  },
  { atOnce: 2, pause: 50 },
);
