import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/** Keeps secrets unreadable at rest. */
export interface SecretBox {
  /** @param owner what the secret belongs to; it can be opened under the same only */
  seal(secret: string, owner: string): string;
  /** @throws Error where the text was changed, or was sealed with another key or for another owner */
  open(sealed: string, owner: string): string;
  /** Tells texts apart, and nothing of them to whoever has not the key. */
  fingerprint(text: string): string;
}

const cipherName = 'aes-256-gcm';
/** Bytes. A random nonce is safe for 2^32 secrets under one key (NIST SP 800-38D, 8.3). */
const nonceLength = 12;
const tagLength = 16;
/** Begins every sealed text: another one is to mean another form. */
const version = 'v1:';

/** Another key than the one that seals, though of the same. */
const fingerprintKey = (key: Uint8Array): Buffer =>
  createHmac('sha256', key).update('govctl fingerprints').digest();

/**
 * Sealed: `v1:` and the base64url of nonce, AES-256-GCM ciphertext and tag; the owner is its associated data.
 * @param key 32 bytes
 */
export const createSecretBox = (
  key: Uint8Array,
  random: (bytes: number) => Uint8Array,
): SecretBox => ({
  seal(secret, owner) {
    const nonce = random(nonceLength);
    const cipher = createCipheriv(cipherName, key, nonce, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(owner));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return version + Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url');
  },
  open(sealed, owner) {
    if (!sealed.startsWith(version)) throw new Error('not an encrypted secret in a known format');
    const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
    if (bytes.length < nonceLength + tagLength) throw new Error('an encrypted secret is truncated');
    const nonce = bytes.subarray(0, nonceLength);
    const decipher = createDecipheriv(cipherName, key, nonce, { authTagLength: tagLength });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(-tagLength));
    const text = bytes.subarray(nonceLength, -tagLength);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  },
  fingerprint: (text) =>
    version + createHmac('sha256', fingerprintKey(key)).update(text).digest('base64url'),
});
