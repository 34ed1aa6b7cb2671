/** A value of ASN.1 in DER (X.690). */
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

/** The bytes of an object identifier: `1.2.840` and so on. */
export function oidBytes(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (value: number): number[] => {
    const digits = [value % 128];
    for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift(0x80 | (left % 128));
    }
    return digits;
  };
  return Buffer.from([first * 40 + second, ...rest].flatMap(base128));
}
