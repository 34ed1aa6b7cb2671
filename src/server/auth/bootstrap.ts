import { GovctlError } from '../../contract/errors.ts';
import { permits, scopes } from '../../contract/endpoint.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { announceCreated, insertKey, removeKey, replaceKey, versionOf } from './api-keys.ts';
import { apiKeys } from './collection.ts';
import type { StoredApiKey } from './collection.ts';
import { hashSecret, hintOf, newSecret } from '../keys/hashed-secrets.ts';
import { hasAny } from '../store/all-rows.ts';

/** What starts and keeps the service, in the audit log. */
const system = { userId: 'system', via: 'system', requestId: 'system' };

/**
 * Sees that a data folder has a key to begin with. A given key takes the place of the folder's own (which is also the
 * way back for who lost it); without one, a folder that has no key at all gets a generated one.
 * @returns the key, where this start has one to show
 */
export async function ensureBootstrapKey(
  deps: Deps,
  given: string | undefined,
): Promise<{ readonly key: string; readonly generated: boolean } | undefined> {
  if (given !== undefined) {
    await putBootstrapKey(deps, given);
    return { key: given, generated: false };
  }
  if (await hasAny(deps.store, apiKeys)) return undefined;
  const key = newSecret('gk', deps.random);
  await putBootstrapKey(deps, key);
  return { key, generated: true };
}

/** @throws GovctlError usage_error when the key can't travel in a header */
export function checkGivenKey(key: string): void {
  if (/^[\x21-\x7e]{8,512}$/.test(key)) return;
  throw new GovctlError('usage_error', 'The API key given can not be used as one', {
    hint: 'Give 8 to 512 printable ASCII characters without spaces; `openssl rand -base64 32` makes a good one.',
  });
}

async function putBootstrapKey(deps: Deps, secret: string): Promise<void> {
  const hash = hashSecret(secret);
  await deps.store.transact(async (tx) => {
    const known = (await tx.find(apiKeys, 'hash', hash))?.doc;
    const all = known !== undefined && scopes.every((scope) => permits(known.scopes, scope));
    if (all && known.bootstrap && isUnrestricted(known)) return;
    const before = (await tx.find(apiKeys, 'bootstrap', 'yes'))?.doc;
    // A key that is known under another name becomes the folder's own.
    if (known && known.id !== before?.id) await removeKey(tx, known.id);
    const doc = {
      id: before?.id ?? deps.ids.next('key'),
      name: 'bootstrap',
      user_id: before?.user_id ?? deps.ids.next('user'),
      scopes,
      key_hint: hintOf(secret),
      hash,
      bootstrap: true,
      ...(before && { version: versionOf(before) + 1 }),
      created_at: timestamp(deps.clock.now()),
    } as const;
    await (before ? replaceKey(tx, before, doc) : insertKey(tx, doc));
    await announceCreated(deps, tx, system, doc, before ? 'api_key.replace' : 'api_key.create');
  });
}

/** Works at any time, from anywhere, for the operator. */
const isUnrestricted = (key: StoredApiKey): boolean =>
  [key.expires_at, key.ip_allow_list, key.countries, key.signing_secret, key.bound_to].every(
    (restriction) => restriction === undefined,
  );
