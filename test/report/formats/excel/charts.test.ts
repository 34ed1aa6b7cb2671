import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import { renderExcel } from '../../../../src/report/formats/excel/render-excel.ts';
import { paintsOnWhite } from '../../../../src/report/charts/paints.ts';
import { visibleText } from '../../../../src/report/formats/visible-text.ts';
import type { Chart, ReportModel } from '../../../../src/report/model.ts';
import { madeReport } from '../../../support/report-facts.ts';
import { sampleReport } from '../../../support/sample-report.ts';
import { hostileReport, rendered, reportOf } from '../rendered.ts';
import { childrenInOrder } from './chart-schema.ts';
import { allIn, cellAt, readXml, unzip } from './workbook.ts';
import type { Element, Files } from './workbook.ts';

const workbookOf = async (model: ReportModel): Promise<Files> =>
  unzip(await rendered(renderExcel, model));
const fileOf = (files: Files, name: string): string => files.get(name) ?? '';
const summaryOf = (files: Files): string => fileOf(files, 'xl/worksheets/sheet1.xml');
const chartFiles = (files: Files): Element[] =>
  [...files.keys()].filter((name) => name.startsWith('xl/charts/')).map((name) => readXml(fileOf(files, name))); // prettier-ignore

const chartsOf = ({ sections }: ReportModel): Chart[] =>
  sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'chart'));
const hasSomething = ({ series, unit }: Chart): boolean =>
  series.some(({ values }) => values.some((value) => (unit === '%' ? value !== null : (value ?? 0) !== 0))); // prettier-ignore

const wordsOf = (element: Element | undefined): string =>
  element === undefined ? '' : element.text + element.children.map(wordsOf).join('');
const titleOf = (chart: Element): string => wordsOf(allIn(chart, 'c:title')[0]);
const valueOf = (element: Element | undefined): string => element?.attributes['val'] ?? '';

/** The cells that a reference names, in the summary. */
function cellsAt(files: Files, reference: string): (string | number | undefined)[] {
  const [, column = '', from = '', to = from] = /^'Summary'!\$([A-Z]+)\$(\d+)(?::\$\1\$(\d+))?$/.exec(reference) ?? []; // prettier-ignore
  expect(column, reference).not.toBe('');
  const rows = Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at);
  return rows.map((row) => cellAt(summaryOf(files), `${column}${row}`));
}

interface Drawn {
  readonly name: string;
  readonly categories: readonly (string | number | undefined)[];
  readonly values: readonly (string | number | undefined)[];
}

const drawnBy = (files: Files, chart: Element): Drawn[] =>
  allIn(chart, 'c:ser').map((series) => {
    const cells = (...tags: readonly string[]) =>
      cellsAt(files, wordsOf(series.children.find(({ name }) => tags.includes(name))));
    return {
      name: String(cells('c:tx')[0]),
      categories: cells('c:cat', 'c:xVal'),
      values: cells('c:val', 'c:yVal'),
    };
  });

/** As cells have it: days since the end of 1899, and parts of 1. */
const asTime = (time: string): number => (Date.parse(time) - Date.UTC(1899, 11, 30)) / 86_400_000;
const asNumber = (value: number | null, { unit }: Chart): number | undefined =>
  value === null ? undefined : unit === '%' ? Number((value / 100).toPrecision(15)) : value;

const oneChart = (chart: Partial<Chart>): ReportModel =>
  reportOf(sampleReport(), [
    {
      kind: 'chart',
      id: 'one',
      title: 'One',
      description: 'Of two names',
      form: 'bars',
      categories: ['a', 'b'],
      series: [{ name: 'Count', colour: 'first', values: [3, 4] }],
      ...chart,
    },
  ]);

const models = [
  ['sample', sampleReport()] as const,
  ...reportTypes.map((type) => [type, madeReport({ type, findings: 30 })] as const),
];

describe('the charts of a workbook', () => {
  it.each(models)(
    'are those of the report, with titles and descriptions (%s)',
    async (_, model) => {
      const files = await workbookOf(model);
      const charts = chartsOf(model).filter(hasSomething);
      expect(chartFiles(files).map(titleOf)).toEqual(charts.map(({ title }) => title));
      const drawing = files.get('xl/drawings/drawing1.xml');
      const frames = drawing === undefined ? [] : allIn(readXml(drawing), 'xdr:cNvPr');
      expect(frames.map(({ attributes }) => attributes['descr'])).toEqual(
        charts.map(({ title, description }) => `${title}: ${description}`),
      );
    },
  );

  it.each(models)('refer to the cells that have their numbers (%s)', async (_, model) => {
    const files = await workbookOf(model);
    for (const [at, chart] of chartsOf(model).filter(hasSomething).entries()) {
      const drawn = drawnBy(files, chartFiles(files)[at] as Element); // each has a file
      const categories = chart.form === 'lines' ? chart.categories.map((time) => expect.closeTo(asTime(time), 4)) : chart.categories; // prettier-ignore
      for (const one of drawn) expect(one.categories).toEqual(categories);
      if (chart.drawn === 'waterfall') {
        const ends = chart.categories.map(
          (_name, row) =>
          drawn.reduce((sum, { name, values }) => sum + Number(values[row] ?? 0) * (name === 'Fall' ? 0 : 1), 0), // prettier-ignore
        );
        expect(ends).toEqual(chart.series[0]?.values.map((value) => expect.closeTo(asNumber(value, chart) ?? 0, 6))); // prettier-ignore
      } else {
        expect(drawn.map(({ name, values }) => ({ name, values }))).toEqual(
          chart.series.map(({ name, values }) => ({ name, values: values.map((value) => asNumber(value, chart)) })), // prettier-ignore
        );
      }
    }
  });

  it.each(models)(
    'are parts that the standard allows, all of which are found (%s)',
    async (_, model) => {
      const files = await workbookOf(model);
      const types = readXml(fileOf(files, '[Content_Types].xml'));
      const named = allIn(types, 'Override').map(({ attributes }) =>
        attributes['PartName']?.slice(1),
      );
      expect([...named].sort()).toEqual(
        [...files.keys()].filter((name) => !name.endsWith('.rels') && !name.startsWith('[')).sort(),
      );
      expect(new Set(named).size).toBe(named.length);
      for (const [name, xml] of files) {
        const root = readXml(xml);
        if (name.endsWith('.rels')) {
          const of = path.posix.dirname(path.posix.dirname(name));
          const targets = allIn(root, 'Relationship').map(({ attributes }) => attributes);
          expect(new Set(targets.map(({ Id }) => Id)).size).toBe(targets.length);
          for (const { Target = '' } of targets) expect(files.has(path.posix.join(of, Target)), `${name}: ${Target}`).toBe(true); // prettier-ignore
        } else if (/^xl\/(charts|drawings)\//.test(name))
          expect(childrenInOrder(root), name).toEqual([]);
        const ids = allIn(root, 'xdr:cNvPr').map(({ attributes }) => attributes['id']);
        expect(new Set(ids).size).toBe(ids.length);
      }
    },
  );

  it.each(models)(
    'have room above their numbers, which no other row takes (%s)',
    async (_, model) => {
      const files = await workbookOf(model);
      const drawing = files.get('xl/drawings/drawing1.xml');
      if (drawing === undefined) return;
      for (const [at, anchor] of allIn(readXml(drawing), 'xdr:oneCellAnchor').entries()) {
        const row = Number(wordsOf(allIn(anchor, 'xdr:row')[0])) + 1;
        const height = Number(allIn(anchor, 'xdr:ext')[0]?.attributes['cy']) / 12_700;
        const [, room = '0'] = new RegExp(`<row r="${row}" ht="(\\d+)" customHeight="1"></row>`).exec(summaryOf(files)) ?? []; // prettier-ignore
        expect(Number(room)).toBeGreaterThan(height);
        expect(Number(room)).toBeLessThanOrEqual(409);
        const first = wordsOf(allIn(chartFiles(files)[at] as Element, 'c:f')[0]); // each has a file
        expect(Number(/\d+$/.exec(first)?.[0])).toBeGreaterThan(row);
      }
    },
  );

  it('have the colors of other formats, and dark words', async () => {
    const files = await workbookOf(sampleReport());
    const [ring, lines, bars] = chartFiles(files);
    const colors = (chart: Element | undefined, name: string): string[] =>
      chart === undefined ? [] : allIn(chart, name).map((one) => `#${valueOf(allIn(one, 'a:srgbClr')[0]).toLowerCase()}`); // prettier-ignore
    const { critical, high, medium, low, first, second, pass, fail, exempt, text } = paintsOnWhite;
    expect(colors(ring, 'c:dPt')).toEqual([critical, high, medium, low]);
    expect(colors(lines, 'c:ser')).toEqual([first, second]);
    expect(colors(bars, 'c:ser')).toEqual([pass, fail, exempt]);
    for (const chart of [ring, lines, bars]) expect(colors(chart, 'c:title')[0]).toBe(text);
  });

  it('show percent as such, whole numbers without decimals, and units at their axes', async () => {
    const [, lines, bars] = chartFiles(await workbookOf(sampleReport()));
    const formats = (chart: Element | undefined): unknown =>
      chart && allIn(chart, 'c:valAx').flatMap((axis) => allIn(axis, 'c:numFmt').map(({ attributes }) => attributes['formatCode'])); // prettier-ignore
    expect(formats(lines)).toEqual(['yyyy\\-mm\\-dd', '0%']);
    expect(formats(bars)).toEqual(['#,##0']);
    expect(bars && allIn(bars, 'c:valAx').map((axis) => titleOf(axis))).toEqual(['checks']);
  });

  it('are not drawn of zeros or of nothing, but their numbers are there', async () => {
    for (const values of [
      [0, 0],
      [null, null],
    ]) {
      // prettier-ignore
      const files = await workbookOf(oneChart({ series: [{ name: 'Count', colour: 'first', values }] })); // prettier-ignore
      expect([...files.keys()].filter((name) => /chart|drawing/.test(name))).toEqual([]);
      expect(summaryOf(files)).not.toContain('<drawing');
      expect(summaryOf(files)).toContain('>One<');
    }
    const scores = { series: [{ name: 'Score', colour: 'first', values: [0, 0] }], unit: '%' } as const; // prettier-ignore
    expect(chartFiles(await workbookOf(oneChart(scores)))).toHaveLength(1);
  });

  it('have what is out to do harm as text', async () => {
    const hostile = [
      '=1+1',
      '+1',
      '-1',
      '@x',
      '顧客データ',
      '\u{1f512}',
      'a\u0000\u202Eb\u200B',
      '<c:f>&',
      `"'`,
    ];
    const series = hostile.map((name, at) => ({ name, colour: 'first' as const, values: hostile.map(() => at + 1) })); // prettier-ignore
    for (const title of hostile) {
      const files = await workbookOf(oneChart({ title, description: title, categories: hostile, series, unit: title })); // prettier-ignore
      const [chart] = chartFiles(files);
      const escaped = (text: string): string => visibleText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'); // prettier-ignore
      expect(chart && titleOf(chart)).toBe(escaped(title));
      for (const { name, categories } of chart ? drawnBy(files, chart) : []) {
        expect(hostile.map(oneLined).map(escaped)).toContain(name);
        expect(categories).toEqual(hostile.map(oneLined).map(escaped));
      }
      expect(summaryOf(files)).not.toContain('<f>');
    }
    for (const [, xml] of await workbookOf(hostileReport())) readXml(xml);
  });

  it('have names that are too long for a chart cut in a column of their own, not in the others', async () => {
    const categories = ['one', 'two'].map((end) => `/subscriptions/${'0'.repeat(120)}/${end}`);
    const files = await workbookOf(oneChart({ categories }));
    const [chart] = chartFiles(files);
    const [{ categories: labels } = { categories: [] }] = chart ? drawnBy(files, chart) : [];
    expect(labels).toEqual(['one', 'two'].map((end) => expect.stringMatching(new RegExp(`^/subs.*….*/${end}$`)))); // prettier-ignore
    for (const name of categories) expect(summaryOf(files)).toContain(`>${name}<`);
  });

  it('draw the first twenty of many bars, and say so', async () => {
    const categories = Array.from({ length: 45 }, (_, n) => `name ${n}`);
    const series = [{ name: 'Count', colour: 'first', values: categories.map((_, n) => n + 1) }] as const; // prettier-ignore
    const files = await workbookOf(oneChart({ categories, series }));
    const [chart] = chartFiles(files);
    expect(chart && titleOf(chart)).toBe('One (first 20 of 45)');
    expect(chart && drawnBy(files, chart)[0]?.categories).toEqual(categories.slice(0, 20));
    expect(summaryOf(files)).toContain('>name 44<');
  });

  it('show a waterfall that falls as steps down', async () => {
    const series = [{ name: 'Score', colour: 'first', values: [90, 95, 92] }] as const;
    const files = await workbookOf(oneChart({ categories: ['now', 'one', 'two'], series, drawn: 'waterfall', unit: '%' })); // prettier-ignore
    const [chart] = chartFiles(files);
    expect(chart && drawnBy(files, chart).map(({ name, values }) => [name, values])).toEqual([
      ['From', [0.9, 0.9, 0.92]],
      ['Rise', [undefined, 0.05, undefined]],
      ['Fall', [undefined, undefined, 0.03]],
    ]);
  });

  it('are the same each time, byte for byte', async () => {
    const bytes = async () => rendered(renderExcel, sampleReport());
    expect((await bytes()).equals(await bytes())).toBe(true);
  });
});

/** Names of charts are one line. */
const oneLined = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
