import { X509Certificate, createPrivateKey } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../src/server/keys/secret-box.ts';
import { serverState } from '../../../src/server/keys/collection.ts';
import { createSigner, readSigner } from '../../../src/server/keys/signer.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { makeTestSigner } from '../../report/sign/test-signer.ts';
import { startTestService } from '../test-service.ts';

const certificateOf = async (
  service: Awaited<ReturnType<typeof startTestService>>,
): Promise<string> => {
  const { status, headers, text } = await service.send('GET', '/v1/reports/signing/certificate');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/x-pem-file');
  return text;
};

describe('what signs reports', () => {
  it('is a certificate that the server makes for itself, once', async () => {
    const service = await startTestService();
    const pem = await certificateOf(service);
    const certificate = new X509Certificate(pem);
    expect(certificate.subject).toBe('CN=govctl report signing');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    const years =
      (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 31_557_600_000;
    expect(years).toBeCloseTo(10, 1);
    expect(await certificateOf(service)).toBe(pem);
    // A later start finds it.
    expect((await createSigner(service.deps)()).certificate).toBe(pem);
  });

  it('is one, where two make it at the same time', async () => {
    const { deps } = await startTestService();
    const [one, other] = await Promise.all([createSigner(deps)(), createSigner(deps)()]);
    expect(one).toEqual(other);
    const certificate = new X509Certificate(one.certificate);
    expect(certificate.checkPrivateKey(createPrivateKey(one.privateKey))).toBe(true);
  });

  it('is kept sealed', async () => {
    const { deps } = await startTestService();
    await createSigner(deps)();
    const kept = (await deps.store.get(serverState, 'report_signing'))?.doc.value;
    expect(kept).toMatch(/^v1:/);
    expect(kept).not.toContain('PRIVATE KEY');
  });

  it('is made anew, with a word in the log, where the key of the seals was lost', async () => {
    const { deps } = await startTestService();
    const before = await createSigner(deps)();
    const warnings: string[] = [];
    const log = { ...deps.log, warn: (_: unknown, message: string) => void warnings.push(message) };
    const secrets = createSecretBox(deps.random(32), deps.random);
    const after = await createSigner({ ...deps, secrets, log })();
    expect(after.certificate).not.toBe(before.certificate);
    expect(warnings.join()).toContain('can no longer be read');
  });

  it('is what the operator gives', async () => {
    const { deps } = await startTestService();
    const given = makeTestSigner('ec');
    expect(await createSigner(deps, given)()).toBe(given);
  });
});

describe('files that sign reports', () => {
  const filesOf = (cert: string, key: string): { cert: string; key: string } => {
    const folder = makeRepo({ 'cert.pem': cert, 'key.pem': key });
    return { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  };

  it('are read and tried at the start', async () => {
    const { certificate, privateKey } = makeTestSigner('rsa');
    expect(await readSigner(filesOf(certificate, privateKey))).toEqual({ certificate, privateKey });
  });

  it('are refused where they do not fit each other, or are none', async () => {
    const { certificate } = makeTestSigner('rsa');
    const { privateKey } = makeTestSigner('ec');
    const refused = { error: 'usage_error' };
    await expect(readSigner(filesOf(certificate, privateKey))).rejects.toMatchObject(refused);
    await expect(readSigner(filesOf('nothing', privateKey))).rejects.toMatchObject(refused);
    await expect(readSigner(filesOf(certificate, 'nothing'))).rejects.toMatchObject(refused);
    const { cert } = filesOf(certificate, privateKey);
    const missing = { cert, key: '/nowhere/key.pem' };
    await expect(readSigner(missing)).rejects.toMatchObject({ error: 'file_error' });
  });
});
