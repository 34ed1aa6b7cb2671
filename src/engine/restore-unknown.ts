import { defined } from '../contract/defined.ts';
import { UnknownAttributes, UnknownValue } from '../contract/resources.ts';
import type { Resource, UnknownAttribute } from '../contract/resources.ts';

/** What is unknown at a place, and below it by step. */
interface Place {
  unknown?: UnknownValue;
  readonly below: Map<string | number, Place>;
}

/**
 * A stored resource with the values that its import did not know, which `_unknown` lists, as `UnknownValue`: a condition
 * that needs one is undecided in the service, too. A value that was set since then is known. Done once for each resource,
 * before its policies decide: each of them would otherwise take a sixth longer.
 */
export function restoreUnknown<R extends Resource>(resource: R): R {
  if (!('_unknown' in resource)) return resource;
  const { _unknown: listed, ...known } = resource;
  const { data = [] } = UnknownAttributes.safeParse(listed);
  return fill(known, placesOf(data)) as R; // with values where it has none
}

function placesOf(listed: readonly UnknownAttribute[]): Place {
  const root: Place = { below: new Map() };
  for (const { path, expression, present = true, text } of listed) {
    let place = root;
    for (const step of path) {
      const next = place.below.get(step) ?? { below: new Map() };
      place.below.set(step, next);
      place = next;
    }
    place.unknown = new UnknownValue(expression, { present, ...defined({ text }) });
  }
  return root;
}

function fill(value: unknown, { unknown, below }: Place): unknown {
  if (unknown && isBlank(value)) return unknown;
  if (below.size === 0) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const place = below.get(index);
      return place ? fill(item, place) : item;
    });
  }
  if (typeof value !== 'object' && value !== undefined) return value;
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  for (const [step, place] of below) {
    if (typeof step === 'string') fields.set(step, fill(fields.get(step), place));
  }
  return value === undefined && fields.size === 0 ? value : Object.fromEntries(fields);
}

/** As JSON has a value that is not known: nothing, `null` in a list, and an empty map where tags are required. */
const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);
