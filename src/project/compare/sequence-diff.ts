/** One step of turning `before` into `after`; indexes count from 0. */
type DiffStep<T> =
  | { readonly kind: 'same'; readonly value: T; readonly before: number; readonly after: number }
  | { readonly kind: 'removed'; readonly value: T; readonly before: number }
  | { readonly kind: 'added'; readonly value: T; readonly after: number };

/** Cells of the table; past it everything between the common ends is shown as replaced. */
const largestTable = 4_000_000;

/**
 * The shortest edit script by longest common subsequence (dynamic programming over what is left between the
 * common head and tail). Removals come before additions at the same place.
 */
export function diffSequences<T>(
  before: readonly T[],
  after: readonly T[],
  same: (a: T, b: T) => boolean = Object.is,
): DiffStep<T>[] {
  let head = 0;
  while (
    head < before.length &&
    head < after.length &&
    same(before[head] as T, after[head] as T) // in range
  )
    head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    same(before[before.length - 1 - tail] as T, after[after.length - 1 - tail] as T) // in range
  )
    tail++;
  const keep = (value: T, index: number, shift: number): DiffStep<T> => ({
    kind: 'same',
    value,
    before: index,
    after: index + shift,
  });
  return [
    ...before.slice(0, head).map((value, index) => keep(value, index, 0)),
    ...diffMiddle(before, after, head, tail, same),
    ...before
      .slice(before.length - tail)
      .map((value, index) =>
        keep(value, before.length - tail + index, after.length - before.length),
      ),
  ];
}

function diffMiddle<T>(
  before: readonly T[],
  after: readonly T[],
  head: number,
  tail: number,
  same: (a: T, b: T) => boolean,
): DiffStep<T>[] {
  const rows = before.length - head - tail;
  const columns = after.length - head - tail;
  const removed = (row: number): DiffStep<T> => ({
    kind: 'removed',
    value: before[head + row] as T, // in range
    before: head + row,
  });
  const added = (column: number): DiffStep<T> => ({
    kind: 'added',
    value: after[head + column] as T, // in range
    after: head + column,
  });
  if (rows * columns > largestTable) {
    return [
      ...Array.from({ length: rows }, (_, row) => removed(row)),
      ...Array.from({ length: columns }, (_, column) => added(column)),
    ];
  }
  const width = columns + 1;
  // lengths[row][column]: the longest common subsequence of what begins there.
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  const equal = (row: number, column: number): boolean =>
    same(before[head + row] as T, after[head + column] as T); // in range
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      lengths[row * width + column] = equal(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const steps: DiffStep<T>[] = [];
  let row = 0;
  let column = 0;
  while (row < rows || column < columns) {
    if (row < rows && column < columns && equal(row, column)) {
      steps.push({
        kind: 'same',
        value: before[head + row] as T, // in range
        before: head + row,
        after: head + column,
      });
      row++;
      column++;
    } else if (row < rows && (column === columns || at(row + 1, column) >= at(row, column + 1))) {
      steps.push(removed(row++));
    } else {
      steps.push(added(column++));
    }
  }
  return steps;
}
