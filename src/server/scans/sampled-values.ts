import { createHash } from 'node:crypto';

/** Attributes of one sample, and characters of one value. */
const mostPaths = 50;
const longestValue = 256;

/** Attributes that may contain a secret, by their path; the well-known `resource.environment` does not. */
const secretPath = /pass(wd|word|phrase)|secret|token|private|credential|user_?data|startup_script|connection_?string|environment[._[]|environment_?var|(api|access|account|shared)_?key/i; // prettier-ignore

/**
 * The values that a policy read in a resource, by the paths of its conditions, such as `resource.tags["team"]`. Lists, maps
 * and long strings are told by their size and digest; null is what the resource does not have.
 */
export function readValues(
  resource: unknown,
  paths: readonly string[],
): Readonly<Record<string, unknown>> {
  const values = paths.slice(0, mostPaths).map((path) => {
    const list = path.indexOf('[*]');
    const read = list < 0 ? path : path.slice(0, list);
    const value = showValue(valueAt(resource, read));
    const isOpen = typeof value === 'boolean' || typeof value === 'number' || value === null;
    return [read, isOpen || !secretPath.test(read) ? value : '[redacted]'] as const;
  });
  return Object.fromEntries(values);
}

function valueAt(resource: unknown, path: string): unknown {
  let value: unknown = resource;
  for (const [, name, index] of path.matchAll(/\.([^.[\]]+)|\[("(?:[^"\\]|\\.)*"|\d+)\]/g)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const key = name ?? (JSON.parse(index ?? '""') as string | number);
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return value;
}

function showValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'string' && value.length <= longestValue) return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const sha256 = createHash('sha256').update(text).digest('hex');
  if (typeof value === 'string') return { characters: value.length, sha256 };
  return { count: Object.keys(value).length, sha256 };
}
