import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { at } from '../values.ts';

/** A value of an AWS Config item's `configuration`, by path. */
export const configuration = (raw: RawResource, ...steps: readonly (string | number)[]): unknown =>
  at(raw.properties, ...steps);

/**
 * A part of an item's `supplementaryConfiguration`, by name and path. Parts are often JSON texts, some doubly so. Unknown
 * in an item without that section: nothing says that the part is not there.
 */
export function supplementary(
  raw: RawResource,
  part: string,
  ...steps: readonly (string | number)[]
): unknown {
  const parts = at(raw.properties, 'supplementaryConfiguration');
  if (parts === undefined)
    return new UnknownValue(
      `supplementaryConfiguration.${part}, which is not in the configuration item`,
      {
        present: false,
      },
    );
  return at(parsed(at(parts, part)), ...steps);
}

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

/** How the text of a value ends that no item has: no other input of AWS Config would tell it. */
export const unrecorded = ', which AWS Config does not record';

/** The value of what AWS Config leaves out of its items: neither on nor off. */
export const notRecorded = (what: string): UnknownValue => new UnknownValue(`${what}${unrecorded}`);
