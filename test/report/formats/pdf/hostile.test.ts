import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block, CellType, ReportModel } from '../../../../src/report/model.ts';
import { readTool } from '../../../support/system-tool.ts';
import { sampleReport, tableOf } from '../../../support/sample-report.ts';
import { hostileReport, reportOf } from '../rendered.ts';
import {
  asFile,
  hasPoppler,
  hasQpdf,
  lettersOf,
  openPdf,
  pagesOf,
  renderToBytes,
} from './pdf-tools.ts';

const paragraphs = (...texts: readonly string[]): readonly Block[] =>
  texts.map((text) => ({ kind: 'paragraph', text }));

const withBlocks = (...blocks: readonly Block[]): ReportModel => reportOf(sampleReport(), blocks);

const columns = (count: number, type: CellType = 'text') =>
  Array.from({ length: count }, (_, n) => ({ id: `c${n}`, title: `Column ${n}`, type, width: 1 }));

/** The letters of a report of one section, in the order they are read. */
async function readLetters(model: ReportModel): Promise<string> {
  const { bytes } = await renderToBytes(model);
  const text = readTool('pdftotext', '-f', '3', '-nopgbrk', asFile(bytes), '-');
  return lettersOf(text);
}

describe.skipIf(!hasPoppler)('texts of all kinds in a PDF', () => {
  it.each([
    ['Latin with marks', 'Žluťoučký kůň, naïve façade, Ærøskøbing, İstanbul, đồng'],
    ['Greek', 'Διαδικασία ελέγχου πρόσβασης ᾧ'],
    ['Cyrillic', 'Резервное копирование данных, Їжак, Ђорђе'],
    ['Chinese', '生产环境的存储桶未加密，审计日志已关闭。'],
    ['Japanese', '本番環境のバケットは暗号化されていません。'],
    ['Korean', '프로덕션 버킷이 암호화되지 않았습니다'],
    ['all in one', 'bucket-顧客データ-审计-로그-данные-Ωμέγα'],
    ['signs', '≤ 5 % → “done” — €20 · ½ × ∞ ✓ ★'],
  ])('can be copied out: %s', async (_, text) => {
    expect(await readLetters(withBlocks(...paragraphs(text)))).toContain(lettersOf(text));
  });

  it('does not depend on what an earlier document said', async () => {
    const second = withBlocks(...paragraphs('Zc Uo'));
    const before = (await renderToBytes(second)).bytes;
    // Their glyphs are made of those of the second one's letters.
    await renderToBytes(withBlocks(...paragraphs('Žč Üö')));
    expect((await renderToBytes(second)).bytes.equals(before)).toBe(true);
    expect(await readLetters(second)).toContain('ZcUo');
  });

  it('shows a box where no font has a letter, and still says which it is', async () => {
    const text = 'name-🦄-नमस्ते-مرحبا-שלום-end';
    const letters = await readLetters(withBlocks(...paragraphs(text)));
    expect(letters).toContain('name-🦄-नमस्ते-');
    // Poppler takes these for turned around already, and turns them again.
    for (const letter of 'مرحباשלום') expect(letters).toContain(letter);
    const { bytes } = await renderToBytes(withBlocks(...paragraphs(text)));
    const { items } = await (await (await openPdf(bytes)).getPage(3)).getTextContent();
    const drawn = items.map((item) => ('str' in item ? item.str : '')).join('');
    expect(drawn).toContain(`name-□-${'□'.repeat(6)}-${'□'.repeat(5)}-${'□'.repeat(4)}-end`);
  });

  it('writes out what cannot be seen', async () => {
    const text = 'a\u0000b\u0007c invoice\u202efdp.exe half\ud83d!';
    expect(await readLetters(withBlocks(...paragraphs(text)))).toContain(
      'a[U+0000]b[U+0007]cinvoice[U+202E]fdp.exehalf[U+D83D]!',
    );
  });

  it('breaks a word of 10,000 letters over lines and pages, and loses none', async () => {
    const word = Array.from(
      { length: 10_000 },
      (_, n) => 'abcdefghijklmnopqrstuvwxyz'[(n * 7) % 26],
    ).join('');
    const letters = await readLetters(
      withBlocks(
        ...paragraphs(word),
        tableOf({ id: 't', title: 'T', columns: columns(1) }, [[word]]),
      ),
    );
    expect((letters.match(/[a-z]{50,}/g) ?? []).join('').length).toBeGreaterThan(19_000);
  });

  it('goes on over pages where a row is taller than one', async () => {
    const text = Array.from({ length: 3_000 }, (_, n) => `word${n}`);
    const { bytes } = await renderToBytes(
      withBlocks(
        tableOf({ id: 't', title: 'T', columns: columns(4) }, [
          ['before', '', '', ''],
          [text.join(' '), 'short', '', 'x'],
          ['after', '', '', ''],
        ]),
      ),
    );
    const pages = pagesOf(bytes);
    expect(pages.length).toBeGreaterThan(6);
    const found = new Set(pages.join(' ').match(/word\d+/g));
    expect(found.size).toBe(3_000);
    expect(pages.at(-1)).toContain('after');
  });

  it.each([1, 2, 15, 40])('sets a table of %i columns within its page', async (count) => {
    const row = Array.from({ length: count }, (_, n) => `value-${n} of a column`);
    const { bytes } = await renderToBytes(
      withBlocks(
        tableOf({ id: 't', title: 'T', columns: columns(count) }, [
          row,
          row.map(() => null),
          row.map(() => -12.5),
        ]),
      ),
    );
    const page = await (await openPdf(bytes)).getPage(3);
    const [, , width = 0] = page.view;
    const { items } = await page.getTextContent();
    for (const item of items) {
      if (!('str' in item)) continue;
      const [x = 0] = (item.transform as number[]).slice(4);
      expect(x).toBeGreaterThan(0);
      expect(x + item.width).toBeLessThan(width);
    }
  });

  it('says what a table without rows is empty of', async () => {
    const table = tableOf(
      { id: 't', title: 'T', columns: columns(3), empty: 'Nothing was found.' },
      [],
    );
    expect(await readLetters(withBlocks(table))).toContain('Nothingwasfound.');
  });
});

describe('a PDF out to do harm', () => {
  it('is well-formed, and leads nowhere but to the web', async () => {
    const { bytes } = await renderToBytes(hostileReport(), { watermark: '<%) Tj ET \u202e🦄' });
    if (hasQpdf) expect(readTool('qpdf', '--check', asFile(bytes))).toContain('No syntax');
    const pdf = await openPdf(bytes);
    expect(await pdf.getJSActions()).toBeNull();
    for (let n = 1; n <= pdf.numPages; n++) {
      const links = (await (await pdf.getPage(n)).getAnnotations()) as { url?: string }[];
      expect(links.filter(({ url }) => url !== undefined)).toEqual([]);
    }
  });

  it('holds a name that fills the page', async () => {
    const long = 'A very long name 很长的名字 '.repeat(100);
    const { head } = sampleReport();
    const about = Array.from({ length: 90 }, () => ({ label: long, value: long }));
    const { rendered } = await renderToBytes({
      head: { ...head, name: long, framework: long, description: long, generator: long, about },
      sections: [
        {
          id: 's',
          title: long,
          blocks: [
            { kind: 'heading', text: long },
            { kind: 'notice', tone: 'warn', text: long },
            { kind: 'figures', items: about },
            { kind: 'figures', items: [] },
          ],
        },
      ],
    });
    expect(rendered.pages?.total).toBeGreaterThan(5);
  });

  it.skipIf(!hasPoppler)('never fails for a text, and keeps the letters it has', async () => {
    const anything = fc.string({ unit: 'binary', maxLength: 60 });
    const known = fc.string({
      unit: fc.constantFrom(...'abcXYZ019ßéñŁΩλЖя密码かナ한글-_.:/'),
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anything, known), { minLength: 1, maxLength: 12 }),
        async (texts) => {
          const rows = texts.map(([any, letters]) => [any, letters]);
          const model = withBlocks(
            ...paragraphs(...texts.map(([any]) => any)),
            tableOf({ id: 't', title: texts[0]?.[0] ?? '', columns: columns(2) }, rows),
            ...paragraphs(...texts.map(([, letters]) => `«${letters}»`)),
          );
          const letters = await readLetters(model);
          for (const [, text] of texts) expect(letters).toContain(`«${text}»`);
        },
      ),
      { numRuns: 8 },
    );
  });
});
