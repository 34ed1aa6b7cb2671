import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** @returns undefined where a text is not the PEM of a public Ed25519 key */
export function readPublicKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' && !pem.includes('PRIVATE KEY') ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Lower-case hex of the SHA-256 of a public key as DER. */
export const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
