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
    // FNV-1a.
    let hash = hasEscapes ? 0x811c9dc4 : 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    const slot = (hash ^ (hash >>> slotBits)) & ((1 << slotBits) - 1);
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

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
};
