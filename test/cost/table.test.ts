import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AmountSum, parseAmount, showAmount, zero } from '../../src/cost/amount.ts';
import type { Amount } from '../../src/cost/amount.ts';
import { dayNumber } from '../../src/cost/table/days.ts';
import type { ReadRange } from '../../src/cost/table/read.ts';
import { Table } from '../../src/cost/table/read.ts';
import { Scan } from '../../src/cost/table/scan.ts';
import type { Query } from '../../src/cost/table/scan.ts';
import { PeriodTable } from './period-table.ts';
import type { Charge } from './period-table.ts';

const amountOf = (text: string): Amount => {
  const parsed = parseAmount(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

type Fields = Partial<Omit<Charge, 'amounts' | 'tags'>> & {
  readonly cost?: string;
  readonly owner?: string;
};
const recordOf = ({ cost = '1', owner, ...fields }: Fields): Charge => ({
  day: '2026-09-01',
  period: '2026-09',
  provider: 'aws',
  billing_account: '1',
  sub_account: '',
  service: 'S3',
  service_category: '',
  category: 'Usage',
  region: '',
  resource: '',
  currency: 'USD',
  ...fields,
  tags: new Map(owner === undefined ? [] : [['owner', owner]]),
  amounts: { billed: amountOf(cost), effective: amountOf(cost), list: zero, quantity: zero },
});

async function bytesOf(records: Iterable<Charge>): Promise<Buffer> {
  const table = new PeriodTable(['owner']);
  for (const record of records) table.add(record);
  const parts: Uint8Array[] = [];
  for await (const part of table.write()) parts.push(part);
  return Buffer.concat(parts);
}

const reading =
  (bytes: Buffer, onRead: (size: number) => void = () => {}): ReadRange =>
  async (start, end) => {
    onRead(end - start);
    return bytes.subarray(start, end);
  };

const september = { from: dayNumber('2026-09-01'), to: dayNumber('2026-10-01') };

async function sums(
  tables: readonly (readonly Charge[])[],
  query: Partial<Query>,
): Promise<Record<string, string>> {
  const scan = new Scan({ ...september, where: {}, groupBy: [], measure: 'billed', ...query });
  for (const records of tables) {
    const bytes = await bytesOf(records);
    await scan.add(await Table.open(reading(bytes), bytes.length));
  }
  return Object.fromEntries(
    scan.groups().map(({ key, total }) => [key.join(' '), showAmount(total)]),
  );
}

describe('the table of a period', () => {
  it('answers sums by any columns, filters and days', async () => {
    const records = [
      recordOf({ service: 'S3', owner: 'shop', cost: '0.1' }),
      recordOf({ service: 'S3', owner: 'shop', cost: '0.2', day: '2026-09-02' }),
      recordOf({ service: 'EC2', cost: '-5.00000000001' }),
      recordOf({ service: 'EC2', cost: '7', day: '2026-10-01' }),
    ];
    expect(await sums([records], {})).toEqual({ '': '-4.70000000001' });
    expect(await sums([records], { groupBy: ['service'] })).toEqual({
      S3: '0.3',
      EC2: '-5.00000000001',
    });
    expect(await sums([records], { groupBy: ['day', 'tag:owner'] })).toEqual({
      '2026-09-01 shop': '0.1',
      '2026-09-02 shop': '0.2',
      '2026-09-01 ': '-5.00000000001',
    });
    expect(await sums([records], { where: { service: ['EC2'], 'tag:owner': [''] } })).toEqual({
      '': '-5.00000000001',
    });
    expect(await sums([records], { where: { service: ['none'] } })).toEqual({});
    expect(await sums([records], { where: { absent: ['x'] } })).toEqual({});
  });

  it('answers over several periods, which have codes of their own', async () => {
    const one = [recordOf({ service: 'S3' }), recordOf({ service: 'EC2', cost: '2' })];
    const other = [recordOf({ service: 'RDS', cost: '4' }), recordOf({ service: 'S3', cost: '8' })];
    expect(await sums([one, other], { groupBy: ['service'] })).toEqual({
      S3: '9',
      EC2: '2',
      RDS: '4',
    });
  });

  it('has each sum to the last digit, as adding all rows has', async () => {
    const record = fc.record({
      service: fc.constantFrom('a', 'b', 'c'),
      resource: fc.constantFrom('', 'x', 'y', 'z'),
      owner: fc.option(fc.constantFrom('p', 'q'), { nil: undefined }),
      day: fc.constantFrom('2026-08-31', '2026-09-01', '2026-09-15', '2026-09-30', '2026-10-01'),
      cost: fc
        .tuple(fc.boolean(), fc.nat(99_999_999), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }))
        .map(
          ([minus, whole, rest]) => `${minus ? '-' : ''}${whole}.${String(rest).padStart(18, '0')}`,
        ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 60 }),
        fc.subarray(['service', 'resource', 'tag:owner', 'day']),
        fc.option(fc.subarray(['a', 'b'], { minLength: 1 }), { nil: undefined }),
        async (rows, groupBy, services) => {
          const records = rows.map(({ owner, ...one }) =>
            recordOf({ ...one, ...(owner === undefined ? {} : { owner }) }),
          );
          const where = services ? { service: services } : {};
          const expected = new Map<string, AmountSum>();
          for (const one of records) {
            if (!one.day.startsWith('2026-09')) continue;
            if (services && !services.includes(one.service)) continue;
            const key = groupBy
              .map((name) =>
                name === 'tag:owner'
                  ? (one.tags.get('owner') ?? '')
                  : one[name as 'service' | 'resource' | 'day'],
              )
              .join(' ');
            const sum = expected.get(key) ?? new AmountSum();
            expected.set(key, sum);
            sum.add(one.amounts.billed);
          }
          expect(await sums([records], { groupBy, where })).toEqual(
            Object.fromEntries([...expected].map(([key, sum]) => [key, showAmount(sum.total)])),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('of more rows than a segment has, reads only the columns and days that are asked for', async () => {
    const records = Array.from({ length: 150_000 }, (_, at) =>
      recordOf({
        day: `2026-09-${String(1 + Math.floor(at / 5_000)).padStart(2, '0')}`,
        resource: `r-${at % 5_000}`,
        service: `s-${at % 7}`,
      }),
    );
    const bytes = await bytesOf(records);
    let read = 0;
    const counting = reading(bytes, (size) => (read += size));
    const opened = await Table.open(counting, bytes.length);
    expect(opened.segments.map(({ rows }) => rows)).toEqual([65_536, 65_536, 18_928]);
    read = 0;
    const scan = new Scan({
      from: dayNumber('2026-09-29'),
      to: dayNumber('2026-09-30'),
      where: {},
      groupBy: ['service', 'has:resource'],
      measure: 'billed',
    });
    await scan.add(opened);
    expect(scan.rows).toBe(18_928);
    // A byte each for the service and the cost, two for the resource and the day; and the texts of the services.
    expect(read).toBe(18_928 * 6 + JSON.stringify(['', 0, 1, 2, 3, 4, 5, 6].map((n) => (n === '' ? n : `s-${n}`))).length); // prettier-ignore
    const all = scan.groups().map(({ total }) => Number(showAmount(total)));
    expect(all.reduce((sum, one) => sum + one, 0)).toBe(5_000);
    expect(all).toHaveLength(7);
  });

  it('answers by common columns from sums of each day', async () => {
    const records = Array.from({ length: 20_000 }, (_, at) =>
      recordOf({
        day: `2026-09-${String(1 + (at % 30)).padStart(2, '0')}`,
        resource: `r-${at}`,
        service: `s-${at % 7}`,
        cost: '0.1',
      }),
    );
    const bytes = await bytesOf(records);
    const opened = await Table.open(reading(bytes), bytes.length);
    const scan = new Scan({ ...september, where: {}, groupBy: ['service'], measure: 'billed' });
    await scan.add(opened);
    expect(scan.rows).toBe(7 * 30);
    expect(
      scan
        .groups()
        .map(({ total }) => showAmount(total))
        .sort(),
    ).toEqual(['285.7', '285.7', '285.7', '285.7', '285.7', '285.7', '285.8']);
    const filtered = new Scan({ ...september, where: { service: ['s-1'], provider: ['aws'] }, groupBy: ['day'], measure: 'billed' }); // prettier-ignore
    await filtered.add(opened);
    expect([filtered.rows, filtered.groups().length]).toEqual([7 * 30, 30]);
    const byResource = new Scan({ ...september, where: { service: ['s-1'] }, groupBy: ['resource'], measure: 'billed' }); // prettier-ignore
    await byResource.add(opened);
    expect([byResource.rows, byResource.groups().length]).toEqual([20_000, 2_857]);
  });

  it('has no sums of a column with very many texts, whose rows it reads instead', async () => {
    const records = Array.from({ length: 40_000 }, (_, at) =>
      recordOf({ sub_account: `a-${at}`, cost: '1' }),
    );
    const bytes = await bytesOf(records);
    const opened = await Table.open(reading(bytes), bytes.length);
    const scan = new Scan({ ...september, where: {}, groupBy: ['sub_account'], measure: 'billed' });
    await scan.add(opened);
    expect([scan.rows, scan.groups().length]).toEqual([40_000, 40_000]);
  });

  it('tells apart more combinations than a number can', async () => {
    const columns = ['service', 'resource', 'sub_account', 'region', 'billing_account', 'tag:owner'] as const; // prettier-ignore
    const records = Array.from({ length: 3_000 }, (_, at) => {
      const text = `x${(at * 7_919) % 1_500}`;
      return recordOf({ service: text, resource: text, sub_account: text, region: text, billing_account: text, owner: text }); // prettier-ignore
    });
    const bytes = await bytesOf(records);
    const scan = new Scan({ ...september, where: {}, groupBy: columns, measure: 'billed' });
    await scan.add(await Table.open(reading(bytes), bytes.length));
    expect(scan.groups()).toHaveLength(1_500);
    for (const { key, total } of scan.groups()) {
      expect([new Set(key).size, showAmount(total)]).toEqual([1, '2']);
    }
  });

  it('is refused where it is cut off', async () => {
    const bytes = await bytesOf([recordOf({})]);
    for (const size of [0, 4, bytes.length - 1]) {
      const cut = bytes.subarray(0, size);
      await expect(Table.open(reading(cut), size)).rejects.toThrow('truncated');
    }
  });

  it('of nothing answers nothing', async () => {
    expect(await sums([[]], { groupBy: ['service'] })).toEqual({});
  });
});
