import { X509Certificate, createHash, createPrivateKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Signer } from '../formats/render.ts';
import {
  context,
  contextSet,
  itemsOf,
  nothing,
  octets,
  oid,
  readDer,
  sequence,
  setOf,
  smallInteger,
  tags,
  time,
} from './der.ts';
import type { Der } from './der.ts';

const oids = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  signingCertificate: '1.2.840.113549.1.9.16.2.47',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsa: '1.2.840.113549.1.1.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;

const sha256 = (): Der => sequence(oid(oids.sha256), nothing());

/**
 * The detached signature of a file (CMS, RFC 5652, in DER), of which only the digest has to be known: files are hashed
 * while they go by.
 * @param digest SHA-256 of the file
 * @param at when it was signed, as the signer says
 * @throws Error for a certificate or a key that can't be used
 */
export function signDigest(digest: Uint8Array, at: Date, signer: Signer): Uint8Array {
  const certificates = readCertificates(signer.certificate);
  const [own] = certificates;
  if (!own) throw new Error('no signing certificate');
  const attributes = [
    attribute(oids.contentType, oid(oids.data)),
    attribute(oids.signingTime, time(at)),
    attribute(oids.messageDigest, octets(digest)),
    attribute(oids.signingCertificate, sequence(sequence(sequence(octets(fingerprint(own)))))),
  ];
  const key = createPrivateKey(signer.privateKey);
  // They are signed as a SET, and stand in the message as [0].
  const signature = sign('sha256', setOf(...attributes), key);
  const info = sequence(
    smallInteger(1),
    issuerAndSerial(own),
    sha256(),
    contextSet(0, ...attributes),
    algorithmOf(key),
    octets(signature),
  );
  const signedData = sequence(
    smallInteger(1),
    setOf(sha256()),
    sequence(oid(oids.data)),
    contextSet(0, ...certificates),
    setOf(info),
  );
  return sequence(oid(oids.signedData), context(0, signedData));
}

/** The same of a file's bytes. */
export async function detachedSignature(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  at: Date,
  signer: Signer,
): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of file) hash.update(chunk);
  return signDigest(hash.digest(), at, signer);
}

const attribute = (type: string, value: Der): Der => sequence(oid(type), setOf(value));

const fingerprint = (certificate: Der): Uint8Array =>
  createHash('sha256').update(certificate).digest();

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The signer's own comes first, then those that vouch for it. */
const readCertificates = (pem: string): readonly Der[] =>
  (pem.match(block) ?? []).map((text) => new X509Certificate(text).raw);

/** Byte for byte as in the certificate (RFC 5280, 4.1): a name encoded anew might not match. */
function issuerAndSerial(certificate: Der): Der {
  const whole = readDer(certificate);
  const [body] = whole ? itemsOf(whole) : [];
  const fields = body ? itemsOf(body) : [];
  // The version, [0], is left out of version 1.
  const [serial, , issuer] = fields[0]?.tag === tags.context0 ? fields.slice(1) : fields;
  if (!serial || !issuer) throw new Error('the signing certificate cannot be read');
  return sequence(issuer.whole, serial.whole);
}

function algorithmOf(key: KeyObject): Der {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return sequence(oid(oids.rsa), nothing());
    case 'ec':
      return sequence(oid(oids.ecdsaWithSha256));
    default:
      throw new Error(`keys of type ${key.asymmetricKeyType ?? 'unknown'} cannot sign reports`);
  }
}
