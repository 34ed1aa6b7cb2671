import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { importFiles } from './import-files.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const header =
  'ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Tags\n';
const row = (fields: Readonly<Record<string, string>> = {}): string => {
  const {
    account = '1',
    cost = '1',
    day = '2026-01-31',
    period = '2026-01-01',
    tags = '',
  } = fields;
  return `AWS,${account},S3,USD,${cost},${day},${period},${tags}\n`;
};
const csv = (...rows: readonly string[]): string => header + rows.join('');
const utf16 = Buffer.from(`\ufeff${csv(row())}`, 'utf16le');
const line = gzipSync(Buffer.concat([Buffer.from(header), Buffer.alloc(80 << 20, 'x')]));
const bomb = gzipSync(Buffer.concat([Buffer.from(header), Buffer.alloc(80 << 20, '\n')]));

it.each<[name: string, bytes: string | Uint8Array, said: string]>([
  ['an empty file', '', 'is empty'],
  ['only a header', header, 'contain no rows'],
  ['a ZIP', Buffer.from([0x50, 0x4b, 3, 4, 0]), 'is a ZIP archive'],
  [
    'a picture',
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
    'is a binary file; import CSV, NDJSON (both optionally gzipped) or Parquet',
  ],
  ['UTF-16', utf16, 'is encoded as UTF-16'],
  ['XML', '<?xml version="1.0"?>', 'is XML or HTML'],
  ['a JSON array', '[{"BilledCost": 1}]', 'is a JSON array'],
  ['JSON over lines', '{\n  "BilledCost": 1\n}', 'is JSON that spans several lines'],
  ['gzip twice', gzipSync(gzipSync(csv(row()))), 'is compressed twice'],
  ['gzip that is cut', gzipSync(csv(row())).subarray(0, 40), 'is truncated: the gzip data'],
  ['a gzip bomb', bomb, 'decompresses to more than 200 times its size'],
  ['gzip of one endless line', line, 'the row is longer than 8 MiB'],
  ['Latin-1', Buffer.from(csv(row({ account: 'ä' })), 'latin1'), 'is not UTF-8; save the file'],
  ['other columns', 'a,b,c\n1,2,3\n', 'do not match those of FOCUS'],
  ['columns twice', csv(row()).replace('Tags', 'billedcost'), 'appears twice'],
  ['columns missing', 'BilledCost,ChargePeriodStart\n1,2026-01-01\n', 'are missing'],
  ['an open quote', csv(row(), 'AWS,"1\n'), 'a closing quote is missing'],
])('%s is refused with one message, and nothing is imported', async (name, bytes, said) => {
  const done = await importFiles(
    service,
    [
      { name: 'good.csv', bytes: csv(row()) },
      { name, bytes },
    ].slice(name === 'only a header' ? 1 : 0),
  );
  expect(done.status).toBe('failed');
  expect(done.failure?.reason).toContain(said);
  if (name !== 'only a header') expect(done.failure?.file).toBe(name);
  const { json } = await service.send('GET', '/v1/cost/analysis?start=2026-01-01&end=2026-03-01');
  expect(json.totals).toEqual([]);
});

it.each([
  [{ cost: '1e308' }, 'BilledCost', 'digits before the decimal point'],
  [{ cost: 'NaN' }, 'BilledCost', 'is not a decimal number'],
  [{ cost: '' }, 'BilledCost', 'is empty'],
  [{ day: '31.01.2026' }, 'ChargePeriodStart', 'is not a date'],
  [{ day: '01/31/2026' }, 'ChargePeriodStart', 'is not in the format YYYY-MM-DD'],
  [{ day: '1970-01-01' }, 'ChargePeriodStart', 'is not between 2000'],
  [{ period: '2031-01-01' }, 'BillingPeriodStart', 'is in the future'],
  [{ tags: 'x' }, 'Tags', 'is not a JSON object of tags'],
  [{ account: 'a'.repeat(3_000) }, 'BillingAccountId', 'is longer than 2,048 characters'],
])('a row with %o is rejected with its column', async (fields, field, said) => {
  const bytes = csv(row(), row(fields));
  // Dates with slashes alone could have either order.
  const done = await importFiles(service, [{ name: 'a.csv', bytes }], {
    dry_run: true,
    date_format: 'MM/DD/YYYY',
  });
  expect(done.result?.rejected_rows).toEqual([
    expect.objectContaining({ file: 'a.csv', line: 3, field }),
  ]);
  expect(done.result?.rejected_rows[0]?.reason).toContain(said);
});

it('more billing accounts than an import may have are refused; long tags and negative totals are not', async () => {
  const accounts = Array.from({ length: 3_000 }, (_, at) => row({ account: `a${at}` }));
  const many = await importFiles(service, [{ name: 'a.csv', bytes: csv(...accounts) }]);
  expect(many.failure?.reason).toContain('more than 2,000 billing periods');
  const tags = `"{""owner"":""kim"",""note"":""${'x'.repeat(65_536)}""}"`;
  const odd = await importFiles(service, [
    { name: 'a.csv', bytes: csv(row({ cost: '-5', tags })) },
  ]);
  expect(odd.result?.totals).toMatchObject([{ after: { billed: '-5' } }]);
});

it('costs of which sums would not be exact are refused with the row that is too much', async () => {
  const cost = '999999999999.999999999999999999';
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => row({ account: '9', cost: n % 2 ? `-${cost}` : cost }));
  const bytes = csv(...rows(1_001));
  const refused = await importFiles(service, [{ name: 'a.csv', bytes }]);
  expect(refused.failure).toMatchObject({ file: 'a.csv', line: 1_002, column: 1 });
  expect(refused.failure?.reason).toContain('add up to more than 1,000,000,000,000,000');
  const large = Array.from({ length: 999 }, () => row({ account: '9', cost }));
  const done = await importFiles(service, [{ name: 'a.csv', bytes: csv(...large) }]);
  expect(done.result?.totals).toMatchObject([
    { after: { billed: '998999999999999.999999999999999001' } },
  ]);
});
