import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { permits, scopes } from '../../contract/endpoint.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Actor } from '../http/call.ts';
import type { Tx } from '../store/store.ts';
import { announceCreated, insertKey, removeKey, replaceKey, versionOf } from './api-keys.ts';
import { apiKeys } from './collection.ts';
import type { StoredApiKey } from './collection.ts';
import { hashSecret, hintOf, newSecret } from '../keys/hashed-secrets.ts';
import { hasAny } from '../store/all-rows.ts';

/** What starts and keeps the service, in the audit log. */
const system = { userId: 'system', via: 'system', requestId: 'system' };

/** The folder's own key, where a start has one to show. */
export interface BootstrapKey {
  readonly key: string;
  readonly generated: boolean;
  /** It had been disabled, and works again until a start without it. */
  readonly breakGlass?: true;
}

/**
 * Sees that a data folder has a key to begin with. A given key takes the place of the folder's own (which is also the
 * way back for who lost it, or for owners who cannot sign in); without one, a folder that has no key at all gets a generated
 * one, and one that was brought back is disabled again.
 */
export async function ensureBootstrapKey(
  deps: Deps,
  given: string | undefined,
): Promise<BootstrapKey | undefined> {
  if (given !== undefined) {
    const { break_glass: breakGlass } = await putBootstrapKey(deps, given);
    return { key: given, generated: false, ...defined({ breakGlass }) };
  }
  await deps.store.transact(async (tx) => {
    const own = (await tx.find(apiKeys, 'bootstrap', 'yes'))?.doc;
    if (own?.break_glass) await disable(deps, tx, own, system);
  });
  if (await hasAny(deps.store, apiKeys)) return undefined;
  const key = newSecret('gk', deps.random);
  await putBootstrapKey(deps, key);
  return { key, generated: true };
}

/** The folder's own key lets its holder in: it was neither deleted, nor disabled when the first owner signed in. */
export async function bootstrapKeyWorks({ store }: Deps): Promise<boolean> {
  const own = (await store.find(apiKeys, 'bootstrap', 'yes'))?.doc;
  return own !== undefined && own.disabled_at === undefined;
}

/** @throws GovctlError usage_error when the key can't travel in a header */
export function checkGivenKey(key: string): void {
  if (/^[\x21-\x7e]{8,512}$/.test(key)) return;
  throw new GovctlError('usage_error', 'The API key for the server is not valid', {
    hint: 'Use 8 to 512 printable ASCII characters without spaces, for example from `openssl rand -base64 32`.',
  });
}

/**
 * Disables the folder's own key, as an owner can sign in by now. Call it in the transaction that signs one in completely, with
 * the second factor: at that moment somebody else can do all that the key can. Not one that was brought back at this start.
 */
export async function retireBootstrapKey(deps: Deps, tx: Tx, actor: Actor): Promise<void> {
  const own = (await tx.find(apiKeys, 'bootstrap', 'yes'))?.doc;
  if (!own || own.disabled_at !== undefined || own.break_glass) return;
  await disable(deps, tx, own, actor);
}

async function disable(deps: Deps, tx: Tx, key: StoredApiKey, actor: Actor): Promise<void> {
  const disabled_at = timestamp(deps.clock.now());
  const version = versionOf(key) + 1;
  await replaceKey(tx, key, { ...withoutBreakGlass(key), disabled_at, version });
  await recordAudit(deps, tx, actor, 'api_key.disable', key.id);
}

const withoutBreakGlass = ({ break_glass: _, ...key }: StoredApiKey): StoredApiKey => key;

async function putBootstrapKey(deps: Deps, secret: string): Promise<StoredApiKey> {
  const hash = hashSecret(secret);
  return deps.store.transact(async (tx) => {
    const known = (await tx.find(apiKeys, 'hash', hash))?.doc;
    const all = known !== undefined && scopes.every((scope) => permits(known.scopes, scope));
    if (all && known.bootstrap && isUnrestricted(known)) return known;
    const before = (await tx.find(apiKeys, 'bootstrap', 'yes'))?.doc;
    // A key that is known under another name becomes the folder's own.
    if (known && known.id !== before?.id) await removeKey(tx, known.id);
    const isBroken = before?.disabled_at !== undefined;
    const doc: StoredApiKey = {
      id: before?.id ?? deps.ids.next('key'),
      name: 'bootstrap',
      user_id: before?.user_id ?? deps.ids.next('user'),
      scopes,
      key_hint: hintOf(secret),
      hash,
      bootstrap: true,
      ...(isBroken || before?.break_glass ? { break_glass: true } : {}),
      ...(before && { version: versionOf(before) + 1 }),
      created_at: timestamp(deps.clock.now()),
    };
    await (before ? replaceKey(tx, before, doc) : insertKey(tx, doc));
    const action = before ? 'api_key.replace' : 'api_key.create';
    await announceCreated(deps, tx, system, doc, isBroken ? 'break_glass' : action);
    return doc;
  });
}

/** Works at any time, from anywhere, for the operator. */
const isUnrestricted = (key: StoredApiKey): boolean =>
  [
    key.disabled_at,
    key.expires_at,
    key.ip_allow_list,
    key.countries,
    key.signing_secret,
    key.bound_to,
  ].every((restriction) => restriction === undefined);
