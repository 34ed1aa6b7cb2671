/** Longer texts are rarely seen twice. */
const longest = 512;
const slotBits = 16;

/** The texts of fields by their bytes, as most are seen again and decoding takes longer than finding them. Bounded: a text takes the place of another. */
export class TextCache {
  private readonly raws = new Array<string | undefined>(1 << slotBits).fill(undefined);
  private readonly texts = new Array<string | undefined>(1 << slotBits).fill(undefined);
  /** Where the text belongs that `get` did not find. */
  private slot = -1;

  /** The text of a field, if it is known. @param hasEscapes whether quotes are written twice in it */
  get(bytes: Uint8Array, start: number, end: number, hasEscapes: boolean): string | undefined {
    this.slot = -1;
    const length = end - start;
    if (length > longest) return undefined;
    const slot = slotOf(bytes, start, end, hasEscapes);
    this.slot = slot;
    const raw = this.raws[slot];
    if (raw?.length !== length) return undefined;
    for (let at = 0; at < length; at++) {
      if (raw.charCodeAt(at) !== bytes[start + at]) return undefined;
    }
    const text = this.texts[slot];
    // One that is written with other quotes has the same bytes.
    return (text !== raw) === hasEscapes ? text : undefined;
  }

  /** Keeps the text that the last `get` did not find. @param raw as it is written */
  put(raw: string, text: string): void {
    const { slot } = this;
    // Only ASCII can be compared with bytes.
    if (slot < 0 || !isAscii(raw)) return;
    this.raws[slot] = raw;
    this.texts[slot] = text;
  }
}

/** Bytes at the end, where texts such as ARNs differ, that all count; of those before, each n-th. */
const allOf = 12;
const eachOf = 4;

/** FNV-1a. */
function slotOf(bytes: Uint8Array, start: number, end: number, hasEscapes: boolean): number {
  let hash = Math.imul(end - start, 0x9e3779b1) ^ (hasEscapes ? 0x811c9dc4 : 0x811c9dc5);
  const tail = Math.max(start, end - allOf);
  for (let at = start; at < tail; at += eachOf) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  }
  for (let at = tail; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> slotBits)) & ((1 << slotBits) - 1);
}

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
};
