/** Values of a document, itself and all within: it nests no deeper than JSON that was taken. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 1;
  for (const inner of Object.values(value)) values += countValues(inner);
  return values;
}

/** The same of lists and maps alone. */
export function countNested(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let nested = 1;
  for (const inner of Object.values(value)) nested += countNested(inner);
  return nested;
}
