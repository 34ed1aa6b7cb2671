import { at } from '../values.ts';

/**
 * A field by a path of CloudFormation's names. AWS Config spells the same names otherwise, and not always in one way
 * (`dBInstanceClass`, `dbclusterIdentifier`), so case does not count.
 */
export function field(value: unknown, ...names: readonly (string | number)[]): unknown {
  let here = value;
  for (const name of names) here = at(here, spelling(here, name));
  return here;
}

function spelling(value: unknown, name: string | number): string | number {
  if (typeof name === 'number' || typeof value !== 'object' || value === null) return name;
  if (Object.hasOwn(value, name)) return name;
  const lower = name.toLowerCase();
  return Object.keys(value).find((key) => key.toLowerCase() === lower) ?? name;
}
