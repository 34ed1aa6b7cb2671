import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Deps } from '../deps.ts';
import type { Signer } from '../../report/formats/render.ts';

/** As it is shown by whatever checks a signature. */
const subject = [{ name: 'commonName', value: 'govctl report signing' }];
const day = 86_400_000;
const years = 10;

/** A new RSA key and a certificate that it signs itself: whoever checks has to be given the certificate. */
export async function makeSelfSigned({
  clock,
  random,
}: Pick<Deps, 'clock' | 'random'>): Promise<Signer> {
  const keys = await promisify(generateKeyPair)('rsa', {
    modulusLength: 3_072,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const { default: forge } = await import('node-forge');
  const { pki, md } = forge;
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(keys.publicKey);
  // A positive number.
  certificate.serialNumber = `01${Buffer.from(random(15)).toString('hex')}`;
  const now = clock.now();
  // A day back: a reader's clock may be slow.
  certificate.validity.notBefore = new Date(now - day);
  certificate.validity.notAfter = new Date(now + years * 365.25 * day);
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, nonRepudiation: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(pki.privateKeyFromPem(keys.privateKey), md.sha256.create());
  return {
    certificate: pki.certificateToPem(certificate).replaceAll('\r\n', '\n'),
    privateKey: keys.privateKey,
  };
}
