import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from 'node:crypto';
import type { Deps } from '../deps.ts';
import type { Reader } from '../store/store.ts';
import { serverState } from './collection.ts';

/** Signs what the server states about itself, such as where its audit log ends. */
export interface StatementKey {
  /** Lower-case hex of the SHA-256 over the public key as DER (SubjectPublicKeyInfo). */
  readonly id: string;
  /** PEM. */
  readonly publicKey: string;
  /** Base64 of the Ed25519 signature (RFC 8032) over a text as UTF-8. */
  sign(text: string): string;
}

export type FindStatementKey = () => Promise<StatementKey>;

const own = 'statement_signing';

type KeyDeps = Pick<Deps, 'store' | 'secrets' | 'log'>;

/** Whether it has a key, which is sealed. */
export const hasStatementKey = async (store: Reader): Promise<boolean> =>
  (await store.get(serverState, own)) !== undefined;

/** The key that the server makes for itself at its first use. */
export function createStatementKey(deps: KeyDeps): FindStatementKey {
  let found: Promise<StatementKey> | undefined;
  return () => {
    found ??= ownKey(deps).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

/** Of two that make one at once, the first one stored is both's. */
async function ownKey({ store, secrets, log }: KeyDeps): Promise<StatementKey> {
  const open = (sealed: string): StatementKey | undefined => {
    try {
      return fromPem(secrets.open(sealed, own));
    } catch {
      // Sealed with another key: of another server's snapshot, or data that were put together.
      return undefined;
    }
  };
  const kept = (await store.get(serverState, own))?.doc.value;
  const known = kept === undefined ? undefined : open(kept);
  if (known) return known;
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const value = secrets.seal(pem.toString(), own);
  return store.transact(async (tx) => {
    const before = (await tx.get(serverState, own))?.doc.value;
    const theirs = before === undefined ? undefined : open(before);
    if (theirs) return theirs;
    if (before === undefined) await tx.insert(serverState, { id: own, value });
    else {
      log.warn({}, 'the signing key of statements can no longer be read: a new key was created');
      await tx.replace(serverState, { id: own, value });
    }
    return fromPem(pem.toString());
  });
}

function fromPem(pem: string): StatementKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    id: createHash('sha256').update(der).digest('hex'),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}
