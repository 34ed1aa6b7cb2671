import { createHash } from 'node:crypto';
import type { ReportHead } from '../../model.ts';
import type { Signer } from '../render.ts';
import { signDigest } from '../../sign/detached-signature.ts';
import { pdfText, textString } from './pdf-string.ts';
import type { Pdfkit, PdfkitPage, Ref } from './pdfkit-inside.ts';

type Write = (chunk: Uint8Array) => Promise<void>;

/**
 * Signs a document with all its bytes but those of the signature itself (ISO 32000-2, 12.8). The signature is the last
 * object, so that all before it has been handed over, and hashed, by the time it is made.
 */
export interface Signing {
  /** Gives the document its field, which stands on the first page and shows nothing. */
  attach(page: PdfkitPage): void;
  /** Takes the bytes before the signature. */
  readonly write: Write;
  /** Once pdfkit has ended all else: signs, and hands over the rest. */
  end(): Promise<void>;
}

/** Room for certificates that a signer's own is vouched for by. */
const leastRoom = 8_192;
const numberWidth = 12;

export function startSigning(doc: Pdfkit, head: ReportHead, signer: Signer, write: Write): Signing {
  const hash = createHash('sha256');
  const at = new Date(head.generated_at);
  const reserved: Ref = doc.ref({});
  const room = Math.max(leastRoom, signDigest(Buffer.alloc(32), at, signer).length + 64);
  doc.endAcroForm = () => undefined;
  return {
    attach(page) {
      const field = doc.ref({
        Type: 'Annot',
        Subtype: 'Widget',
        FT: 'Sig',
        T: pdfText('Signature'),
        V: reserved,
        // Printed, and locked.
        F: 132,
        Rect: [0, 0, 0, 0],
        P: page.dictionary,
      });
      field.end();
      page.annotations.push(field);
      const form = doc.ref({ SigFlags: 3, Fields: [field] });
      form.end();
      doc._root.data['AcroForm'] = form;
    },
    async write(chunk) {
      hash.update(chunk);
      await write(chunk);
    },
    async end() {
      const start = doc._offset;
      doc._write(signatureObject(doc, reserved.id, head, room));
      doc._refEnd({ id: reserved.id, offset: start });
      const tail = Buffer.from(doc.read() ?? []);
      const { from, to } = fillRange(tail, start, room);
      hash.update(tail.subarray(0, from)).update(tail.subarray(to));
      const signature = Buffer.from(signDigest(hash.digest(), at, signer)).toString('hex');
      tail.write(signature, from + 1, 'latin1');
      await write(tail);
    },
  };
}

/** The contents of a signature are the one string of a protected document that isn't encrypted. */
function signatureObject(doc: Pdfkit, id: number, head: ReportHead, room: number): string {
  const text = (value: string): string => {
    const plain = Buffer.from(textString(value).slice(1, -1), 'hex');
    return `<${Buffer.from(doc._security?.getEncryptFn(id, 0)(plain) ?? plain).toString('hex')}>`;
  };
  const at = head.generated_at.replace(/\.\d+Z$/, '').replace(/\D/g, '');
  const blank = ' '.repeat(numberWidth);
  return [
    `${id} 0 obj`,
    '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached',
    `/M ${text(`D:${at}Z`)} /Reason ${text(`${head.generator} generated report ${head.id}`)}`,
    `/ByteRange [0 ${blank} ${blank} ${blank}]`,
    `/Contents <${'0'.repeat(room * 2)}>`,
    '>>',
    'endobj',
  ].join('\n');
}

/** Writes down which bytes are signed; gives where, in the tail, those are that aren't. */
function fillRange(
  tail: Buffer,
  start: number,
  room: number,
): { readonly from: number; readonly to: number } {
  const from = tail.indexOf('/Contents <') + '/Contents '.length;
  const to = from + 2 * room + 2;
  const range = [start + from, start + to, tail.length - to]
    .map((value) => String(value).padEnd(numberWidth))
    .join(' ');
  tail.write(range, tail.indexOf('/ByteRange [0 ') + '/ByteRange [0 '.length, 'latin1');
  return { from, to };
}
