import { createHash } from 'node:crypto';
import type { X509Certificate } from 'node:crypto';
import type { SignatureFinding } from './check-signature.ts';
import { checkSignature } from './check-signature.ts';

const byteRange = /\/ByteRange\s*\[\s*(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s*\]/g;

/** Checks the last signature of a PDF (ISO 32000-2, 12.8.1): all bytes but those of the signature itself. */
export function checkPdf(
  file: Buffer,
  trusted: X509Certificate | undefined,
): SignatureFinding | { readonly signed: false } {
  const ranges = [...file.toString('latin1').matchAll(byteRange)].at(-1);
  if (!ranges) return { signed: false };
  const [from = 0, length = 0, after = 0, rest = 0] = ranges.slice(1).map(Number);
  const invalid = (why: string): SignatureFinding => ({ signed: true, valid: false, why });
  if (from !== 0 || after < length || after + rest > file.length) {
    return invalid('the signature does not match the size of the file');
  }
  if (after + rest < file.length) return invalid('the file was extended after it was signed');
  const contents = file.subarray(length, after).toString('latin1');
  // Zeros fill what is left of the room.
  const [, hex] = /^<([0-9A-Fa-f]*)>$/.exec(contents) ?? [];
  if (hex === undefined) return invalid('the signature cannot be read');
  const digest = createHash('sha256')
    .update(file.subarray(0, length))
    .update(file.subarray(after))
    .digest();
  return checkSignature(digest, Buffer.from(hex, 'hex'), trusted);
}
