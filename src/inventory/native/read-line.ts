import type { KnownResource } from '../../contract/resources.ts';
import type { InputProblem } from '../model.ts';
import { locateInJson } from '../text/locate-json.ts';
import { explainLine, tryJson } from '../text/parse-json-list.ts';
import { findTooDeep } from '../text/depth.ts';
import { asResource, explainResource } from './read-native.ts';

export type LineRead =
  | { readonly ok: true; readonly resource: KnownResource }
  | { readonly ok: false; readonly problem: InputProblem & { readonly column: number } };

/** Whether a line is a resource by itself. */
export const readsAsResource = (line: string): boolean => {
  const value = tryJson(line)?.value;
  return !findTooDeep(value) && asResource(value) !== undefined;
};

/** Reads one line of JSON lines as a resource. A problem's column is in the line; its line is the caller's to count. */
export function readResourceLine(line: string): LineRead {
  const value = tryJson(line)?.value;
  const resource = findTooDeep(value) ? undefined : asResource(value);
  if (resource) return { ok: true, resource };
  if (typeof value !== 'object' || value === null || findTooDeep(value)) {
    const { message, column } = explainLine(line);
    return { ok: false, problem: { message, column } };
  }
  const [{ message, at = [] } = { message: 'this is no resource' }] = explainResource(value);
  const [offset = 0] = locateInJson(line, [at]);
  return { ok: false, problem: { message, column: offset + 1 } };
}
