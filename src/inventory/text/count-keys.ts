import { maxDepth } from './depth.ts';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const blank = 0x20;

/**
 * The keys that stand in a strict JSON text: its colons outside of texts. Takes no longer than JSON.parse does; where a
 * value has fewer keys than its text, some stood twice.
 */
export function countKeysWritten(text: string): number {
  let keys = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === colon) keys += 1;
    else if (code === quote) at = closingQuote(text, at);
  }
  return keys;
}

/**
 * No fewer than the keys that stand in these bytes of strict JSON: the colons after a quote or a blank. Cheap; where a
 * value has as many keys, none stood twice.
 */
export function mostKeysWritten(bytes: Uint8Array, start: number, end: number): number {
  let keys = 0;
  for (let at = start; at < end; at += 1) {
    if (bytes[at] !== colon) continue;
    const before = bytes[at - 1] ?? 0;
    if (before === quote || before <= blank) keys += 1;
  }
  return keys;
}

/** The next quote with an even number of backslashes before it. */
export function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

/** The keys of all maps in a value; NaN where it nests deeper than `left`. */
export function countKeys(value: unknown, left = maxDepth): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (left === 0) return NaN;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') keys += countKeys(item, left - 1);
    return keys;
  }
  const fields = value as Readonly<Record<string, unknown>>; // parsed, so that `in` gives its own keys only
  for (const key in fields) {
    keys += 1;
    if (typeof fields[key] === 'object') keys += countKeys(fields[key], left - 1);
  }
  return keys;
}
