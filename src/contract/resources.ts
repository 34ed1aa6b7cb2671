import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { inThrees } from './in-threes.ts';
import { ById, Timestamp, commaList, commaListOf, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { PendingEvaluation } from './pending-evaluation.ts';
import { ResourceType } from './policies.ts';

const text = (max: number) => z.string().max(max);

/** Schemas look past a key named `__proto__`, and what nobody has checked must not be kept. */
const checkingOwnProto = <S extends z.ZodType>(tags: S) =>
  z.preprocess((given, context) => {
    const isObject = typeof given === 'object' && given !== null;
    const own = isObject ? Object.getOwnPropertyDescriptor(given, '__proto__') : undefined;
    if (own && typeof own.value !== 'string') {
      const message = 'must be a string';
      context.issues.push({ code: 'custom', input: given, path: ['__proto__'], message });
    }
    return given;
  }, tags);

/** The tags of a resource, each a string. */
export const StringTags = checkingOwnProto(z.record(z.string(), z.string()));
const Tags = checkingOwnProto(z.record(z.string(), z.string()).default({}));

/** Characters of a resource's ID. */
export const maxResourceId = 2_048;

/** Objects and arrays within each other; a provider's own documents have a dozen. */
const maxDepth = 64;

/** Characters of the expression of an unknown value; a longer one is cut. */
const maxExpression = 1_000;

const mustBeStep = 'must be the name of an attribute, or a place in a list from 0';

/**
 * A value of a resource that its source does not know, such as a parameter without a value: conditions that need it are
 * undecided. Ignored once the resource has a value there.
 */
const UnknownAttribute = z.strictObject({
  /** Names of attributes, and places in lists from 0. */
  path: z
    .array(z.union([z.string(), z.int().min(0)], { error: mustBeStep }))
    .min(1)
    .max(maxDepth),
  /** As a person would write it: `Ref Key`. */
  expression: text(maxExpression + 1),
  /** Whether the attribute is surely set; default: true. */
  present: z.boolean().optional(),
  /** A text that is known in part, its unknown pieces as `${…}`. */
  text: z.string().optional(),
});
export type UnknownAttribute = z.infer<typeof UnknownAttribute>;
export const UnknownAttributes = z.array(UnknownAttribute).max(10_000);

/**
 * A resource as policies see it. Open: any further top-level attribute is kept and can be read by conditions.
 * `properties` is the provider's own document, untouched; what is given at top level wins over what is normalised.
 */
export const ResourceInput = z.looseObject({
  id: z.string().min(1).max(maxResourceId),
  type: ResourceType,
  name: text(1_024).optional(),
  provider: text(64).optional(),
  account_id: text(256).optional(),
  region: text(64).optional(),
  environment: text(64).optional(),
  tags: Tags,
  properties: z.record(z.string(), z.unknown()).default({}),
  _unknown: UnknownAttributes.optional(),
});
export type ResourceInput = z.infer<typeof ResourceInput>;

/** As evaluated: `provider` is filled in. Values are JSON, or `UnknownValue` where a template can't tell yet. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly name?: string | UnknownValue;
  readonly provider: string;
  readonly account_id?: string | UnknownValue;
  readonly region?: string | UnknownValue;
  readonly environment?: string | UnknownValue;
  /** Unknown as a whole where not even the keys can be known. */
  readonly tags: Readonly<Record<string, unknown>> | UnknownValue;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

/** As the service keeps it, and as the native format gives it: all of it is known. */
export interface KnownResource extends Resource {
  readonly name?: string;
  readonly account_id?: string;
  readonly region?: string;
  readonly environment?: string;
  readonly tags: Readonly<Record<string, string>>;
}

const noNames: readonly string[] = [];

/**
 * Stands in a resource for a value that can't be known from the input: a parameter without a value, an attribute that
 * exists only after the deployment. Never guessed: a condition that needs it is undecided (`unknown_value`).
 * Exists in memory only; as JSON it is absent, and `_unknown` of the resource lists it.
 */
export class UnknownValue {
  /** As a person would write it: `Ref Key`, `aws_kms_key.main.arn`. */
  readonly expression: string;
  /** Whether the attribute is surely set, whatever its value; `has()` is then true, else undecided. */
  readonly present: boolean;
  /** Address of the resource of the same input that the value comes from. */
  readonly target: string | undefined;
  /** The attribute of `target` that it is, where one is named: `Arn`. */
  readonly attribute: string | undefined;
  /** The parameter or variable without a value that it is, and whether that is declared secret (NoEcho, sensitive). */
  readonly parameter: { readonly name: string; readonly secret: boolean } | undefined;
  /** Parameters of a template that were not passed, and whose values could decide it. */
  readonly waitsFor: readonly string[];
  /** A text that is known in part: the unknown pieces as `${…}`; of `Fn::Base64`, that text in base64. */
  readonly text: string | undefined;

  /** @param expression messages repeat it, so only its first 1,000 characters are kept */
  constructor(
    expression: string,
    known: {
      readonly present?: boolean;
      readonly target?: string;
      readonly attribute?: string;
      readonly parameter?: { readonly name: string; readonly secret: boolean };
      readonly waitsFor?: readonly string[];
      readonly text?: string;
    } = {},
  ) {
    this.expression =
      expression.length > maxExpression ? `${expression.slice(0, maxExpression)}…` : expression;
    this.present = known.present ?? true;
    this.target = known.target;
    this.attribute = known.attribute;
    this.parameter = known.parameter;
    this.waitsFor = known.waitsFor ?? noNames;
    this.text = known.text;
  }

  toJSON(): undefined {
    return undefined;
  }
}

/** The provider of a type, in lower case: `aws` of `AWS::S3::Bucket`. */
export const providerOf = (type: string): string => type.slice(0, type.indexOf('::')).toLowerCase();

/** Azure does not distinguish case in type names; the others do. Policies and resources meet under this key. */
export const typeKey = (type: string): string =>
  /^azure::/i.test(type) ? type.toLowerCase() : type;

/** Whether a policy's `resource_type` is a pattern: has `*` for whole parts. */
export const isTypePattern = (type: string): boolean => type.includes('*');

/** Whether a policy's `resource_type` names a type or a service: `AWS::*`, `AWS::*::*` and `*` name none. */
export const namesService = (type: string): boolean =>
  type
    .split('::')
    .slice(1)
    .some((part) => part !== '*');

/**
 * Resources that stand for an account itself, in lower case: a pattern is about what is in accounts, so it never matches
 * them. Google's own asset type of a project differs in case.
 */
const accountTypes: ReadonlySet<string> = new Set([
  'aws::account::account',
  'azure::resources::subscription',
  'gcp::cloudresourcemanager::project',
]);

/** Whether a policy's `resource_type`, a type or a pattern, is about a type. */
export function matchesType(wanted: string, type: string): boolean {
  if (!isTypePattern(wanted)) return typeKey(wanted) === typeKey(type);
  if (accountTypes.has(type.toLowerCase())) return false;
  const isAzure = providerOf(type) === 'azure';
  const parts = typeKey(type).split('::');
  const wantedParts = (isAzure ? wanted.toLowerCase() : wanted).split('::');
  const isOpen = wantedParts.at(-1) === '*';
  return (
    (isOpen ? parts.length >= wantedParts.length : parts.length === wantedParts.length) &&
    wantedParts.every((part, at) => part === '*' || part === parts[at])
  );
}

/** Why a value cannot be kept as JSON, if it can't. Walks with a stack of its own. */
export function unfitForJson(root: unknown): string | undefined {
  // Only lists and maps wait: there may be millions of other values.
  const waiting: [values: readonly unknown[], depth: number][] = [[[root], 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [values, depth] = next;
    for (const value of values) {
      // `1e999` is JSON, and Infinity once it is read.
      if (typeof value === 'number' && !Number.isFinite(value)) return 'has a number out of range';
      if (typeof value !== 'object' || value === null) continue;
      if (depth === maxDepth) return `is nested deeper than ${maxDepth} levels`;
      waiting.push([Array.isArray(value) ? value : Object.values(value), depth + 1]);
    }
  }
  return undefined;
}

/**
 * A value as given, once the schema has found it right. What a schema makes of it leaves out a key named `__proto__`,
 * and what is left out no policy could see.
 */
function checkAsGiven<S extends z.ZodType>(
  schema: S,
  given: unknown,
  context: z.core.ParsePayload,
): given is z.output<S> {
  const { error } = schema.safeParse(given, { reportInput: true });
  // As they were reported, with their inputs; the type of issues to be added knows no such ones.
  if (error) context.issues.push(...(error.issues as z.core.$ZodRawIssue[]));
  return error === undefined;
}

/** Of one resource. Each tag is in two indexes; providers allow 50 to 64. */
export const maxTags = 1_000;
/** Of all resources that one request stores at once. */
const maxTagsPerRequest = 20_000;

export const tooManyTags = `has more than ${inThrees(maxTags)} tags`;

const countTags = ({ tags }: { readonly tags?: object }): number => Object.keys(tags ?? {}).length;

/** A resource as the service takes one. */
export const GivenResource = z
  .unknown()
  .transform((given, context): ResourceInput => {
    if (!checkAsGiven(ResourceInput, given, context)) return z.NEVER;
    const unfit = unfitForJson(given);
    if (unfit !== undefined) context.addIssue(unfit);
    if (countTags(given) > maxTags) context.addIssue(tooManyTags);
    const { tags = {}, properties = {} }: Partial<ResourceInput> = given;
    return { ...given, tags, properties };
  })
  .meta({ ...z.toJSONSchema(ResourceInput, { io: 'input' }), $schema: undefined });

const ResourceAnswer = z.looseObject({
  id: z.string(),
  type: z.string(),
  name: z.string().optional(),
  provider: z.string(),
  account_id: z.string().optional(),
  region: z.string().optional(),
  environment: z.string().optional(),
  tags: z.record(z.string(), z.string()),
  properties: z.record(z.string(), z.unknown()),
  _meta: z.looseObject({ created_at: Timestamp, updated_at: Timestamp }),
});
export type AnsweredResource = z.infer<typeof ResourceAnswer>;

/** As answered: as given, and `_meta` with what the service knows about it. */
const AnsweredResource = z
  .unknown()
  .transform((given, context): AnsweredResource =>
    checkAsGiven(ResourceAnswer, given, context) ? given : z.NEVER,
  )
  .meta({ ...z.toJSONSchema(ResourceAnswer), $schema: undefined });

export const resourceSortFields = [
  'created_at',
  'updated_at',
  'id',
  'type',
  'name',
  'provider',
  'account_id',
  'region',
  'environment',
] as const;

const ResourceListQuery = listQuery(resourceSortFields, {
  type: commaListOf(ResourceType).optional(),
  provider: commaList().optional(),
  account_id: commaList().optional(),
  region: commaList().optional(),
  environment: commaList().optional(),
  tags: commaList().optional(),
});
export type ResourceListQuery = z.infer<typeof ResourceListQuery>;

/** In one request; larger sets go through the import. */
export const maxResourcesPerRequest = 1_000;

const counts = { created: z.int(), updated: z.int(), unchanged: z.int() };
const pending = PendingEvaluation.optional();
export type UpsertCounts = { created: number; updated: number; unchanged: number };

/**
 * When a resource was as it is, in milliseconds since 1970; undefined where its source does not tell. AWS Config does, so
 * that of two states the newer one counts, whichever comes first.
 */
export function capturedAt({ source }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const { configurationItemCaptureTime: at } = source as Readonly<Record<string, unknown>>;
  const captured = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return Number.isFinite(captured) ? captured : undefined;
}

/** Rejected and older lines that an import names; the others are counted. */
export const maxLinesShown = 100;

/** Rejected lines after which an import reads no further. */
export const maxRejected = 1_000;

export const ImportAnswer = z.looseObject({
  lines: z.int(),
  ...counts,
  pending,
  rejected: z.int(),
  /** The first of them, each with its line, counted from 1. */
  rejected_lines: z.array(
    z.looseObject({ line: z.int(), id: z.string().optional(), reason: z.string() }),
  ),
  /** Lines that are not stored, as the inventory has a newer state of their resources. */
  older: z.int().optional(),
  /** The first of them. */
  older_lines: z.array(z.looseObject({ line: z.int(), id: z.string() })).optional(),
});
export type ImportAnswer = z.infer<typeof ImportAnswer>;

const noun = nounEndpoints({
  path: '/v1/resources',
  ext: true,
  answer: AnsweredResource,
  missing: 'resource_not_found',
});

export const resources = {
  list: noun.list({
    summary:
      'List the resources of the inventory; `tags` accepts `key` and `key=value`, which must all match',
    query: ResourceListQuery,
    rows: { resources: z.array(AnsweredResource) },
  }),
  get: noun.get({ summary: 'Get a resource by its URL-encoded ID' }),
  put: endpoint({
    method: 'PUT',
    path: '/v1/resources/:id',
    summary: 'Create (201) or replace a resource; it is evaluated immediately',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    body: GivenResource,
    versioned: true,
    creates: true,
    response: { status: 200, body: AnsweredResource },
    errors: ['invalid_resource', 'precondition_failed'],
  }),
  upsert: endpoint({
    method: 'POST',
    path: '/v1/resources',
    summary:
      'Create or replace up to 1,000 resources, all or nothing; they are evaluated immediately',
    manyIn: ['resources'],
    scope: 'compliance:write',
    ext: true,
    body: z.strictObject({
      resources: z
        .array(GivenResource)
        .min(1)
        .max(maxResourcesPerRequest)
        .refine((all) => all.reduce((sum, one) => sum + countTags(one), 0) <= maxTagsPerRequest, {
          message: `have more than ${inThrees(maxTagsPerRequest)} tags in total; send fewer resources per request, or import them`,
        }),
    }),
    response: { status: 200, body: z.looseObject({ ...counts, pending }) },
    errors: ['invalid_resource'],
  }),
  import: endpoint({
    method: 'POST',
    path: '/v1/resources/import',
    summary:
      'Import any number of resources, one per line; stored in batches; only invalid lines are rejected, and none replaces a newer state',
    scope: 'compliance:write',
    ext: true,
    streamed: 'application/x-ndjson',
    response: { status: 200, body: ImportAnswer },
    errors: ['invalid_resource', 'body_too_large'],
  }),
  delete: noun.delete({
    summary: 'Delete a resource from the inventory; its violations are resolved',
  }),
};
