import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../../../src/report/formats/html/render-html.ts';
import { reportTypes } from '../../../../src/contract/reports.ts';
import { madeReport } from '../../../support/report-facts.ts';
import { findingsTable, sampleReport } from '../../../support/sample-report.ts';
import { counted, hostileReport, rendered, reportOf } from '../rendered.ts';

describe('a report as HTML', () => {
  test('is the same each time, byte for byte', async () => {
    const model = sampleReport(450);
    expect((await rendered(renderHtml, model)).equals(await rendered(renderHtml, model))).toBe(
      true,
    );
  });

  test('lets nothing in and runs nothing but its own script', async () => {
    const html = (await rendered(renderHtml, hostileReport())).toString();
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/,
    );
    expect(html.match(/<script>/g)).toHaveLength(1);
    expect(html.match(/<style>/g)).toHaveLength(1);
    expect(html).not.toMatch(/<(img|link|iframe|object|embed|form|base)\b/i);
    expect(html).not.toMatch(/ (style|on\w+)="/i);
  });

  test('is written in pieces, however many rows there are', async () => {
    const model = reportOf(sampleReport(), [findingsTable(20_000)]);
    const { bytes, largest } = await counted(renderHtml, model);
    expect(bytes).toBeGreaterThan(3_000_000);
    expect(largest).toBeLessThan(600_000);
  });

  test('stops where it is told to', async () => {
    const stop = new AbortController();
    const reason = new Error('the report was deleted');
    const rendering = renderHtml(
      reportOf(sampleReport(), [findingsTable(20_000)]),
      { format: 'html', random: () => new Uint8Array() },
      async () => stop.abort(reason),
      stop.signal,
    );
    await expect(rendering).rejects.toBe(reason);
  });

  test('says in an empty table that it is empty', async () => {
    expect((await rendered(renderHtml, sampleReport())).toString()).toContain(
      '<p class="empty">There are no exemptions.</p>',
    );
  });

  test.each(reportTypes)('shows the figures of a report of type %s once', async (type) => {
    const html = (await rendered(renderHtml, madeReport({ type, findings: 30 }))).toString();
    expect(html.match(/<dt>Compliance score<\/dt>/g)).toHaveLength(1);
    expect(html.match(/<dt>Critical<\/dt>/g)).toHaveLength(1);
    expect(html).toContain('<dt>Prepared for</dt><dd>The audit committee</dd>');
    expect(html).toContain('<dt>Prepared by</dt><dd>Ada Lovelace</dd>');
  });

  test.each(reportTypes)(
    'says once in a report of type %s why there are no figures',
    async (type) => {
      const html = (await rendered(renderHtml, madeReport({ type, findings: 0 }))).toString();
      expect(html.match(/<p class="notice warn">/g)).toHaveLength(1);
    },
  );

  test('names a table that has the title of its section by that, and has none without rows', async () => {
    const html = (await rendered(renderHtml, sampleReport())).toString();
    expect(html).toContain('<table aria-labelledby="section-controls-title">');
    expect(html.match(/>Controls</g)).toHaveLength(2);
    expect(html.match(/>Exemptions</g)).toHaveLength(2);
    expect(html).not.toContain('>Reason<');
  });

  test('does not break its dates', async () => {
    const block = { kind: 'paragraph', text: 'Since 2026-10-01 08:00 UTC & on.' } as const;
    const html = (await rendered(renderHtml, reportOf(sampleReport(), [block]))).toString();
    expect(html).toContain('Since <span class="whole">2026-10-01 08:00 UTC</span> &amp; on.');
  });

  test('bears its watermark', async () => {
    const html = await rendered(renderHtml, sampleReport(), { watermark: 'DRAFT <2>' });
    expect(html.toString()).toContain('aria-hidden="true"><span>DRAFT &lt;2&gt;</span></div>');
  });
});
