import { z } from 'zod';
import { ResourceType } from './policies.ts';

const text = (max: number) => z.string().max(max);

/**
 * A resource as policies see it. Open: any further top-level attribute is kept and can be read by conditions.
 * `properties` is the provider's own document, untouched; what is given at top level wins over what is normalised.
 */
export const ResourceInput = z.looseObject({
  id: z.string().min(1).max(2_048),
  type: ResourceType,
  name: text(1_024).optional(),
  provider: text(64).optional(),
  account_id: text(256).optional(),
  region: text(64).optional(),
  environment: text(64).optional(),
  tags: z.record(z.string(), z.string()).default({}),
  properties: z.record(z.string(), z.unknown()).default({}),
});
export type ResourceInput = z.infer<typeof ResourceInput>;

/** As evaluated: `provider` is filled in. Values are JSON, or `UnknownValue` where a template can't tell yet. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly region?: string;
  readonly environment?: string;
  readonly tags: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

/**
 * Stands in a resource for a value that can't be known from the input: a parameter without a value, an attribute that
 * exists only after the deployment. Never guessed: a condition that needs it is undecided (`unknown_value`).
 * Exists in memory only; as JSON it is absent.
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
  /** A text that is known in part: the unknown pieces as `${…}`. */
  readonly text: string | undefined;

  constructor(
    expression: string,
    known: {
      readonly present?: boolean;
      readonly target?: string;
      readonly attribute?: string;
      readonly parameter?: { readonly name: string; readonly secret: boolean };
      readonly text?: string;
    } = {},
  ) {
    this.expression = expression;
    this.present = known.present ?? true;
    this.target = known.target;
    this.attribute = known.attribute;
    this.parameter = known.parameter;
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
