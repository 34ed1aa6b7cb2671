import { describe, expect, it } from 'vitest';
import type { ReportModel } from '../../../../src/report/model.ts';
import { renderPdf } from '../../../../src/report/formats/pdf/render-pdf.ts';
import { readTool } from '../../../support/system-tool.ts';
import { sampleReport } from '../../../support/sample-report.ts';
import { counted, linedReport } from '../rendered.ts';
import {
  asFile,
  hasPoppler,
  hasQpdf,
  openPdf,
  pagesOf,
  renderToBytes,
  seededRandom,
} from './pdf-tools.ts';

type Pdf = Awaited<ReturnType<typeof openPdf>>;

/** From 0. */
const pageOf = async (pdf: Pdf, dest: unknown): Promise<number> => {
  const [page] = dest as [{ num: number; gen: number }];
  return pdf.getPageIndex(page);
};

/** The pages that sections start on. */
const startsOf = async (pdf: Pdf): Promise<readonly number[]> =>
  Promise.all((await pdf.getOutline()).map(({ dest }) => pageOf(pdf, dest)));

describe('a report as PDF', () => {
  it('is the same file each time', async () => {
    const [first, second] = [
      await renderToBytes(sampleReport()),
      await renderToBytes(sampleReport()),
    ];
    expect(first.bytes.equals(second.bytes)).toBe(true);
  });

  it.skipIf(!hasQpdf)('is well-formed', async () => {
    const { bytes } = await renderToBytes(sampleReport(), { watermark: 'CONFIDENTIAL' });
    expect(readTool('qpdf', '--check', asFile(bytes))).toContain(
      'No syntax or stream encoding errors',
    );
  });

  it.skipIf(!hasPoppler)('says in a line under a row what has no column', async () => {
    const { bytes } = await renderToBytes(linedReport(sampleReport()));
    const text = pagesOf(bytes).join('\n');
    expect(text).toContain('Region: region-1 · Account: account-1');
    expect(text).not.toMatch(/left-out|All names/);
  });

  it('says what it is in its metadata', async () => {
    const { head } = sampleReport();
    const model = { ...sampleReport(), head: { ...head, name: 'R & D <2026>' } };
    const pdf = await openPdf((await renderToBytes(model)).bytes);
    const { info, metadata } = await pdf.getMetadata();
    expect(info).toMatchObject({
      Title: 'R & D <2026>',
      Author: head.generated_by,
      Subject: head.description,
      Creator: 'govctl 0.1.0',
      CreationDate: 'D:20261102093000Z',
      Language: 'en',
    });
    expect(metadata?.get('dc:title')).toBe('R & D <2026>');
  });

  it('has as many pages as it says, and sections that go on where the one before ended', async () => {
    const model = sampleReport(120);
    const { bytes, rendered } = await renderToBytes(model);
    const pdf = await openPdf(bytes);
    const { total = 0, sections = [] } = rendered.pages ?? {};
    expect(pdf.numPages).toBe(total);
    expect(sections).toHaveLength(model.sections.length);
    const starts = await startsOf(pdf);
    // The title page and one of contents come first.
    expect(starts[0]).toBe(2);
    const pages = await Promise.all(
      Array.from({ length: total }, async (_, n) => {
        const { items } = await (await pdf.getPage(n + 1)).getTextContent();
        return items.map((item) => ('str' in item ? item.str : '')).join(' ');
      }),
    );
    for (const [n, { title }] of model.sections.entries()) {
      const [start = 0, next = total] = starts.slice(n, n + 2);
      const end = start + (sections[n] ?? 0) - 1;
      expect(pages[start]).toContain(title);
      for (const page of pages.slice(start + 1, end)) expect(page).toContain(title);
      expect([next, next - 1]).toContain(end);
    }
    for (const [n, page] of pages.entries()) {
      if (n > 0) expect(page.replace(/\s+/g, ' ')).toContain(`Page ${n + 1} of`);
    }
  });

  it('leads from its contents and its outline to where things are', async () => {
    const model = sampleReport(120);
    const pdf = await openPdf((await renderToBytes(model)).bytes);
    const starts = await startsOf(pdf);
    const outline = await pdf.getOutline();
    expect(outline.map(({ title }) => title)).toEqual(model.sections.map(({ title }) => title));
    for (const [n, start] of starts.entries()) {
      const { items } = await (await pdf.getPage(start + 1)).getTextContent();
      const texts = items.map((item) => ('str' in item ? item.str : ''));
      expect(texts).toContain(model.sections[n]?.title);
    }
    // Not the table that is called like its section.
    expect(outline[1]?.items.map(({ title }) => title)).toEqual([
      'Evidence',
      'Where the evidence is',
    ]);
    const contents = await pdf.getPage(2);
    const links = (await contents.getAnnotations()) as { dest: unknown }[];
    const targets = await Promise.all(links.map(({ dest }) => pageOf(pdf, dest)));
    expect([...new Set(targets)]).toEqual([...new Set(starts)]);
  });

  it.skipIf(!hasPoppler)('prints in its contents the pages that things are on', async () => {
    const { bytes } = await renderToBytes(sampleReport(120));
    const pages = pagesOf(bytes);
    const [, controls = 0, findings = 0] = await startsOf(await openPdf(bytes));
    const lines = (pages[1] ?? '').split('\n').map((line) => line.trim().split(/\s{2,}/));
    expect(lines).toContainEqual(['Executive summary', '3']);
    expect(lines).toContainEqual(['Controls', String(controls + 1)]);
    expect(lines).toContainEqual(['Detailed findings', String(findings + 1)]);
    expect(pages.at(-1)).toContain(`Page ${pages.length} of ${pages.length}`);
  });

  it.skipIf(!hasPoppler)(
    'repeats the head of a table on each page, and keeps every row once',
    async () => {
      const { bytes } = await renderToBytes(sampleReport(200));
      const text = pagesOf(bytes);
      const found = text.flatMap((page) => page.match(/arn:aws:s3/g) ?? []);
      expect(found).toHaveLength(200);
      const pages = text.filter((page) => page.includes('arn:aws:s3'));
      expect(pages.length).toBeGreaterThan(5);
      for (const page of pages) expect(page).toMatch(/Violation\s+Severity\s+Status/);
    },
  );

  it('takes links from addresses, and from nothing else', async () => {
    const pdf = await openPdf((await renderToBytes(sampleReport())).bytes);
    const urls: unknown[] = [];
    for (let page = 3; page <= pdf.numPages; page++) {
      const found = (await (await pdf.getPage(page)).getAnnotations()) as { url?: string }[];
      urls.push(...found.map(({ url }) => url));
    }
    expect([...new Set(urls)]).toEqual([
      'https://governance.example.com/policies/no-public-buckets',
      'https://governance.example.com/policies/encryption?region=eu-central-1&view=full',
    ]);
  });

  it('is tagged: headings, paragraphs, figures with what they show, tables with head and rows', async () => {
    const { bytes } = await renderToBytes(sampleReport());
    const pdf = await openPdf(bytes);
    expect(await pdf.getMarkInfo()).toMatchObject({ Marked: true });
    const roles: string[] = [];
    const alts: string[] = [];
    const collect = (node: object): void => {
      if ('role' in node) roles.push(String(node.role));
      if ('alt' in node) alts.push(String(node.alt));
      if ('children' in node) for (const child of node.children as object[]) collect(child);
    };
    for (let page = 1; page <= pdf.numPages; page++) {
      collect(await (await pdf.getPage(page)).getStructTree());
    }
    for (const role of [
      'Document',
      'Sect',
      'H1',
      'H2',
      'H3',
      'P',
      'TOC',
      'TOCI',
      'Link',
      'L',
      'LI',
      'Figure',
      'Table',
      'THead',
      'TBody',
      'TR',
      'TH',
      'TD',
    ]) {
      expect(roles).toContain(role);
    }
    expect(alts).toContain('Of 64 violations 3 are critical, 11 high, 29 medium and 21 low.');
  });

  it.skipIf(!hasPoppler)('has every row in its tags, and no content outside of them', async () => {
    const { bytes } = await renderToBytes(sampleReport(200));
    const tags = readTool('pdfinfo', '-struct', asFile(bytes));
    const count = (name: RegExp): number => tags.match(name)?.length ?? 0;
    // Three tables with rows: 6 + 3 + 200, and a head each.
    expect(count(/^\s*TR\b/gm)).toBe(6 + 3 + 200 + 3);
    expect(count(/^\s*TH\b/gm)).toBe(7 + 4 + 8);
    expect(count(/^\s*TD\b/gm)).toBe(6 * 7 + 3 * 4 + 200 * 8);
  });

  it('hands over a long table page by page', async () => {
    const { bytes, largest } = await counted(renderPdf, sampleReport(2_000), { format: 'pdf' });
    expect(bytes).toBeGreaterThan(200_000);
    expect(largest).toBeLessThan(bytes / 3);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    let chunks = 0;
    const rendering = renderPdf(
      sampleReport(50_000),
      { format: 'pdf', random: seededRandom() },
      () => {
        if (++chunks === 3) stop.abort(reason);
        return Promise.resolve();
      },
      stop.signal,
    );
    await expect(rendering).rejects.toBe(reason);
    expect(chunks).toBeLessThan(6);
  });

  it('fails as what takes it fails', async () => {
    const full = new Error('disk full');
    const rendering = renderPdf(
      sampleReport(),
      { format: 'pdf', random: seededRandom() },
      () => Promise.reject(full),
      new AbortController().signal,
    );
    await expect(rendering).rejects.toBe(full);
  });

  it('says so where there is nothing', async () => {
    const empty: ReportModel = { ...sampleReport(), sections: [] };
    const { rendered } = await renderToBytes(empty);
    expect(rendered.pages).toEqual({ total: 1, sections: [] });
  });
});
