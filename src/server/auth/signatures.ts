import { createHmac, timingSafeEqual } from 'node:crypto';
import { GovctlError } from '../../contract/errors.ts';
import {
  readContentDigest,
  readSignature,
  signatureBase,
  signatureInvalid,
  signatureRequired,
  signatureWindow,
} from '../../contract/request-signature.ts';
import type { RequestSignature, SignableRequest } from '../../contract/request-signature.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { PreviousKey, StoredApiKey } from './collection.ts';

/** Checks the signatures of requests, each of which works once. */
export interface Signatures {
  /**
   * @param secret the one of the key's two that was sent
   * @returns the SHA-256 that the body must have
   * @throws GovctlError signature_required, signature_invalid or rate_limit_exceeded
   */
  check(
    request: SignableRequest,
    key: StoredApiKey,
    secret: StoredApiKey | PreviousKey,
  ): Uint8Array;
}

/** A signature is in the window for so long at most: from its earliest to its latest moment. Milliseconds. */
const rememberedMs = 2 * signatureWindow * 1_000;

/** Nonces that are remembered: of a key as many as requests of all keys are let in within a day, and of all keys. */
const mostOfKey = 100_000;
const mostOfAll = 1_000_000;

/** Signing secrets that are kept unsealed. */
const secretsKept = 256;

export function createSignatures({ clock, secrets }: Pick<Deps, 'clock' | 'secrets'>): Signatures {
  const opened = new Map<string, string>();
  const openSecret = (sealed: string, owner: string): string => {
    let secret = opened.get(sealed);
    if (secret === undefined) {
      secret = secrets.open(sealed, owner);
      if (opened.size >= secretsKept) opened.clear();
      opened.set(sealed, secret);
    }
    return secret;
  };
  const nonces = createNonces(clock);
  return {
    check(request, { id }, { key_hint: hint, signing_secret: sealed = '' }) {
      if (request.header('signature') === null && request.header('signature-input') === null) {
        throw signatureRequired(
          'This API key requires signed requests, and the request has no signature',
          'Sign the request as specified by Accept-Signature (RFC 9421) with the signing secret of the key. For govctl, set GOVCTL_SIGNING_SECRET, or log in again.',
        );
      }
      const signature = readSignature(request, (keyId) => keyId === id || keyId === hint);
      const digest = readContentDigest(request);
      checkTime(signature.created, clock.now());
      const base = signatureBase(request, signature.input);
      const right = createHmac('sha256', openSecret(sealed, id)).update(base).digest();
      if (!isSame(right, signature.signature)) {
        throw signatureInvalid(
          `The signature does not match: it was created with another secret, or for a request other than ${request.method} ${request.url.slice(0, 500)}`,
        );
      }
      nonces.use(id, signature);
      return digest;
    },
  };
}

/** In constant time. */
const isSame = (right: Uint8Array, given: Uint8Array): boolean =>
  right.length === given.length && timingSafeEqual(right, given);

function checkTime(created: number, now: number): void {
  const ahead = created - now / 1_000;
  if (Math.abs(ahead) <= signatureWindow) return;
  const where = ahead > 0 ? 'after' : 'before';
  throw signatureInvalid(
    `The signature was created more than 5 minutes ${where} the server's time, which is ${timestamp(now)}`,
  );
}

/** Remembers nonces for as long as their signatures are in the window. */
function createNonces(clock: Deps['clock']): {
  use(key: string, signature: Pick<RequestSignature, 'nonce' | 'created'>): void;
} {
  const startedAt = clock.now();
  /** By key, in the order in which they came: when each one did. */
  const keys = new Map<string, Map<string, number>>();
  let total = 0;
  let sweptAt = startedAt;
  const forget = (used: Map<string, number>, before: number): void => {
    for (const [nonce, at] of used) {
      if (at >= before) return;
      used.delete(nonce);
      total -= 1;
    }
  };
  /** Also of keys that send nothing any more. */
  const sweep = (before: number): void => {
    for (const [key, used] of keys) {
      forget(used, before);
      if (used.size === 0) keys.delete(key);
    }
  };
  return {
    use(key, { nonce, created }) {
      const now = clock.now();
      if (Math.abs(now - sweptAt) > rememberedMs) {
        sweep(now - rememberedMs);
        sweptAt = now;
      }
      // Those of an earlier process are not known. A clock that was set back says nothing of them.
      if (now >= startedAt && created < Math.floor(startedAt / 1_000)) {
        throw signatureInvalid(
          `The signature was created before the server started at ${timestamp(startedAt)}, so it may have been used already; sign the request again`,
        );
      }
      let used = keys.get(key);
      if (!used) keys.set(key, (used = new Map()));
      forget(used, now - rememberedMs);
      if (used.has(nonce)) {
        throw signatureInvalid('The nonce was used already; sign each request with a new one');
      }
      if (used.size >= mostOfKey || total >= mostOfAll) throw tooMany();
      used.set(nonce, now);
      total += 1;
    },
  };
}

const tooMany = (): GovctlError =>
  new GovctlError('rate_limit_exceeded', 'Too many signed requests within 10 minutes', {
    extra: { retry_after: 60 },
    headers: { 'Retry-After': '60' },
  });
