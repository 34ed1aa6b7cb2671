import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of a hash, some 16 MiB and 50 ms: saved plans may remain in build artifacts. */
const cost = 16_384;
const form = /^scrypt:16384:([0-9a-f]{32}):([0-9a-f]{64})$/;

/** `scrypt:16384:<salt>:<hash>`, both in hex: only good for recognizing the same value. */
export async function hashVariable(value: string): Promise<string> {
  const salt = randomBytes(16);
  return `scrypt:${cost}:${salt.toString('hex')}:${(await derive(value, salt)).toString('hex')}`;
}

/** Whether this is the hash of the value; false for anything that `hashVariable` did not make. */
export async function isSameVariable(hashed: string, value: string): Promise<boolean> {
  const [, salt, hash] = form.exec(hashed) ?? [];
  if (salt === undefined || hash === undefined) return false;
  return timingSafeEqual(await derive(value, Buffer.from(salt, 'hex')), Buffer.from(hash, 'hex'));
}

const derive = (value: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(value, salt, 32, { N: cost, r: 8, p: 1 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
