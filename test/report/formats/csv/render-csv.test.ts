import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderCsv } from '../../../../src/report/formats/csv/render-csv.ts';
import type { Cell, Column } from '../../../../src/report/model.ts';
import { findingsTable, sampleReport, tableOf } from '../../../support/sample-report.ts';
import { counted, rendered, reportOf } from '../rendered.ts';

/** As RFC 4180 has it. */
function parse(text: string): string[][] {
  const records: string[][] = [];
  const fields = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy;
  let record: string[] = [];
  for (const [, field = '', end] of text.matchAll(fields)) {
    record.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

const column = (id: string, type: Column['type'] = 'text'): Column => ({ id, title: id, type, width: 1 }); // prettier-ignore
const csvOf = async (columns: readonly Column[], rows: readonly (readonly Cell[])[]) =>
  (await rendered(renderCsv, reportOf(sampleReport(), [tableOf({ id: 't', title: 'T', columns }, rows)]))).toString(); // prettier-ignore

describe('a report as CSV', () => {
  test('is its main table: a byte order mark, column ids, CRLF', async () => {
    const text = (await rendered(renderCsv, sampleReport(2))).toString();
    const [head, first, ...rest] = text.split('\r\n');
    expect(head).toBe('\uFEFFid,severity,status,resource,message,control,first_seen,age_days');
    expect(first).toBe(
      `viol_01k${'0'.repeat(23)},CRITICAL,open,arn:aws:s3:::acme-production-customer-exports-0,The bucket can be read by anyone: its policy allows s3:GetObject to every principal.,CC6.1,2026-10-01T08:00:00.000Z,0`,
    );
    expect(rest).toHaveLength(2);
  });

  test('quotes what has to be quoted', async () => {
    expect(await csvOf([column('a'), column('b')], [['x,"y"', 'two\nlines']])).toBe(
      '\uFEFFa,b\r\n"x,""y""","two\nlines"\r\n',
    );
  });

  test('lets no text be run as a formula, and leaves numbers alone', async () => {
    const lines = async (...cells: readonly string[]): Promise<string> => {
      const text = await csvOf([column('a')], cells.map((cell) => [cell])); // prettier-ignore
      return text.slice('\uFEFFa\r\n'.length, -'\r\n'.length);
    };
    for (const cell of ['=1+1', '+SUM(A1)', '-2+3', '@x', '\t=1', ' =1', '＝1']) {
      expect(await lines(cell)).toBe(`'${cell}`);
    }
    expect(await lines('\r=1')).toBe('"\'\r=1"');
    expect(await lines('a\u001b[2J\u009b1m\u202eb')).toBe('a\ufffd[2J\ufffd1m\ufffdb');
    for (const cell of ['-5', '+4.5e3', 'a=b']) expect(await lines(cell)).toBe(cell);
    expect(await lines('')).toBe('""');
    expect(await csvOf([column('=cmd')], [])).toBe("\uFEFF'=cmd\r\n");
  });

  test('writes numbers as they are, and nothing for what is not there', async () => {
    const columns = [column('a', 'percent'), column('b', 'integer'), column('c'), column('d')];
    expect(await csvOf(columns, [[87.25, -3, true, null]])).toBe('\uFEFFa,b,c,d\r\n87.25,-3,true,\r\n'); // prettier-ignore
  });

  test('is read again as it was by whoever reads CSV', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'é', '审') });
    const rows = fc.array(fc.tuple(text, text), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const csv = await csvOf([column('a'), column('b')], all);
        const shown = all.map((row) =>
          row.map((cell) => (/^\s*[\r\n]/.test(cell) ? `'${cell}` : cell)),
        );
        expect(parse(csv.slice(1))).toEqual([['a', 'b'], ...shown]);
      }),
    );
  });

  test('says where there is no table to make one of', async () => {
    await expect(rendered(renderCsv, reportOf(sampleReport(), []))).rejects.toThrow('no table');
  });

  test('is the same each time, and written in pieces', async () => {
    const model = reportOf(sampleReport(), [findingsTable(5_000)]);
    expect((await rendered(renderCsv, model)).equals(await rendered(renderCsv, model))).toBe(true);
    expect((await counted(renderCsv, model)).largest).toBeLessThan(200_000);
  });
});
