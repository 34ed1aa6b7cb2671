import type { Resource } from '../../contract/resources.ts';
import { asResource, explainResource } from '../../inventory/native/read-native.ts';
import { scanJson } from '../../inventory/text/scan-json.ts';

/** What one line of resources holds; undefined: nothing. */
export type ResourceLine =
  | { readonly ok: true; readonly resource: Resource }
  | { readonly ok: false; readonly message: string; readonly column: number }
  | undefined;

/** Reads a resource in the native form that stands on one line as JSON. */
export function readResourceLine(line: string): ResourceLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    if (line.trim() === '') return undefined;
    const offset = scanJson(line, {}) ?? 0;
    const what = offset < line.trimEnd().length ? 'here' : 'it ends too early';
    return { ok: false, message: `the line is not JSON: ${what}`, column: offset + 1 };
  }
  const resource = asResource(value);
  if (resource) return { ok: true, resource };
  const [problem] = explainResource(value);
  return { ok: false, message: `not a resource: ${problem?.message ?? 'it has no id'}`, column: 1 };
}
