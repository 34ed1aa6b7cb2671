import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

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

/** @returns salt and hash, `salt:hash` in base64url, for comparing only */
export async function hashPassword(
  password: string,
  random: (bytes: number) => Uint8Array = randomBytes,
): Promise<string> {
  const salt = Buffer.from(random(saltLength));
  const hash = await derive(password, salt);
  return `${salt.toString('base64url')}:${hash.toString('base64url')}`;
}

/** Compares in constant time. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [salt = '', expected = ''] = stored.split(':');
  const hash = Buffer.from(expected, 'base64url');
  if (hash.length !== hashLength) return false;
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url')), hash);
}
