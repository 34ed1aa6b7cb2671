import { GovctlError } from '../../contract/errors.ts';
import type { Answer, ByteBody, PublicCall } from './call.ts';
import type { Blobs } from '../store/store.ts';
import { attachment } from './disposition.ts';
import { namesTag, readRange } from './range.ts';

/** Bytes to be downloaded. */
export interface Downloadable {
  readonly blob: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly filename: string;
  readonly mediaType: string;
}

export interface FileAnswer {
  readonly answer: Answer<ByteBody | undefined>;
  /** What is sent of it; absent: the headers alone. */
  readonly sent?: 'whole' | 'part' | 'rest';
}

/**
 * The answer to a GET or HEAD of a file, with the whole of it, the part that was asked for, or nothing where the reader
 * has it already. The hashes are those of the whole.
 * @throws GovctlError malformed_request, with status 416, for a range that is not there
 */
export function fileAnswer(blobs: Blobs, file: Downloadable, call: PublicCall): FileAnswer {
  const tag = `"${file.sha256}"`;
  const headers = {
    ETag: tag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-store',
    'Content-Disposition': attachment(file.filename),
    Digest: `sha-256=${Buffer.from(file.sha256, 'hex').toString('base64')}`,
    'X-Content-SHA256': file.sha256,
    'X-Content-Type-Options': 'nosniff',
  };
  if (namesTag(call.header('if-none-match'), tag)) {
    return { answer: { status: 304, body: undefined, headers } };
  }
  const condition = call.header('if-range');
  const isAsked = !call.isHead && (condition === null || condition.trim() === tag);
  const range = isAsked ? readRange(call.header('range'), file.size) : 'whole';
  if (range === 'none') throw notThere(file.size);
  const [start, end] = range === 'whole' ? [0, file.size] : [range.start, range.end];
  const body: ByteBody = {
    type: file.mediaType,
    size: end - start,
    open: () => blobs.read(file.blob, { start, end }),
  };
  if (range === 'whole') {
    return { answer: { body, headers }, ...(call.isHead ? {} : { sent: 'whole' }) };
  }
  const partly = { ...headers, 'Content-Range': `bytes ${start}-${end - 1}/${file.size}` };
  return {
    answer: { status: 206, body, headers: partly },
    sent: start === 0 ? 'part' : 'rest',
  };
}

const notThere = (size: number): GovctlError =>
  new GovctlError(
    'malformed_request',
    `The file has ${size} bytes, none of them in the requested range`,
    { status: 416, headers: { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' } },
  );
