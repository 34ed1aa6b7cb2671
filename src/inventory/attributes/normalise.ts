import { defined } from '../../contract/defined.ts';
import type { Resource } from '../../contract/resources.ts';
import { UnknownValue, providerOf } from '../../contract/resources.ts';
import type { Format } from '../formats/formats.ts';
import type { RawResource, ReadResource } from '../model.ts';
import type { Normaliser } from './normaliser.ts';
import { createRelated } from './related.ts';
import type { Related } from './related.ts';
import { spell } from './spelling.ts';
import type { Spelling } from './spelling.ts';
import { normalisers } from './types.ts';
import { isUnknown } from './values.ts';

/** What is known of a type. */
interface Known {
  readonly from: Normaliser['from'];
  readonly slots: readonly Slot[];
  readonly attributes: Normaliser['attributes'];
  readonly spellings: readonly Spelled[];
}

/** Which words are respelled: the steps lead through lists where they end in `[]`. */
interface Spelled {
  readonly steps: readonly string[];
  readonly spelling: Spelling;
}

/** Where an attribute goes, and what stands there when it is absent. */
interface Slot {
  readonly path: string;
  readonly steps: readonly string[];
  readonly absent: unknown;
}

const knownTypes = new Map<string, Known>();
const furtherTypes: { readonly like: RegExp; readonly known: Known }[] = [];
for (const { types, like, attributes, from } of normalisers) {
  const slots = Object.entries(attributes)
    .filter(([path]) => !path.includes('[]')) // about the elements of a list, which is given whole
    .map(([path, { absent }]) => ({ path, steps: path.split('.'), absent }));
  const spellings = Object.entries(attributes).flatMap(([path, { spelling }]) =>
    spelling === undefined ? [] : [{ steps: path.split('.'), spelling }],
  );
  for (const type of types) knownTypes.set(type, { from, slots, attributes, spellings });
  if (like) furtherTypes.push({ like, known: { from, slots, attributes, spellings } });
}

const typesInLowerCase = new Map(
  Array.from(knownTypes.keys(), (type) => [type.toLowerCase(), type]),
);

/** A resource whose type is spelled as in the table, whatever its case: no policy is about a type in another one. */
export function withSpelledType<T extends { readonly type: string }>(resource: T): T {
  if (knownTypes.has(resource.type)) return resource;
  const type = typesInLowerCase.get(resource.type.toLowerCase());
  return type === undefined ? resource : { ...resource, type };
}

const knownOf = (type: string): Known | undefined =>
  knownTypes.get(type) ?? furtherTypes.find(({ like }) => like.test(type))?.known;

/** The paths of the attributes that a type has beside the common ones, such as `encryption.enabled`; none of an unknown type. */
export const ownAttributesOf = (type: string): readonly string[] =>
  knownOf(type)?.slots.map(({ path }) => path) ?? [];

/** Whether a type has no other attributes than any type of its provider, such as the IAM policy of Google Cloud's assets. */
export const hasOnlyCommonAttributes = (type: string): boolean =>
  knownOf(type) === knownOf(`${type.split('::', 1)[0] ?? ''}::?::?`);

/** What an attribute of a type is, as the documentation writes it: `bool`. Undefined: it has none of this name. */
export const attributeTypeOf = (type: string, attribute: string): string | undefined => {
  const { attributes = {} } = knownOf(type) ?? {};
  return Object.hasOwn(attributes, attribute) ? attributes[attribute]?.type : undefined;
};

/** Fills in the well-known attributes. `raws` are all resources of one input: some are joined into others. */
export function normaliseAll(given: readonly RawResource[], format: Format): ReadResource[] {
  const raws = given.map(withSpelledType);
  const related = createRelated(raws, format);
  return raws.map((raw) => ({
    resource: normaliseWithParts(raw, format, related),
    address: raw.address,
    at: raw.at,
    ...(raw.suppressed ? { suppressed: raw.suppressed } : {}),
    ...(raw.skips ? { skips: raw.skips } : {}),
    ...defined({ lacks: raw.lacks }),
  }));
}

/** What a resource was made of, where others of the input are joined or merged into it. */
interface Joined {
  readonly parts: readonly RawResource[];
  /** The resource as it were with only some of these. */
  readonly remake: (isKept: (part: RawResource) => boolean) => Resource;
}

const joinedInto = new WeakMap<Resource, Joined>();

/** Each is tried alone. */
const mostParts = 200;

/** The resource, with a note of those that are joined into it. */
function normaliseWithParts(raw: RawResource, format: Format, related: Related): Resource {
  const parts = new Set<RawResource>(raw.merged?.parts);
  const resource = normalise(raw, format, {
    ...related,
    referring: (to, ...asked) => {
      const found = related.referring(to, ...asked);
      if (to === raw) for (const part of found) parts.add(part);
      return found;
    },
  });
  if (parts.size === 0 || parts.size > mostParts) return resource;
  const remake: Joined['remake'] = (isKept) => {
    const remade = raw.merged?.remake(isKept) ?? raw;
    return normalise(remade, format, {
      ...related,
      referring: (to, ...asked) =>
        to === remade
          ? related.referring(raw, ...asked).filter(isKept)
          : related.referring(to, ...asked),
    });
  };
  joinedInto.set(resource, { parts: [...parts], remake });
  return resource;
}

/**
 * The part because of which a resource fails: a rule that is a resource of its own, say. Undefined where the resource fails
 * without its parts, or through several of them together.
 */
export function partAtFault(
  resource: Resource,
  fails: (resource: Resource) => boolean,
): Pick<ReadResource, 'address' | 'at'> | undefined {
  const { parts, remake } = joinedInto.get(resource) ?? {};
  if (!parts || !remake || fails(remake(() => false))) return undefined;
  return parts.find((part) => fails(remake((one) => one === part)));
}

/** What is joined or merged into a resource: rules that are resources of their own, say. */
export const partsOf = (resource: Resource): readonly RawResource[] =>
  joinedInto.get(resource)?.parts ?? [];

/** A resource as it would be without some of its parts. */
export const withoutParts = (resource: Resource, parts: ReadonlySet<RawResource>): Resource =>
  joinedInto.get(resource)?.remake((part) => !parts.has(part)) ?? resource;

function normalise(raw: RawResource, format: Format, related: Related): Resource {
  const known = knownOf(raw.type);
  const { type } = raw;
  const environment = environmentOf(raw.tags);
  return {
    id: raw.id,
    type,
    ...defined({ name: raw.name }),
    provider: providerOf(type),
    ...defined({ account_id: raw.account_id, region: raw.region, environment }),
    tags: raw.tags,
    ...attributesOf(raw, format, related, known),
    properties: raw.properties,
    source: raw.source,
    ...raw.given,
  };
}

function attributesOf(
  raw: RawResource,
  format: Format,
  related: Related,
  known: Known | undefined,
): Record<string, unknown> {
  const written = raw.writtenAs ?? format;
  const extract = written === 'native' ? undefined : known?.from[written];
  if (!known || !extract) return {};
  const values = extract(raw, related);
  const nested: Record<string, unknown> = {};
  for (const { path, steps, absent } of known.slots) {
    const value = isKnown(raw, steps) ? (values[path] ?? absent) : unknownAttribute(path);
    if (value !== undefined && value !== null) put(nested, steps, value);
  }
  for (const { steps, spelling } of known.spellings) respell(nested, steps, spelling);
  return nested;
}

/** Respells the words at a path of an object that has just been made. */
function respell(
  holder: Record<string, unknown>,
  [step = '', ...rest]: readonly string[],
  spelling: Spelling,
): void {
  const name = step.replace(/\[\]$/, '');
  const value = holder[name];
  if (rest.length === 0) {
    if (typeof value === 'string') holder[name] = spell(value, spelling);
    else if (Array.isArray(value)) {
      holder[name] = value.map((one: unknown) =>
        typeof one === 'string' ? spell(one, spelling) : one,
      );
    }
    return;
  }
  for (const inner of Array.isArray(value) ? (value as unknown[]) : [value]) {
    if (typeof inner === 'object' && inner !== null && !isUnknown(inner)) {
      respell(inner as Record<string, unknown>, rest, spelling); // a plain object, made by an extractor
    }
  }
}

const isKnown = ({ only }: RawResource, [first = '']: readonly string[]): boolean =>
  only === undefined || only.includes(first);

const unknownAttribute = (path: string): UnknownValue =>
  new UnknownValue(`${path}, which the input does not show`, { present: false });

function put(into: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  let here = into;
  for (const step of steps.slice(0, -1)) {
    here = (here[step] ??= {}) as Record<string, unknown>; // declared paths never go through a value
  }
  here[steps.at(-1) ?? ''] = value;
}

const environmentTags = ['environment', 'env', 'stage'];
const environmentWords: Readonly<Record<string, string>> = {
  prod: 'production',
  prd: 'production',
  stage: 'staging',
  stg: 'staging',
  dev: 'development',
};

/** From the tag that people keep it in: `Environment`, `env` or `stage`, in any case. */
function environmentOf(tags: RawResource['tags']): string | UnknownValue | undefined {
  if (isUnknown(tags)) return new UnknownValue(tags.expression, { present: false });
  for (const wanted of environmentTags) {
    for (const [key, value] of Object.entries(tags)) {
      if (key.toLowerCase() !== wanted || value === '') continue;
      if (isUnknown(value)) {
        return new UnknownValue(value.expression, { present: value.present });
      }
      if (typeof value !== 'string') continue;
      const word = value.toLowerCase();
      return Object.hasOwn(environmentWords, word) ? environmentWords[word] : word;
    }
  }
  return undefined;
}
