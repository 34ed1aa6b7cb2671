import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds that a code is shown for. */
const step = 30;
const digits = 6;
/** Steps before and after that a clock may be off by. */
const drift = 1;

/** RFC 4226: the number in the HMAC that its last four bits point to. */
function codeAt(secret: Uint8Array, counter: number, length = digits): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 10 ** length).padStart(length, '0');
}

/** RFC 6238, with SHA-1 and steps of 30 seconds, as all apps have it. @param now milliseconds since the epoch */
export const totpAt = (secret: Uint8Array, now: number, length = digits): string =>
  codeAt(secret, Math.floor(now / 1_000 / step), length);

/**
 * The step that a code belongs to, if it is one of now and of none that was used.
 * @param used the last step whose code was used
 */
export function stepOf(
  secret: Uint8Array,
  code: string,
  { now, used }: { readonly now: number; readonly used: number },
): number | undefined {
  const current = Math.floor(now / 1_000 / step);
  const given = Buffer.from(code);
  for (let at = Math.max(current - drift, used + 1); at <= current + drift; at++) {
    const right = Buffer.from(codeAt(secret, at));
    if (given.length === right.length && timingSafeEqual(given, right)) return at;
  }
  return undefined;
}

// RFC 4648.
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31] ?? '';
    held &= 255;
  }
  return bits > 0 ? text + (alphabet[(held << (5 - bits)) & 31] ?? '') : text;
}

/** What authenticator apps read from a QR code. */
export const totpUri = (secret: Uint8Array, issuer: string, account: string): string =>
  `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
