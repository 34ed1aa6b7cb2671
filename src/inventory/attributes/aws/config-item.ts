import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { at } from '../values.ts';

/** A value of an AWS Config item's `configuration`, by path. */
export const configuration = (raw: RawResource, ...steps: readonly (string | number)[]): unknown =>
  at(raw.properties, ...steps);

/** A part of an item's `supplementaryConfiguration`, by name and path. Parts are often JSON texts, some doubly so. */
export const supplementary = (
  raw: RawResource,
  part: string,
  ...steps: readonly (string | number)[]
): unknown => at(parsed(at(raw.properties, 'supplementaryConfiguration', part)), ...steps);

/** JSON text, also of JSON text → its value; any other value as it is. */
export function parsed(value: unknown): unknown {
  let read = value;
  for (let times = 0; times < 2 && typeof read === 'string' && /^\s*["{[]/.test(read); times++) {
    try {
      read = JSON.parse(read);
    } catch {
      return read;
    }
  }
  return read;
}

/** The value of what AWS Config leaves out of its items: neither on nor off. */
export const notRecorded = (what: string): UnknownValue =>
  new UnknownValue(`${what}, which AWS Config does not record`);
