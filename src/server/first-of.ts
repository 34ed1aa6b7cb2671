import { nextTurn } from './next-turn.ts';

/** Items that are sorted in one turn. */
const sortedAtOnce = 5_000;

/** The first of very many items in an order, sorted in turns. @param most as many as can be sorted in one turn */
export async function firstOf<T>(
  items: Iterable<T>,
  compare: (a: T, b: T) => number,
  most: number,
): Promise<T[]> {
  let first: T[] = [];
  let waiting: T[] = [];
  const sort = (): void => {
    first = [...first, ...waiting].sort(compare).slice(0, most);
    waiting = [];
  };
  for (const item of items) {
    waiting.push(item);
    if (waiting.length < sortedAtOnce) continue;
    sort();
    await nextTurn();
  }
  sort();
  return first;
}
