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

function fill(value: unknown, place: Place): unknown {
  const { unknown, below } = place;
  if (unknown && isBlank(value)) return unknown;
  if (below.size === 0) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const its = below.get(index);
      return its ? fill(item, its) : item;
    });
  }
  // There is no list, so not even its length is known.
  if (isBlank(value) && [...below.keys()].some((step) => typeof step === 'number')) {
    return unknownIn(place);
  }
  if (typeof value !== 'object' && value !== undefined) return value;
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  for (const [step, its] of below) {
    if (typeof step === 'string') fields.set(step, fill(fields.get(step), its));
  }
  return Object.fromEntries(fields);
}

/** Of a place, or the first below it: each has some. */
function unknownIn({ unknown, below }: Place): UnknownValue | undefined {
  if (unknown) return new UnknownValue(unknown.expression, { present: unknown.present });
  const [first] = below.values();
  return first && unknownIn(first);
}

/** As JSON has a value that is not known: nothing, `null` in a list, and an empty map where tags are required. */
const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);
