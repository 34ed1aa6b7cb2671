import { afterEach, expect, it } from 'vitest';
import { showAmount } from '../../../src/cost/amount.ts';
import { monthlyCosts } from '../../../src/server/cost/service.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const header =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId\n';

/** Starts on 2026-03-01 at noon. */
async function withCharges(rows: string): Promise<TestService> {
  service = await startTestService();
  await putFocus(service, header + rows);
  return service;
}

async function costOf(
  { deps }: TestService,
  id: string,
  account_id?: string,
  provider = 'aws',
): Promise<string> {
  const found = (await monthlyCosts(deps))?.find({ id, provider, account_id }) ?? [];
  return found.map(({ amount, currency }) => `${showAmount(amount)} ${currency}`).join(', ');
}

it('adds the charges of a resource over the last 30 whole days that have data, today not among them', async () => {
  const its = await withCharges(`AWS,1,11,EC2,USD,1000,2026-01-29,2026-01-01,i-0123456789abcdef0
AWS,1,11,EC2,USD,0.1,2026-01-30,2026-01-01,i-0123456789abcdef0
AWS,1,11,EC2,USD,0.2,2026-02-28,2026-02-01,i-0123456789abcdef0
AWS,1,11,EC2,USD,-0.05,2026-02-28,2026-02-01,i-0123456789abcdef0
AWS,1,11,EC2,USD,500,2026-03-01,2026-03-01,i-0123456789abcdef0
`);
  expect(await costOf(its, 'arn:aws:ec2:eu-west-1:11:instance/i-0123456789abcdef0')).toBe(
    '0.25 USD',
  );
});

it('lets the month of each billing account end with its own data, and leaves out one that ended long ago', async () => {
  const its = await withCharges(`AWS,1,11,S3,USD,3,2026-02-20,2026-02-01,logs
AWS,2,22,S3,USD,4,2026-02-01,2026-02-01,data
AWS,2,22,S3,USD,5,2026-01-01,2026-01-01,data
AWS,3,33,S3,USD,6,2025-09-01,2025-09-01,old
`);
  expect(await costOf(its, 'arn:aws:s3:::logs')).toBe('3 USD');
  expect(await costOf(its, 'arn:aws:s3:::data')).toBe('4 USD');
  expect(await costOf(its, 'arn:aws:s3:::old')).toBe('');
});

it('compares a name within its account, and says nothing of a name that two accounts have', async () => {
  const its = await withCharges(`Oracle,1,11,Net,USD,3,2026-02-20,2026-02-01,web
Oracle,1,22,Net,USD,4,2026-02-20,2026-02-01,web
Oracle,1,22,Net,EUR,5,2026-02-20,2026-02-01,db
`);
  expect(await costOf(its, 'web', '11', 'oci')).toBe('3 USD');
  expect(await costOf(its, 'web', '22', 'oci')).toBe('4 USD');
  expect(await costOf(its, 'web', undefined, 'oci')).toBe('');
  expect(await costOf(its, 'db', undefined, 'oci')).toBe('5 EUR');
  expect(await costOf(its, 'db', '11', 'oci')).toBe('');
});

it('never adds currencies together', async () => {
  const its = await withCharges(`AWS,1,11,S3,USD,3,2026-02-20,2026-02-01,logs
AWS,1,11,S3,EUR,4,2026-02-20,2026-02-01,logs
`);
  expect(await costOf(its, 'logs')).toBe('4 EUR, 3 USD');
});

it('is made once for the same charges, and again after an import', async () => {
  const its = await withCharges(`AWS,1,11,S3,USD,3,2026-02-20,2026-02-01,logs\n`);
  const first = await monthlyCosts(its.deps);
  expect(await monthlyCosts(its.deps)).toBe(first);
  await putFocus(its, `${header}AWS,1,11,S3,USD,8,2026-02-20,2026-02-01,logs\n`);
  expect(await costOf(its, 'logs')).toBe('8 USD');
});

it('knows nothing without charges', async () => {
  service = await startTestService();
  expect(await monthlyCosts(service.deps)).toBeUndefined();
});
