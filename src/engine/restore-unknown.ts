import { defined } from '../contract/defined.ts';
import { UnknownAttributes, UnknownValue } from '../contract/resources.ts';
import type { UnknownAttribute } from '../contract/resources.ts';

/** What is unknown at a place, and below it by step. */
interface Place {
  unknown?: UnknownValue;
  readonly below: Map<string | number, Place>;
}

/** The policies of its type ask for the same resource, one after the other. */
const restored = new WeakMap<object, object>();

/**
 * A stored resource with the values that its import did not know, which `_unknown` lists, as `UnknownValue`: a condition
 * that needs one is undecided in the service, too. A value that was set since then is known.
 */
export function restoreUnknown(resource: unknown): unknown {
  if (typeof resource !== 'object' || resource === null || !('_unknown' in resource)) {
    return resource;
  }
  const before = restored.get(resource);
  if (before) return before;
  const { _unknown: listed, ...known } = resource;
  const { data = [] } = UnknownAttributes.safeParse(listed);
  const whole = fill(known, placesOf(data)) as object; // as it is an object
  restored.set(resource, whole);
  return whole;
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
