// A million charges, added up here and by DuckDB from the same files.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { columns, focusRows } from '../../../bench/focus-rows.js';
import { showAmount } from '../../../src/cost/amount.ts';
import { costSums } from '../../../src/server/cost/service.ts';
import type { CostField } from '../../../src/server/cost/service.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import type { TestFile } from './import-files.ts';
import { importFiles } from './import-files.ts';

const header = `${columns.join(',')}\n`;
const perFile = 250_000;

const fileOf = (name: string, from: number, to: number, month: string): TestFile => ({
  name,
  bytes: gzipSync(header + [...focusRows({ from, to, month })].join(''), { level: 1 }),
});

let service: TestService;
let folder: string;
let duckdb: DuckDBInstance | undefined;
let connection: DuckDBConnection;

beforeAll(async () => {
  service = await startTestService();
  const january = [
    fileOf('january-1.csv.gz', 0, perFile, '2026-01'),
    fileOf('january-2.csv.gz', perFile, 2 * perFile, '2026-01'),
  ];
  // Delivered again with more rows, as exporters do while a month goes on.
  const early = fileOf('february-early.csv.gz', 0, perFile / 2, '2026-02');
  const february = [
    fileOf('february-1.csv.gz', 0, perFile, '2026-02'),
    fileOf('february-2.csv.gz', perFile, 2 * perFile, '2026-02'),
  ];
  for (const files of [[...january, early], february]) {
    expect((await importFiles(service, files)).failure).toBeUndefined();
  }
  folder = await mkdtemp(path.join(tmpdir(), 'govctl-oracle-'));
  for (const { name, bytes } of [...january, ...february]) {
    await writeFile(path.join(folder, name), bytes);
  }
  duckdb = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '2GB' });
  connection = await duckdb.connect();
  await connection.run(
    `CREATE TABLE charges AS SELECT * EXCLUDE (BilledCost, EffectiveCost, ListCost, ConsumedQuantity),
       BilledCost::DECIMAL(38, 18) AS billed, EffectiveCost::DECIMAL(38, 18) AS effective,
       ListCost::DECIMAL(38, 18) AS list, ConsumedQuantity::DECIMAL(38, 18) AS quantity
     FROM read_csv('${folder}/*.csv.gz', header = true, all_varchar = true)`,
  );
}, 300_000);
afterAll(async () => {
  duckdb?.closeSync();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a field is in the files. */
const expressions: Readonly<Record<string, string>> = {
  day: 'ChargePeriodStart[:10]',
  billing_account: 'BillingAccountId',
  sub_account: 'SubAccountId',
  service: 'ServiceName',
  service_category: 'ServiceCategory',
  category: 'ChargeCategory',
  region: 'RegionId',
  resource: 'ResourceId',
  currency: 'BillingCurrency',
  'tag:team': `json_extract_string(Tags, '$.team')`,
  'tag:environment': `json_extract_string(Tags, '$.environment')`,
};
type Measure = 'billed' | 'effective' | 'list' | 'quantity';

async function here(groupBy: readonly string[], measure: Measure): Promise<readonly string[]> {
  const sums = await costSums(service.deps.store, {
    start: '2025-01-01',
    end: '2027-01-01',
    groupBy: groupBy as (CostField | 'day')[],
    measure,
  });
  return sums.map(({ key, total }) => [...key, showAmount(total)].join(' | ')).sort();
}

async function there(groupBy: readonly string[], measure: Measure): Promise<readonly string[]> {
  const keys = groupBy.map((field, at) => `coalesce(${expressions[field] ?? ''}, '') AS k${at}`);
  const result = await connection.runAndReadAll(
    `SELECT ${[...keys, `sum(${measure})::VARCHAR AS total`].join(', ')} FROM charges GROUP BY ALL`,
  );
  return result
    .getRows()
    .map((row) => row.map((cell, at) => (at < keys.length ? String(cell) : plain(String(cell)))))
    .map((row) => row.join(' | '))
    .sort();
}

/** A decimal with 18 digits after the point without the zeros at its end. */
const plain = (decimal: string): string => decimal.replace(/\.?0+$/, '');

const groupings = [
  ...Object.keys(expressions).map((field) => [field]),
  [],
  ['day', 'currency'],
  ['service', 'region'],
  ['sub_account', 'service', 'category'],
  ['day', 'resource'],
];

it.each(groupings.map((groupBy) => ({ name: groupBy.join(', ') || 'nothing', groupBy })))(
  'sums by $name are those of DuckDB, to the last digit',
  async ({ groupBy }) => {
    // Of hundreds of thousands of groups, one measure says enough.
    const all = ['effective', 'billed', 'list', 'quantity'] as const;
    for (const measure of groupBy.includes('resource') ? all.slice(0, 1) : all) {
      const ours = await here(groupBy, measure);
      const theirs = await there(groupBy, measure);
      expect(ours).toHaveLength(theirs.length);
      // Of a difference, the first rows are enough.
      expect(ours.filter((row, at) => row !== theirs[at]).slice(0, 5)).toEqual([]);
    }
  },
  120_000,
);
