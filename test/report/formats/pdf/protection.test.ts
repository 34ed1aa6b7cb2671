import { describe, expect, it } from 'vitest';
import { readTool } from '../../../support/system-tool.ts';
import { sampleReport } from '../../../support/sample-report.ts';
import { makeTestSigner } from '../../sign/test-signer.ts';
import { asFile, hasPoppler, hasQpdf, openPdf, renderToBytes, seededRandom } from './pdf-tools.ts';

const password = 'pässwörd 密码 42';

describe('a PDF with a password', () => {
  it.skipIf(!hasQpdf)('is encrypted with AES-256 as revision 6 has it', async () => {
    const { bytes } = await renderToBytes(sampleReport(), { password });
    const file = asFile(bytes);
    const said = readTool('qpdf', `--password=${password}`, '--show-encryption', '--check', file);
    expect(said).toMatch(/^R = 6$/m);
    expect(said).toContain('stream encryption method: AESv3');
    expect(said).toContain('string encryption method: AESv3');
    expect(said).toContain('No syntax or stream encoding errors');
  });

  it.skipIf(!hasPoppler)('is read by poppler with its password alone', async () => {
    const { bytes } = await renderToBytes(sampleReport(), { password });
    const file = asFile(bytes);
    expect(readTool('pdftotext', '-upw', password, file, '-')).toContain('Detailed findings');
    expect(() => readTool('pdftotext', '-upw', 'wrong password', file, '-')).toThrow(
      /Incorrect password/,
    );
    expect(() => readTool('pdftotext', file, '-')).toThrow(/Incorrect password/);
  });

  it('opens with its password, and with no other', async () => {
    const { bytes } = await renderToBytes(sampleReport(), { password });
    expect((await openPdf(bytes, password)).numPages).toBeGreaterThan(2);
    await expect(openPdf(bytes, 'wrong')).rejects.toThrow(/Incorrect Password/);
    await expect(openPdf(bytes)).rejects.toThrow(/No password given/);
  });

  it.each([
    ['of 128 letters', 'x'.repeat(128)],
    ['of 128 wide letters', '密'.repeat(128)],
    ['that goes both ways', 'שלום hello שלום'],
    ['with control characters', 'tab\tnul\u0000bell\u0007'],
    ['that looks like syntax', ') >> endobj ((( \\'],
  ])('takes a password %s', async (_, odd) => {
    const { bytes } = await renderToBytes(sampleReport(3), { password: odd });
    expect((await openPdf(bytes, odd)).numPages).toBeGreaterThan(2);
  });

  it('holds none of its texts in the open', async () => {
    const { head } = sampleReport();
    const { bytes } = await renderToBytes(sampleReport(), { password });
    const raw = bytes.toString('latin1');
    expect(raw).not.toContain(password);
    expect(raw).not.toContain('governance.example.com');
    expect(raw).not.toContain(head.name);
    expect(raw).not.toContain(Buffer.from(head.name, 'utf16le').swap16().toString('hex'));
  });

  it('differs by the random bytes alone', async () => {
    const render = async (seed: string): Promise<Buffer> =>
      (await renderToBytes(sampleReport(3), { password, random: seededRandom(seed) })).bytes;
    const [first, again, other] = [await render('a'), await render('a'), await render('b')];
    expect(first.equals(again)).toBe(true);
    expect(first.equals(other)).toBe(false);
  });
});

describe('a watermark', () => {
  it('is on every page, and is no part of what is read', async () => {
    const { bytes } = await renderToBytes(sampleReport(40), { watermark: 'CONFIDENTIAL' });
    const pdf = await openPdf(bytes);
    for (let n = 1; n <= pdf.numPages; n++) {
      const page = await pdf.getPage(n);
      const { items } = await page.getTextContent({ includeMarkedContent: true });
      const at = items.findIndex((item) => 'str' in item && item.str === 'CONFIDENTIAL');
      expect(at).toBeGreaterThan(0);
      expect(items[at - 1]).toMatchObject({ type: 'beginMarkedContentProps', tag: 'Artifact' });
    }
  });
});

/** pdfsig's answer; it ends with 0 only where it trusts who issued the certificate. */
function checkSignature(file: string, ...args: readonly string[]): string {
  try {
    return readTool('pdfsig', ...args, file);
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

describe.skipIf(!hasPoppler)('a signed PDF', () => {
  it.each(['rsa', 'ec'] as const)('is valid as a whole (%s)', async (type) => {
    const { bytes } = await renderToBytes(sampleReport(), { signer: makeTestSigner(type) });
    const said = checkSignature(asFile(bytes));
    expect(said).toContain('Signature is Valid.');
    expect(said).toContain('Total document signed');
    expect(said).toContain('Signature Type: adbe.pkcs7.detached');
    expect(said).toContain('Signing Time: Nov 02 2026 09:30:00');
  });

  it('is valid with a password and a watermark, too', async () => {
    const options = { signer: makeTestSigner('rsa'), password, watermark: 'DRAFT' };
    const { bytes } = await renderToBytes(sampleReport(), options);
    const file = asFile(bytes);
    const said = checkSignature(file, '-upw', password);
    expect(said).toContain('Signature is Valid.');
    expect(said).toContain('Total document signed');
    if (hasQpdf)
      expect(readTool('qpdf', `--password=${password}`, '--check', file)).toContain('No syntax');
    const pdf = await openPdf(bytes, password);
    expect((await pdf.getOutline()).length).toBeGreaterThan(2);
    expect(await pdf.getMarkInfo()).toMatchObject({ Marked: true });
  });

  it('is the same file each time, with an RSA key', async () => {
    const signer = makeTestSigner('rsa');
    const [first, second] = [
      await renderToBytes(sampleReport(3), { signer }),
      await renderToBytes(sampleReport(3), { signer }),
    ];
    expect(first.bytes.equals(second.bytes)).toBe(true);
  });

  it('is no longer valid once a byte is changed', async () => {
    const { bytes } = await renderToBytes(sampleReport(3), { signer: makeTestSigner('rsa') });
    const changed = Buffer.from(bytes);
    const at = changed.indexOf('/DisplayDocTitle true');
    changed.write('/DisplayDocTitle fals', at, 'latin1');
    expect(checkSignature(asFile(changed))).toContain('Digest Mismatch');
  });

  it('has room for a chain of certificates', async () => {
    const { certificate, privateKey } = makeTestSigner('rsa');
    const { bytes } = await renderToBytes(sampleReport(3), {
      signer: { certificate: certificate.repeat(14), privateKey },
    });
    expect(checkSignature(asFile(bytes))).toContain('Signature is Valid.');
  });
});
