import type { ReportFormat } from '../../contract/reports.ts';
import type { ReportModel } from '../model.ts';

export interface RenderOptions {
  readonly format: ReportFormat;
  /** Encrypts a PDF (AES-256); other formats are put into an encrypted ZIP by whoever asks for them. */
  readonly password?: string;
  readonly watermark?: string;
  /** Signs a PDF. PEM. */
  readonly signer?: Signer;
  /** Unguessable bytes: the salts of encryption. All else of a file follows from the model. */
  readonly random: (bytes: number) => Uint8Array;
}

export interface Signer {
  /** PEM of an X.509 certificate, and of its private key. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** What is known of a file once it is rendered. */
export interface Rendered {
  /** Of a PDF: in all, and of each section, in the order of the model. */
  readonly pages?: { readonly total: number; readonly sections: readonly number[] };
}

/**
 * Renders a model in one format. Chunks are handed to `write`, one after another: it resolves when more can be taken.
 * @throws what `write` throws, and the reason of `signal` where it is aborted
 */
export type Render = (
  model: ReportModel,
  options: RenderOptions,
  write: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal,
) => Promise<Rendered>;
