import { GovctlError } from '../../contract/errors.ts';
import { ResourceType } from '../../contract/policies.ts';
import { isTypePattern, providerOf } from '../../contract/resources.ts';
import { listOf } from './parse-words.ts';

/**
 * Resource types, `a,b`, repeated, of `--type`.
 * @param more whether `--provider` can select all types of a provider
 * @throws GovctlError usage_error for a pattern
 */
export function parseTypes(given: readonly string[], more: '--provider' | 'none'): string[] {
  const types = listOf(given);
  for (const type of types) {
    if (ResourceType.safeParse(type).success) continue;
    const why = isTypePattern(type)
      ? 'must be a resource type, not a pattern'
      : 'must look like <provider>::<service>::<type>';
    const provider = /^\w+::/.test(type) ? providerOf(type) : 'aws';
    const or = more === 'none' ? '' : `, or --provider ${provider} for all types of a provider`;
    throw new GovctlError('usage_error', `--type ${type}: ${why}`, {
      hint: `Use a type such as AWS::S3::Bucket${or}.`,
    });
  }
  return types;
}
