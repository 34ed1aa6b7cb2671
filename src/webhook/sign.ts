import { createHmac } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Exactly the bytes that travel. */
export type Body = string | Uint8Array;

/** Text stands for its UTF-8; bytes are the key itself. */
export type Secret = string | Uint8Array;

/** A key that was made ready signs faster. Of `webhook-signature` it is the one that `standardKey` says. */
export type SigningKey = Secret | KeyObject;

/**
 * The value of `X-Service-Signature`: `sha256=` and the lower-case hex HMAC-SHA256 of the raw body, keyed with the secret
 * as UTF-8.
 */
export const signBody = (secret: SigningKey, body: Body): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/**
 * One entry of `webhook-signature`: `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`. A secret of `whsec_` and
 * base64 is the base64 of its key, any other is its own key.
 * @param timestamp Unix time in seconds
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const signMessage = (
  secret: SigningKey,
  id: string,
  timestamp: number,
  body: Body,
): string =>
  `v1,${createHmac('sha256', standardKey(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64')}`;

/** A secret without a key. */
const emptyKey = /^whsec_=*$/;

/** `whsec_` and base64, whose padding may be missing. */
const standardSecret =
  /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}={0,2}|[A-Za-z0-9+/]{3}=?)?)$/;

/** The key of `webhook-signature`. */
export function standardKey<K extends SigningKey>(secret: K): K | Buffer {
  if (typeof secret !== 'string') return secret;
  if (emptyKey.test(secret)) return Buffer.alloc(0);
  const encoded = standardSecret.exec(secret)?.[1];
  return encoded === undefined ? secret : Buffer.from(encoded, 'base64');
}

/** Whether it can be the key of both signatures: what is empty, or becomes so, would let anybody sign. */
export const isUsable = (secret: unknown): secret is Secret =>
  (typeof secret === 'string' || secret instanceof Uint8Array) &&
  secret.length > 0 &&
  standardKey(secret).length > 0;
