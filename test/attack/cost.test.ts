import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { createFileReader } from '../../src/server/cost-imports/reading/thread/threads.ts';
import { importFiles } from '../server/cost-imports/import-files.ts';
import { startTestService } from '../server/test-service.ts';
import { projectRoot } from '../support/built-cli.ts';

const charge = {
  BillingAccountId: '1',
  BilledCost: '1',
  BillingCurrency: 'USD',
  ChargePeriodStart: '2026-01-05',
  BillingPeriodStart: '2026-01-01',
};

async function imported(row: Readonly<Record<string, string>>) {
  const service = await startTestService();
  const text = `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`;
  const { failure, result } = await importFiles(service, [{ name: 'a.csv', bytes: text }]);
  await service.close();
  const [rejected] = result?.rejected_rows ?? [];
  return { failure, rejected };
}

it.each([
  ['a charge in the future', { ChargePeriodStart: '2150-01-01' }, 'is in the future'],
  ['a zone that is none', { ChargePeriodStart: '2026-01-05T00:00:00+99:00' }, 'is not a date such as 2026-09-30'], // prettier-ignore
  ['a sign as the currency', { BillingCurrency: '$$$' }, 'is not a currency code such as USD'],
  ['a property as the currency', { BillingCurrency: '__proto__' }, 'is not a currency code such as USD'], // prettier-ignore
])('%s is refused with its place', async (_name, changed, reason) => {
  const [field] = Object.keys(changed);
  const { rejected } = await imported({ ...charge, ...changed });
  expect(rejected).toMatchObject({ file: 'a.csv', line: 2, field, reason });
});

it('names the column that a file lacks', async () => {
  const rest = Object.entries(charge).filter(([name]) => name !== 'BilledCost');
  const { failure } = await imported(Object.fromEntries(rest));
  expect(failure).toMatchObject({ reason: 'the column BilledCost is missing', line: 1 });
});

// Its column says that it repeats one value 68,184,594 times: a process that makes a list of them ends.
it('a damaged Parquet file that claims a huge list fails its import, and the service goes on', async () => {
  const worker = path.join(projectRoot, 'dist/cost-worker.js');
  const reader = createFileReader(pathToFileURL(worker));
  const service = await startTestService({ readFiles: reader.readFiles });
  const bytes = readFileSync(path.join(projectRoot, 'test/fixtures/cost/huge-list.parquet'));
  const { status, failure } = await importFiles(service, [{ name: 'a.parquet', bytes }]);
  expect(status).toBe('failed');
  expect(failure).toMatchObject({ file: 'a.parquet' });
  expect((await service.send('GET', '/v1/cost/imports')).status).toBe(200);
  await service.close();
  await reader.close();
}, 120_000);
