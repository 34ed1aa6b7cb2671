import { createHash } from 'node:crypto';
import { reportTypeTitles } from '../../../contract/reports.ts';
import type { ReportHead } from '../../model.ts';
import type { RenderOptions } from '../render.ts';
import { visibleText } from '../visible-text.ts';
import { protect } from './encryption.ts';
import { createObjectStreams, writeCrossReference } from './object-streams.ts';
import { createPdfkit } from './pdfkit-inside.ts';
import type { Pdfkit, PdfkitPage, Ref } from './pdfkit-inside.ts';
import { startSigning } from './signature.ts';
import { createTags } from './tags.ts';
import type { Tags } from './tags.ts';
import { metadataXml } from './xmp.ts';

type Write = (chunk: Uint8Array) => Promise<void>;

/** A document on its way: pages are written, and forgotten, when they are finished. */
export interface PdfFile {
  readonly doc: Pdfkit;
  readonly tags: Tags;
  /** The number of pages, drawn once it is known; a name for `Do`. */
  readonly total: Ref;
  addPage(): Sheet;
  finishPage(sheet: Sheet): void;
  /** Hands over what is ready. */
  drain(): Promise<void>;
  /** Ends the document. Its pages have to be finished. */
  close(): Promise<void>;
}

/** A page on its way: operators in points from the top left corner. */
export interface Sheet {
  readonly page: PdfkitPage;
  readonly width: number;
  readonly height: number;
  readonly operators: string[];
  /** Element numbers by marked content. */
  readonly owners: number[];
}

export async function openFile(
  head: ReportHead,
  options: RenderOptions,
  write: Write,
): Promise<PdfFile> {
  const info = documentInfo(head);
  const doc = await createPdfkit(info);
  doc._id = createHash('sha256').update(`${head.id} ${head.generated_at}`).digest().subarray(0, 16);
  const objects = createObjectStreams(doc);
  const treeRoot = doc.ref({ Type: 'StructTreeRoot' });
  const tags = createTags(objects, treeRoot.id);
  Object.assign(doc._root.data, {
    StructTreeRoot: treeRoot,
    MarkInfo: doc.ref({ Marked: true }),
    PageMode: 'UseOutlines',
  });
  if (options.password !== undefined) {
    doc._security = protect(doc, options.password, options.random);
    doc._root.data['Extensions'] = { ADBE: { BaseVersion: '1.7', ExtensionLevel: 8 } };
  }
  // pdfkit puts texts into the XML as they are, so that an ampersand in a name would break it.
  doc.endMetadata = () => {
    const metadata = doc.ref({ Type: 'Metadata', Subtype: 'XML', Filter: undefined });
    Object.assign(metadata, { compress: false });
    metadata.end(Buffer.from(metadataXml(info), 'utf8'));
    doc._root.data['Metadata'] = metadata;
  };
  doc._finalize = () => {
    writeCrossReference(doc);
  };
  const total = doc.ref({ Type: 'XObject', Subtype: 'Form', FormType: 1 });
  const signing = options.signer && startSigning(doc, head, options.signer, write);
  const hand = signing?.write ?? write;

  let started = false;

  const drain = async (): Promise<void> => {
    const bytes = doc.read();
    if (bytes) await hand(bytes);
  };
  return {
    doc,
    tags,
    total,
    addPage() {
      const sheet = addPage(doc);
      if (!started) signing?.attach(sheet.page);
      started = true;
      return sheet;
    },
    finishPage(sheet) {
      finishPage(doc, tags, sheet);
    },
    drain,
    async close() {
      Object.assign(treeRoot.data, tags.end());
      objects.flush();
      doc.end();
      await drain();
      await signing?.end();
    },
  };
}

function documentInfo(head: ReportHead) {
  const at = new Date(head.generated_at);
  const { name, description } = head;
  return {
    Title: visibleText(name),
    Author: head.generated_by,
    Subject: visibleText(description ?? reportTypeTitles[head.type]),
    Keywords: [head.id, head.type, ...(head.framework === undefined ? [] : [head.framework])].join(
      ', ',
    ),
    Creator: head.generator,
    Producer: head.generator,
    CreationDate: at,
    ModDate: at,
  };
}

function addPage(doc: Pdfkit): Sheet {
  const operators: string[] = [];
  doc.addContent = (text) => operators.push(text);
  doc.addPage({ size: 'A4' });
  // Out of pdfkit's hands: it is ended when it is finished here, whatever the order.
  doc._pageBuffer = [];
  const { page } = doc;
  return { page, width: page.width, height: page.height, operators, owners: [] };
}

/** Makes a page the one that pdfkit draws on. */
export function turnTo(doc: Pdfkit, sheet: Sheet): void {
  doc.page = sheet.page;
  doc.addContent = (text) => sheet.operators.push(text);
}

function finishPage(doc: Pdfkit, tags: Tags, { page, operators, owners }: Sheet): void {
  const key = tags.nextKey();
  tags.page(key, owners);
  Object.assign(page.dictionary.data, { StructParents: key, Tabs: 'S' });
  page.content.write(Buffer.from(operators.join('\n'), 'latin1'));
  turnTo(doc, {
    page,
    operators: [],
    owners: [],
    width: page.width,
    height: page.height,
  });
  page.end();
}
