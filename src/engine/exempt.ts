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

/** Whether an id is the one named, or fits the glob. Linear in the id's length for each `*`-free piece. */
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
    const found = id.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
