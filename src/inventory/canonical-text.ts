import { isFields } from './json.ts';

/** The same text for the same JSON value, whatever the order of its keys. */
export const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isFields(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? '';

/**
 * Without what stands again just as it is, as in recordings over several pages. Things of one id that differ all stay:
 * it is unknown which one is meant.
 */
export function withoutCopies<T>(
  items: readonly T[],
  idOf: (item: T) => string,
  contentOf: (item: T) => unknown,
): readonly T[] {
  const ids = new Set<string>();
  const repeated = new Set<string>();
  for (const item of items) {
    const id = idOf(item);
    if (ids.has(id)) repeated.add(id);
    else ids.add(id);
  }
  const met = new Set<string>();
  return items.filter((item) => {
    const id = idOf(item);
    if (!repeated.has(id)) return true;
    const text = JSON.stringify([id, canonicalText(contentOf(item))]);
    if (met.has(text)) return false;
    met.add(text);
    return true;
  });
}
