import type { Upload } from '../contract/endpoint.ts';
import { GovctlError } from '../contract/errors.ts';
import {
  formatContentDigest,
  newSignatureInput,
  signatureBase,
  signatureHeaders,
} from '../contract/request-signature.ts';

/** How requests are signed, for an API key that requires it (RFC 9421). */
export interface Signing {
  /** The `signing_secret` that was shown with the key. */
  readonly secret: string;
  /** Default: the last four characters of the token. */
  readonly keyId?: string;
  /** The SHA-256 of what is too long for memory. Default: it is read into memory. */
  readonly sha256?: (bytes: AsyncIterable<Uint8Array>) => Promise<Uint8Array>;
  /** Milliseconds since the epoch. Default: the system's time. */
  readonly now?: () => number;
}

interface ToSign {
  readonly method: string;
  readonly url: string;
  /** Lower-case names; one is `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Upload | undefined;
}

/** The headers to send beside those of a request: another signature each time, as each works once. */
export async function signRequest(
  { method, url, headers, body }: ToSign,
  { secret, keyId, sha256 = wholeSha256, now = Date.now }: Signing,
): Promise<Record<string, string>> {
  const { authorization = '' } = headers;
  const digest = await (typeof body === 'object' ? sha256(openToSign(body)) : sha256Of(body ?? ''));
  const signed = { ...headers, 'content-digest': formatContentDigest(digest) };
  const input = newSignatureInput({
    created: Math.floor(now() / 1_000),
    nonce: crypto.randomUUID(),
    keyId: keyId ?? authorization.slice(-4),
  });
  const own = { ...signed } as Readonly<Record<string, string | undefined>>; // by any name
  const target = new URL(url);
  target.hash = '';
  const base = signatureBase(
    { method, url: target.href, header: (name) => own[name] ?? null },
    input,
  );
  return {
    'content-digest': signed['content-digest'],
    ...signatureHeaders(input, await hmac(secret, base)),
  };
}

function openToSign({ open, isOnce }: Upload): AsyncIterable<Uint8Array> {
  if (!isOnce) return open();
  throw new GovctlError(
    'usage_error',
    'Signing a request requires reading the body twice, but this body can be read only once',
    {
      hint: 'Write standard input to a file, and pass the file.',
    },
  );
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

const sha256Of = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text)));

async function wholeSha256(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunks) parts.push(new Uint8Array(chunk));
  const whole = await new Blob(parts).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest('SHA-256', whole));
}

async function hmac(secret: string, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(text)));
}
