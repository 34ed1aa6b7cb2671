import type { Resource } from '../../contract/resources.ts';
import { readResourceLine as readLine } from '../../inventory/native/read-line.ts';

/** What one line of resources holds; undefined: nothing. */
export type ResourceLine =
  | { readonly ok: true; readonly resource: Resource }
  | { readonly ok: false; readonly message: string; readonly column: number }
  | undefined;

/** Reads a resource in the native form that stands on one line as JSON. */
export function readResourceLine(line: string): ResourceLine {
  const read = readLine(line);
  if (read.ok) return read;
  return line.trim() === '' ? undefined : { ok: false, ...read.problem };
}
