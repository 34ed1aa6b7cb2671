import type { Fields } from '../resolver.ts';
import { isFields, own, scalarText } from '../resolver.ts';
import type { SamType } from './types.ts';
import { deployedTypes } from './types.ts';

/** What a SAM resource declares, as it is written: functions of the template are worked out only where they decide. */
export interface Declared {
  readonly id: string;
  readonly type: SamType;
  /** With the template's `Globals`. */
  readonly properties: Fields;
  /** Everything beside Type and Properties: Condition, Metadata, … */
  readonly attributes: Fields;
  /** The value of something that is written; unknown where the template does not tell. */
  readonly resolve: (written: unknown) => unknown;
}

/** A CloudFormation resource that SAM deploys, as its author would have written it. */
export interface Made {
  readonly id: string;
  readonly type: string;
  readonly properties: Fields;
  readonly attributes: Fields;
}

/** The resource that a SAM resource is turned into; it keeps its logical id and all attributes. */
export const base = ({ id, type, attributes }: Declared, properties: Fields): Made => ({
  id,
  type: deployedTypes[type],
  properties: given(properties),
  attributes,
});

/** What a resource passes on to those that SAM adds to it. */
const passedOn = ['Condition', 'DeletionPolicy', 'UpdateReplacePolicy', 'Metadata'];

/** A resource that SAM adds; its id is the declared one's and a suffix. */
export const added = (
  { id, attributes }: Declared,
  suffix: string,
  type: string,
  properties: Fields,
): Made => ({
  id: `${id}${suffix}`,
  type,
  properties: given(properties),
  attributes: pick(attributes, ...passedOn),
});

/** The same where it is unknown whether SAM adds it: it is under a condition that the template does not tell. */
export const perhaps = (made: Made, condition: string): Made => ({
  ...made,
  attributes: { ...made.attributes, Condition: condition },
});

export const ref = (id: string): Fields => ({ Ref: id });
export const arnOf = (id: string): Fields => ({ 'Fn::GetAtt': [id, 'Arn'] });
export const sub = (text: string, variables: Fields = {}): Fields => ({
  'Fn::Sub': [text, variables],
});

/** A value that only the deployment gives, as a function that nobody can work out. */
export const unknownPart = (what: string): Fields => ({ [`Fn::${what}`]: {} });

/** Without what is not there. */
export const given = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );

export const pick = (fields: Fields, ...names: readonly string[]): Fields =>
  given(Object.fromEntries(names.map((name) => [name, own(fields, name)])));

export const without = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** A field of what may be a map. */
export const fieldOf = (value: unknown, name: string): unknown =>
  isFields(value) ? own(value, name) : undefined;

/** A scalar's text; empty for anything else. */
export const wordOf = (value: unknown): string => scalarText(value) ?? '';

/** A map as it is written, that is no function. */
export const isMap = (value: unknown): value is Fields => isFields(value) && !isIntrinsic(value);

export function isIntrinsic(value: unknown): value is Fields {
  if (!isFields(value)) return false;
  const [key = '', ...more] = Object.keys(value);
  return more.length === 0 && (key === 'Ref' || key.startsWith('Fn::'));
}

/** SAM has tags as a map, CloudFormation as pairs. SAM says who made it: `lambda:createdBy: SAM`. */
export function tagPairs(tags: unknown, createdBy?: string): unknown {
  const own = createdBy === undefined ? [] : [{ Key: createdBy, Value: 'SAM' }];
  if (isMap(tags)) {
    return [...own, ...Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))];
  }
  return tags ?? (own.length > 0 ? own : undefined);
}

/** `s3://bucket/key`, or `{Bucket, Key, Version}`; a path of the author's machine is put somewhere by the deployment. */
export function locationOf(
  uri: unknown,
  names: { readonly bucket: string; readonly key: string; readonly version?: string },
): unknown {
  if (isIntrinsic(uri) || uri === undefined || uri === null) return uri;
  if (isFields(uri)) {
    return given({
      [names.bucket]: own(uri, 'Bucket'),
      [names.key]: own(uri, 'Key'),
      ...(names.version === undefined ? {} : { [names.version]: own(uri, 'Version') }),
    });
  }
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(wordOf(uri)) ?? [];
  return bucket === undefined
    ? unknownPart('the packaged file')
    : { [names.bucket]: bucket, [names.key]: key };
}
