import type { ReportHead } from '../model.ts';
import type { Signer } from '../render.ts';
import type { Pdfkit } from './pdfkit-inside.ts';

export interface Signing {
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

export function addSignature(
  doc: Pdfkit,
  head: ReportHead,
  signer: Signer,
  write: (chunk: Uint8Array) => Promise<void>,
): Signing {
  void doc;
  void head;
  void signer;
  return { write, end: () => Promise.resolve() };
}
