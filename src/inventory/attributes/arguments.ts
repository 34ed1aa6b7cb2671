import { typeKey } from '../../contract/resources.ts';
import type { Normaliser } from './normaliser.ts';
import { secretPlaces } from './secret-places.ts';
import { normalisers } from './types.ts';

type Arguments = NonNullable<Normaliser['arguments']>;

const byType: ReadonlyMap<string, Arguments> = new Map(
  normalisers.flatMap(({ types, arguments: its }) =>
    its ? types.map((type) => [typeKey(type), its] as const) : [],
  ),
);

/** Of the properties that take passwords and keys. */
const places: ReadonlyMap<string, Arguments> = new Map(
  Object.entries(secretPlaces).map(([type, its]) => [
    typeKey(type),
    Object.fromEntries(its.map(({ property, argument }) => [property, argument])),
  ]),
);

/** What templates of any type call otherwise. */
export const ofAnyType: Arguments = {
  'NoEcho parameter': 'sensitive variable',
  'secureString parameter': 'sensitive variable',
};

/** What is declared: its type, and Terraform's type and arguments. */
interface Declared {
  readonly type: string;
  readonly terraformType: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * How Terraform calls a property of a resource: `kms_key_id`, or `acl of aws_s3_bucket_acl` where it is set in a resource
 * of its own. Undefined where nobody has said. A plan has all arguments of its provider's version: the name is one of them.
 */
export function terraformArgument(
  { type, terraformType, properties }: Declared,
  property: string,
): string | undefined {
  const key = typeKey(type);
  const its = { ...ofAnyType, ...places.get(key), ...byType.get(key) };
  const argument = Object.hasOwn(its, property) ? its[property] : undefined;
  if (argument === undefined || typeof argument === 'string') return argument;
  if (!isNames(argument)) {
    return Object.hasOwn(argument, terraformType) ? argument[terraformType] : undefined;
  }
  return (
    argument.find((one) => Object.hasOwn(properties, one.replace(/[. ].*/, ''))) ?? argument[0]
  );
}

const isNames = (argument: object): argument is readonly string[] => Array.isArray(argument);

/** The first names of the properties and arguments that providers have for a type, as far as messages name them. */
export function providerNames(type: string): ReadonlySet<string> {
  const names = Object.entries(byType.get(typeKey(type)) ?? {}).flatMap(([property, argument]) => [
    property,
    ...(typeof argument === 'string' ? [argument] : Object.values<string>(argument)),
  ]);
  // `x of aws_y` is an argument of another resource.
  return new Set(names.flatMap((name) => (/ /.test(name) ? [] : [name.replace(/[^\w].*$/s, '')])));
}
