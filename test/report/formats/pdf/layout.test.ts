import { describe, expect, it } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import type { ReportModel, Table } from '../../../../src/report/model.ts';
import { madeReport } from '../../../support/report-facts.ts';
import { findingsTable, sampleReport } from '../../../support/sample-report.ts';
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
