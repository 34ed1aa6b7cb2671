import { describe, expect, it } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import type { Block, ReportModel, Table } from '../../../../src/report/model.ts';
import { madeReport } from '../../../support/report-facts.ts';
import { findingsTable, sampleReport, tableOf } from '../../../support/sample-report.ts';
import { reportOf } from '../rendered.ts';
import { openPdf, renderToBytes } from './pdf-tools.ts';

/** A4, in points. */
const page = { width: 595.28, height: 841.89 };
/** Nothing is nearer to the edges of a page. */
const edge = 24;
/** From the bottom of a page: its footer is below. */
const footer = 50;
const head = 66;

interface TextItem {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** From the top of the page. */
  readonly y: number;
  readonly size: number;
}

/** What is written on each page, and where. */
async function textsOf(bytes: Uint8Array): Promise<readonly (readonly TextItem[])[]> {
  const pdf = await openPdf(bytes);
  return Promise.all(
    Array.from({ length: pdf.numPages }, async (_, n) => {
      const one = await pdf.getPage(n + 1);
      const [, , width, height = 0] = one.view;
      expect([width, height]).toEqual([page.width, page.height]);
      const { items } = await one.getTextContent();
      return items.flatMap((item) => {
        if (!('str' in item) || item.str.trim() === '') return [];
        const [size = 0, , , , x, y] = item.transform as readonly number[];
        const left = x ?? 0;
        return [{ text: item.str, left, right: left + item.width, y: height - (y ?? 0), size }];
      });
    }),
  );
}

/** Of titles of sections, headings, titles of tables and charts, heads of tables, and what the rows of a group share. */
const leadingSizes = [18, 11.5, 9.4, 7.4, 7.2];
const headOfTable = 7.4;

const isOfSize = ({ size }: TextItem, wanted: number): boolean => Math.abs(size - wanted) < 0.01;

/** The lines of a page between its running head and its foot, from the top. */
const contentOf = (texts: readonly TextItem[]): readonly TextItem[] =>
  texts.filter(({ y }) => y > head - 10 && y < page.height - footer).sort((a, b) => a.y - b.y);

/** How much of a page's height is used, from 0 to 1. */
function usedOf(texts: readonly TextItem[]): number {
  const lowest = Math.max(0, ...texts.map(({ y }) => y).filter((y) => y < page.height - footer));
  return (lowest - head) / (page.height - head - footer);
}

const sizes = [
  { findings: 0, atMost: 6 },
  { findings: 30, atMost: 16 },
  { findings: 7_000, atMost: 60 },
] as const;

describe.each(reportTypes)('the pages of a report of type %s', (type) => {
  it.each(sizes)('with $findings findings are few, and full', async ({ findings, atMost }) => {
    const model = madeReport({ type, findings });
    const { bytes, rendered } = await renderToBytes(model);
    const pages = await textsOf(bytes);
    const { total = 0, sections = [] } = rendered.pages ?? {};
    expect(pages).toHaveLength(total);
    expect(total).toBeLessThanOrEqual(atMost);
    for (const text of pages.flat()) {
      expect(text.left, text.text).toBeGreaterThanOrEqual(edge);
      expect(text.right, text.text).toBeLessThanOrEqual(page.width - edge);
      expect(text.y, text.text).toBeLessThanOrEqual(page.height - edge + 4);
    }
    for (const [n, texts] of pages.entries()) {
      if (n === 0) continue;
      const lines = contentOf(texts);
      const [top, bottom] = [lines[0], lines.at(-1)];
      // Nothing that leads to something is the last line of a page, and no table starts a page without its title.
      const ends = bottom && leadingSizes.some((size) => isOfSize(bottom, size));
      expect(ends, `page ${n + 1} ends with ${bottom?.text ?? ''}`).not.toBe(true);
      expect(top && isOfSize(top, headOfTable), `page ${n + 1}`).not.toBe(true);
    }
    // A title page, one of contents, and a last one may end early.
    for (const [n, texts] of pages.slice(2, -1).entries()) {
      expect(usedOf(texts), `page ${n + 3}`).toBeGreaterThan(1 / 3);
    }
    // Each section ends on the page where the next one starts, or on the one before.
    let first = 3;
    for (const [n, { title }] of model.sections.entries()) {
      const on = (number: number): boolean =>
        pages[number - 1]?.some(({ text, size }) => text === title && size > 15) ?? false;
      if (!on(first)) first += 1;
      expect(on(first), title).toBe(true);
      first += (sections[n] ?? 0) - 1;
    }
    expect(first).toBe(total);
  });
});

it.each(reportTypes)('a report of type %s names people, and says what it counts', async (type) => {
  const { bytes } = await renderToBytes(madeReport({ type, findings: 30 }));
  const pages = await textsOf(bytes);
  const texts = pages.flat().map(({ text }) => text);
  expect(texts.filter((text) => text.includes('user_'))).toEqual([]);
  // An email address and a short ID are not broken.
  expect(texts.filter((text) => /web-team(?!@example\.com)/.test(text))).toEqual([]);
  expect(texts.filter((text) => /\b(scan|rem)_/.test(text) && !/_\w{26}/.test(text))).toEqual([]);
  const contents = pages[1]?.map(({ text }) => text).filter((text) => /[a-z]/.test(text)) ?? [];
  for (const [n, title] of contents.entries()) expect(title).not.toBe(contents[n + 1]);
  const units = { compliance: 'violation', audit: 'evaluation', risk: 'violation', trend: '', remediation: 'violation' }; // prettier-ignore
  if (units[type] !== '') {
    expect(texts).toContainEqual(expect.stringMatching(new RegExp(`^\\d+ ${units[type]}s$`)));
  }
  if (type === 'remediation') expect(texts).toContain('Step 1');
});

describe('a table', () => {
  const rowsOf = (count: number): Table => ({
    ...tableOf(
      {
        id: 'rows',
        title: 'Rows',
        columns: [{ id: 'row', title: 'Row', type: 'text', width: 1 }],
      },
      Array.from({ length: count }, (_, n) => [`row ${n + 1}`]),
    ),
  });
  const text: Block = { kind: 'paragraph', text: 'One paragraph of one line above the table.' };
  /** How many rows are on each page that has any. */
  const rowsOnPages = async (blocks: readonly Block[]): Promise<readonly number[]> => {
    const { bytes } = await renderToBytes(reportOf(sampleReport(), blocks));
    const counts = (await textsOf(bytes)).map((texts) => texts.filter(({ text }) => /^row \d+$/.test(text)).length); // prettier-ignore
    return counts.filter((count) => count > 0);
  };

  it('of a few rows is on one page, with the text above it', async () => {
    for (let texts = 24; texts < 34; texts += 1) {
      const blocks = [...Array<Block>(texts).fill(text), rowsOf(8)];
      expect(await rowsOnPages(blocks)).toEqual([8]);
    }
  });

  it('of many has no page with a single row', async () => {
    for (let rows = 45; rows < 65; rows += 1) {
      const pages = await rowsOnPages([rowsOf(rows)]);
      expect(Math.min(...pages), `${rows} rows`).toBeGreaterThan(1);
    }
  });

  it('gives room to its columns by what is in them', async () => {
    const name = 'An object in this list has a name of some ten words';
    const table = tableOf(
      {
        id: 'wide',
        title: 'Wide',
        columns: [
          { id: 'name', title: 'Name', type: 'text', width: 1 },
          { id: 'note', title: 'Note', type: 'text', width: 6 },
          { id: 'amount', title: 'Amount of something', type: 'integer', width: 1 },
        ],
      },
      Array.from({ length: 9 }, (_, n) => [name, 'short', n]),
    );
    const { bytes } = await renderToBytes(reportOf(sampleReport(), [table]));
    const texts = (await textsOf(bytes)).flat().map(({ text }) => text);
    expect(texts.filter((text) => text === name)).toHaveLength(9);
    expect(texts).toContain('Amount of something');
  });
});

it('has the same layout with names in Chinese, Japanese and Korean, and long ids', async () => {
  for (const type of reportTypes) {
    const { bytes, rendered } = await renderToBytes(madeReport({ type, findings: 7_000, long: true })); // prettier-ignore
    expect(rendered.pages?.total).toBeLessThanOrEqual(60);
    for (const text of (await textsOf(bytes)).flat()) {
      expect(text.right, text.text).toBeLessThanOrEqual(page.width - edge);
    }
  }
});

describe('the title page', () => {
  it('names the organization, the period, the reader and the author, and cuts no figure', async () => {
    const { head } = sampleReport();
    const counts = { total_violations: 7_654_321, critical: 1_234_567, high: 2_345_678, medium: 3_456_789, low: 617_287 }; // prettier-ignore
    const model: ReportModel = {
      head: {
        ...head,
        organization: 'Acme Bank',
        period: 'until 2026-11-01 00:00 UTC',
        prepared_for: 'The audit committee',
        prepared_by: 'Ada Lovelace',
        summary: { compliance_score: 99.99, ...counts },
      },
      sections: [],
    };
    const [title = []] = await textsOf((await renderToBytes(model)).bytes);
    const texts = title.map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        ...['Organization', 'Acme Bank', 'Period', 'until 2026-11-01 00:00 UTC'],
        ...['Prepared for', 'The audit committee', 'Prepared by', 'Ada Lovelace'],
        ...['99.99%', ...Object.values(counts).map((count) => count.toLocaleString('en-US'))],
      ]),
    );
    expect(texts).not.toContain(head.generated_by);
    const figures = title
      .filter(({ text }) => /^[\d,]+$/.test(text))
      .sort((a, b) => a.left - b.left);
    for (const [n, { right, y }] of figures.entries()) {
      const next = figures.slice(n + 1).find((other) => Math.abs(other.y - y) < 4);
      expect(right).toBeLessThan(next?.left ?? page.width - edge);
    }
  });
});

it.each([
  ['SOC2', 'SOC 2'],
  ['PCI-DSS:1.2', 'PCI DSS, control 1.2'],
  ['Our own rules', 'Our own rules'],
])('the title page calls the framework %s as its owner does: %s', async (framework, shown) => {
  const { head } = sampleReport();
  const model: ReportModel = { head: { ...head, framework }, sections: [] };
  const [title = []] = await textsOf((await renderToBytes(model)).bytes);
  expect(title.map(({ text }) => text)).toContain(shown);
});

describe('a table of very many rows', () => {
  const many: Table = {
    ...findingsTable(70_000),
    paper: {
      by: ['message', 'control'],
      columns: ['resource', 'age_days'],
      once: ['status', 'first_seen'],
      rank: ['severity', 'age_days'],
      chosen: 'those with the highest risk',
      unit: ['finding', 'findings'],
    },
  };

  it('shows those of the highest rank, and counts the rest by group', async () => {
    const { bytes, rendered } = await renderToBytes(reportOf(sampleReport(), [many]));
    expect(rendered.pages?.total).toBeLessThan(40);
    const texts = (await textsOf(bytes)).flat().map(({ text }) => text);
    expect(texts.filter((text) => text.includes('70,000'))).not.toEqual([]);
    // Of those that are critical, the oldest.
    const ages = new Set(texts.filter((text) => /^3\d\d$/.test(text)).map(Number));
    expect(Math.max(...ages)).toBe(396);
    expect(texts.filter((text) => /^arn:aws:s3/.test(text))).toHaveLength(500);
  });

  it('says how many there are where they are in no groups', async () => {
    const { bytes, rendered } = await renderToBytes(
      reportOf(sampleReport(), [findingsTable(2_000)]),
    );
    expect(rendered.pages?.total).toBeLessThan(40);
    const texts = (await textsOf(bytes)).flat().map(({ text }) => text);
    expect(texts.join(' ')).toContain('Showing the first 500 of 2,000 rows.');
  });
});
