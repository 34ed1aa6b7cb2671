import { deflateSync } from 'node:zlib';
import type { Pdfkit } from './pdfkit-inside.ts';

/**
 * Small objects, many in one compressed stream (ISO 32000-2, 7.5.7): the tags of a long table are a million of them.
 * pdfkit writes neither these nor the cross-reference stream that they need (7.5.8), so both are written here.
 */
export interface ObjectStreams {
  /** The number of an object that is written later. */
  reserve(): number;
  /** @param text without `obj` and `endobj`; of its strings none is encrypted on its own, as the stream is */
  write(id: number, text: string): void;
  flush(): void;
}

const perStream = 200;
/** In place of an offset, below zero: which stream, and the how manieth in it. */
const inStream = (stream: number, index: number): number => -(stream * perStream + index);

export function createObjectStreams(doc: Pdfkit): ObjectStreams {
  let waiting: { readonly id: number; readonly text: string }[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const objects = waiting;
    waiting = [];
    const stream = doc.ref({ Type: 'ObjStm', N: objects.length });
    let at = 0;
    const places: string[] = [];
    for (const [index, { id, text }] of objects.entries()) {
      places.push(`${id} ${at}`);
      at += text.length + 1;
      doc._offsets[id - 1] = inStream(stream.id, index);
    }
    const head = `${places.join(' ')}\n`;
    stream.data['First'] = head.length;
    const body = objects.map(({ text }) => text).join('\n');
    stream.end(Buffer.from(head + body, 'latin1'));
  };
  return {
    reserve: () => doc._offsets.push(null),
    write(id, text) {
      waiting.push({ id, text });
      if (waiting.length === perStream) flush();
    },
    flush,
  };
}

const rowLength = 8;

/** Ends a document with a cross-reference stream in place of pdfkit's table. */
export function writeCrossReference(doc: Pdfkit): void {
  const id = doc._offsets.length + 1;
  const start = doc._offset;
  const data = deflateSync(crossReferenceRows([...doc._offsets, start]));
  const hex = Buffer.from(doc._id).toString('hex');
  const entries = [
    `/Type /XRef /Size ${id + 1} /W [1 5 2] /Length ${data.length}`,
    `/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns ${rowLength} >>`,
    `/Root ${doc._root.id} 0 R /Info ${doc._info.id} 0 R /ID [<${hex}> <${hex}>]`,
  ];
  if (doc._security) entries.push(`/Encrypt ${doc._security.dictionary.id} 0 R`);
  doc._write(`${id} 0 obj\n<<\n${entries.join('\n')}\n>>\nstream`);
  doc._write(data);
  doc._write(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF`);
  doc.push(null);
}

/** One row for each object from 0 on: its kind, where it is, and its generation or place; each less the row above. */
function crossReferenceRows(offsets: readonly (number | null)[]): Uint8Array {
  const rows = Buffer.alloc((offsets.length + 1) * rowLength);
  rows.writeUInt16BE(0xffff, 6);
  for (const [index, offset] of offsets.entries()) {
    const at = (index + 1) * rowLength;
    if (offset === null) throw new Error(`object ${index + 1} was never written`);
    rows[at] = offset < 0 ? 2 : 1;
    rows.writeUIntBE(offset < 0 ? Math.floor(-offset / perStream) : offset, at + 1, 5);
    if (offset < 0) rows.writeUInt16BE(-offset % perStream, at + 6);
  }
  return subtractAbove(rows);
}

/** PNG's predictor "up": rows that hardly differ become mostly zeros. */
function subtractAbove(rows: Uint8Array): Uint8Array {
  const count = rows.length / rowLength;
  const filtered = Buffer.alloc(count * (rowLength + 1));
  for (let row = 0; row < count; row++) {
    filtered[row * (rowLength + 1)] = 2;
    for (let column = 0; column < rowLength; column++) {
      const at = row * rowLength + column;
      const above = row === 0 ? 0 : (rows[at - rowLength] ?? 0);
      filtered[row * (rowLength + 1) + 1 + column] = ((rows[at] ?? 0) - above) & 0xff;
    }
  }
  return filtered;
}
