import { UnknownValue } from '../../contract/resources.ts';
import type { RawResource } from '../model.ts';
import { plannedSecretSources, secretSource, valuesAt } from './aws/secret-source.ts';
import { credentialsIn } from './credentials.ts';
import { normaliser } from './normaliser.ts';
import type { Attribute, Normaliser } from './normaliser.ts';
import { secretPlaces } from './secret-places.ts';
import type { SecretPlace } from './secret-places.ts';
import { atAnyCase, isUnknown } from './values.ts';

const attributes = {
  plaintext_secrets: {
    type: 'list<string>',
    meaning:
      'properties whose password or key is hard-coded, or comes from a parameter that is not secret; missing if there are none, and in exports, which omit passwords; unknown in a Terraform state, which does not show the source of values',
  },
} as const satisfies Record<string, Attribute>;

/** The attributes of types, with the secrets that are written in their properties for each type that has such properties. */
export function withPlaintextSecrets(normalisers: readonly Normaliser[]): Normaliser[] {
  const covered = new Set<string>();
  const extended = normalisers.map((one): Normaliser => {
    if (!one.types.some((type) => Object.hasOwn(secretPlaces, type))) return one;
    for (const type of one.types) covered.add(type);
    const { cloudformation, azure, terraform } = one.from;
    return {
      ...one,
      attributes: { ...one.attributes, ...attributes },
      from: {
        ...one.from,
        ...(cloudformation && {
          cloudformation: (raw, related) => ({
            ...cloudformation(raw, related),
            ...inTemplate(raw),
          }),
        }),
        ...(azure && { azure: (raw, related) => ({ ...azure(raw, related), ...inTemplate(raw) }) }),
        ...(terraform && {
          terraform: (raw, related) => ({ ...terraform(raw, related), ...inPlan(raw) }),
        }),
      },
    };
  });
  const others = Object.keys(secretPlaces).filter((type) => !covered.has(type));
  return [...extended, ...others.map(createNormaliser)];
}

/** Of a type of which nothing else is known. */
function createNormaliser(type: string): Normaliser {
  const isOf = (provider: string) => type.startsWith(`${provider}::`);
  return normaliser({
    types: [type],
    attributes,
    from: {
      ...(isOf('AWS') && { cloudformation: inTemplate, 'aws-config': () => ({}) }),
      ...(isOf('Azure') && { azure: inTemplate }),
      terraform: inPlan,
    },
  });
}

const inTemplate = (raw: RawResource) =>
  found(
    placesOf(raw).flatMap(({ property, isKept, isPart }) =>
      valuesOfProperty(raw.properties, property.split('.'))
        .filter((value) => !isKept || !isPlaceholder(value))
        .filter((value) => !isPart || !isWithout(value))
        .flatMap((value) => readable(property, isKept ? keptSource(value) : secretSource(value)))
        .slice(0, 1),
    ),
  );

const inPlan = (raw: RawResource) =>
  found(
    placesOf(raw).flatMap(({ property, argument, isKept, isPart }) =>
      [argument]
        .flat()
        .flatMap((one) => {
          const path = one.split('.');
          const values = valuesAt(raw.properties, path);
          const hasNone =
            (isKept && values.some(isPlaceholder)) ||
            (isPart && values.length > 0 && values.every(isWithout));
          return hasNone || (isKept && isPutTogether(raw, path))
            ? []
            : plannedSecretSources(raw, ...path);
        })
        .flatMap((source) => readable(property, source))
        .slice(0, 1),
    ),
  );

const found = (names: readonly (string | UnknownValue)[]) =>
  names.length > 0 ? { plaintext_secrets: names } : {};

const placesOf = (raw: RawResource): readonly SecretPlace[] =>
  (secretPlaces[raw.type] ?? []).filter(({ where }) => where?.(raw.properties) !== false);

/** Whether a text, as far as it is known, has no credential in it. */
const isWithout = (value: unknown): boolean => {
  const text = isUnknown(value) ? value.text : value;
  return typeof text === 'string' && credentialsIn(text).length === 0;
};

/** The property, if its secret is readable; an unknown that may be absent, if that is not known. */
const readable = (property: string, source: unknown): (string | UnknownValue)[] =>
  isUnknown(source)
    ? [new UnknownValue(source.expression, { present: false, waitsFor: source.waitsFor })]
    : source === 'plaintext' || source === 'parameter'
      ? [property]
      : [];

/** The values at a path of a provider's names, in any case, of all items of lists on the way. */
function valuesOfProperty(value: unknown, path: readonly string[]): unknown[] {
  const [name, ...rest] = path;
  if (Array.isArray(value)) return value.flatMap((item: unknown) => valuesOfProperty(item, path));
  if (name === undefined)
    return value === undefined || value === null || value === '' ? [] : [value];
  if (name === '*' && typeof value === 'object' && value !== null && !isUnknown(value)) {
    return Object.values(value).flatMap((one) => valuesOfProperty(one, rest));
  }
  return valuesOfProperty(atAnyCase(value, name), rest);
}

/** A document of a name and a password, say: what is secret in it is not written, where something in it is. */
const isPutTogether = (raw: RawResource, path: readonly string[]): boolean =>
  valuesAt(raw.properties, path).some((value) => typeof value === 'string' && isJson(value)) &&
  raw
    .givenBy?.(...path)
    .some(({ origins }) =>
      origins.some((one) => ('type' in one ? one.type !== 'local' : one.sensitive)),
    ) === true;

const isJson = (text: string): boolean => text.trimStart().startsWith('{');

/** A placeholder for a secret that somebody sets later. */
function isPlaceholder(value: unknown): boolean {
  const text = isUnknown(value) ? value.text : value;
  return typeof text === 'string' && (placeholder.test(text.trim()) || holdsNoSecret(text));
}

const placeholder =
  /^(?:|[-_.*x]+|\{\s*\}|<.*>|(?:.*[-_ ])?(?:change|replace|fill|update)[-_ ]?(?:me|this|it|in)\b.*|to[-_ ]?be[-_ ]?.*|(?:.*[-_ ])?(?:placeholder|dummy|todo|tbd|unset|empty|none|null|n\/a|default|initial|example)\b.*)$/i;

const secretName = /pass|pwd|\bpw\b|secret|token|key|credential|private|auth/i;

/** JSON without a secret in it: its own are put together from elsewhere, or it holds none. */
function holdsNoSecret(text: string): boolean {
  if (!isJson(text)) return false;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return false;
  }
  const secrets = Object.entries(read as object).filter(([name]) => secretName.test(name));
  return secrets.every(([, value]) => {
    const written = String(value).trim();
    return written.includes('${') || written.includes('{{resolve:') || placeholder.test(written);
  });
}

/** A text that is known in part is written down where its secret is, see `isPlaceholder`. */
const keptSource = (value: unknown) =>
  isUnknown(value) && value.text !== undefined && isJson(value.text)
    ? 'plaintext'
    : secretSource(value);
