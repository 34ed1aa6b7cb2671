import { GovctlError } from './errors.ts';
import {
  Token,
  formatBytes,
  formatInnerList,
  isInnerList,
  parseDictionary,
} from './structured-fields.ts';
import type { Dictionary, InnerList } from './structured-fields.ts';

/** The part of HTTP Message Signatures (RFC 9421) that requests to the service are signed with, but for the HMAC itself. */

const signatureAlgorithm = 'hmac-sha256';

/** What a signature must cover, in any order and among others: all that decides what a request does. */
export const signedComponents = [
  '@method',
  '@target-uri',
  'content-digest',
  'authorization',
] as const;

/** Seconds that its time may be off, either way. */
export const signatureWindow = 300;

/** A request as a signature sees it. */
export interface SignableRequest {
  readonly method: string;
  /** Absolute, as it was sent. */
  readonly url: string;
  /** The value of a header; several of a name are joined by commas. */
  header(name: string): string | null;
}

/** A signature that has a right form; whether it is right, only its key tells. */
export interface RequestSignature {
  readonly input: InnerList;
  readonly created: number;
  readonly nonce: string;
  readonly keyId: string;
  readonly signature: Uint8Array;
}

export interface SignatureParams {
  /** Seconds since the epoch. */
  readonly created: number;
  readonly nonce: string;
  readonly keyId: string;
}

/** What a signer promises to sign. */
export const newSignatureInput = ({ created, nonce, keyId }: SignatureParams): InnerList => ({
  items: signedComponents.map((value) => ({ value, params: new Map() })),
  params: new Map<string, string | number>([
    ['created', created],
    ['keyid', keyId],
    ['alg', signatureAlgorithm],
    ['nonce', nonce],
  ]),
});

/** The headers of a request that is signed. */
export const signatureHeaders = (input: InnerList, signature: Uint8Array) => ({
  'signature-input': `sig=${formatInnerList(input)}`,
  signature: `sig=${formatBytes(signature)}`,
});

/** The header Content-Digest (RFC 9530). @param sha256 of the body; of no bytes where there is none */
export const formatContentDigest = (sha256: Uint8Array): string => `sha-256=${formatBytes(sha256)}`;

const acceptSignature = `sig=(${signedComponents.map((name) => `"${name}"`).join(' ')});created;keyid;alg="${signatureAlgorithm}";nonce`;

const howTo = {
  headers: { 'WWW-Authenticate': 'Bearer realm="govctl"', 'Accept-Signature': acceptSignature },
};

export const signatureRequired = (description: string, hint: string): GovctlError =>
  new GovctlError('signature_required', description, { ...howTo, hint });

export const signatureInvalid = (description: string): GovctlError =>
  new GovctlError('signature_invalid', description, howTo);

/** Characters of a header that is read. */
const longestHeader = 4_096;
const longestNonce = 128;

/** @throws GovctlError signature_invalid */
function readDictionary(request: SignableRequest, name: string): Dictionary {
  const text = request.header(name) ?? '';
  if (text === '') throw signatureInvalid(`The request has no header ${name}`);
  if (text.length > longestHeader) {
    throw signatureInvalid(
      `The header ${name} is longer than ${longestHeader.toLocaleString('en')} characters`,
    );
  }
  const members = parseDictionary(text);
  if (typeof members !== 'string') return members;
  throw signatureInvalid(`The header ${name} is not a structured field: ${members}`);
}

/**
 * The signature of a request by one key. Those of others, such as a proxy's own, are passed over.
 * @param isKey whether a `keyid` names the key
 * @throws GovctlError signature_invalid, which says what is missing or wrong
 */
export function readSignature(
  request: SignableRequest,
  isKey: (keyId: string) => boolean,
): RequestSignature {
  const inputs = readDictionary(request, 'signature-input');
  const signatures = readDictionary(request, 'signature');
  const [label, input] = inputOfKey(inputs, isKey);
  const { created, nonce, keyId } = paramsOf(input);
  checkComponents(input);
  const member = signatures.get(label);
  if (!member || isInnerList(member) || !(member.value instanceof Uint8Array)) {
    throw signatureInvalid(
      `The header signature has no bytes for "${label}", such as ${label}=:…:`,
    );
  }
  return { input, created, nonce, keyId, signature: member.value };
}

function inputOfKey(
  inputs: Dictionary,
  isKey: (keyId: string) => boolean,
): readonly [label: string, input: InnerList] {
  const found: [string, InnerList][] = [];
  for (const [label, input] of inputs) {
    if (!isInnerList(input)) {
      throw signatureInvalid(
        `"${label}" of signature-input is not a list of components in parentheses`,
      );
    }
    const keyId = input.params.get('keyid');
    if (typeof keyId === 'string' && isKey(keyId)) found.push([label, input]);
  }
  const [first, second] = found;
  if (second)
    throw signatureInvalid('The request has more than one signature with the keyid of this key');
  if (first) return first;
  throw signatureInvalid(
    'No signature has the keyid of this API key, which is its ID or its last four characters',
  );
}

function paramsOf({ params }: InnerList): SignatureParams {
  const [created, nonce, keyId, alg] = ['created', 'nonce', 'keyid', 'alg'].map((name) =>
    params.get(name),
  );
  if (typeof created !== 'number') {
    throw signatureInvalid('The signature has no created parameter (Unix time in seconds)');
  }
  if (typeof nonce !== 'string' || nonce === '' || nonce.length > longestNonce) {
    throw signatureInvalid(`The signature has no nonce="…" of 1 to ${longestNonce} characters`);
  }
  if (alg !== signatureAlgorithm) {
    const said = alg instanceof Token ? alg.word : alg;
    const is = typeof said === 'string' ? `, not ${said.slice(0, 40)}` : '';
    throw signatureInvalid(`The signature must have alg="${signatureAlgorithm}"${is}`);
  }
  return { created, nonce, keyId: String(keyId) };
}

function checkComponents({ items }: InnerList): void {
  const names = new Set<string>();
  for (const { value, params } of items) {
    if (typeof value !== 'string') {
      throw signatureInvalid('The components of a signature are strings, such as "@method"');
    }
    const said = value.slice(0, 60);
    if (params.size > 0) throw signatureInvalid(`The component "${said}" must have no parameters`);
    if (names.has(value)) throw signatureInvalid(`The component "${said}" is duplicated`);
    names.add(value);
  }
  const missing = signedComponents.filter((name) => !names.has(name));
  if (missing.length > 0) {
    throw signatureInvalid(
      `The signature does not cover ${missing.map((name) => `"${name}"`).join(', ')}`,
    );
  }
}

/** What follows from method and URL (RFC 9421, 2.2). */
const derived: Readonly<Record<string, (request: SignableRequest) => string>> = {
  '@method': ({ method }) => method,
  '@target-uri': ({ url }) => url,
  '@authority': ({ url }) => new URL(url).host,
  '@scheme': ({ url }) => new URL(url).protocol.slice(0, -1),
  '@path': ({ url }) => new URL(url).pathname,
  '@query': ({ url }) => new URL(url).search || '?',
};

/**
 * The text that is signed (RFC 9421, 2.5).
 * @throws GovctlError signature_invalid for a component that the request lacks, or that is not known here
 */
export function signatureBase(request: SignableRequest, input: InnerList): string {
  const lines = input.items.map(({ value }) => {
    const name = String(value);
    return `"${name}": ${componentOf(request, name)}\n`;
  });
  return `${lines.join('')}"@signature-params": ${formatInnerList(input)}`;
}

function componentOf(request: SignableRequest, name: string): string {
  if (Object.hasOwn(derived, name)) return derived[name]?.(request) ?? '';
  if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) {
    throw signatureInvalid(`The component "${name.slice(0, 60)}" cannot be signed here`);
  }
  const value = request.header(name);
  if (value === null) {
    throw signatureInvalid(
      `The signature covers "${name.slice(0, 60)}", a header that the request does not have`,
    );
  }
  // As bytes it would not be what it was.
  if (!/^[\t\x20-\x7e]*$/.test(value)) {
    throw signatureInvalid(
      `The header "${name.slice(0, 60)}" is signed, but contains non-ASCII characters`,
    );
  }
  return value.trim();
}

/**
 * The SHA-256 that Content-Digest promises.
 * @throws GovctlError signature_invalid where there is none
 */
export function readContentDigest(request: SignableRequest): Uint8Array {
  const member = readDictionary(request, 'content-digest').get('sha-256');
  if (member && !isInnerList(member) && member.value instanceof Uint8Array) {
    if (member.value.length === 32) return member.value;
  }
  throw signatureInvalid('The header content-digest has no SHA-256, such as sha-256=:…:');
}
