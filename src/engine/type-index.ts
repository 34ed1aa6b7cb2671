import { isTypePattern, matchesType, typeKey } from '../contract/resources.ts';

/** Types that are remembered; a hostile input may have as many as it has resources. */
const mostTypes = 10_000;

/**
 * Finds what is about a type: entries of that type and those with a pattern that matches it, in the order given.
 * A type is looked for once, then remembered.
 */
export function createTypeIndex<T>(
  all: readonly T[],
  typeOf: (one: T) => string,
): (type: string) => readonly T[] {
  const exact = new Map<string, number[]>();
  const patterns: { readonly pattern: string; readonly at: number }[] = [];
  for (const [at, one] of all.entries()) {
    const type = typeOf(one);
    if (isTypePattern(type)) patterns.push({ pattern: type, at });
    else {
      const same = exact.get(typeKey(type));
      if (same) same.push(at);
      else exact.set(typeKey(type), [at]);
    }
  }
  const find = (type: string): readonly T[] => {
    const matching = patterns.filter(({ pattern }) => matchesType(pattern, type));
    const found = [...(exact.get(typeKey(type)) ?? []), ...matching.map(({ at }) => at)];
    return found.sort((a, b) => a - b).flatMap((at) => all.slice(at, at + 1));
  };
  const remembered = new Map<string, readonly T[]>();
  return (type) => {
    const known = remembered.get(type);
    if (known) return known;
    const found = find(type);
    if (remembered.size < mostTypes) remembered.set(type, found);
    return found;
  };
}
