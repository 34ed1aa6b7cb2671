// Requests about evidence that no honest client sends: each gets a 4xx answer, and no bundle or header is bent by them.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readContainer } from '../../src/report/evidence/container.ts';
import {
  attach,
  bundleOf,
  bytesOf,
  collect,
  collected,
  fill,
  idOf,
  manualPath,
  path,
  startEvidence,
  verified,
} from '../server/evidence/evidence-world.ts';
import { inventoryOf } from '../server/inventory-service.ts';
import type { TestService } from '../server/test-service.ts';
import { hostile } from '../support/hostile.ts';

let service: TestService;
beforeEach(async () => {
  service = await startEvidence();
  await fill(service);
});
afterEach(() => service.close());

const statusOf = async (method: string, at: string): Promise<number> =>
  (await service.send(method, at)).status;

it.each([
  'framework=__proto__',
  'framework=constructor',
  'framework=toString',
  'control=__proto__:constructor',
  'control=soc2:__proto__',
  'control=:',
  'control=::::',
  'control=soc2:',
  `control=soc2:${'a'.repeat(600)}`,
  `framework=${'a'.repeat(300)}`,
  'framework=soc2&framework=pci',
  'framework=soc2&control=pci:1.1',
  'framework=soc2&since=%2B275760-09-13T00:00:00Z',
  'framework=soc2&since=soon',
  'framework=soc2&limit=101',
  'framework=soc2&limit=0',
  'framework=soc2&offset=-1',
  'framework=soc2&offset=9007199254740993',
  'framework=soc2&source=rumours',
  'framework=soc2&cursor=x',
  'framework=%00',
])('a list of %s is refused', async (query) => {
  const status = await statusOf('GET', `${path}?${query}`);
  expect([400, 404]).toContain(status);
});

it('a page far behind the last is empty', async () => {
  const got = await service.send('GET', `${path}?framework=soc2&offset=9007199254740991`);
  expect([got.status, got.json.evidence]).toEqual([200, []]);
});

it.each([
  '__proto__',
  'constructor',
  '..%2f..%2fetc',
  '%2e%2e',
  'a%00b',
  'evd_' + 'a'.repeat(5_000),
])('nothing has the ID %s', async (id) => {
  for (const at of [`${path}/${id}`, `${path}/${id}/bundle`, `${manualPath}/${id}/file`]) {
    const status = await statusOf('GET', at);
    expect(status, at).toBeGreaterThanOrEqual(400);
    expect(status, at).toBeLessThan(500);
  }
  expect(await statusOf('DELETE', `${manualPath}/${id}`)).toBeLessThan(500);
});

it.each([
  ['controls', Array.from({ length: 1_001 }, () => 'CC6.1')],
  ['controls', []],
  ['controls', ['__proto__']],
  ['controls', [' ']],
  ['controls', ['a'.repeat(300)]],
  ['name', 'two\nlines'],
  ['name', 'n'.repeat(257)],
  ['since', '9999-12-31T23:59:59Z'],
  ['framework', '__proto__'],
  ['unknown', 1],
])('a bundle with %s %j is refused, and none is stored', async (field, value) => {
  const got = await collect(service, { [field]: value });
  expect([400, 404]).toContain(got.status);
  expect((await service.send('GET', `${path}/bundles`)).json.bundles).toEqual([]);
});

it('one control named a thousand times is in the bundle once', async () => {
  const controls = Array.from({ length: 1_000 }, (_, at) => (at % 2 ? 'CC6.1' : 'cc6.1'));
  const id = await collected(service, { controls });
  const got = await service.send('GET', `${path}/${id}`);
  expect(got.json.controls).toEqual(['CC6.1']);
});

it.each([
  'a"; filename="evil.html',
  "a'b",
  'a\\b.txt',
  '../../etc/passwd',
  '%0d%0aSet-Cookie: a=b',
  'a;b=c,d',
  '\u202efdp.exe',
  '\u2028x',
  '💥'.repeat(100),
  '\ud800',
])('a file named %j bends no header of its download', async (name) => {
  const file = { name, media_type: 'text/html', content: 'PGI+' };
  const got = await attach(service, { text: undefined, file });
  if (got.status === 400) return;
  const { status, headers } = await bytesOf(service, `${manualPath}/${idOf(got)}/file`);
  expect(status).toBe(200);
  expect(headers.get('set-cookie')).toBeNull();
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const disposition = headers.get('content-disposition') ?? '';
  expect(disposition).toMatch(
    /^attachment; filename="[^"\\\r\n/]*"(?:; filename\*=UTF-8''[\w%.!#$&+^`|~-]*)?$/,
  );
});

it.each(['a\r\nX: y', 'a\u0000b', '\u001b[2J', '', ' ', 'a'.repeat(257)])(
  'a file named %j is refused',
  async (name) => {
    const file = { name, content: 'YWJj' };
    expect((await attach(service, { file })).status).toBe(400);
  },
);

it.each(['====', 'YQ', 'YWJj====', 'YW=j', 'YWJj\n', '\u0100\u0100\u0100\u0100', '_-__'])(
  'content %j is refused as no base64',
  async (content) => {
    expect((await attach(service, { file: { name: 'a', content } })).status).toBe(400);
  },
);

it.each([
  'bytes=99999999-',
  'bytes=-0',
  'bytes=5-1',
  'bytes=0-99999999999999999999',
  `bytes=${Array.from({ length: 500 }, (_, at) => `${at}-${at}`).join(',')}`,
  'bytes=a-b',
  'lines=1-2',
])('a Range %s of a bundle gets a part, all of it, or 416', async (range) => {
  const id = await collected(service);
  const whole = await bundleOf(service, id);
  const { status, bytes } = await bytesOf(service, `${path}/${id}/bundle`, { range });
  expect([200, 206, 416]).toContain(status);
  expect(bytes.length).toBeLessThanOrEqual(whole.length);
});

it('hostile texts are in a bundle as they are, under names that are the same everywhere', async () => {
  const fields = { description: hostile, compliance_frameworks: ['SOC2:CC6.6'] };
  await inventoryOf(service).createPolicy('../../../evil', fields);
  const content = Buffer.from(hostile).toString('base64');
  idOf(await attach(service, { text: hostile, file: { name: '../../evil', content } }));
  const bundle = await bundleOf(service, await collected(service));
  expect(await verified(service, bundle)).toMatchObject({ verdict: 'valid', signer: 'known' });
  const entries = readContainer(bundle);
  if ('what' in entries) throw new Error(entries.what);
  for (const { name } of entries) expect(name).toMatch(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/);
});
