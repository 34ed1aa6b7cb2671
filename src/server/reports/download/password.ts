import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { Asker } from '../../threads/threads.ts';
import { createTurns } from '../../threads/turns.ts';

/** About 60 ms and 32 MiB on one core: what makes guessing dear (RFC 7914). */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 << 20 } as const;
const saltLength = 16;
const hashLength = 32;

const derive = (password: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // The same text may be typed in several ways; headers carry it as UTF-8.
    scrypt(password.normalize('NFC'), salt, hashLength, cost, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });

/** Of this process, as are the few threads that do it: commits are written and synced with the same ones. */
const hashing = createTurns(1);

/**
 * One after another, as many as callers may ask for.
 * @returns salt and hash, `salt:hash` in base64url, for comparing only
 * @throws the reason of the asker's `signal`
 */
export async function hashPassword(password: string, { owner, signal }: Asker): Promise<string> {
  const leave = await hashing.take(signal, owner);
  const salt = randomBytes(saltLength);
  const hash = await derive(password, salt).finally(leave);
  return `${salt.toString('base64url')}:${hash.toString('base64url')}`;
}

/** Compares in constant time. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [salt = '', expected = ''] = stored.split(':');
  const hash = Buffer.from(expected, 'base64url');
  if (hash.length !== hashLength) return false;
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url')), hash);
}
