import type { KnownResource } from '../../../contract/resources.ts';
import type { InputProblem } from '../../model.ts';
import { locateInJson, repeatedKeysOf } from '../../text/locate-json.ts';
import { explainLine, tryJson } from '../../text/parse-json-list.ts';
import { countKeys } from '../../text/count-keys.ts';
import { findTooDeep } from '../../text/depth.ts';
import { asResource, explainResource } from './reader.ts';

export type LineRead =
  | { readonly ok: true; readonly resource: KnownResource }
  | { readonly ok: false; readonly problem: InputProblem & { readonly column: number } };

/** Whether a line is a resource by itself. */
export const readsAsResource = (line: string): boolean => {
  const value = tryJson(line)?.value;
  return !findTooDeep(value) && asResource(value) !== undefined;
};

/**
 * Reads one line of JSON lines as a resource. A problem's column is in the line; its line is the caller's to count.
 * @param mostKeys no fewer than the keys in the line; who knows so spares the line a pass over it
 */
export function readResourceLine(line: string, mostKeys = Infinity): LineRead {
  const value = tryJson(line)?.value;
  const keys = countKeys(value);
  const resource = Number.isNaN(keys) ? undefined : asResource(value);
  if (resource) {
    const [twice] = mostKeys === keys ? [] : repeatedKeysOf(line, value, 'strict');
    if (!twice) return { ok: true, resource };
    return { ok: false, problem: { message: twice.message, column: twice.offset + 1 } };
  }
  if (typeof value !== 'object' || value === null || findTooDeep(value)) {
    const { message, column } = explainLine(line);
    return { ok: false, problem: { message, column } };
  }
  const [{ message, at = [] } = { message: 'this is not a resource' }] = explainResource(value);
  const [offset = 0] = locateInJson(line, [at]);
  return { ok: false, problem: { message, column: offset + 1 } };
}
