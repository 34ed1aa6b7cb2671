import { X509Certificate, timingSafeEqual, verify } from 'node:crypto';
import type { DerValue } from './der.ts';
import { itemsOf, oidBytes, readDer, tags } from './der.ts';

/** What is to be said of a detached signature (CMS, RFC 5652, in DER) over a file. */
export type SignatureFinding =
  | { readonly signed: true; readonly valid: true; readonly by: string; readonly trusted: boolean }
  | { readonly signed: true; readonly valid: false; readonly why: string };

const oids = {
  signedData: oidBytes('1.2.840.113549.1.7.2'),
  messageDigest: oidBytes('1.2.840.113549.1.9.4'),
  sha256: oidBytes('2.16.840.1.101.3.4.2.1'),
};

const equal = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

const invalid = (why: string): SignatureFinding => ({ signed: true, valid: false, why });

/**
 * Checks a signature over a file.
 * @param digest SHA-256 of what is signed
 * @param trusted the certificate that it should be made with; undefined: the one that it brings, which proves only that
 * nothing was changed since
 */
export function checkSignature(
  digest: Uint8Array,
  signature: Uint8Array,
  trusted: X509Certificate | undefined,
): SignatureFinding {
  const parts = partsOf(signature);
  if (!parts) return invalid('the signature cannot be read');
  const { attributes, value, certificates } = parts;
  const said = messageDigest(attributes);
  if (!said) return invalid('the signature contains no SHA-256 digest of the file');
  if (!equal(said, digest)) return invalid('the file was changed after it was signed');
  const certificate = trusted ?? certificates[0];
  if (!certificate)
    return invalid(
      'the signature contains no certificate, and no certificate of the server is known',
    );
  // The attributes are signed as a SET, and stand in the message as [0].
  const signed = Buffer.from(attributes.whole);
  signed[0] = tags.set;
  if (!isBy(certificate, signed, value)) {
    return invalid(
      trusted
        ? "the signature was not created with the server's certificate"
        : 'the signature is not valid',
    );
  }
  return { signed: true, valid: true, by: nameOf(certificate), trusted: trusted !== undefined };
}

function isBy(certificate: X509Certificate, signed: Uint8Array, value: Uint8Array): boolean {
  try {
    return verify('sha256', signed, certificate.publicKey, value);
  } catch {
    return false; // a key of another kind than the signature
  }
}

const nameOf = ({ subject }: X509Certificate): string => subject.split('\n').reverse().join(', ');

interface Parts {
  readonly attributes: DerValue;
  readonly value: Uint8Array;
  readonly certificates: readonly X509Certificate[];
}

/** Of the first signer of a message. */
function partsOf(message: Uint8Array): Parts | undefined {
  const outer = readDer(message);
  const [type, content] = outer ? itemsOf(outer) : [];
  if (type?.tag !== tags.oid || !equal(type.body, oids.signedData)) return undefined;
  const [data] = content?.tag === tags.context0 ? itemsOf(content) : [];
  const fields = data ? itemsOf(data) : [];
  const bundle = fields.find(({ tag }) => tag === tags.context0);
  const signers = fields.slice(2).findLast(({ tag }) => tag === tags.set);
  const [signer] = signers ? itemsOf(signers) : [];
  const [, , , attributes, , value] = signer ? itemsOf(signer) : [];
  const [, , digestAlgorithm] = signer ? itemsOf(signer) : [];
  const [algorithm] = digestAlgorithm ? itemsOf(digestAlgorithm) : [];
  if (!algorithm || !equal(algorithm.body, oids.sha256)) return undefined;
  if (attributes?.tag !== tags.context0 || value?.tag !== tags.octets) return undefined;
  return { attributes, value: value.body, certificates: bundle ? certificatesIn(bundle) : [] };
}

const certificatesIn = (bundle: DerValue): X509Certificate[] =>
  itemsOf(bundle).flatMap(({ whole }) => {
    try {
      return [new X509Certificate(whole)];
    } catch {
      return []; // another kind of certificate
    }
  });

function messageDigest(attributes: DerValue): Uint8Array | undefined {
  for (const attribute of itemsOf(attributes)) {
    const [type, values] = itemsOf(attribute);
    if (type?.tag !== tags.oid || !equal(type.body, oids.messageDigest)) continue;
    const [value] = values ? itemsOf(values) : [];
    return value?.tag === tags.octets ? value.body : undefined;
  }
  return undefined;
}
