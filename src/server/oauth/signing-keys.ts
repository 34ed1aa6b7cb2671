import { exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'jose';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { allRows } from '../store/all-rows.ts';
import { oauthKeys } from './collection.ts';

/**
 * The private keys of ID tokens (ES256), the newest first: it signs. Makes the first one.
 * @throws Error where they were sealed with another secret key
 */
export async function readSigningKeys(deps: Deps): Promise<readonly JWK[]> {
  const keys: JWK[] = [];
  for await (const { doc } of allRows(deps.store, oauthKeys, {})) {
    keys.push(JSON.parse(deps.secrets.open(doc.sealed, doc.id)) as JWK); // as it was sealed
  }
  // IDs are in the order of their making.
  return keys.length > 0 ? keys.reverse() : [await addSigningKey(deps)];
}

async function addSigningKey({ store, ids, secrets, clock }: Deps): Promise<JWK> {
  const id = ids.next('jwk');
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(privateKey)), kid: id, alg: 'ES256', use: 'sig' };
  const sealed = secrets.seal(JSON.stringify(jwk), id);
  await store.transact((tx) =>
    tx.insert(oauthKeys, { id, sealed, created_at: timestamp(clock.now()) }),
  );
  return jwk;
}
