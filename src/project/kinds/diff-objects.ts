import { byCodeUnit, canonicalJson } from '../../contract/canonical-json.ts';
import type { Body, FieldChange } from './kind.ts';

/** Objects differ by what in them does; a new one, or one that is gone, stands whole. As `Kind.diffField`. */
export function diffObjects(
  field: string,
  before: unknown,
  after: unknown,
): FieldChange[] | undefined {
  const isMap = (value: unknown): value is Body =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(before) || !isMap(after)) return undefined;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byCodeUnit);
  return names.flatMap((name) => {
    const [old, next] = [before[name] ?? null, after[name] ?? null];
    if (canonicalJson(old) === canonicalJson(next)) return [];
    const path = `${field}.${name}`;
    return diffObjects(path, old, next) ?? [{ path, before: old, after: next }];
  });
}
