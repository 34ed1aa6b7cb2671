import { createHash } from 'node:crypto';
import path from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { onTestFinished } from 'vitest';
import type { ReportModel } from '../../../../src/report/model.ts';
import { renderPdf } from '../../../../src/report/formats/pdf/render-pdf.ts';
import type { Rendered, RenderOptions } from '../../../../src/report/formats/render.ts';
import { hasTool, readTool, runTool } from '../../../support/system-tool.ts';
import { makeRepo } from '../../../support/temp-repo.ts';

export const hasPoppler = hasTool('pdftotext, pdfsig (apt-get install poppler-utils)', () => {
  runTool('pdftotext', '-v');
  runTool('pdfsig', '-v');
});

export const hasQpdf = hasTool('qpdf (apt-get install qpdf)', () => {
  runTool('qpdf', '--version');
});

/** The same bytes in each run of a test, and others each time they are asked for. */
export function seededRandom(seed = 'test'): (bytes: number) => Uint8Array {
  let n = 0;
  return (bytes) =>
    createHash('shake256', { outputLength: bytes }).update(`${seed}${n++}`).digest();
}

export interface RenderedPdf {
  readonly bytes: Buffer;
  readonly rendered: Rendered;
}

export async function renderToBytes(
  model: ReportModel,
  options: Partial<RenderOptions> = {},
): Promise<RenderedPdf> {
  const chunks: Uint8Array[] = [];
  const rendered = await renderPdf(
    model,
    { format: 'pdf', random: seededRandom(), ...options },
    (chunk) => {
      chunks.push(chunk);
      return Promise.resolve();
    },
    new AbortController().signal,
  );
  return { bytes: Buffer.concat(chunks), rendered };
}

/** A file of these bytes, gone when the test ends. */
export const asFile = (bytes: Uint8Array): string =>
  path.join(makeRepo({ 'report.pdf': bytes }), 'report.pdf');

/** The text of each page, by poppler. */
export const pagesOf = (bytes: Uint8Array): readonly string[] =>
  readTool('pdftotext', '-layout', asFile(bytes), '-').split('\f').slice(0, -1);

/** All letters of it, without spaces and ends of lines, which a page breaks texts with. */
export const lettersOf = (text: string): string => text.replace(/\s+/g, '');

export async function openPdf(bytes: Uint8Array, password?: string): Promise<PDFDocumentProxy> {
  const task = getDocument({
    data: new Uint8Array(bytes),
    verbosity: 0,
    ...(password !== undefined && { password }),
  });
  onTestFinished(() => task.destroy());
  return task.promise;
}
