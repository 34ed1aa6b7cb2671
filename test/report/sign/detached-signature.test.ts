import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { detachedSignature } from '../../../src/report/sign/detached-signature.ts';
import { hasTool, readTool, runTool } from '../../support/system-tool.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { makeTestSigner } from './test-signer.ts';

const hasOpenssl = hasTool('openssl', () => {
  runTool('openssl', 'version');
});

const file = Buffer.from('severity,resource\nCRITICAL,a bucket\n');
const at = new Date('2026-11-02T09:30:00.000Z');

/** @throws where openssl does not take the signature */
function verify(content: Uint8Array, signature: Uint8Array, certificate: string): void {
  const folder = makeRepo({
    'report.csv': content,
    'report.csv.sig': signature,
    'ca.pem': certificate,
  });
  const at = (name: string): string => path.join(folder, name);
  const named = ['-in', at('report.csv.sig'), '-content', at('report.csv'), '-out', at('out')];
  const trusted = ['-CAfile', at('ca.pem'), '-purpose', 'any'];
  runTool('openssl', 'cms', '-verify', '-binary', '-inform', 'DER', ...named, ...trusted);
}

describe.skipIf(!hasOpenssl)('a detached signature', () => {
  it.each(['rsa', 'ec'] as const)('is what openssl takes (%s)', async (type) => {
    const signer = makeTestSigner(type);
    const signature = await detachedSignature([file.subarray(0, 7), file.subarray(7)], at, signer);
    expect(() => verify(file, signature, signer.certificate)).not.toThrow();
  });

  it('is refused for another file, and by another certificate', async () => {
    const signature = await detachedSignature([file], at, makeTestSigner('rsa'));
    const { certificate } = makeTestSigner('rsa');
    expect(() => verify(Buffer.from('other'), signature, certificate)).toThrow(
      /verification failure/i,
    );
    expect(() => verify(file, signature, makeTestSigner('ec').certificate)).toThrow(/verif/i);
  });

  it.each([
    ['2026-11-02T09:30:00.000Z', 'Nov  2 09:30:00 2026 GMT'],
    ['2061-11-02T09:30:00.000Z', 'Nov  2 09:30:00 2061 GMT'],
  ])('says when it was made: %s', async (time, shown) => {
    const signature = await detachedSignature([file], new Date(time), makeTestSigner('rsa'));
    const folder = makeRepo({ sig: signature });
    const from = ['-inform', 'DER', '-in', path.join(folder, 'sig')];
    const said = readTool('openssl', 'cms', '-cmsout', '-print', '-noout', ...from);
    expect(said).toContain(shown);
  });
});
