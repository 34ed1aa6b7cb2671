/** What is written for an attribute's value: as a table has it by its JSON, else the scalar itself. Undefined: not known. */
export function leafOf<T>(
  values: Readonly<Record<string, T>> | undefined,
  value: unknown,
): T | string | number | boolean | undefined {
  if (!values) return isScalar(value) ? value : undefined;
  const key = JSON.stringify(value);
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
