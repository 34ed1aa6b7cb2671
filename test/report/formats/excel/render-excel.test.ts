import { describe, expect, test } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import { renderExcel } from '../../../../src/report/formats/excel/render-excel.ts';
import type { CellType, Row } from '../../../../src/report/model.ts';
import { madeReport } from '../../../support/report-facts.ts';
import { findingsTable, sampleReport, tableOf } from '../../../support/sample-report.ts';
import { counted, hostileReport, rendered, reportOf } from '../rendered.ts';
import { sheetNamesOf, textsIn, unzip } from './workbook.ts';

const textAt = (sheet: string, place: string): string =>
  textsIn(new RegExp(`<c r="${place}" .*?</c>`, 's').exec(sheet)?.[0] ?? '');

/** The rows of a summary: their texts, and how high they are. */
const summaryRows = (sheet: string): { number: number; height: number; text: string }[] =>
  [...sheet.matchAll(/<row r="(\d+)" ht="(\d+)" customHeight="1">(.*?)<\/row>/gs)].map(
    ([, number, height, cells = '']) => ({
      number: Number(number),
      height: Number(height),
      text: textsIn(cells),
    }),
  );

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

  test('leads from the summary to each sheet, and says how much is there', async () => {
    const files = await unzip(await rendered(renderExcel, sampleReport()));
    const summary = files.get('xl/worksheets/sheet1.xml') ?? '';
    const links = [...summary.matchAll(/<hyperlink ref="([A-Z]+\d+)" location="([^"]*)"\/>/g)];
    expect(links.map(([, , to]) => to)).toEqual(["'Controls'!A1", "'Where the evidence is'!A1", "'Detailed findings'!A1", "'Exemptions'!A1"]); // prettier-ignore
    const [, from = ''] = links[2] ?? [];
    expect(textAt(summary, from)).toBe('Sheet → Detailed findings');
    expect(textAt(summary, from.replace('A', 'B'))).toBe('64 rows');
    expect(summary).toContain('There are no exemptions.');
  });

  test('has the texts of the summary over its columns, in rows as high as they need', async () => {
    const words = Array.from({ length: 2_500 }, (_, n) => `word${n}`);
    const blocks = ['short', words.slice(0, 60).join(' '), words.join(' '), 'a\n\nb'].map((text) => ({ kind: 'paragraph' as const, text })); // prettier-ignore
    const files = await unzip(await rendered(renderExcel, reportOf(sampleReport(), blocks)));
    const summary = files.get('xl/worksheets/sheet1.xml') ?? '';
    const rows = summaryRows(summary);
    const heightOf = (text: string): number => rows.find((row) => row.text === text)?.height ?? 0;
    const one = heightOf('short');
    expect(heightOf('SOC 2 evidence, October 2026')).toBeGreaterThan(1.5 * one);
    expect(heightOf(words.slice(0, 60).join(' '))).toBeGreaterThan(3 * one);
    expect(heightOf('a\n\nb')).toBeGreaterThan(2 * one);
    // What is too long for a row goes on in the next.
    const long = rows.filter(({ text }) => /word(?:1\d\d|\d{4})\b/.test(text));
    expect(long.length).toBeGreaterThan(1);
    expect(long.map(({ text }) => text).join(' ')).toBe(words.join(' '));
    for (const { number, height, text } of rows) {
      expect(height).toBeLessThanOrEqual(409);
      if (long.some((row) => row.text === text)) expect(summary).toContain(`<mergeCell ref="A${number}:G${number}"/>`); // prettier-ignore
    }
  });

  test('has the numbers of charts as numbers, shares as such, and times as times', async () => {
    const files = await unzip(await rendered(renderExcel, sampleReport()));
    const summary = files.get('xl/worksheets/sheet1.xml') ?? '';
    const first = summaryRows(summary).find(({ text }) => text === 'Time (UTC)AllProduction');
    const next = (first?.number ?? 0) + 1;
    expect(summary).toContain(`<c r="A${next}" s="5"><v>46296.25</v></c><c r="B${next}" s="4"><v>0.8275</v></c><c r="C${next}" s="4"><v>0.78</v></c>`); // prettier-ignore
  });

  test('is printed on landscape pages that say of what and which they are, with the head on each', async () => {
    const model = sampleReport();
    const head = { ...model.head, name: `R&D "&P" ${'&'.repeat(200)}` };
    const files = await unzip(await rendered(renderExcel, { ...model, head }));
    for (const n of [1, 2, 3, 4, 5]) {
      const sheet = files.get(`xl/worksheets/sheet${n}.xml`) ?? '';
      expect(sheet).toContain('<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>');
      expect(sheet).toContain('<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>'); // prettier-ignore
      const [, header = '', footer = ''] = /<oddHeader>(.*)<\/oddHeader><oddFooter>(.*)<\/oddFooter>/.exec(sheet) ?? []; // prettier-ignore
      // Signs of the name are no codes: each is there twice, also where it is cut.
      expect(header).toMatch(/^&amp;LR&amp;&amp;D &quot;&amp;&amp;P&quot; (&amp;&amp;)+…&amp;R&amp;A$/); // prettier-ignore
      expect(header.replaceAll('&amp;', '&').length).toBeLessThan(255);
      expect(footer).toBe('&amp;L2026-11-02 09:30:00 UTC · govctl 0.1.0&amp;RPage &amp;P of &amp;N'); // prettier-ignore
    }
    const workbook = files.get('xl/workbook.xml') ?? '';
    expect(workbook).toContain('<definedName name="_xlnm.Print_Titles" localSheetId="3">\'Detailed findings\'!$1:$1</definedName>'); // prettier-ignore
    expect(workbook.match(/Print_Titles/g)).toHaveLength(4);
  });

  test('has columns as wide as their first cells need, to a limit, and rows as high', async () => {
    const types = ['id', 'timestamp', 'integer', 'text', 'text'] as const;
    const columns = types.map((type, at) => ({ id: `c${at}`, title: 'A title of words', type, width: 1 })); // prettier-ignore
    const long = 'The key has not been rotated for so long that nobody knows it. '.repeat(4);
    const row = [
      'viol_01k00000000000000000000000',
      '2026-10-01T08:00:00.000Z',
      1_234_567_890,
      'ok',
    ];
    const table = tableOf({ id: 't', title: 'T', columns }, [
      [...row, 'short'],
      [...row, long],
    ]);
    const files = await unzip(await rendered(renderExcel, reportOf(sampleReport(), [table])));
    const sheet = files.get('xl/worksheets/sheet2.xml') ?? '';
    const widths = [...sheet.matchAll(/ width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths).toHaveLength(5);
    const [id = 0, time = 0, number = 0, text = 0, message = 0] = widths;
    expect(id).toBeGreaterThan(31);
    expect(id).toBeLessThan(40);
    expect(time).toBeGreaterThan(19);
    expect(number).toBeGreaterThan('1,234,567,890'.length);
    expect(text).toBeLessThan(15);
    expect(message).toBe(48);
    expect(sheet).toContain('<row r="2"><');
    expect(Number(/<row r="3" ht="(\d+)" customHeight="1">/.exec(sheet)?.[1])).toBeGreaterThan(50);
  });

  test('shows no time a second early', async () => {
    for (const time of ['08:00:00', '16:20:01', '23:59:59']) {
      const [, serial] = /<v>(.*)<\/v>/.exec(await cellOf(`2026-10-01T${time}.000Z`, 'timestamp')) ?? []; // prettier-ignore
      const day = Number(serial) - 46_296;
      const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
      expect(day * 86_400).toBeCloseTo(hours * 3600 + minutes * 60 + seconds, 5);
    }
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

  test('ends the names of sheets at the end of a word', async () => {
    const columns = [{ id: 'a', title: 'A', type: 'text', width: 1 }] as const;
    const title = 'Violations that were open for a long time';
    const model = {
      ...sampleReport(),
      sections: [1, 2].map((n) => ({
        id: `s${n}`,
        title,
        blocks: [tableOf({ id: `t${n}`, title, columns }, [])],
      })),
    };
    expect(sheetNamesOf(await unzip(await rendered(renderExcel, model)))).toEqual(['Summary', 'Violations that were open for a', 'Violations that were open (2)']); // prettier-ignore
  });

  test.each(reportTypes)('has the names of sheets whole in a report of type %s', async (type) => {
    const model = madeReport({ type, findings: 30 });
    const names = sheetNamesOf(await unzip(await rendered(renderExcel, model)));
    const titles = model.sections.flatMap(({ title, blocks }) => [
      title,
      ...blocks.flatMap((block) => (block.kind === 'table' ? [block.title] : [])),
    ]);
    for (const name of names.slice(1)) expect(titles).toContain(name);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
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
