import { UnknownValue } from './resources.ts';
import type { Resource } from './resources.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON Pointers (RFC 6901) in `source` of a resource. */
interface Pointers {
  /** Of values that are set, but which the source does not show. */
  readonly unknown: string[];
  /** Of values that may not even be set. */
  readonly uncertain: string[];
}

/**
 * A resource as JSON can store it: without its unknown values, whose places `source` lists, so that `restoreUnknown` puts
 * them back where the resource is evaluated. Otherwise a condition would take them for absent.
 */
export function recordUnknown(resource: Resource): {
  readonly resource: Fields;
  readonly count: number;
} {
  const pointers: Pointers = { unknown: [], uncertain: [] };
  const known = knownFields(resource, '', pointers);
  const { unknown, uncertain } = pointers;
  const count = unknown.length + uncertain.length;
  if (count === 0) return { resource, count };
  const source = {
    ...(isFields(known['source']) ? known['source'] : {}),
    ...(unknown.length > 0 ? { unknown } : {}),
    ...(uncertain.length > 0 ? { uncertain } : {}),
  };
  return { resource: { ...known, source }, count };
}

/**
 * A list with an unknown item is unknown as a whole: it would pass for the list of the others. An object of which nothing
 * is known is omitted: it would pass for an empty one.
 */
function isKnown(value: unknown): boolean {
  if (value instanceof UnknownValue) return false;
  if (Array.isArray(value)) return value.every(isKnown);
  if (!isFields(value)) return true;
  const values = Object.values(value);
  return values.length === 0 || values.some(isKnown);
}

function knownFields(fields: Fields, pointer: string, found: Pointers): Fields {
  const known: [string, unknown][] = [];
  for (const [key, value] of Object.entries(fields)) {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (isKnown(value)) known.push([key, knownPart(value, at, found)]);
    else if (isFields(value) && !(value instanceof UnknownValue)) knownFields(value, at, found);
    else (isUncertain(value) ? found.uncertain : found.unknown).push(at);
  }
  return Object.fromEntries(known);
}

function knownPart(value: unknown, pointer: string, found: Pointers): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => knownPart(item, `${pointer}/${index}`, found));
  }
  return isFields(value) ? knownFields(value, pointer, found) : value;
}

const isUncertain = (value: unknown): boolean => value instanceof UnknownValue && !value.present;

/** Places of unknown values, as a tree of the steps to them. */
interface Place {
  value?: UnknownValue;
  readonly below: Map<string, Place>;
}

const newPlace = (): Place => ({ below: new Map() });

/** Steps of a pointer: a resource is nested no deeper. */
const maxSteps = 64;

const expression = 'its source does not show it';
const setValue = new UnknownValue(expression);
const uncertainValue = new UnknownValue(expression, { present: false });

/**
 * A resource with the unknown values that its `source` lists. A value that is known wins: it may have been set since.
 * A resource without such a list is returned as it is.
 */
export function restoreUnknown<R extends Resource>(resource: R): R {
  const { source } = resource as Resource;
  if (!isFields(source)) return resource;
  const root = newPlace();
  addPlaces(root, source['unknown'], setValue);
  addPlaces(root, source['uncertain'], uncertainValue);
  return root.below.size === 0 ? resource : (restored(root, resource) as R);
}

function addPlaces(root: Place, pointers: unknown, value: UnknownValue): void {
  if (!Array.isArray(pointers)) return;
  for (const pointer of pointers) {
    if (typeof pointer !== 'string' || !pointer.startsWith('/')) continue;
    const steps = pointer.slice(1).split('/', maxSteps + 1);
    if (steps.length > maxSteps) continue;
    let place = root;
    for (const step of steps) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const next = place.below.get(key) ?? newPlace();
      place.below.set(key, next);
      place = next;
    }
    place.value = value;
  }
}

/** Each value on the way is looked at once, however many pointers lead through it. */
function restored(place: Place, known: unknown): unknown {
  if (place.value && isUnset(known)) return place.value;
  if (known instanceof UnknownValue) return known;
  if (Array.isArray(known)) {
    return known.map((item: unknown, index) => {
      const below = place.below.get(String(index));
      return below ? restored(below, item) : item;
    });
  }
  if (known !== undefined && !isFields(known)) return known;
  const fields = new Map(Object.entries(known ?? {}));
  for (const [key, below] of place.below) fields.set(key, restored(below, fields.get(key)));
  return Object.fromEntries(fields);
}

/** An empty object says nothing: the service stores `tags` and `properties` as one if they are absent. */
const isUnset = (value: unknown): boolean =>
  value === undefined ||
  (isFields(value) && !(value instanceof UnknownValue) && Object.keys(value).length === 0);
