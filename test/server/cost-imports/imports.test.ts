import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { showAmount } from '../../../src/cost/amount.ts';
import { costPeriods } from '../../../src/server/cost/collection.ts';
import { costSums } from '../../../src/server/cost/service.ts';
import { allRows } from '../../../src/server/store/all-rows.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { gzipped, importFiles } from './import-files.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const header =
  'ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Tags\n';
const january = [
  'AWS,1,S3,USD,0.1,2026-01-31,2026-01-01,"{""team"":""a""}"\n',
  'AWS,1,S3,USD,0.2,2026-01-30,2026-01-01,\n',
  'AWS,1,EC2,USD,12.00000000001,2026-01-30,2026-01-01,\n',
  'AWS,1,EC2,USD,-2,2026-01-30,2026-01-01,\n',
];
const february = [
  'AWS,1,EC2,USD,-3,2026-02-02,2026-02-01,\n',
  'AWS,2,S3,EUR,7,2026-02-02,2026-02-01,\n',
];
const csv = (rows: readonly string[], name = 'a.csv') => ({ name, bytes: header + rows.join('') });

const totals = async (): Promise<readonly string[]> => {
  const sums = await costSums(service.deps.store, {
    start: '2020-01-01',
    end: '2027-01-01',
    groupBy: ['billing_account', 'service', 'currency'],
    measure: 'billed',
  });
  return sums.map(({ key, total }) => [...key, showAmount(total)].join(' ')).sort();
};

const periodsOf = async () => {
  const rows = [];
  for await (const row of allRows(service.deps.store, costPeriods, {})) rows.push(row);
  return rows;
};

const blobsOf = async (): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const id of service.deps.store.blobs.list()) ids.push(id);
  return ids.sort();
};

describe('an import', () => {
  it('adds the billing periods of its files and says what they contain', async () => {
    const done = await importFiles(service, [csv([...january, ...february])]);
    expect(done).toMatchObject({
      status: 'completed',
      result: {
        rows: 6,
        rejected: 0,
        rounded: 0,
        currencies: ['EUR', 'USD'],
        changes: { added: 3, replaced: 0, unchanged: 0 },
        files: [{ file: 'a.csv', format: 'csv', dialect: 'FOCUS', rows: 6, compressed: false }],
        totals: [
          { currency: 'EUR', before: { billed: '0' }, after: { billed: '7' } },
          { currency: 'USD', before: { billed: '0' }, after: { billed: '7.30000000001' } },
        ],
      },
    });
    expect(await totals()).toEqual(['1 EC2 USD 7.00000000001', '1 S3 USD 0.3', '2 S3 EUR 7']);
    // Neither the files nor what was put aside is left.
    expect(await blobsOf()).toEqual((await periodsOf()).map(({ doc }) => doc.charges.blob).sort());
  });

  it('of the same charges changes nothing, in whatever order, split or compression they come', async () => {
    await importFiles(service, [csv([...january, ...february])]);
    const before = await periodsOf();
    const again = [
      [csv([...january, ...february])],
      [csv([...february, ...january].reverse())],
      [gzipped(csv(january)), csv(february, 'b.csv')],
      january.map((row, at) => csv([row], `${at}.csv`)),
      [{ name: 'a.csv', bytes: `\ufeff${csv(january).bytes}`.replaceAll('\n', '\r\n') }],
      [{ name: 'a.csv', bytes: csv(february).bytes.replaceAll(',', ';') }],
    ];
    for (const files of again) {
      const done = await importFiles(service, files);
      expect(done.result?.changes).toMatchObject({ added: 0, replaced: 0 });
    }
    expect(await periodsOf()).toEqual(before);
  });

  it('replaces a billing period as a whole, and no other', async () => {
    await importFiles(service, [csv([...january, ...february])]);
    const done = await importFiles(service, [
      csv(['AWS,1,S3,USD,5,2026-01-03,2026-01-01,\n']),
      csv(['AWS,1,S3,USD,-1.5,2026-01-04,2026-01-01,\n'], 'correction.csv'),
    ]);
    expect(done.result).toMatchObject({
      changes: { added: 0, replaced: 1, unchanged: 0 },
      periods: [{ change: 'replaced', rows: 2, rows_before: 4, period: '2026-01' }],
      totals: [{ before: { billed: '10.30000000001' }, after: { billed: '3.5' } }],
    });
    expect(await totals()).toEqual(['1 EC2 USD -3', '1 S3 USD 3.5', '2 S3 EUR 7']);
  });

  it('as a dry run says what would change, and stores nothing', async () => {
    await importFiles(service, [csv(january)]);
    const before = [await periodsOf(), await blobsOf()];
    const done = await importFiles(service, [csv([...january, ...february])], { dry_run: true });
    expect(done.result?.changes).toEqual({ added: 2, replaced: 0, unchanged: 1 });
    expect([await periodsOf(), await blobsOf()]).toEqual(before);
  });

  it('counts the billing periods that are older than the server keeps charges', async () => {
    const old = 'AWS,1,S3,USD,5,2021-03-03,2021-03-01,\n';
    const done = await importFiles(service, [csv([...january, old])]);
    expect(done.result).toMatchObject({ changes: { added: 2 }, expired: 1 });
  });

  it('with a row that cannot be read is refused, and names file, line and column', async () => {
    const bad = 'AWS,1,S3,USD,NaN,2026-01-03,2026-01-01,\n';
    const done = await importFiles(service, [csv(january), csv([...february, bad], 'b.csv')]);
    expect(done).toMatchObject({
      status: 'failed',
      failure: { reason: expect.stringContaining('nothing was imported') as string },
      result: {
        rejected: 1,
        rejected_rows: [
          {
            file: 'b.csv',
            line: 4,
            column: 14,
            field: 'BilledCost',
            reason: 'is not a decimal number',
          },
        ],
      },
    });
    expect(await blobsOf()).toEqual([]);
  });

  it('skips such rows if it is asked to, and marks their period as incomplete', async () => {
    const rows = [
      ...january,
      'AWS,1,S3,USD,1e308,2026-01-03,2026-01-01,\n',
      ...february,
      'AWS,2,S3,EUR,1,2026-02-03,2026-02-01\n',
    ];
    const done = await importFiles(service, [csv(rows)], { skip_rejected: true });
    expect(done.result).toMatchObject({ rows: 6, rejected: 2, changes: { added: 3 } });
    expect(
      (await periodsOf()).map(({ doc }) => [doc.billing_account, doc.period, doc.skipped]),
    ).toEqual(
      expect.arrayContaining([
        ['1', '2026-01', 2],
        ['1', '2026-02', 1],
        ['2', '2026-02', 1],
      ]),
    );
    // Without the rows, it is not the same period.
    const whole = await importFiles(service, [csv(rows.filter((row) => !row.includes('1e308')))], {
      skip_rejected: true,
    });
    expect(whole.result?.changes.replaced).toBe(1);
  });

  it('rejects lines of NDJSON that are no JSON objects, and skips and counts them if asked to', async () => {
    const [, ...names] = header.trim().split(',').reverse();
    const line = (...values: string[]): string =>
      JSON.stringify(Object.fromEntries(names.reverse().map((name, at) => [name, values[at]])));
    const good = line('AWS', '1', 'S3', 'USD', '5', '2026-01-31', '2026-01-01');
    const bytes = [good, good.slice(0, -9), '[]', good.replace('{', '{"Extra":"1",'), good].join(
      '\n',
    );
    const refused = await importFiles(service, [{ name: 'a.ndjson', bytes }]);
    expect(refused.failure?.reason).toContain('3 rows cannot be read');
    expect(refused.result?.rejected_rows).toEqual([
      { file: 'a.ndjson', line: 2, column: 1, field: '', reason: 'is not a JSON object' },
      { file: 'a.ndjson', line: 3, column: 1, field: '', reason: 'is not a JSON object' },
      { file: 'a.ndjson', line: 4, column: 2, field: 'Extra', reason: 'is not a field of the first object' }, // prettier-ignore
    ]);
    const done = await importFiles(service, [{ name: 'a.ndjson', bytes }], { skip_rejected: true });
    expect(done).toMatchObject({ status: 'completed', result: { rows: 2, rejected: 3 } });
    expect((await periodsOf()).map(({ doc }) => doc.skipped)).toEqual([3]);
  });

  it('of dates with slashes finds their order where only one fits', async () => {
    const rows = (...dates: string[]) =>
      csv(dates.map((date) => `AWS,1,S3,USD,1,${date},02/01/2026,\n`));
    const days = async (): Promise<readonly string[]> =>
      (await periodsOf()).map(({ doc }) => `${doc.period} ${doc.first_day}`).sort();
    await importFiles(service, [rows('02/03/2026', '02/13/2026')]);
    expect(await days()).toEqual(['2026-02 2026-02-03']);
    await importFiles(service, [rows('02/01/2026', '13/01/2026')]);
    expect(await days()).toEqual(['2026-01 2026-01-02', '2026-02 2026-02-03']);
    const refused = await importFiles(service, [rows('02/03/2026')]);
    expect(refused.failure).toMatchObject({
      file: 'a.csv',
      line: 2,
      column: 16,
      reason:
        'the date 02/03/2026 fits both MM/DD/YYYY and DD/MM/YYYY, as do all other dates in the file; pass --date-format (date_format)',
    });
    await importFiles(service, [rows('02/03/2026')], { date_format: 'DD/MM/YYYY' });
    expect(await days()).toEqual(['2026-01 2026-03-02', '2026-02 2026-02-03']);
  });
});

describe('an open import', () => {
  const open = async (key?: string): Promise<string> => {
    const sent = { body: { name: 'march' }, ...(key === undefined ? {} : { key }) };
    const { json } = await service.send('POST', '/v1/cost/imports', sent);
    return `/v1/cost/imports/${String(json.id)}`;
  };
  const put = (path: string, n: number | string, text = csv(january).bytes, key?: string) =>
    service.send('PUT', `${path}/files/${n}`, {
      text,
      headers: { 'content-type': 'application/octet-stream' },
      ...(key === undefined ? {} : { key }),
    });

  it('takes a file again, in the place of the one with its number', async () => {
    const path = await open();
    await put(path, 1, 'cut off');
    const { json } = await put(path, 1);
    expect(json).toMatchObject({
      status: 'open',
      files: [{ n: 1, size: csv(january).bytes.length }],
    });
    expect(await blobsOf()).toHaveLength(1);
  });

  it('expires with its files a day after the last of them', async () => {
    const path = await open();
    await put(path, 1);
    service.advance(23 * 3_600_000);
    await put(path, 2);
    service.advance(23 * 3_600_000);
    await service.maintain();
    expect((await service.send('GET', path)).status).toBe(200);
    service.advance(2 * 3_600_000);
    await service.maintain();
    expect((await service.send('GET', path)).status).toBe(404);
    expect(await blobsOf()).toEqual([]);
  });

  it('is deleted with its files', async () => {
    const path = await open();
    await put(path, 1);
    expect((await service.send('DELETE', path)).status).toBe(204);
    expect(await blobsOf()).toEqual([]);
    expect((await put(path, 1)).json).toMatchObject({ error: 'cost_import_not_found' });
  });

  it('is committed once, with at least one file', async () => {
    const path = await open();
    const early = await service.send('POST', `${path}/commit`);
    expect([early.status, early.json.error]).toEqual([409, 'cost_import_state']);
    expect((await put(path, 'x')).json).toMatchObject({ error: 'invalid_cost_import' });
    await put(path, 1);
    await service.send('POST', `${path}/commit`);
    await service.costImportWork.idle();
    const again = await service.send('POST', `${path}/commit`);
    expect([again.status, again.json.status]).toEqual([202, 'completed']);
    expect((await put(path, 2)).json).toMatchObject({ error: 'cost_import_state' });
  });

  it('takes cost:admin to change and cost:read to see', async () => {
    const reads = await service.keyWith('cost:read');
    const path = await open(await service.keyWith('cost:admin'));
    expect((await service.send('GET', path, { key: reads })).status).toBe(200);
    expect((await put(path, 1, 'x', reads)).status).toBe(403);
    const others = await service.keyWith('governance:read', 'compliance:write');
    expect((await service.send('GET', path, { key: others })).status).toBe(403);
  });
});
