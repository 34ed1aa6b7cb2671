import { ReadError } from './place.ts';

/** What a file is, by its first bytes. */
export type FileFormat =
  | { readonly kind: 'gzip' }
  | { readonly kind: 'parquet' }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'csv'; readonly delimiter: ',' | ';' | '\t' };

/** Bytes from the beginning of a file that show what it is: more than a header with many columns has. */
export const headSize = 64 * 1024;

interface Signature {
  readonly bytes: readonly number[];
  /** What to do with it. */
  readonly message: string;
}

const ascii = (text: string): readonly number[] => Array.from(text, (one) => one.charCodeAt(0));

/** Files that people have and that are none of ours. */
const refused: readonly Signature[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    message: 'is a ZIP archive or an Excel file; import the CSV file in it, or save it as CSV',
  },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], message: 'is compressed with zstd; decompress it first' },
  { bytes: ascii('BZh'), message: 'is compressed with bzip2; decompress it first' },
  { bytes: [0xfd, ...ascii('7zXZ')], message: 'is compressed with xz; decompress it first' },
  { bytes: ascii('PARE'), message: 'is an encrypted Parquet file' },
  { bytes: [0xff, 0xfe], message: 'is encoded as UTF-16; save it as UTF-8' },
  { bytes: [0xfe, 0xff], message: 'is encoded as UTF-16; save it as UTF-8' },
  { bytes: ascii('%PDF'), message: 'is a PDF, not a cost export' },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], message: 'is an Excel file; save it as CSV' },
  { bytes: ascii('Obj\x01'), message: 'is an Avro file; export it as Parquet or CSV' },
  { bytes: ascii('ORC'), message: 'is an ORC file; export it as Parquet or CSV' },
];

const begins = (head: Uint8Array, bytes: readonly number[]): boolean =>
  head.length >= bytes.length && bytes.every((byte, at) => head[at] === byte);

/** So many of the first bytes of a binary file have a zero among them; later ones in a text are a fault of their row. */
const binarySize = 4 * 1024;

/**
 * What a file is, by its content and never by its name.
 * @param head its first bytes, up to `headSize`
 * @throws ReadError it can't be read; the message says what it is and what to do
 */
export function detectFormat(head: Uint8Array): FileFormat {
  if (head.length === 0) throw new ReadError('is empty');
  if (begins(head, [0x1f, 0x8b])) return { kind: 'gzip' };
  if (begins(head, ascii('PAR1'))) return { kind: 'parquet' };
  const found = refused.find(({ bytes }) => begins(head, bytes));
  if (found) throw new ReadError(found.message);
  if (head.subarray(0, binarySize).includes(0)) {
    throw new ReadError(
      'is a binary file; import CSV, NDJSON (both optionally gzipped) or Parquet',
    );
  }
  const text = new TextDecoder().decode(head).trimStart();
  if (text === '') throw new ReadError('has no rows');
  if (text.startsWith('[')) {
    throw new ReadError(
      "is a JSON array; write one object per line, for example with jq -c '.[]' FILE",
    );
  }
  if (text.startsWith('<')) throw new ReadError('is XML or HTML, not a cost export');
  if (text.startsWith('{')) {
    if (/^\{\s*\n/.test(text)) {
      throw new ReadError(
        'is JSON that spans several lines; write one object per line, for example with jq -c . FILE',
      );
    }
    return { kind: 'ndjson' };
  }
  return { kind: 'csv', delimiter: delimiterOf(text) };
}

/** The delimiter that the first line has most often outside of quotes. */
function delimiterOf(text: string): ',' | ';' | '\t' {
  const counts = { ',': 0, ';': 0, '\t': 0 };
  let isQuoted = false;
  for (const one of text) {
    if (one === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (one === '\n') break;
    else if (one === ',' || one === ';' || one === '\t') counts[one] += 1;
  }
  if (counts[';'] > counts[','] && counts[';'] >= counts['\t']) return ';';
  return counts['\t'] > counts[','] ? '\t' : ',';
}
