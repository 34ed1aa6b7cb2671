import { createHash, randomUUID } from 'node:crypto';
import { createSigner, httpbis } from 'http-message-signatures';

export interface ToSign {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  readonly keyId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly body?: string | Uint8Array;
  readonly nonce?: string;
  readonly fields?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export const digestOf = (body: string | Uint8Array): string =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

/** The headers of a request that is signed by another implementation of RFC 9421 than ours. */
export async function signedHeaders({
  method,
  url,
  key,
  secret,
  keyId,
  now,
  body = '',
  nonce = randomUUID(),
  fields = ['@method', '@target-uri', 'content-digest', 'authorization'],
  headers = {},
}: ToSign): Promise<Record<string, string>> {
  const signed = await httpbis.signMessage(
    {
      key: createSigner(secret, 'hmac-sha256', keyId),
      fields: [...fields],
      params: ['created', 'keyid', 'alg', 'nonce'],
      paramValues: { created: new Date(now), nonce },
    },
    {
      method,
      url,
      headers: {
        authorization: `Bearer ${key}`,
        'content-digest': digestOf(body),
        ...headers,
      },
    },
  );
  return Object.fromEntries(
    Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
