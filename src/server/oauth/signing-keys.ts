import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import { recordAudit } from '../audit/service.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { toJson } from '../json.ts';
import type { Reader, Tx } from '../store/store.ts';
import { oauthKeys } from './collection.ts';
import type { StoredOauthKey } from './collection.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** A key is replaced after so long. */
const rotatedEvery = 90 * day;
/** A key is published so long before it signs. Clients keep what was published for some minutes. */
const publishedBefore = day;
/** A key stays so long after another signs: ID tokens are good for an hour. */
const keptAfter = 2 * hour;
/** Seconds for which clients may keep the published keys. */
export const publishedKeysCached = 300;

/** When it begins to sign, in milliseconds since the epoch. */
const signsFrom = ({ signs_from: from, created_at: made }: StoredOauthKey): number =>
  Date.parse(from ?? made);

/** In the order of their making, as their IDs are: there are three at most, but for a rotation that happens to be under way. */
async function readKeys(reader: Reader): Promise<readonly StoredOauthKey[]> {
  const all = { where: {}, orderBy: 'id', direction: 'asc', limit: 100 } as const;
  return (await reader.page(oauthKeys, all)).rows.map(({ doc }) => doc);
}

/** The key that signs first, then the others, which are published only. */
function signerFirst(keys: readonly StoredOauthKey[], now: number): readonly StoredOauthKey[] {
  const signer = keys.findLast((key) => signsFrom(key) <= now) ?? keys[0];
  return signer ? [signer, ...keys.filter((key) => key !== signer)] : [];
}

/** The private keys of ID tokens (ES256). */
export interface SigningKeys {
  /** Changes whenever another key signs, or is published. */
  readonly state: string;
  /** The one that signs is the first. @throws Error where they were sealed with another secret key */
  open(): readonly JWK[];
}

/** Makes the first key: of two that do at once, the first one stored is both's. */
export async function readSigningKeys(deps: Deps): Promise<SigningKeys> {
  const { store, secrets, clock } = deps;
  let stored = await readKeys(store);
  if (stored.length === 0) {
    stored = await store.transact(async (tx) => {
      const before = await readKeys(tx);
      return before.length > 0 ? before : [await addKey(deps, tx, clock.now())];
    });
  }
  const keys = signerFirst(stored, clock.now());
  return {
    state: keys.map(({ id }) => id).join(' '),
    open: () => keys.map(({ id, sealed }) => JSON.parse(secrets.open(sealed, id)) as JWK), // as it was sealed
  };
}

async function addKey(
  { ids, secrets, clock }: Deps,
  tx: Tx,
  signsFrom: number,
): Promise<StoredOauthKey> {
  const id = ids.next('jwk');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: id, alg: 'ES256', use: 'sig' };
  const key: StoredOauthKey = {
    id,
    sealed: secrets.seal(JSON.stringify(jwk), id),
    created_at: timestamp(clock.now()),
    signs_from: timestamp(signsFrom),
  };
  await tx.insert(oauthKeys, key);
  return key;
}

/**
 * Publishes a new key, unless one waits to sign already: a key signs a day after it was published.
 * @param dropOld the new key signs at once, and the others are withdrawn
 */
async function rotate(deps: Deps, tx: Tx, dropOld: boolean): Promise<StoredOauthKey> {
  const now = deps.clock.now();
  const before = await readKeys(tx);
  if (dropOld) {
    for (const { id } of before) await tx.remove(oauthKeys, id);
    return addKey(deps, tx, now);
  }
  const waiting = before.find((key) => signsFrom(key) > now);
  // Who has never signed anything has nobody who keeps its keys.
  return waiting ?? addKey(deps, tx, before.length === 0 ? now : now + publishedBefore);
}

/** Keys to withdraw: another has signed since before the last ID tokens of theirs ended. */
const outlived = (keys: readonly StoredOauthKey[], now: number): readonly StoredOauthKey[] =>
  keys.filter((_, at) => keys.slice(at + 1).some((newer) => signsFrom(newer) + keptAfter <= now));

/** Publishes a new key every 90 days, and withdraws those that are no longer needed. Of several servers, one does. */
export async function maintainSigningKeys(deps: Deps): Promise<void> {
  const isOld = (keys: readonly StoredOauthKey[], now: number): boolean => {
    const newest = keys.at(-1);
    return newest !== undefined && Date.parse(newest.created_at) + rotatedEvery <= now;
  };
  // Outside a transaction first: usually there is nothing to do.
  const seen = await readKeys(deps.store);
  const now = deps.clock.now();
  if (!isOld(seen, now) && outlived(seen, now).length === 0) return;
  const made = await deps.store.transact(async (tx) => {
    const keys = await readKeys(tx);
    for (const { id } of outlived(keys, now)) await tx.remove(oauthKeys, id);
    return isOld(keys, now) ? rotate(deps, tx, false) : undefined;
  });
  if (made) deps.log.info({ kid: made.id, signs_from: made.signs_from }, 'a new key for ID tokens was published'); // prettier-ignore
}

export const idTokenKeyHandlers = (deps: Deps): Handlers['idTokenKeys'] => ({
  rotate: ({ body }, call) =>
    call.transact(async (tx) => {
      const { drop_old: dropOld } = body;
      const key = await rotate(deps, tx, dropOld);
      const how = dropOld ? ['drop_old'] : [];
      await recordAudit(deps, tx, call.actor, 'id_token_key.rotate', key.id, how);
      const { id, created_at } = key;
      return { body: toJson({ id, created_at, signs_from: timestamp(signsFrom(key)) }) };
    }),
});
