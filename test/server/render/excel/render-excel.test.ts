import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js';
import { describe, expect, test } from 'vitest';
import { renderExcel } from '../../../../src/server/render/excel/render-excel.ts';
import type { CellType, Row } from '../../../../src/server/render/model.ts';
import { findingsTable, sampleReport, tableOf } from '../../../support/sample-report.ts';
import { counted, hostileReport, rendered, reportOf } from '../rendered.ts';

/** The files of a workbook, by their names. */
async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const zip = new ZipReader(new BlobReader(new Blob([new Uint8Array(bytes)])));
  const files = new Map<string, string>();
  for (const entry of await zip.getEntries()) {
    if (!entry.directory) files.set(entry.filename, await entry.getData(new TextWriter()));
  }
  return files;
}

const sheetNamesOf = (files: ReadonlyMap<string, string>): string[] =>
  [...(files.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(([, name = '']) => name); // prettier-ignore

/** The sheet of a table of one column, and the cell in its second row. */
async function cellOf(cell: Row[number], type: CellType = 'text'): Promise<string> {
  const columns = [{ id: 'a', title: 'A', type, width: 1 }];
  const table = tableOf({ id: 't', title: 'T', columns }, [[cell]]);
  const files = await unzip(await rendered(renderExcel, reportOf(sampleReport(), [table])));
  const sheet = files.get('xl/worksheets/sheet2.xml') ?? '';
  return /<row r="2"[^>]*>(.*?)<\/row>/s.exec(sheet)?.[1] ?? '';
}

describe('a report as a workbook', () => {
  test('has a summary, then a sheet for each table, its head frozen and with filters', async () => {
    const files = await unzip(await rendered(renderExcel, sampleReport()));
    expect(sheetNamesOf(files)).toEqual(['Summary', 'Controls', 'Where the evidence is', 'Detailed findings', 'Exemptions']); // prettier-ignore
    const findings = files.get('xl/worksheets/sheet4.xml') ?? '';
    expect(findings).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'); // prettier-ignore
    expect(findings).toContain('<autoFilter ref="A1:H65"/>');
    expect(findings.match(/<row /g)).toHaveLength(65);
    const summary = files.get('xl/worksheets/sheet1.xml') ?? '';
    expect(summary).toContain('Problem: Three critical violations have been open');
    expect(summary).toContain('Checks by control (checks)');
    expect(files.get('docProps/core.xml')).toContain('2026-11-02T09:30:00.000Z');
  });

  test('has cells of the types of their columns', async () => {
    expect(await cellOf(1234, 'integer')).toBe('<c r="A2" s="2"><v>1234</v></c>');
    expect(await cellOf(87.25, 'percent')).toBe('<c r="A2" s="4"><v>0.8725</v></c>');
    expect(await cellOf('2026-10-01', 'date')).toBe('<c r="A2" s="6"><v>46296</v></c>');
    expect(await cellOf('2026-10-01T12:00:00.000Z', 'timestamp')).toBe('<c r="A2" s="5"><v>46296.5</v></c>'); // prettier-ignore
    expect(await cellOf(true)).toBe('<c r="A2" s="0" t="b"><v>1</v></c>');
    expect(await cellOf(null)).toBe('');
    expect(await cellOf(Infinity, 'decimal')).toBe('');
    expect(await cellOf('tomorrow', 'date')).toContain('t="inlineStr"');
    expect(await cellOf('0999-01-01', 'date')).toContain('t="inlineStr"');
  });

  test('keeps texts as texts, whatever they begin with', async () => {
    for (const text of ['=1+1', '+1', '-1', '@x', '007', '1e5']) {
      expect(await cellOf(text)).toBe(`<c r="A2" s="0" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`); // prettier-ignore
    }
  });

  test('writes out what XML forbids, and cuts visibly what is too long', async () => {
    expect(await cellOf('a\u0000b\uFFFE<&>\uD800 _x0041_')).toContain(
      '>a[U+0000]b[U+FFFE]&lt;&amp;&gt;[U+D800] _x005F_x0041_<',
    );
    const long = await cellOf('x'.repeat(40_000));
    expect(/>(x+… \[cut\])</.exec(long)?.[1]).toHaveLength(32_767);
  });

  test('names its sheets as Excel wants them', async () => {
    const titles = ['Summary', 'summary', 'a/b\\c?d*e[f]g:h', "'quoted'", '', 'History', 'x'.repeat(40), 'x'.repeat(40)]; // prettier-ignore
    const columns = [{ id: 'a', title: 'A', type: 'text', width: 1 }] as const;
    const model = {
      ...sampleReport(),
      sections: titles.map((title, at) => ({
        id: `s${at}`,
        title,
        blocks: [tableOf({ id: `t${at}`, title, columns }, [])],
      })),
    };
    const names = sheetNamesOf(await unzip(await rendered(renderExcel, model)));
    expect(names).toEqual(['Summary', 'Summary (2)', 'summary (3)', 'a b c d e f g h', 'quoted', 'Sheet', 'Sheet History', 'x'.repeat(31), `${'x'.repeat(27)} (2)`]); // prettier-ignore
  });

  test('holds texts that are out to do harm as texts', async () => {
    const files = await unzip(await rendered(renderExcel, hostileReport()));
    for (const [name, text] of files) {
      // Well-formed: nothing but what it is made of stands between < and >.
      expect(text.match(/<(?![/?]?[a-zA-Z][\w:]*( [\w:]+="[^"<]*")*\/?\??>)/), name).toBeNull();
       
      expect(text, name).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f\u202e]/);
    }
    expect(sheetNamesOf(files)).toHaveLength(11);
  });

  test('is the same each time, and written in pieces', async () => {
    const model = reportOf(sampleReport(), [findingsTable(5_000)]);
    expect((await rendered(renderExcel, model)).equals(await rendered(renderExcel, model))).toBe(
      true,
    );
    const { bytes, largest } = await counted(
      renderExcel,
      reportOf(sampleReport(), [findingsTable(20_000)]),
    );
    expect(bytes).toBeGreaterThan(800_000);
    expect(largest).toBeLessThan(300_000);
  });
});
