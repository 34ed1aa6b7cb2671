import type { Resource } from '../../contract/resources.ts';
import { UnknownValue, providerOf, typeKey } from '../../contract/resources.ts';
import type { Format, RawResource, ReadResource } from '../model.ts';
import type { Normaliser } from './normaliser.ts';
import { createRelated } from './related.ts';
import type { Related } from './related.ts';
import { normalisers } from './normalisers.ts';
import { isUnknown } from './values.ts';

const byType = new Map<string, Normaliser>(
  normalisers.flatMap((one) => one.types.map((type) => [typeKey(type), one] as const)),
);

/** The spelling of a type in the table: Azure's documents differ in case. */
const spellings = new Map(
  normalisers.flatMap(({ types }) => types.map((type) => [typeKey(type), type] as const)),
);

/** Fills in the well-known attributes. `raws` are all resources of one input: some are joined into others. */
export function normaliseAll(raws: readonly RawResource[], format: Format): ReadResource[] {
  const related = createRelated(raws);
  return raws.map((raw) => ({
    resource: normalise(raw, format, related),
    address: raw.address,
    at: raw.at,
    ...(raw.suppressed ? { suppressed: raw.suppressed } : {}),
  }));
}

function normalise(raw: RawResource, format: Format, related: Related): Resource {
  const type = spellings.get(typeKey(raw.type)) ?? raw.type;
  const environment = environmentOf(raw.tags);
  return {
    id: raw.id,
    type,
    ...(raw.name === undefined ? {} : { name: raw.name }),
    provider: providerOf(type),
    ...(raw.account_id === undefined ? {} : { account_id: raw.account_id }),
    ...(raw.region === undefined ? {} : { region: raw.region }),
    ...(environment === undefined ? {} : { environment }),
    tags: raw.tags,
    ...attributesOf(raw, format, related),
    properties: raw.properties,
    source: raw.source,
    ...raw.given,
  };
}

function attributesOf(raw: RawResource, format: Format, related: Related): Record<string, unknown> {
  const found = format === 'native' ? undefined : byType.get(typeKey(raw.type));
  const extract = format === 'native' ? undefined : found?.from[format];
  if (!found || !extract) return {};
  const values = extract(raw, related);
  const nested: Record<string, unknown> = {};
  for (const [path, { absent }] of Object.entries(found.attributes)) {
    if (path.includes('[]')) continue; // about the elements of a list, which is given whole
    const value = values[path] ?? absent;
    if (value !== undefined && value !== null) put(nested, path.split('.'), value);
  }
  return nested;
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [step = '', ...rest] = path;
  if (rest.length === 0) {
    into[step] = value;
    return;
  }
  const inner = (into[step] ??= {});
  put(inner as Record<string, unknown>, rest, value); // declared paths never go through a value
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
