import { countValues } from '../../../inventory/count-values.ts';

/** A validated body without the entries of its long lists, and the number of those entries. */
export interface Shell {
  readonly body: unknown;
  readonly lists: readonly { readonly field: string; readonly length: number }[];
}

/** Consecutive entries of one of the body's lists. */
export interface Slice {
  readonly field: string;
  readonly entries: readonly unknown[];
}

/** Maximum values per message: deserializing them takes some milliseconds. */
const valuesAtOnce = 10_000;
const shortList = 100;

/** Splits a body into parts, so that deserializing a part does not block the main thread. */
export function takeApart(body: unknown): { shell: Shell; slices: Generator<Slice> } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { shell: { body, lists: [] }, slices: slicesOf([]) };
  }
  const long = Object.entries(body).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > shortList,
  );
  const rest = { ...body, ...Object.fromEntries(long.map(([field]) => [field, []])) };
  const lists = long.map(([field, { length }]) => ({ field, length }));
  return { shell: { body: rest, lists }, slices: slicesOf(long) };
}

function* slicesOf(lists: readonly (readonly [string, readonly unknown[]])[]): Generator<Slice> {
  for (const [field, all] of lists) {
    let [entries, values]: [unknown[], number] = [[], 0];
    for (const entry of all) {
      entries.push(entry);
      values += countValues(entry);
      if (values < valuesAtOnce) continue;
      yield { field, entries };
      [entries, values] = [[], 0];
    }
    if (entries.length > 0) yield { field, entries };
  }
}

/** Reassembles a body; each call of `add` adds the next slice. */
export function putTogether({ body, lists }: Shell): {
  readonly body: unknown;
  isWhole(): boolean;
  add(slice: Slice): void;
} {
  let missing = lists.reduce((sum, { length }) => sum + length, 0);
  return {
    body,
    isWhole: () => missing === 0,
    add({ field, entries }) {
      missing -= entries.length;
      // In the shell this list is empty.
      (body as Record<string, unknown[]>)[field]?.push(...entries);
    },
  };
}
