import { isUnknown } from '../../attributes/values.ts';
import { countValues } from '../../count-values.ts';
import type { Fields } from './resolver.ts';
import { isFields } from './resolver.ts';

/** Values that loops may make of one template. */
const maxExpanded = 200_000;

const prefix = 'Fn::ForEach::';
export const isLoop = (key: string): boolean => key.startsWith(prefix);

/** An entry of a map after its loops; `from` is the key that stands in the text. */
export interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly from: string;
}

/** Entries of maps, with `Fn::ForEach` written out. What can't be is left as the loop itself, under its own key. */
export function createLoops(
  resolve: (value: unknown) => unknown,
  spend: (characters: number) => boolean,
): (map: Fields, from?: string) => Entry[] {
  let budget = maxExpanded;
  const expand = (map: Fields, from?: string): Entry[] =>
    Object.entries(map).flatMap(([key, value]) => {
      const entry = { key, value, from: from ?? key };
      return isLoop(key) ? (unroll(value, entry.from) ?? [entry]) : [entry];
    });
  const unroll = (loop: unknown, from: string): Entry[] | undefined => {
    const [identifier, collection, body] = (Array.isArray(loop) ? loop : []) as unknown[];
    const items = Array.isArray(collection)
      ? collection.flatMap((item) => resolve(item))
      : resolve(collection);
    if (typeof identifier !== 'string' || !Array.isArray(items) || !isFields(body))
      return undefined;
    if (items.some((item) => isUnknown(item) || typeof item === 'object')) return undefined;
    const size = countValues(body) * items.length;
    if (size > budget) return undefined;
    budget -= size;
    const entries: Entry[] = [];
    for (const item of items) {
      const written = substitute(body, identifier, String(item), spend);
      if (written === undefined) return undefined;
      if (isFields(written)) entries.push(...expand(written, from));
    }
    return entries;
  };
  return expand;
}

/**
 * The body for one item: `${Id}`, `&{Id}` (letters and digits only) and `Ref` of it become the item. Undefined where
 * that takes more than may be spent.
 */
function substitute(
  value: unknown,
  identifier: string,
  item: string,
  spend: (characters: number) => boolean,
): unknown {
  let isSpent = false;
  const inText = (text: string): string => {
    const places = text.split(`{${identifier}}`).length - 1;
    isSpent ||= places > 0 && !spend(text.length + places * item.length);
    if (isSpent || places === 0) return text;
    return text
      .replaceAll(`\${${identifier}}`, () => item)
      .replaceAll(`&{${identifier}}`, () => item.replace(/[^A-Za-z0-9]/g, ''));
  };
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return inText(part);
    if (Array.isArray(part)) return part.map(walk);
    if (!isFields(part)) return part;
    const entries = Object.entries(part);
    if (entries.length === 1 && entries[0]?.[0] === 'Ref' && entries[0][1] === identifier) {
      return item;
    }
    return Object.fromEntries(entries.map(([key, inner]) => [inText(key), walk(inner)]));
  };
  const written = walk(value);
  return isSpent ? undefined : written;
}
