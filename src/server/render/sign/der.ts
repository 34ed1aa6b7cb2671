/** A value of ASN.1 in its one encoding (X.690, DER). */
export type Der = Uint8Array;

const tags = {
  integer: 0x02,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
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
export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(tags.oid, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
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

/** The values within a constructed one, each with its tag and length. */
export function itemsOf(der: Der): readonly Der[] {
  const { from, to } = bodyOf(der, 0);
  const items: Der[] = [];
  for (let at = from; at < to;) {
    const end = bodyOf(der, at).to;
    items.push(der.subarray(at, end));
    at = end;
  }
  return items;
}

function bodyOf(der: Der, at: number): { readonly from: number; readonly to: number } {
  const first = der[at + 1] ?? 0;
  const count = first < 0x80 ? 0 : first & 0x7f;
  let length = first < 0x80 ? first : 0;
  for (let n = 0; n < count; n++) length = length * 256 + (der[at + 2 + n] ?? 0);
  const from = at + 2 + count;
  const to = from + length;
  if (to > der.length) throw new Error('a DER value is cut off');
  return { from, to };
}
