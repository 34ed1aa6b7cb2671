import { ReadError } from '../read/place.ts';
import { measures } from './rows.ts';

/** Charges of a day of a period that were put aside. */
export interface Part {
  readonly period: number;
  /** Days since 1970-01-01. */
  readonly day: number;
  rows: number;
  /** Where they stand in the spool, from one byte up to, and without, another. */
  readonly pieces: [start: number, end: number][];
}

interface OpenPart extends Part {
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
}

/** Bytes of a part that are put together, of all parts that are written at once, and that all parts together keep in memory. */
const pieceSize = 64 * 1024;
const writtenAtOnce = 512 * 1024;
const mostKept = 12 * 1024 * 1024;
const firstSize = 512;
const mostParts = 100_000;
const laneCount = 3 * measures.length;

/** Marks of an amount: which lanes are not 0, whether units fit in 32 bits, and whether it is the amount before. */
const [hasUnits, hasNanos, hasAttos, isSmall, isAsBefore] = [1, 2, 4, 8, 16];

/**
 * Puts charges aside by period and day, so that each day can be read by itself afterwards: memory does not grow with their
 * number. Whoever uses it writes what `drain` gives, in order, and reads the pieces of each part again.
 */
export class Spool {
  private readonly parts = new Map<number, OpenPart>();
  private readonly mostOfRow: number;
  private ready: Uint8Array[] = [];
  private readySize = 0;
  private written = 0;
  private kept = 0;

  /** @param width columns of codes */
  constructor(width: number) {
    this.mostOfRow = width * 5 + measures.length * 17;
  }

  /**
   * @param codes of each column
   * @param lanes of each measure: units, nanos, attos
   * @throws ReadError
   */
  add(period: number, day: number, codes: ArrayLike<number>, lanes: Float64Array): void {
    const part = this.partOf(period, day);
    if (part.bytes.length - part.length < this.mostOfRow) this.makeRoom(part);
    const before = part.length;
    part.length = encode(part.bytes, before, codes, lanes);
    part.rows += 1;
    this.kept += part.length - before;
    if (this.kept > mostKept) for (const one of this.parts.values()) this.cut(one);
  }

  /** The bytes to write next, at the end of what was written; undefined: too few yet. */
  drain(isEnd = false): Uint8Array | undefined {
    if (isEnd) for (const part of this.parts.values()) this.cut(part);
    if (this.readySize === 0 || (!isEnd && this.readySize < writtenAtOnce)) return undefined;
    const all = new Uint8Array(this.readySize);
    let at = 0;
    for (const piece of this.ready) {
      all.set(piece, at);
      at += piece.length;
    }
    this.ready = [];
    this.readySize = 0;
    return all;
  }

  /** By period and day, after all was drained. */
  finished(): readonly Part[] {
    const all = [...this.parts.values()].sort((a, b) => a.period - b.period || a.day - b.day);
    for (const part of all) part.bytes = new Uint8Array(0);
    return all;
  }

  private partOf(period: number, day: number): OpenPart {
    const key = period * 100_000 + day;
    const known = this.parts.get(key);
    if (known) return known;
    if (this.parts.size >= mostParts) {
      throw new ReadError('the billing periods of the files have more than 100,000 days in total');
    }
    const bytes = new Uint8Array(Math.max(firstSize, this.mostOfRow));
    const part = { period, day, rows: 0, pieces: [], bytes, length: 0 };
    this.parts.set(key, part);
    return part;
  }

  private makeRoom(part: OpenPart): void {
    if (part.bytes.length >= pieceSize) {
      this.cut(part);
      return;
    }
    const larger = new Uint8Array(Math.min(pieceSize, 4 * part.bytes.length));
    larger.set(part.bytes.subarray(0, part.length));
    part.bytes = larger;
  }

  private cut(part: OpenPart): void {
    if (part.length === 0) return;
    this.ready.push(part.bytes.slice(0, part.length));
    this.readySize += part.length;
    part.pieces.push([this.written, this.written + part.length]);
    this.written += part.length;
    this.kept -= part.length;
    part.length = 0;
  }
}

/** Writes a row at a byte. @returns the byte after it */
function encode(
  bytes: Uint8Array<ArrayBuffer>,
  from: number,
  codes: ArrayLike<number>,
  lanes: Float64Array,
): number {
  let at = from;
  for (let column = 0; column < codes.length; column++) {
    let code = codes[column] ?? 0;
    while (code >= 0x80) {
      bytes[at++] = (code & 0x7f) | 0x80;
      code >>>= 7;
    }
    bytes[at++] = code;
  }
  for (let lane = 0; lane < laneCount; lane += 3) {
    const units = lanes[lane] ?? 0;
    const nanos = lanes[lane + 1] ?? 0;
    const attos = lanes[lane + 2] ?? 0;
    if (
      lane > 0 &&
      units === lanes[lane - 3] &&
      nanos === lanes[lane - 2] &&
      attos === lanes[lane - 1]
    ) {
      bytes[at++] = isAsBefore;
      continue;
    }
    const small = units === (units | 0);
    bytes[at++] =
      (units === 0 ? 0 : hasUnits) |
      (nanos === 0 ? 0 : hasNanos) |
      (attos === 0 ? 0 : hasAttos) |
      (small ? isSmall : 0);
    if (units !== 0) {
      if (small) at = putWhole(bytes, at, units);
      else {
        new DataView(bytes.buffer).setFloat64(at, units, true);
        at += 8;
      }
    }
    if (nanos !== 0) at = putWhole(bytes, at, nanos);
    if (attos !== 0) at = putWhole(bytes, at, attos);
  }
  return at;
}

function putWhole(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
  return at + 4;
}

const wholeAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) |
  ((bytes[at + 1] ?? 0) << 8) |
  ((bytes[at + 2] ?? 0) << 16) |
  ((bytes[at + 3] ?? 0) << 24);

/** Reads the rows of a piece; `onRow` gets the same arrays each time. */
export function readPiece(
  bytes: Uint8Array,
  width: number,
  onRow: (codes: Uint32Array, lanes: Float64Array) => void,
): void {
  const codes = new Uint32Array(width);
  const lanes = new Float64Array(laneCount);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    for (let column = 0; column < width; column++) {
      let code = 0;
      let shift = 0;
      let byte = bytes[at++] ?? 0;
      while (byte >= 0x80) {
        code |= (byte & 0x7f) << shift;
        shift += 7;
        byte = bytes[at++] ?? 0;
      }
      codes[column] = code | (byte << shift);
    }
    for (let lane = 0; lane < laneCount; lane += 3) {
      const marks = bytes[at++] ?? 0;
      if (marks === isAsBefore) {
        lanes[lane] = lanes[lane - 3] ?? 0;
        lanes[lane + 1] = lanes[lane - 2] ?? 0;
        lanes[lane + 2] = lanes[lane - 1] ?? 0;
        continue;
      }
      lanes[lane] = 0;
      if (marks & hasUnits) {
        if (marks & isSmall) {
          lanes[lane] = wholeAt(bytes, at);
          at += 4;
        } else {
          lanes[lane] = view.getFloat64(at, true);
          at += 8;
        }
      }
      lanes[lane + 1] = 0;
      if (marks & hasNanos) {
        lanes[lane + 1] = wholeAt(bytes, at);
        at += 4;
      }
      lanes[lane + 2] = 0;
      if (marks & hasAttos) {
        lanes[lane + 2] = wholeAt(bytes, at);
        at += 4;
      }
    }
    onRow(codes, lanes);
  }
}
