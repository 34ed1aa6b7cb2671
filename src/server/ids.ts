type IdPrefix = 'pol' | 'key' | 'user' | 'tok' | 'aud' | 'req' | 'oc';

export interface Ids {
  /** `<prefix>_` and a lower-case ULID; later ids sort after earlier ones, also within a millisecond. */
  next(prefix: IdPrefix): string;
}

// Crockford's alphabet, https://github.com/ulid/spec
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** ULIDs: 48 bits of milliseconds, then 80 random bits that count up within the same millisecond. */
export function createIds(clock: { now(): number }, random: (bytes: number) => Uint8Array): Ids {
  let lastMs = -1;
  let head = '';
  let digits = new Uint8Array(16);
  const next = (): string => {
    const now = clock.now();
    if (now > lastMs) {
      lastMs = now;
      head = encodeTime(now);
      digits = random(16).map((byte) => byte & 31);
      digits[0] = (digits[0] ?? 0) & 15; // room to count up
    } else {
      for (let at = 15; at >= 0; at--) {
        const digit = (digits[at] ?? 0) + 1;
        digits[at] = digit & 31;
        if (digit < 32) break;
      }
    }
    let tail = '';
    for (const digit of digits) tail += alphabet[digit];
    return head + tail;
  };
  return { next: (prefix) => `${prefix}_${next()}` };
}

function encodeTime(ms: number): string {
  let text = '';
  for (let left = ms, at = 0; at < 10; at++) {
    text = alphabet[left % 32] + text;
    left = Math.floor(left / 32);
  }
  return text;
}
