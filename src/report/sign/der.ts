/** A value of ASN.1 in its one encoding (X.690, DER). */
export type Der = Uint8Array;

/** Of the values that signatures are made of. */
export const tags = {
  integer: 0x02,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[0]`, holding others. */
  context0: 0xa0,
} as const;

function tagged(tag: number, ...contents: readonly Uint8Array[]): Der {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag, ...lengthBytes(body.length)), body]);
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...items: readonly Der[]): Der => tagged(tags.sequence, ...items);
/** In the order of their bytes, as DER has it. */
export const setOf = (...items: readonly Der[]): Der => tagged(tags.set, ...inOrder(items));
export const octets = (bytes: Uint8Array): Der => tagged(tags.octets, bytes);
export const nothing = (): Der => tagged(tags.null);
/** @param value 0 to 127 */
export const smallInteger = (value: number): Der => tagged(tags.integer, Buffer.of(value));
/** What stands for `[n]`, holding others. */
export const context = (n: number, ...contents: readonly Uint8Array[]): Der =>
  tagged(0xa0 | n, ...contents);
/** The contents of a SET under another tag. */
export const contextSet = (n: number, ...items: readonly Der[]): Der =>
  context(n, ...inOrder(items));

const inOrder = (items: readonly Der[]): readonly Der[] =>
  items.toSorted((a, b) => Buffer.compare(a, b));

/** @param dotted as in `1.2.840.113549` */
export const oid = (dotted: string): Der => tagged(tags.oid, oidBytes(dotted));

/** The contents of an object identifier. */
export function oidBytes(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return Buffer.from([first * 40 + second, ...rest].flatMap(base128));
}

function base128(value: number): readonly number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(0x80 | (rest % 128));
  }
  return bytes;
}

/** To the second. As RFC 5652 asks: two digits of the year up to 2049. */
export function time(at: Date): Der {
  const digits = at
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/\D/g, '');
  const year = at.getUTCFullYear();
  return year >= 1950 && year < 2050
    ? tagged(tags.utcTime, Buffer.from(`${digits.slice(2)}Z`, 'latin1'))
    : tagged(tags.generalizedTime, Buffer.from(`${digits}Z`, 'latin1'));
}

/** A value that was read. */
export interface DerValue {
  readonly tag: number;
  readonly body: Uint8Array;
  /** With its tag and length. */
  readonly whole: Uint8Array;
}

/** The value a text of bytes begins with; undefined where it is cut off or no DER. */
export function readDer(bytes: Uint8Array): DerValue | undefined {
  const [tag, first] = bytes;
  // Tags over 30 are in no signature.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined;
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || count > 4) return undefined;
  let length = first < 0x80 ? first : 0;
  for (let at = 0; at < count; at++) length = length * 256 + (bytes[2 + at] ?? 0);
  const from = 2 + count;
  if (from + length > bytes.length) return undefined;
  return {
    tag,
    body: bytes.subarray(from, from + length),
    whole: bytes.subarray(0, from + length),
  };
}

/** The values within one. Ends where what is left is none. */
export function itemsOf({ body }: DerValue): readonly DerValue[] {
  const items: DerValue[] = [];
  for (let rest = body; rest.length > 0;) {
    const item = readDer(rest);
    if (!item) break;
    items.push(item);
    rest = rest.subarray(item.whole.length);
  }
  return items;
}
