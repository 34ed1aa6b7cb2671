import { exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'jose';
import { recordAudit } from '../audit/service.ts';
import type { Actor } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { allRows } from '../store/all-rows.ts';
import { oauthKeys } from './collection.ts';
import type { StoredOauthKey } from './collection.ts';

/** So many are published: the newest signs, the older ones verify what they signed. */
const mostKeys = 3;

/**
 * The private keys of ID tokens (ES256), the newest first; makes the first one.
 * @throws Error where they were sealed with another secret key
 */
export async function readSigningKeys(deps: Deps): Promise<readonly JWK[]> {
  const stored = await newestFirst(deps);
  if (stored.length === 0) {
    await addSigningKey(deps);
    return readSigningKeys(deps);
  }
  return stored.map(({ id, sealed }) => JSON.parse(deps.secrets.open(sealed, id)) as JWK); // as it was sealed
}

/** Signs with a new key from now on. ID tokens that older keys signed stay valid. */
export async function rotateSigningKey(deps: Deps, actor: Actor): Promise<string> {
  const id = await addSigningKey(deps);
  await deps.store.transact(async (tx) => {
    const surplus = (await newestFirst({ store: tx })).slice(mostKeys);
    for (const key of surplus) await tx.remove(oauthKeys, key.id);
    await recordAudit(deps, tx, actor, 'signing_key.rotate', id);
  });
  return id;
}

async function addSigningKey({ store, ids, secrets, clock }: Deps): Promise<string> {
  const id = ids.next('jwk');
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(privateKey)), kid: id, alg: 'ES256', use: 'sig' };
  const sealed = secrets.seal(JSON.stringify(jwk), id);
  await store.transact((tx) =>
    tx.insert(oauthKeys, { id, sealed, created_at: timestamp(clock.now()) }),
  );
  return id;
}

async function newestFirst({
  store,
}: {
  readonly store: Parameters<typeof allRows>[0];
}): Promise<readonly StoredOauthKey[]> {
  const found: StoredOauthKey[] = [];
  for await (const { doc } of allRows(store, oauthKeys, {})) found.push(doc);
  // IDs are in the order of their making.
  return found.reverse();
}
