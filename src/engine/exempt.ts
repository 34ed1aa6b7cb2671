/** A waiver as the engine sees it: from a document in git or from the service. */
export interface Exemption {
  /** The policy's name, key or id. */
  readonly policy: string;
  /** Exact ids, or globs in which `*` stands for any run of characters. */
  readonly resources: readonly string[];
  readonly reason: string;
  readonly owner: string;
  /** The last day it counts, inclusive, UTC: `2026-12-31`. */
  readonly expires: string;
}

/** Milliseconds since the epoch at which an exemption stops counting: the end of its last day. */
export const exemptionEnd = (expires: string): number =>
  Date.parse(`${expires}T00:00:00Z`) + 24 * 3_600_000;

/** Whether an id is the one named, or fits the glob, in time proportional to the length of both. */
export function matchesId(pattern: string, id: string): boolean {
  if (!pattern.includes('*')) return pattern === id;
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (id.length < first.length + last.length || !id.startsWith(first) || !id.endsWith(last)) {
    return false;
  }
  let at = first.length;
  const end = id.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = placeOf(piece, id, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** Characters of a piece times characters of an id up to which `indexOf`, which is faster mostly, is never slow. */
const shortSearch = 1 << 16;

/** As `id.indexOf(piece, from)`, whose time is that of both lengths multiplied where a piece repeats itself. */
function placeOf(piece: string, id: string, from: number): number {
  if (piece.length * (id.length - from) <= shortSearch) return id.indexOf(piece, from);
  const borders = bordersOf(piece);
  let fitting = 0;
  for (let at = from; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    while (fitting > 0 && piece.charCodeAt(fitting) !== unit) fitting = borders[fitting - 1] ?? 0;
    if (piece.charCodeAt(fitting) === unit) fitting += 1;
    if (fitting === piece.length) return at + 1 - fitting;
  }
  return -1;
}

/** Of the first 1, 2, 3 … characters of a piece: how many of their last ones it begins with (Knuth, Morris, Pratt). */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length);
  let fitting = 0;
  for (let at = 1; at < piece.length; at++) {
    const unit = piece.charCodeAt(at);
    while (fitting > 0 && piece.charCodeAt(fitting) !== unit) fitting = borders[fitting - 1] ?? 0;
    if (piece.charCodeAt(fitting) === unit) fitting += 1;
    borders[at] = fitting;
  }
  return borders;
}
