import type { ApiKeyInput, ApiKeyRotation, ApiKeyUpdate } from '../../contract/api-keys.ts';
import { defined } from '../../contract/defined.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Actor, Call, Principal } from '../http/call.ts';
import { refuseWider } from '../http/insufficient-scope.ts';
import { checkSameId, invalidField } from '../http/invalid-body.ts';
import { hashSecret, hintOf, newSecret } from '../keys/hashed-secrets.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import type { Reader, Tx } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { makerOf, reachOf } from './authority.ts';
import { apiKeyStates, apiKeys } from './collection.ts';
import type { ApiKeyState, PreviousKey, StoredApiKey } from './collection.ts';

/** Milliseconds before its expiry at which a key is announced to expire. */
const announcedBefore = 14 * 86_400_000;

/** The version for the ETag. Not the record's revision, which other versions of govctl made grow with each use. */
export const versionOf = ({ version = 1 }: Pick<StoredApiKey, 'version'>): number => version;

/** Fields that are answered as they are stored. */
const plainFields = ({
  hash: _h,
  bootstrap: _b,
  break_glass: _g,
  bound_to: _u,
  version: _v,
  signing_secret: _s,
  previous: _p,
  ...key
}: StoredApiKey) => key;

/** An API key as answered: nothing that lets anybody in. @param now absent: without what is over by now */
export function showKey(key: StoredApiKey, state?: ApiKeyState, now?: number) {
  const { scopes, ip_allow_list: list, countries, ...plain } = plainFields(key);
  const until = key.previous?.expires_at;
  const hasPrevious = until !== undefined && now !== undefined && Date.parse(until) > now;
  return {
    ...plain,
    scopes: [...scopes],
    ...(list ? { ip_allow_list: [...list] } : {}),
    ...(countries ? { countries: [...countries] } : {}),
    ...(key.signing_secret === undefined ? {} : { require_signature: true }),
    ...(hasPrevious ? { previous_key_expires_at: until } : {}),
    ...defined({ last_used_at: state?.last_used_at, last_used_ip: state?.last_used_ip }),
  };
}

/**
 * One of the keys that the caller reaches.
 * @throws GovctlError api_key_not_found, insufficient_scope
 */
export function readKey(reader: Reader, principal: Principal, id: string): Awaitable<StoredApiKey> {
  const owner = reachOf(principal);
  return whenKnown(reader.get(apiKeys, id), (found) => {
    if (found && (owner === undefined || found.doc.bound_to === owner)) return found.doc;
    throw new GovctlError('api_key_not_found', `There is no API key ${id.slice(0, 100)}`, {
      hint: 'Use the ID of a key. To list keys, run `govctl api-key list`.',
    });
  });
}

const ownerOf = ({ bound_to }: Pick<StoredApiKey, 'bound_to'>) => defined({ bound_to });

const announcedAt = ({ expires_at: at }: Pick<StoredApiKey, 'expires_at'>) =>
  at === undefined ? {} : { announce_at: Date.parse(at) - announcedBefore };

/** Every key has a state beside it, which comes and goes with it. */
export async function insertKey(tx: Tx, key: StoredApiKey): Promise<void> {
  await tx.insert(apiKeys, key);
  await tx.insert(apiKeyStates, { id: key.id, ...ownerOf(key), ...announcedAt(key) });
}

export const withoutAnnouncement = ({ announce_at: _, ...rest }: ApiKeyState): ApiKeyState => rest;
const withoutOwner = ({ bound_to: _, ...rest }: ApiKeyState): ApiKeyState => rest;

export async function replaceKey(tx: Tx, before: StoredApiKey, after: StoredApiKey): Promise<void> {
  await tx.replace(apiKeys, after);
  const isExpirySame = after.expires_at === before.expires_at;
  if (isExpirySame && after.bound_to === before.bound_to) return;
  const state = (await tx.get(apiKeyStates, after.id))?.doc;
  if (!state) return;
  await tx.replace(apiKeyStates, {
    ...withoutOwner(isExpirySame ? state : withoutAnnouncement(state)),
    ...ownerOf(after),
    ...(isExpirySame ? {} : announcedAt(after)),
  });
}

export async function removeKey(tx: Tx, id: string): Promise<void> {
  await tx.remove(apiKeys, id);
  await tx.remove(apiKeyStates, id);
}

const withoutPrevious = ({ previous: _, ...key }: StoredApiKey) => key;

/** Ends what a user holds of a key: all of it, or only the secret from before a rotation. */
export async function removeHolder(tx: Tx, key: StoredApiKey, userId: string): Promise<void> {
  if (key.bound_to === userId) return removeKey(tx, key.id);
  await replaceKey(tx, key, { ...withoutPrevious(key), version: versionOf(key) + 1 });
}

/** Gives keys of earlier versions, which had their last use in them, a state; and states of earlier versions an owner. */
export async function deriveStates(tx: Tx): Promise<void> {
  for await (const { doc } of allRows(tx, apiKeys, {})) {
    const state = (await tx.get(apiKeyStates, doc.id))?.doc;
    if (state) {
      if (state.bound_to !== doc.bound_to) await tx.replace(apiKeyStates, { ...withoutOwner(state), ...ownerOf(doc) }); // prettier-ignore
      continue;
    }
    const { last_used_at: usedAt, ...key } = doc as StoredApiKey &
      Pick<ApiKeyState, 'last_used_at'>;
    if (usedAt !== undefined) await tx.replace(apiKeys, key);
    const used = defined({ last_used_at: usedAt });
    await tx.insert(apiKeyStates, { id: key.id, ...ownerOf(key), ...used, ...announcedAt(key) });
  }
}

const invalid = (field: string, message: string): GovctlError =>
  invalidField('malformed_request', field, message);

/** @returns the expiry as it is stored. @throws GovctlError malformed_request for an expiry in the past */
function checkExpiry(given: string, now: number): string {
  const at = Date.parse(given);
  if (at <= now) throw invalid('expires_at', 'must be in the future');
  return timestamp(at);
}

/** @throws GovctlError malformed_request where nobody could use the key */
function checkCountries(given: readonly string[] | null | undefined, hasCountries: boolean): void {
  if (!given || hasCountries) return;
  throw invalid(
    'countries',
    'requires a country database; set country_database in the --config file of the server',
  );
}

/** A key, and what is shown of it once. */
export interface NewKey {
  readonly doc: StoredApiKey;
  readonly key: string;
  readonly signing_secret?: string;
}

/** A new secret of a key, as it is stored and as it is shown. */
function newKeySecret({ random, secrets }: Deps, id: string, signs: boolean) {
  const key = newSecret('gk', random);
  const signing = signs ? newSecret('gss', random) : undefined;
  return {
    stored: {
      key_hint: hintOf(key),
      hash: hashSecret(key),
      ...(signing === undefined ? {} : { signing_secret: secrets.seal(signing, id) }),
    },
    shown: { key, ...defined({ signing_secret: signing }) },
  };
}

type KeyCall = Pick<Call, 'actor' | 'principal' | 'checkMatch'>;

/** Keys of a person without `admin`, expired ones too. Each has limits and turns of its own. */
const mostOwn = 20;

/** @throws GovctlError malformed_request */
async function checkRoom(reader: Reader, principal: Principal): Promise<void> {
  const owner = reachOf(principal);
  if (owner === undefined) return;
  if ((await countRows(reader, apiKeys, { owner: { any: [owner] } })) < mostOwn) return;
  throw new GovctlError('malformed_request', `You have ${mostOwn} API keys, which is the maximum`, {
    hint: 'Revoke keys that you no longer use; `govctl api-key list` shows when each was last used.',
  });
}

export interface KeyOptions {
  /** Whether the server knows the countries of addresses. */
  readonly hasCountries: boolean;
}

/** @throws GovctlError malformed_request, insufficient_scope */
export async function createKey(
  deps: Deps,
  tx: Tx,
  { principal, actor }: Pick<KeyCall, 'actor' | 'principal'>,
  input: ApiKeyInput,
  { hasCountries }: KeyOptions,
): Promise<NewKey> {
  const now = deps.clock.now();
  const expiresAt = input.expires_at === undefined ? undefined : checkExpiry(input.expires_at, now);
  checkCountries(input.countries, hasCountries);
  refuseWider(principal, input.scopes, 'An API key');
  await checkRoom(tx, principal);
  const id = deps.ids.next('key');
  const secret = newKeySecret(deps, id, input.require_signature === true);
  const doc: StoredApiKey = {
    id,
    name: input.name,
    user_id: deps.ids.next('user'),
    ...makerOf(principal),
    scopes: [...new Set(input.scopes)],
    ...secret.stored,
    ...defined({ ip_allow_list: input.ip_allow_list, countries: input.countries }),
    created_at: timestamp(now),
    ...defined({ expires_at: expiresAt }),
  };
  await insertKey(tx, doc);
  await announceCreated(deps, tx, actor, doc);
  return { doc, ...secret.shown };
}

/** Writes down that a key was made, and tells of it. */
export async function announceCreated(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  key: StoredApiKey,
  action = 'api_key.create',
): Promise<void> {
  await recordAudit(deps, tx, actor, action, key.id);
  await emit(deps, tx, 'api.key.created', { api_key: showKey(key) });
}

const updatable = ['name', 'expires_at', 'ip_allow_list', 'countries', 'signing_secret'] as const;

/**
 * Updates the given fields; null clears. Writes nothing if nothing changes. An expired key works again once its expiry is
 * in the future.
 * @throws GovctlError api_key_not_found, malformed_request, insufficient_scope, or what `checkMatch` throws
 */
export async function updateKey(
  deps: Deps,
  tx: Tx,
  call: KeyCall,
  { id, update }: { readonly id: string; readonly update: ApiKeyUpdate },
  { hasCountries }: KeyOptions,
): Promise<StoredApiKey> {
  const before = await readKey(tx, call.principal, id);
  call.checkMatch(versionOf(before));
  checkSameId('malformed_request', 'API key', id, update.id);
  checkSameScopes('a key', before.scopes, update.scopes);
  const signing = before.signing_secret;
  if (update.require_signature === true && signing === undefined) {
    throw invalid(
      'require_signature',
      'cannot be enabled by an update, which does not return a signing secret; rotate the key with require_signature',
    );
  }
  const given = {
    name: update.name,
    expires_at: expiryAfter(before.expires_at, update.expires_at, deps.clock.now()),
    ip_allow_list: listAfter(before.ip_allow_list, update.ip_allow_list),
    countries: listAfter(before.countries, update.countries),
    signing_secret: update.require_signature === undefined || update.require_signature ? signing : null, // prettier-ignore
  };
  const after = withoutAbsent({
    ...before,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  }) as StoredApiKey;
  const changed = updatable.filter((field) => after[field] !== before[field]);
  if (changed.length === 0) return before;
  if (after.countries !== before.countries) checkCountries(after.countries, hasCountries);
  checkMayChange(call.principal, before, 'Updating');
  const key = { ...after, version: versionOf(before) + 1 };
  await replaceKey(tx, before, key);
  const said = changed.map((field) => (field === 'signing_secret' ? 'require_signature' : field));
  await recordAudit(deps, tx, call.actor, 'api_key.update', id, said);
  return key;
}

/** @throws GovctlError insufficient_scope */
function checkMayChange(principal: Principal, key: StoredApiKey, doing: string): void {
  refuseWider(principal, key.scopes, `${doing} an API key`);
  if (key.bootstrap !== true || principal.isOperator === true) return;
  throw new GovctlError(
    'insufficient_scope',
    `${doing} the server's own API key requires logging in with that key`,
    {
      hint: 'The operator can also replace it: start the server with --new-api-key.',
    },
  );
}

/** @throws GovctlError malformed_request */
export function checkSameScopes(
  what: string,
  before: readonly Scope[],
  given: readonly Scope[] | undefined,
): void {
  if (!given || asSet(given) === asSet(before)) return;
  throw invalid('scopes', `cannot be changed; omit scopes, or create ${what} with other scopes`);
}

const asSet = (entries: readonly string[]): string => [...new Set(entries)].sort().join(' ');

/** An unchanged expiry may be in the past: clients send back what they read. */
function expiryAfter(
  before: string | undefined,
  given: string | null | undefined,
  now: number,
): string | null | undefined {
  if (given === undefined || given === null) return given;
  const isSame = before !== undefined && Date.parse(given) === Date.parse(before);
  return isSame ? before : checkExpiry(given, now);
}

/** The same list is no other one. */
const listAfter = (
  before: readonly string[] | undefined,
  given: readonly string[] | null | undefined,
): readonly string[] | null | undefined =>
  given && before && asSet(given) === asSet(before) ? before : given;

/**
 * Replaces the secret. The new one is its holder's: nobody gets at more than they have, or acts as somebody else, by
 * rotating the key of another. The old one stays whose it was until it ends.
 * @throws GovctlError api_key_not_found, insufficient_scope, malformed_request of one that has expired, or what `checkMatch` throws
 */
export async function rotateKey(
  deps: Deps,
  tx: Tx,
  call: KeyCall,
  { id, overlap_seconds: overlap, require_signature: signs }: ApiKeyRotation & { readonly id: string }, // prettier-ignore
): Promise<NewKey> {
  const before = await readKey(tx, call.principal, id);
  call.checkMatch(versionOf(before));
  checkMayChange(call.principal, before, 'Rotating');
  const now = deps.clock.now();
  if (before.expires_at !== undefined && Date.parse(before.expires_at) <= now) {
    throw invalid(
      'expires_at',
      `has passed (${before.expires_at}); set a later expires_at before you rotate the key`,
    );
  }
  const secret = newKeySecret(deps, id, signs ?? before.signing_secret !== undefined);
  const doc: StoredApiKey = {
    ...withoutSecret(before),
    ...makerOf(call.principal),
    ...secret.stored,
    ...(overlap > 0 ? { previous: previousOf(before, now + overlap * 1_000) } : {}),
    rotated_at: timestamp(now),
    version: versionOf(before) + 1,
  };
  await replaceKey(tx, before, doc);
  await recordAudit(deps, tx, call.actor, 'api_key.rotate', id);
  return { doc, ...secret.shown };
}

const withoutSecret = ({
  made_by: _m,
  bound_to: _u,
  signing_secret: _s,
  previous: _p,
  ...key
}: StoredApiKey) => key;

const previousOf = (
  { made_by, bound_to, key_hint, hash, signing_secret }: StoredApiKey,
  until: number,
): PreviousKey => ({
  ...defined({ made_by, bound_to, signing_secret }),
  key_hint,
  hash,
  expires_at: timestamp(until),
});
