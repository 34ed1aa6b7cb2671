import { X509Certificate, createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSignature } from '../../../src/report/sign/check-signature.ts';
import { checkPdf } from '../../../src/report/sign/check-pdf.ts';
import { signDigest } from '../../../src/report/sign/detached-signature.ts';
import { makeTestSigner } from './test-signer.ts';

const file = Buffer.from('what is signed');
const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const at = new Date('2026-01-15T12:00:00Z');

const [signer, another] = [makeTestSigner('rsa'), makeTestSigner('ec')];
const sign = (bytes: Uint8Array): Uint8Array => signDigest(digestOf(bytes), at, signer);
const signature = sign(file);
const own = new X509Certificate(signer.certificate);
const other = new X509Certificate(another.certificate);

describe('a detached signature', () => {
  it('is valid for the file and the certificate that it was made with, and for no other', () => {
    const valid = { signed: true, valid: true };
    expect(checkSignature(digestOf(file), signature, own)).toMatchObject({
      ...valid,
      trusted: true,
    });
    expect(checkSignature(digestOf(file), signature, undefined)).toMatchObject({
      ...valid,
      trusted: false,
    });
    expect(checkSignature(digestOf(Buffer.from('else')), signature, own)).toMatchObject({
      valid: false,
      why: 'the file was changed after it was signed',
    });
    expect(checkSignature(digestOf(file), signature, other)).toMatchObject({ valid: false });
  });

  it('is not valid with any byte of what it signs changed, and never breaks the reader', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(), (noise, from) => {
        const spoilt = Buffer.from(signature);
        spoilt.set(noise.subarray(0, spoilt.length - (from % spoilt.length)), from % spoilt.length);
        const finding = checkSignature(digestOf(Buffer.from('else')), spoilt, own);
        expect(finding).toMatchObject({ signed: true, valid: false });
        checkSignature(digestOf(file), noise, own);
      }),
    );
  });
});

describe('the signature of a PDF', () => {
  const pdfOf = (sign: (bytes: Uint8Array) => Uint8Array): Buffer => {
    const room = 8_192;
    const head = (range: string): string => `%PDF-1.7\n/ByteRange [${range.padEnd(40)}] /Contents `;
    const start = head('').length;
    const end = '\n%%EOF\n';
    const range = `0 ${start} ${start + room + 2} ${end.length}`;
    const signature = Buffer.from(sign(Buffer.from(head(range) + end))).toString('hex');
    return Buffer.from(`${head(range)}<${signature.padEnd(room, '0')}>${end}`, 'latin1');
  };

  it('covers all of it: nothing is changed, and nothing added', () => {
    const pdf = pdfOf(sign);
    expect(checkPdf(pdf, own)).toMatchObject({ signed: true, valid: true, trusted: true });
    expect(checkPdf(Buffer.concat([pdf, Buffer.from('more')]), own)).toMatchObject({
      why: 'the file was extended after it was signed',
    });
    const changed = Buffer.from(pdf);
    changed[2] = 0x41;
    expect(checkPdf(changed, own)).toMatchObject({
      why: 'the file was changed after it was signed',
    });
    expect(checkPdf(Buffer.from('%PDF-1.7\n'), own)).toEqual({ signed: false });
    expect(checkPdf(Buffer.from('/ByteRange [0 9 1 2]'), own)).toMatchObject({ valid: false });
    expect(checkPdf(Buffer.from('/ByteRange [5 9 10 2]'), own)).toMatchObject({ valid: false });
  });
});
