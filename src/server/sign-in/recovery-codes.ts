import { hashSecret } from '../keys/hashed-secrets.ts';
import { base32 } from './totp.ts';

const codes = 10;
/** 80 bits: enough for a hash without salt. */
const bytesOfCode = 10;

/** `abcd-efgh-ijkl-mnop`, ten of them; and their hashes, to be stored. */
export function newRecoveryCodes(random: (bytes: number) => Uint8Array): {
  readonly codes: readonly string[];
  readonly hashes: readonly string[];
} {
  const made = Array.from({ length: codes }, () => base32(random(bytesOfCode)).toLowerCase());
  return {
    codes: made.map((code) => (code.match(/.{4}/g) ?? []).join('-')),
    hashes: made.map(hashSecret),
  };
}

/** The codes that are left when one is used. Undefined: it is none of them. */
export function useRecoveryCode(
  hashes: readonly string[],
  given: string,
): readonly string[] | undefined {
  const hash = hashSecret(given.replace(/[\s-]/g, '').toLowerCase());
  return hashes.includes(hash) ? hashes.filter((one) => one !== hash) : undefined;
}
