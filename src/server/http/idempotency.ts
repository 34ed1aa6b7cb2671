import { hash } from 'node:crypto';
import { GovctlError } from '../../contract/errors.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Answer } from './call.ts';
import type { Deps } from '../deps.ts';
import type { CollectionSpec, Tx } from '../store/store.ts';

/** How long an answer is kept for a repeat. */
const keptMs = 24 * 3_600_000;
const longestKey = 255;

interface IdempotencyRecord {
  /** Owner and key. */
  readonly id: string;
  /** Of method, path and body, which may hold a password: only the server's key makes it. */
  readonly fingerprint: string;
  /** Absent where the answer carried a secret. */
  readonly answer?: Answer;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

export const idempotencyKeys: CollectionSpec<IdempotencyRecord> = {
  name: 'idempotency_keys',
  order: { expires_at: (record) => record.expires_at },
};

export interface OneTime {
  readonly key: string;
  /** Method, path and body; known once that has been read. */
  readonly request: () => string;
  readonly secret: boolean;
}

/** @throws GovctlError malformed_request when the key is empty, too long or not printable ASCII */
export function oneTime(key: string, secret: boolean, request: () => string): OneTime {
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > longestKey) {
    throw new GovctlError(
      'malformed_request',
      `The Idempotency-Key must be 1 to ${longestKey} printable ASCII characters without spaces`,
    );
  }
  return { key, secret, request };
}

/** Whether a record is of this request. */
const isOf = ({ secrets }: Deps, { fingerprint }: IdempotencyRecord, request: string): boolean =>
  fingerprint === secrets.fingerprint(request) ||
  // Of a day ago at most, where an earlier version wrote it.
  fingerprint === hash('sha256', request, 'base64url');

const recordOf = (owner: string, key: string): string => `${owner} ${key}`;

/** Whether an answer is kept for this owner and key. */
export const isAnswered = (deps: Deps, owner: string, { key }: OneTime): Awaitable<boolean> =>
  whenKnown(
    deps.store.get(idempotencyKeys, recordOf(owner, key)),
    (seen) => seen !== undefined && seen.doc.expires_at > deps.clock.now(),
  );

/**
 * What this request was answered before; undefined: it is the first.
 * @throws GovctlError idempotency_key_reused
 */
export const storedAnswer = (
  deps: Deps,
  owner: string,
  { key, request }: OneTime,
): Awaitable<Answer | undefined> =>
  whenKnown(deps.store.get(idempotencyKeys, recordOf(owner, key)), (seen) =>
    seen && seen.doc.expires_at > deps.clock.now() ? replay(deps, seen.doc, request()) : undefined,
  );

/** Keys whose requests act in more than one transaction, and are under way in this process. */
export interface KeysUnderWay {
  /** Resolves when no other request has the key of this owner. @returns lets the next one have it */
  take(owner: string, once: OneTime): Promise<() => void>;
}

export function createKeysUnderWay(): KeysUnderWay {
  const ends = new Map<string, Promise<void>>();
  return {
    async take(owner, { key }) {
      const id = recordOf(owner, key);
      for (let other = ends.get(id); other; other = ends.get(id)) await other;
      let end = (): void => undefined;
      ends.set(id, new Promise((resolve) => (end = resolve)));
      return () => {
        ends.delete(id);
        end();
      };
    },
  };
}

/**
 * Runs a change once per owner and key: the answer is stored in the change's own transaction, so neither a crash nor
 * a duplicate at the same moment can make it happen twice.
 */
export async function runOnce<B extends string | undefined>(
  deps: Deps,
  tx: Tx,
  owner: string,
  { key, request: requestNow, secret }: OneTime,
  work: (tx: Tx) => Promise<Answer<B>>,
): Promise<Answer<B>> {
  const id = recordOf(owner, key);
  const request = requestNow();
  const now = deps.clock.now();
  const seen = (await tx.get(idempotencyKeys, id))?.doc;
  // Stored under the same method and path, so by the same handler.
  if (seen && seen.expires_at > now) return replay(deps, seen, request) as Answer<B>;
  const answer = await work(tx);
  const fingerprint = deps.secrets.fingerprint(request);
  const record = { id, fingerprint, ...(secret ? {} : { answer }), expires_at: now + keptMs };
  await (seen ? tx.replace(idempotencyKeys, record) : tx.insert(idempotencyKeys, record));
  return answer;
}

function replay(deps: Deps, seen: IdempotencyRecord, request: string): Answer {
  if (!isOf(deps, seen, request)) {
    throw reused('was used for another request within 24 hours; use a new key for each change');
  }
  if (!seen.answer) {
    throw reused(
      'was used for this request before; its response contained a secret and was not stored',
    );
  }
  return { ...seen.answer, headers: { ...seen.answer.headers, 'Idempotent-Replayed': 'true' } };
}

const reused = (why: string): GovctlError =>
  new GovctlError('idempotency_key_reused', `The Idempotency-Key ${why}`);
