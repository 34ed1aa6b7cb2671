import { createHash } from 'node:crypto';

export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** JSON with the keys of every object in code-unit order and no white space; undefined is left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => byCodeUnit(a, b)))
      : inner,
  );
}

/** Lower-case hex of the SHA-256 of a text. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Lower-case hex of the SHA-256 over the canonical JSON of a value. */
export const fingerprint = (value: unknown): string => sha256(canonicalJson(value));

/** How much of a content fingerprint a tag carries. */
export const stampOf = (sha256: string): string => sha256.slice(0, 12);
