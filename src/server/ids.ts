type IdPrefix =
  | 'pol'
  | 'viol'
  | 'scan'
  | 'rem'
  | 'exm'
  | 'evt'
  | 'wh'
  | 'dlv'
  | 'rpt'
  | 'lnk'
  | 'dwn'
  | 'evd'
  | 'utl'
  | 'evm'
  | 'sch'
  | 'run'
  | 'job'
  | 'flt'
  | 'key'
  | 'user'
  | 'ses'
  | 'tok'
  | 'aud'
  | 'req'
  | 'oc'
  | 'imp'
  | 'cst'
  | 'anm'
  | 'bud'
  | 'rsz'
  | 'unu'
  | 'jwk'
  | 'trust';

export interface Ids {
  /** `<prefix>_` and a lower-case ULID; later ids sort after earlier ones, also within a millisecond. */
  next(prefix: IdPrefix): string;
}

// Crockford's alphabet, https://github.com/ulid/spec
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Digits that count up within a millisecond: 2^25 ids. The digits before them stay as they are. */
const counted = 5;

/** Milliseconds that one call for randomness lasts: such calls cost more than the rest of an id. */
const drawn = 256;

/** ULIDs: 48 bits of milliseconds, then 80 random bits whose last ones count up within the same millisecond. */
export function createIds(clock: { now(): number }, random: (bytes: number) => Uint8Array): Ids {
  let ms = -1;
  let head = '';
  let count = 0;
  let pool: Uint8Array = new Uint8Array();
  const draw = (): Uint8Array => {
    if (pool.length === 0) pool = random(16 * drawn);
    const bytes = pool.subarray(0, 16);
    pool = pool.subarray(16);
    return bytes;
  };
  const begin = (now: number): void => {
    ms = now;
    head = encode(ms, 10);
    const bytes = draw();
    for (const byte of bytes.subarray(counted)) head += alphabet[byte & 31];
    // The counter starts in the lower half of its range, so that it has room.
    count = 0;
    for (const byte of bytes.subarray(0, counted)) count = count * 32 + (byte & 31);
    count = Math.floor(count / 2);
  };
  return {
    next(prefix) {
      const now = clock.now();
      count += 1;
      if (now > ms) begin(now);
      else if (count >= 32 ** counted) begin(ms + 1);
      return `${prefix}_${head}${encode(count, counted)}`;
    },
  };
}

/** The lowest digits of a number, the highest of them first. */
function encode(number: number, digits: number): string {
  let text = '';
  for (let left = number, at = 0; at < digits; at++) {
    text = alphabet[left % 32] + text;
    left = Math.floor(left / 32);
  }
  return text;
}
