/**
 * What pdfkit is made of, as far as it is used here: pages are written as they are done, text and tags are written
 * directly, and objects go into object streams. Its published types leave these parts out.
 */
export interface Ref {
  readonly id: number;
  data: Record<string, unknown>;
  write(chunk: Uint8Array): void;
  end(chunk?: Uint8Array): void;
}

export interface PdfkitPage {
  readonly width: number;
  readonly height: number;
  readonly dictionary: Ref;
  readonly content: Ref;
  /** Resources by name. */
  readonly fonts: Record<string, Ref>;
  readonly xobjects: Record<string, Ref>;
  readonly ext_gstates: Record<string, Ref>;
  readonly annotations: Ref[];
  end(): void;
}

/** A font as fontkit has it; documents take their subsets from it and leave it as it is. */
export interface FontFile {
  hasGlyphForCodePoint(codePoint: number): boolean;
  glyphForCodePoint(codePoint: number): { readonly id: number; readonly advanceWidth: number };
}

export interface PdfkitFont {
  /** Its name in a page's resources. */
  readonly id: string;
  readonly font: FontFile;
  readonly subset: { includeGlyph(id: number): number };
  /** From the font's units to thousandths of the size. */
  readonly scale: number;
  /** Of the subset's glyphs. */
  readonly widths: number[];
  /** The code points that each of them stands for. */
  readonly unicode: (readonly number[])[];
  ref(): Ref;
}

interface Outline {
  readonly dictionary: Ref;
  addItem(title: string, options?: { readonly expanded?: boolean }): Outline;
}

type Encrypt = (bytes: Uint8Array) => Uint8Array;

export interface Security {
  readonly dictionary: Ref;
  getEncryptFn(id: number, generation: number): Encrypt;
  end(): void;
}

export interface Pdfkit {
  page: PdfkitPage;
  readonly outline: Outline;
  ref(data: unknown): Ref;
  addPage(options: { readonly size: string }): unknown;
  font(source: Uint8Array | FontFile): unknown;
  path(data: string): unknown;
  addContent(operators: string): unknown;
  /** All bytes that are ready. */
  read(): Uint8Array | null;
  end(): void;
  endMetadata(): void;
  endAcroForm(): void;
  readonly _font: PdfkitFont;
  readonly _root: Ref;
  readonly _info: Ref;
  _id: Uint8Array;
  _security: Security | null;
  _pageBuffer: PdfkitPage[];
  /** Where each object is, by its number less one. */
  readonly _offsets: (number | null)[];
  /** Bytes so far. */
  readonly _offset: number;
  _write(data: string | Uint8Array): void;
  _refEnd(ref: { readonly id: number; readonly offset: number }): void;
  _finalize(): void;
  push(chunk: null): unknown;
}

export interface DocumentInfo {
  readonly Title: string;
  readonly Author: string;
  readonly Subject: string;
  readonly Keywords: string;
  readonly Creator: string;
  readonly Producer: string;
  readonly CreationDate: Date;
  readonly ModDate: Date;
}

export async function createPdfkit(info: DocumentInfo): Promise<Pdfkit> {
  const { default: PDFDocument } = await import('pdfkit');
  const options: PDFKit.PDFDocumentOptions = {
    pdfVersion: '1.7',
    autoFirstPage: false,
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: { ...info },
    // An empty name: no font is loaded before one is asked for.
    font: '',
  };
  // The published types leave out what this module's types name; the version is pinned, and tests hold it.
  return new PDFDocument(options) as unknown as Pdfkit;
}
