import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256, enough for secrets that nobody could guess: 43 url-safe characters hold 256 random bits. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');

export const newSecret = (
  prefix: 'gk' | 'gat' | 'gcs' | 'gss' | 'gin' | 'gse' | 'gdv',
  random: (bytes: number) => Uint8Array,
): string => `${prefix}_${Buffer.from(random(32)).toString('base64url')}`;

/** Whether it is made as `newSecret` does, so that nobody hits upon it by trying. */
export const isUnguessable = (secret: string): boolean => /^g(k|at|cs)_[\w-]{43}$/.test(secret);

/** Its last four characters: enough to tell secrets apart. */
export const hintOf = (secret: string): string => secret.slice(-4);

/** In constant time. */
export function matchesHash(secret: string, storedHash: string): boolean {
  const given = Buffer.from(hashSecret(secret));
  const stored = Buffer.from(storedHash);
  return given.length === stored.length && timingSafeEqual(given, stored);
}
