import { CellValue } from './cells.ts';

/** Longer texts are rarely seen twice. */
const longest = 512;
const slotBits = 16;
const slotCount = 1 << slotBits;
/** Slots from that of its hash on where a value may be. */
const mostProbes = 4;
/** Bytes of all texts that are known; with more, all are forgotten. */
const arenaSize = 8 * 1024 * 1024;
/** More than the longest text has. */
const kindSize = 1024;
const word = 4;

/** The values of cells by their bytes, as most are seen again and decoding takes longer than finding them. Bounded. */
export class TextCache {
  private readonly values = new Array<CellValue | undefined>(slotCount).fill(undefined);
  /** Of each slot: where its bytes are in the arena, plus 1 (0: it is free); then how many, with their kind. */
  private readonly slots = new Int32Array(2 * slotCount);
  private readonly arena = new Uint8Array(arenaSize);
  private readonly arenaView = new DataView(this.arena.buffer);
  private used = 0;
  /** Where the value belongs that `get` did not find. */
  private slot = -1;

  /**
   * The value of a cell, if it is known.
   * @param view of the bytes
   * @param kind the same bytes of another kind have another value
   */
  get(view: DataView, start: number, end: number, kind: number): CellValue | undefined {
    const length = end - start;
    this.slot = -1;
    if (length > longest) return undefined;
    const { slots } = this;
    const home = slotOf(view, start, end, kind);
    for (let probe = 0; probe < mostProbes; probe++) {
      const slot = (home + probe) & (slotCount - 1);
      const at = (slots[2 * slot] ?? 0) - 1;
      if (at < 0) {
        this.slot = slot;
        return undefined;
      }
      if (
        slots[2 * slot + 1] === kind * kindSize + length &&
        isSame(view, start, this.arenaView, at, length)
      ) {
        return this.values[slot];
      }
    }
    this.slot = home;
    return undefined;
  }

  /** Keeps the value that the last `get` did not find, which had these bytes. */
  put(bytes: Uint8Array, start: number, end: number, kind: number, text: string): CellValue {
    const value = new CellValue(text);
    const { slot } = this;
    if (slot < 0) return value;
    if (this.used + end - start > arenaSize) {
      this.slots.fill(0);
      this.used = 0;
    }
    this.arena.set(bytes.subarray(start, end), this.used);
    this.slots[2 * slot] = this.used + 1;
    this.slots[2 * slot + 1] = kind * kindSize + end - start;
    this.values[slot] = value;
    this.used += end - start;
    return value;
  }
}

/** FNV-1a over words; the last one overlaps that before it. */
function slotOf(view: DataView, start: number, end: number, kind: number): number {
  let hash = Math.imul(kind * kindSize + end - start, 0x9e3779b1);
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

/** Whether bytes are the same. */
export function isSame(
  a: DataView,
  atA: number,
  b: DataView,
  atB: number,
  length: number,
): boolean {
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
