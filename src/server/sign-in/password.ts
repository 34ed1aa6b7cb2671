import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** How dear a hash is (RFC 7914): N is 2 to the power of `logN`. */
export interface Cost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** What OWASP recommends: about a quarter of a second and 64 MiB. */
export const defaultCost: Cost = { logN: 16, r: 8, p: 2 };

const saltLength = 16;
const hashLength = 32;

/** In a thread of the process, as `scrypt` does: the event loop goes on. */
const derive = (password: string, salt: Uint8Array, { logN, r, p }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const N = 2 ** logN;
    scrypt(normal(password), salt, hashLength, { N, r, p, maxmem: 256 * N * r }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });

/** The same text may be typed in several ways. */
const normal = (password: string): string => password.normalize('NFC');

/** @returns with its parameters and salt, for comparing only */
export async function hashPassword(password: string, cost: Cost): Promise<string> {
  const salt = randomBytes(saltLength);
  const hash = await derive(password, salt, cost);
  const { logN, r, p } = cost;
  return `scrypt$${logN}$${r}$${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

const form = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

/**
 * Compares in constant time.
 * @param stored undefined: there is none, which takes as long to find out as that a password is wrong
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
  cost: Cost,
): Promise<boolean> {
  const [, logN, r, p, salt = '', expected = ''] = form.exec(stored ?? '') ?? [];
  const as = logN === undefined ? cost : { logN: Number(logN), r: Number(r), p: Number(p) };
  const hash = await derive(password, Buffer.from(salt, 'base64url'), as);
  const known = Buffer.from(expected, 'base64url');
  return known.length === hashLength && timingSafeEqual(hash, known);
}

/** Whether a hash was made with other parameters than those of today. */
export const isOutdated = (stored: string, { logN, r, p }: Cost): boolean =>
  !stored.startsWith(`scrypt$${logN}$${r}$${p}$`);

const fewestCharacters = 12;
const mostBytes = 256;

/** Longer ones are never right, and are not hashed. */
export const isTooLong = (password: string): boolean =>
  Buffer.byteLength(normal(password)) > mostBytes;

/** What is wrong with a new password, for the person who chose it. Undefined: nothing. */
export function problemWith(password: string, email: string): string | undefined {
  if (isTooLong(password)) return `Choose a password of at most ${mostBytes} bytes`;
  const text = normal(password);
  if ([...text].length < fewestCharacters) {
    return `Choose a password of at least ${fewestCharacters} characters, such as four unrelated words`;
  }
  if (text.trim().toLowerCase() === email) {
    return 'Choose a password that is not your email address';
  }
  return undefined;
}
