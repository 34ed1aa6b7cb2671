import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderHtml } from '../../../../src/report/formats/html/render-html.ts';
import { findingsTable, sampleReport } from '../../../support/sample-report.ts';
import { hostileReport, linedReport, rendered, reportOf } from '../rendered.ts';
import { hasChromium, startReader } from './browser.ts';
import type { Opened, Reader } from './browser.ts';

const many = (rows: number) => reportOf(sampleReport(), [findingsTable(rows)]);
const cells = async (rows: Locator, column: number): Promise<string[]> =>
  rows.locator(`td:nth-child(${column})`).allInnerTexts();
const says = (table: Locator, what: RegExp): Promise<unknown> =>
  expect.poll(() => table.getByRole('status').innerText(), { timeout: 20_000 }).toMatch(what);
const ground = 'getComputedStyle(document.documentElement).backgroundColor';
const sorted = (texts: readonly string[]): string[] => [...texts].sort();
const findings = (page: Page): Locator =>
  page.locator('.table', { has: page.getByText('Findings', { exact: true }) });

describe.skipIf(!hasChromium)('a report in a browser', () => {
  let reader: Reader;
  let sample: Buffer;
  let opened: Opened | undefined;
  const open = async (...args: Parameters<Reader['open']>): Promise<Opened> => {
    await opened?.close();
    return (opened = await reader.open(...args));
  };
  beforeAll(async () => {
    reader = await startReader();
    sample = await rendered(renderHtml, sampleReport());
  });
  afterAll(() => reader.close());

  test('asks for nothing and complains of nothing, and says what the model says', async () => {
    const { page, complaints } = await open(await rendered(renderHtml, sampleReport(4)));
    expect(await page.title()).toBe('SOC 2 evidence, October 2026');
    await expect(await page.locator('body').innerText()).toMatchFileSnapshot('sample.txt');
    expect(complaints).toEqual([]);
  });

  test('is led through by its contents, and its charts have names', async () => {
    const { page } = await open(sample);
    await page.getByRole('navigation').getByRole('link', { name: 'Detailed findings' }).click();
    expect(new URL(page.url()).hash).toBe('#section-findings');
    expect(await page.getByRole('img').count()).toBe(3);
    expect(await page.getByRole('img', { name: 'Score over time' }).count()).toBe(1);
    expect(await page.getByRole('table', { name: 'Controls' }).count()).toBe(1);
  });

  test('sorts its tables by keyboard, and says so', async () => {
    const { page } = await open(sample);
    const table = findings(page);
    const before = await cells(table, 2);
    const head = table.getByRole('columnheader', { name: 'Severity' });
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    await page.keyboard.press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    const words = await cells(table, 2);
    expect([...new Set(words)]).toEqual(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']);
    await page.keyboard.press('Enter');
    expect(await head.getAttribute('aria-sort')).toBeNull();
    expect(await cells(table, 2)).toEqual(before);
  });

  test('sorts numbers by size, and what is missing comes last either way', async () => {
    const { page } = await open(sample);
    const ages = findings(page).getByRole('columnheader', { name: 'Age' }).getByRole('button');
    await ages.click();
    const numbers = (await cells(findings(page), 8)).map(Number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    const table = page.getByRole('table', { name: 'Controls' });
    const dates = table.getByRole('columnheader', { name: 'Last change' }).getByRole('button');
    for (const times of [1, 2]) {
      await dates.click();
      expect((await cells(table, 7)).at(-1), `${times}`).toBe('–');
    }
  });

  test('filters by words and by status, and says how many are left', async () => {
    const { page } = await open(sample);
    const table = findings(page);
    await table.getByLabel('Filter').fill('LEDGER cc6.6');
    await says(table, / of 64 rows$/);
    const resources = await cells(table, 4);
    expect(resources.length).toBeGreaterThan(0);
    expect(resources.every((text) => text.includes('ledger'))).toBe(true);
    expect(await table.getByRole('status').innerText()).toBe(`${resources.length} of 64 rows`);
    await table.getByLabel('Filter').fill('');
    await says(table, /^64 rows$/);
    await table.getByRole('combobox', { name: 'Severity', exact: true }).selectOption('CRITICAL');
    expect(new Set(await cells(table, 2))).toEqual(new Set(['CRITICAL']));
    await table.getByLabel('Filter').fill('nowhere');
    await says(table, /^0 of 64 rows/);
  });

  test('opens 100,000 rows, pages through them, sorts and filters all of them', async () => {
    const { page, complaints } = await open(await rendered(renderHtml, many(100_000)));
    const table = findings(page);
    expect(await table.getByRole('status').innerText()).toBe('1–200 of 100,000 rows');
    await table.getByRole('button', { name: 'Last' }).click();
    expect(await cells(table, 1)).toContain(`viol_01k${'99999'.padStart(23, '0')}`);
    await table.getByRole('columnheader', { name: 'Violation' }).getByRole('button').click();
    await table.getByRole('columnheader', { name: 'Violation' }).getByRole('button').click();
    expect((await cells(table, 1))[0]).toBe(`viol_01k${'99999'.padStart(23, '0')}`);
    await table.getByLabel('Filter').fill('exports-99995');
    await says(table, /^1 of 100,000 rows$/);
    expect(complaints).toEqual([]);
  }, 60_000);

  test('needs no sideways scroll, from a phone to a desk', async () => {
    for (const html of [sample, await rendered(renderHtml, hostileReport())]) {
      const { page } = await open(html);
      for (const width of [360, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    }
  });

  test('shows each row as a card on a phone, and sorts there, too', async () => {
    const { page } = await open(sample, { viewport: { width: 360, height: 740 } });
    const table = findings(page);
    await table.getByLabel('Sort by').selectOption('Resource ↑');
    const resources = await cells(table, 4);
    expect(resources).toHaveLength(64);
    const label = await page.evaluate(
      `getComputedStyle(document.querySelectorAll('.cards td')[1], '::before').content`,
    );
    expect(label).toBe('"What it asks for"');
    expect(await page.getByRole('img').count()).toBe(3);
  });

  test('shows what is secondary under rows, as columns where that is wanted, and finds it there', async () => {
    for (const width of [360, 1280]) {
      const { page } = await open(await rendered(renderHtml, linedReport(sampleReport())), {
        viewport: { width, height: 800 },
      });
      const lines = page.locator('tr.below');
      expect(await lines.first().innerText()).toBe('Region: region-0');
      expect(await lines.nth(1).innerText()).toBe('Region: region-1 · Account: account-1');
      await page.getByLabel('Filter').fill('account-3');
      await says(page.locator('.table'), /^1 of 8 rows$/);
      expect(await lines.allInnerTexts()).toEqual(['Region: region-3 · Account: account-3']);
      expect(await page.content()).not.toContain('left-out');
    }
    const { page } = await open(await rendered(renderHtml, linedReport(sampleReport())));
    await page.getByLabel('All columns').check();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
    expect(await page.locator('thead th:visible').count()).toBe(4);
    expect(await page.locator('tr.below').count()).toBe(0);
    expect(await cells(page.locator('.table'), 4)).toContain('account-3');
    await page.getByLabel('All columns').uncheck();
    expect(await page.locator('tr.below').count()).toBe(8);
  });

  test('is dark where the system is, with enough contrast in both', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open(sample, { colorScheme });
      const dark = await page.evaluate(ground); // prettier-ignore
      expect(dark).toBe(colorScheme === 'dark' ? 'rgb(20, 25, 31)' : 'rgb(255, 255, 255)');
      expect(await page.evaluate(weakContrasts)).toEqual([]);
    }
  });

  test('is printed light, whole, without controls', async () => {
    const { page } = await open(await rendered(renderHtml, many(450)), { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(ground)).toBe('rgb(255, 255, 255)'); // prettier-ignore
    expect(await findings(page).getByLabel('Filter').isVisible()).toBe(false);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await findings(page).locator('tbody tr').count()).toBe(450);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await findings(page).locator('tbody tr').count()).toBe(200);
  });

  test('is read without scripts, and says what it leaves out', async () => {
    const { page } = await open(await rendered(renderHtml, many(450)), { javaScriptEnabled: false }); // prettier-ignore
    expect(await page.locator('tbody tr').count()).toBe(200);
    expect(await page.locator('.more').innerText()).toContain('250 more rows');
    expect(await page.getByRole('button').count()).toBe(0);
  });

  test('runs nothing that its texts bring along, and shows them as they are', async () => {
    const { page, complaints } = await open(await rendered(renderHtml, hostileReport(), { watermark: '<b>"' })); // prettier-ignore
    const table = page.locator('.table').first();
    await table.getByLabel('Filter').fill('hacked');
    await says(table, / of 10 rows$/);
    await table.locator('th button').first().click();
    await table.getByLabel('Filter').fill('');
    await says(table, /^10 rows$/);
    expect(await page.evaluate("'hacked' in globalThis")).toBe(false);
    expect(complaints).toEqual([]);
    expect(await page.locator('img, iframe, a[href^="javascript"], main script:not([type="application/json"])').count()).toBe(0); // prettier-ignore
    const text = await page.locator('main').innerText();
    expect(text).toContain('</script><script>globalThis.hacked = 1</script>');
    expect(text).toContain('invoice[U+202E]fdp.exe');
    expect(text).toContain('a[U+0000]b[U+0007]c[U+200B]d');
    expect(sorted(await cells(table, 1))).toEqual(sorted(await cells(table, 3)));
  });
});

/** Runs in the page: texts whose contrast to what is behind them is under 4.5 : 1. */
const weakContrasts = String.raw`(() => {
  const read = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = read(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const weak = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent).join('').trim();
    if (text === '' || element.closest('script, style, title, desc, .unseen, .skip')) continue;
    const style = getComputedStyle(element);
    const ink = luminance(read(element instanceof SVGElement ? style.fill : style.color));
    const paper = luminance(behind(element));
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < 4.5) weak.add(element.tagName + ' ' + text.slice(0, 30) + ': ' + ratio.toFixed(2));
  }
  return [...weak];
})()`;
