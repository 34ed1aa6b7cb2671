import type { ReportFormat } from '../../contract/reports.ts';
import { RenderFault } from './render-fault.ts';
import type { Render } from './render.ts';

/** What makes each format. Libraries are loaded by the first report that takes them. */
const renderers: Partial<Record<ReportFormat, () => Promise<Render>>> = {
  pdf: async () => (await import('./pdf/render-pdf.ts')).renderPdf,
  html: async () => (await import('./html/render-html.ts')).renderHtml,
};

/** @throws RenderFault where there is none */
export async function rendererOf(format: ReportFormat): Promise<Render> {
  const load = renderers[format];
  if (!load) throw new RenderFault(`This version of the service makes no ${format} files yet`);
  return load();
}
