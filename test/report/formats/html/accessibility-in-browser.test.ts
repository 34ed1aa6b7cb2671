import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import type { ReportModel } from '../../../../src/report/model.ts';
import { renderHtml } from '../../../../src/report/formats/html/render-html.ts';
import { checkWithAxe } from '../../../support/axe.ts';
import type { AxeOptions } from '../../../support/axe.ts';
import { madeReport } from '../../../support/report-facts.ts';
import { sampleReport } from '../../../support/sample-report.ts';
import { linedReport, rendered } from '../rendered.ts';
import { hasChromium, startReader } from './browser.ts';
import type { Opened, Reader } from './browser.ts';

const desk = { colorScheme: 'light', viewport: { width: 1280, height: 900 } } as const;
const phone = { colorScheme: 'dark', viewport: { width: 400, height: 800 } } as const;

/** Colors are those of all reports: the last tests look at them. */
const inForm: AxeOptions = { without: ['color-contrast'] };

/** Nobody points at paper. */
const onPaper: AxeOptions = { without: ['target-size'] };

/**
 * What axe leaves to people: the contrast of words in drawings and under heads that stay in view, which
 * html-in-browser.test.ts measures, and heads of columns that are hidden until all are asked for.
 */
const judged = ['color-contrast', 'th-has-data-cells'];

async function faultsOf({ page }: Opened, options: AxeOptions = {}): Promise<string[]> {
  const { faults, undecided } = await checkWithAxe(page, options);
  return [...faults, ...undecided.filter((one) => !judged.some((id) => one.startsWith(id)))];
}

describe.skipIf(!hasChromium)('a report, as axe checks it', () => {
  let reader: Reader;
  const open = async (model: ReportModel, look: typeof desk | typeof phone): Promise<Opened> =>
    reader.open(await rendered(renderHtml, model), look);
  beforeAll(async () => {
    reader = await startReader();
  });
  afterAll(() => reader.close());

  it.each(reportTypes)('has no fault, if it is of type %s', async (type) => {
    const none = await open(madeReport({ type, findings: 0 }), phone);
    expect(await faultsOf(none, inForm)).toEqual([]);
    await none.close();
    const some = await open(madeReport({ type, findings: 30 }), desk);
    expect(await faultsOf(some, inForm)).toEqual([]);
    await some.close();
  });

  it('has no fault with 7,000 findings, in pages', async () => {
    const opened = await open(madeReport({ type: 'risk', findings: 7_000 }), phone);
    expect(await opened.page.getByRole('group', { name: 'Pages' }).count()).toBeGreaterThan(0);
    expect(await faultsOf(opened, inForm)).toEqual([]);
    await opened.close();
  });

  it('has no fault with all columns shown', async () => {
    const opened = await open(linedReport(sampleReport()), desk);
    await opened.page.getByLabel('All columns').check();
    expect(await faultsOf(opened)).toEqual([]);
    await opened.close();
  });

  it.each([
    ['wide and light', desk],
    ['narrow and dark', phone],
  ] as const)('has no fault in any of its blocks, %s, and then printed', async (_, look) => {
    const opened = await open(sampleReport(), look);
    for (const summary of await opened.page.getByText('Numbers', { exact: true }).all()) {
      await summary.click();
    }
    expect(await faultsOf(opened)).toEqual([]);
    await opened.page.emulateMedia({ media: 'print' });
    expect(await faultsOf(opened, onPaper)).toEqual([]);
    await opened.close();
  });
});
