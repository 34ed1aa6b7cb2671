import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDuck } from '../../support/duck.ts';
import type { Duck } from '../../support/duck.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { importFiles } from './import-files.ts';

let duck: Duck;
let folder: string;
let service: TestService;
beforeAll(async () => {
  duck = await openDuck();
  folder = await mkdtemp(path.join(tmpdir(), 'govctl-parquet-'));
  service = await startTestService();
  await duck.run(`CREATE TABLE charges AS SELECT
    'AWS' AS ProviderName, '1' AS BillingAccountId, 'USD' AS BillingCurrency,
    CASE WHEN i % 7 = 0 THEN NULL ELSE 'service ' || i % 20 END AS ServiceName,
    'i-' || i % 500 AS ResourceId,
    CASE WHEN i % 11 = 0 THEN 'Credit' ELSE 'Usage' END AS ChargeCategory,
    ((i % 100) - 20 + (i % 97) / 1000.0)::DECIMAL(30, 11) AS BilledCost,
    TIMESTAMP '2026-02-01' + INTERVAL (i % 28) DAY AS ChargePeriodStart,
    TIMESTAMP '2026-02-01' AS BillingPeriodStart,
    'unused' AS AvailabilityZone,
    i
  FROM range(5000) t(i)`);
});
afterAll(async () => {
  duck.close();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const base = 'SELECT * EXCLUDE (i), {owner} AS Tags FROM charges'.replace(
  '{owner}',
  `'{"Owner":"team ' || i % 3 || '"}'`,
);

let files = 0;
const written = async (sql: string, options: string): Promise<Buffer> => {
  const file = path.join(folder, `${(files += 1)}`);
  await duck.run(`COPY (${sql}) TO '${file}' (${options})`);
  return readFile(file);
};

it('is the same as CSV, whatever its codec, types and row groups are', async () => {
  const csv = { name: 'a.csv', bytes: await written(base, 'FORMAT CSV, HEADER') };
  expect((await importFiles(service, [csv])).result?.changes.added).toBe(1);
  const tags = (value: string): string => base.replace(/'\{"Owner.*? AS Tags/, `${value} AS Tags`);
  const owner = `'team ' || i % 3`;
  const others: readonly (readonly [sql: string, options: string])[] = [
    ...['uncompressed', 'snappy', 'gzip', 'zstd', 'lz4_raw', 'brotli'].map(
      (codec) => [base, `FORMAT PARQUET, CODEC ${codec}`] as const,
    ),
    [base, 'FORMAT PARQUET, ROW_GROUP_SIZE 2048, PARQUET_VERSION V2'],
    [`${base} ORDER BY i % 13`, 'FORMAT PARQUET'],
    [tags(`MAP {'Owner': ${owner}, 'x': '1'}`), 'FORMAT PARQUET'],
    [tags(`[{'key': 'Owner', 'value': ${owner}}]`), 'FORMAT PARQUET'],
    [tags(`{'Owner': ${owner}}`), 'FORMAT PARQUET'],
    [
      `SELECT * REPLACE (BilledCost::DECIMAL(15, 4) AS BilledCost) FROM (${base})`,
      'FORMAT PARQUET',
    ],
    [`SELECT * REPLACE (BilledCost::DOUBLE AS BilledCost) FROM (${base})`, 'FORMAT PARQUET'],
    [
      `SELECT * REPLACE (ChargePeriodStart::DATE AS ChargePeriodStart) FROM (${base})`,
      'FORMAT PARQUET',
    ],
    [
      `SELECT * REPLACE (ChargePeriodStart::TIMESTAMPTZ AS ChargePeriodStart) FROM (${base})`,
      'FORMAT PARQUET',
    ],
    [
      `SELECT * REPLACE (ChargePeriodStart::TIMESTAMP_NS AS ChargePeriodStart) FROM (${base})`,
      'FORMAT PARQUET',
    ],
    [
      `SELECT * REPLACE (ChargePeriodStart::TIMESTAMP_MS AS ChargePeriodStart) FROM (${base})`,
      'FORMAT PARQUET',
    ],
    [
      `SELECT * REPLACE (BillingAccountId::INTEGER AS BillingAccountId) FROM (${base})`,
      'FORMAT PARQUET',
    ],
    [base, 'FORMAT JSON'],
  ];
  for (const [sql, options] of others) {
    const done = await importFiles(service, [{ name: 'a', bytes: await written(sql, options) }]);
    expect([sql, options, done.failure, done.result?.changes]).toEqual([
      sql,
      options,
      undefined,
      { added: 0, replaced: 0, unchanged: 1 },
    ]);
  }
});

it('that is cut off or damaged is refused with one message, or read as it is', async () => {
  const whole = await written(base, 'FORMAT PARQUET');
  const refused = async (bytes: Uint8Array): Promise<string> =>
    (await importFiles(service, [{ name: 'a.parquet', bytes }], { dry_run: true })).failure
      ?.reason ?? '';
  expect(await refused(whole.subarray(0, -1))).toBe('is a truncated Parquet file');
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
      expect(await refused(whole.subarray(0, length))).not.toBe('');
    }),
    { numRuns: 30 },
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ by;
      // Not thrown on as an unexpected error, which would be tried again.
      await refused(bytes);
      expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
    }),
    { numRuns: 60 },
  );
}, 600_000);
