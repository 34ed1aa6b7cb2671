import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AmountSum, parseAmount, showAmount, zero } from '../../src/cost/amount.ts';
import type { Amount } from '../../src/cost/amount.ts';
import { ResourceCosts } from '../../src/cost/resource-costs.ts';
import { dayText } from '../../src/cost/table/days.ts';
import { Table } from '../../src/cost/table/read.ts';
import { PeriodTable } from './period-table.ts';

const amountOf = (text: string): Amount => {
  const parsed = parseAmount(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

interface Row {
  readonly resource: string;
  readonly sub_account: string;
  readonly currency: string;
  readonly day: number;
  readonly amount: Amount;
}

async function costsOf(rows: readonly Row[], most?: number): Promise<ResourceCosts> {
  const table = new PeriodTable([]);
  for (const { amount, day, ...row } of rows) {
    table.add({
      ...row,
      day: dayText(day),
      provider: 'oci',
      billing_account: 'b',
      service: '',
      service_category: '',
      category: '',
      region: '',
      period: '2026-01',
      tags: new Map(),
      amounts: { billed: zero, effective: amount, list: zero, quantity: zero },
    });
  }
  const parts: Uint8Array[] = [];
  for await (const part of table.write()) parts.push(part);
  const bytes = Buffer.concat(parts);
  const read = async (start: number, end: number) => bytes.subarray(start, end);
  const costs = new ResourceCosts('effective', {}, most);
  const opened = await Table.open(read, bytes.length);
  await costs.add({ provider: 'oci', billingAccount: 'b', from: 10, to: 20, table: opened });
  return costs;
}

const aRow = fc.record({
  resource: fc.constantFrom('', 'a', 'b', 'c', 'd'),
  sub_account: fc.constantFrom('', '1', '2'),
  currency: fc.constantFrom('USD', 'EUR'),
  day: fc.integer({ min: 8, max: 21 }),
  amount: fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 18 }))
    .map(([digits, exponent]) => amountOf(`${digits}e-${exponent + 9}`)),
});

it('adds the charges of each resource, account and currency exactly, in the days that count', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRow, { maxLength: 60 }), async (rows) => {
      const costs = await costsOf(rows);
      for (const resource of ['a', 'b', 'c', 'd']) {
        for (const account of ['b', '1', '2']) {
          for (const currency of ['USD', 'EUR']) {
            const own = rows.filter(
              (row) =>
                row.resource === resource &&
                (row.sub_account || 'b') === account &&
                row.currency === currency &&
                row.day >= 10 &&
                row.day < 20,
            );
            const sum = new AmountSum();
            for (const { amount } of own) sum.add(amount);
            const found = costs
              .find({ provider: 'oci', id: resource, account_id: account })
              .filter((one) => one.currency === currency)
              .map(({ amount }) => showAmount(amount));
            expect(found).toEqual(own.length === 0 ? [] : [showAmount(sum.total)]);
          }
        }
      }
    }),
  );
});

it('finds each of very many resources, and counts those that there is no room for', async () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => ({
    resource: `r${at}`,
    sub_account: '',
    currency: 'USD',
    day: 12,
    amount: { ...zero, units: at },
  }));
  const all = await costsOf(rows);
  const of = (costs: ResourceCosts, at: number) =>
    costs.find({ provider: 'oci', id: `r${at}` }).map(({ amount }) => amount.units);
  expect(rows.every((_, at) => of(all, at)[0] === at)).toBe(true);
  expect(all.left).toBe(0);
  const some = await costsOf(rows, 3_000);
  expect(some.left).toBe(2_000);
  const found = rows.flatMap((_, at) => of(some, at));
  expect(found).toHaveLength(3_000);
  expect(found.every((units) => of(some, units)[0] === units)).toBe(true);
});
