/** Longer texts are rarely seen twice. */
const longest = 512;
const slotBits = 16;
const slotCount = 1 << slotBits;
/** Bytes of all texts that are known; with more, all are forgotten. */
const arenaSize = 8 * 1024 * 1024;
const word = 4;

/** The texts of fields by their bytes, as most are seen again and decoding takes longer than finding them. Bounded. */
export class TextCache {
  private readonly texts = new Array<string>(slotCount).fill('');
  /** Of each slot: where its bytes are in the arena, plus 1 (0: it is free), and how many. */
  private readonly starts = new Int32Array(slotCount);
  private readonly lengths = new Int32Array(slotCount);
  private readonly arena = new Uint8Array(arenaSize);
  private readonly arenaView = new DataView(this.arena.buffer);
  private used = 0;
  /** Where the text belongs that `get` did not find. */
  private slot = -1;

  /**
   * The text of a field, if it is known.
   * @param view of the bytes
   * @param kind 0 or 1: whether the same bytes may mean another text
   */
  get(view: DataView, start: number, end: number, kind: number): string | undefined {
    const length = end - start;
    this.slot = -1;
    if (length > longest) return undefined;
    const slot = slotOf(view, start, end, kind);
    this.slot = slot;
    const at = (this.starts[slot] ?? 0) - 1;
    if (at < 0 || this.lengths[slot] !== 2 * length + kind) return undefined;
    return isSame(view, start, this.arenaView, at, length) ? this.texts[slot] : undefined;
  }

  /** Keeps the text that the last `get` did not find, which had these bytes. */
  put(bytes: Uint8Array, start: number, end: number, kind: number, text: string): void {
    const { slot } = this;
    if (slot < 0) return;
    if (this.used + end - start > arenaSize) {
      this.starts.fill(0);
      this.used = 0;
    }
    this.arena.set(bytes.subarray(start, end), this.used);
    this.starts[slot] = this.used + 1;
    this.lengths[slot] = 2 * (end - start) + kind;
    this.texts[slot] = text;
    this.used += end - start;
  }
}

/** FNV-1a over words; the last one overlaps that before it. */
function slotOf(view: DataView, start: number, end: number, kind: number): number {
  let hash = Math.imul(2 * (end - start) + kind, 0x9e3779b1);
  if (end - start < word) {
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  } else {
    const last = end - word;
    for (let at = start; at < last; at += word) hash = mixed(hash ^ view.getUint32(at, true));
    hash = mixed(hash ^ view.getUint32(last, true));
  }
  return (hash ^ (hash >>> slotBits)) & (slotCount - 1);
}

function mixed(hash: number): number {
  const product = Math.imul(hash, 0x01000193);
  return product ^ (product >>> 13);
}

function isSame(a: DataView, atA: number, b: DataView, atB: number, length: number): boolean {
  if (length < word) {
    for (let at = 0; at < length; at++) {
      if (a.getUint8(atA + at) !== b.getUint8(atB + at)) return false;
    }
    return true;
  }
  const last = length - word;
  for (let at = 0; at < last; at += word) {
    if (a.getUint32(atA + at) !== b.getUint32(atB + at)) return false;
  }
  return a.getUint32(atA + last) === b.getUint32(atB + last);
}
