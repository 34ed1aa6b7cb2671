import { typeKey } from '../../contract/resources.ts';
import type { Normaliser } from './normaliser.ts';
import { normalisers } from './types.ts';

type Arguments = NonNullable<Normaliser['arguments']>;

const byType: ReadonlyMap<string, Arguments> = new Map(
  normalisers.flatMap(({ types, arguments: its }) =>
    its ? types.map((type) => [typeKey(type), its] as const) : [],
  ),
);

/**
 * How Terraform calls a property of a resource: `kms_key_id`, or `acl of aws_s3_bucket_acl` where it is set in a resource
 * of its own. Undefined where nobody has said.
 * @param terraformType of the resource: several may have one type
 */
export function terraformArgument(
  type: string,
  terraformType: unknown,
  property: string,
): string | undefined {
  const its = byType.get(typeKey(type));
  if (!its || !Object.hasOwn(its, property)) return undefined;
  const argument = its[property];
  if (typeof argument !== 'object') return argument;
  return typeof terraformType === 'string' && Object.hasOwn(argument, terraformType)
    ? argument[terraformType]
    : undefined;
}
