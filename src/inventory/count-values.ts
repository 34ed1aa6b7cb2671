/** Counts a value and all values in it. Recursion is safe, as parsed bodies have a maximum depth. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 1;
  for (const inner of Object.values(value)) values += countValues(inner);
  return values;
}

/** Like `countValues`, but counts only lists and maps. */
export function countNested(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let nested = 1;
  for (const inner of Object.values(value)) nested += countNested(inner);
  return nested;
}
