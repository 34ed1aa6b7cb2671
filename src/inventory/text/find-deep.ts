import { closingQuote } from './count-keys.ts';

const quote = 0x22;
const openList = 0x5b;
const closeList = 0x5d;
const openMap = 0x7b;
const closeMap = 0x7d;

/**
 * Where a JSON text first nests lists and maps more than `most` deep; undefined where it never does. One pass, without
 * recursion, so that a text can be refused before it is parsed: JSON.parse takes far longer for brackets than for
 * anything else.
 */
export function findDeep(text: string, most: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = closingQuote(text, at);
    else if (code === openList || code === openMap) {
      depth += 1;
      if (depth > most) return at;
    } else if (code === closeList || code === closeMap) depth -= 1;
  }
  return undefined;
}
