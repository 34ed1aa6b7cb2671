import { checkSameId, invalidField } from '../http/invalid-body.ts';
import type { ApiKeyUpdate } from '../../contract/api-keys.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Changer } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Reader, Tx } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { apiKeys } from './collection.ts';
import type { StoredApiKey } from './collection.ts';

/** The version for the ETag. Not the record's revision, which changes with every use of the key. */
export const versionOf = ({ version = 1 }: StoredApiKey): number => version;

/** @throws GovctlError api_key_not_found */
export const readKey = (reader: Reader, id: string): Awaitable<StoredApiKey> =>
  whenKnown(reader.get(apiKeys, id), (found) => {
    if (found) return found.doc;
    throw new GovctlError('api_key_not_found', `There is no API key ${id.slice(0, 100)}`);
  });

const invalid = (field: string, message: string): GovctlError =>
  invalidField('malformed_request', field, message);

/** @returns the expiry as it is stored. @throws GovctlError malformed_request for an expiry in the past */
export function checkExpiry(given: string, now: number): string {
  const at = Date.parse(given);
  if (at <= now) throw invalid('expires_at', 'must be in the future');
  return timestamp(at);
}

/**
 * Updates the given fields; null clears. Writes nothing if nothing changes. An expired key works again once its expiry is
 * in the future.
 * @throws GovctlError api_key_not_found, malformed_request, or what `checkMatch` throws
 */
export async function updateKey(
  deps: Deps,
  tx: Tx,
  call: Changer,
  { id, update }: { readonly id: string; readonly update: ApiKeyUpdate },
): Promise<StoredApiKey> {
  const before = await readKey(tx, id);
  call.checkMatch(versionOf(before));
  checkSameId('malformed_request', 'API key', id, update.id);
  const { name = before.name, scopes = before.scopes } = update;
  if (asSet(scopes) !== asSet(before.scopes)) {
    throw invalid('scopes', 'cannot change; omit them, or create a key with other scopes');
  }
  const expiresAt = expiryAfter(before.expires_at, update.expires_at, deps.clock.now());
  const changed = [
    ...(name === before.name ? [] : ['name']),
    ...(expiresAt === before.expires_at ? [] : ['expires_at']),
  ];
  if (changed.length === 0) return before;
  const version = versionOf(before) + 1;
  const key = withoutAbsent({ ...before, name, expires_at: expiresAt, version }) as StoredApiKey;
  await tx.replace(apiKeys, key);
  await recordAudit(deps, tx, call.actor, 'api_key.update', id, changed);
  return key;
}

const asSet = (scopes: readonly Scope[]): string => [...new Set(scopes)].sort().join(' ');

/** An unchanged expiry may be in the past: clients send back what they read. */
function expiryAfter(
  before: string | undefined,
  given: string | null | undefined,
  now: number,
): string | undefined {
  if (given === undefined) return before;
  if (given === null) return undefined;
  const isSame = before !== undefined && Date.parse(given) === Date.parse(before);
  return isSame ? before : checkExpiry(given, now);
}
