import type { ReportFormat } from '../../contract/reports.ts';
import type { Render } from './render.ts';

/** What makes each format. Libraries are loaded by the first report that takes them. */
const renderers: Readonly<Record<ReportFormat, () => Promise<Render>>> = {
  pdf: async () => (await import('./pdf/render-pdf.ts')).renderPdf,
  excel: async () => (await import('./excel/render-excel.ts')).renderExcel,
  csv: async () => (await import('./csv/render-csv.ts')).renderCsv,
  json: async () => (await import('./json/render-json.ts')).renderJson,
  html: async () => (await import('./html/render-html.ts')).renderHtml,
};

export const rendererOf = (format: ReportFormat): Promise<Render> => renderers[format]();
