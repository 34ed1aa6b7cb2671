import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { matchesType, typeKey } from '../../contract/resources.ts';
import type { LocalPolicy } from '../model.ts';
import { isInSet } from '../policy-sets.ts';
import type { PolicySet } from '../policy-sets.ts';

export interface Selection {
  /** Names or keys; empty: all. */
  readonly policies: readonly string[];
  /** Resource types; empty: all. */
  readonly types: readonly string[];
}

/** The policies that --policy and --type name. @throws GovctlError usage_error for a name that none has */
export function selectPolicies(
  all: readonly LocalPolicy[],
  { policies, types }: Selection,
): readonly LocalPolicy[] {
  const names = new Set(all.flatMap(({ key, policy }) => [policy.name, key]));
  requireKnown('--policy', policies, names, (name) => names.has(name));
  const policyTypes = new Set(all.map(({ policy }) => policy.resource_type));
  requireKnown('--type', types, policyTypes, (wanted) =>
    [...policyTypes].some((type) => areAkin(wanted, type)),
  );
  const wantedNames = new Set(policies);
  return all.filter(
    ({ key, policy }) =>
      (policies.length === 0 || wantedNames.has(key) || wantedNames.has(policy.name)) &&
      (types.length === 0 || types.some((wanted) => areAkin(wanted, policy.resource_type))),
  );
}

/** What is left of the policies by their set. */
export interface PoliciesOfSet {
  readonly policies: readonly LocalPolicy[];
  readonly set: { readonly name: PolicySet; readonly policies_left_out: number };
}

export function narrowToSet(all: readonly LocalPolicy[], name: PolicySet): PoliciesOfSet {
  const policies = all.filter(({ policy }) => isInSet(policy.tags, name));
  return { policies, set: { name, policies_left_out: all.length - policies.length } };
}

/** Either may be a pattern: `--type AWS::S3::*` is every type of S3, and a policy about `AWS::*` is about buckets, too. */
const areAkin = (wanted: string, type: string): boolean =>
  typeKey(wanted) === typeKey(type) || matchesType(type, wanted) || matchesType(wanted, type);

function requireKnown(
  flag: string,
  wanted: readonly string[],
  known: ReadonlySet<string>,
  isKnown: (word: string) => boolean,
): void {
  const unknown = wanted.find((word) => !isKnown(word));
  if (unknown === undefined) return;
  const nearest = nearestWord(unknown, known);
  const what = flag === '--type' ? 'applies to this type' : 'has this name or key';
  throw new GovctlError('usage_error', `${flag} ${JSON.stringify(unknown)}: no policy ${what}`, {
    hint: nearest
      ? `Did you mean ${JSON.stringify(nearest)}?`
      : 'Check that the policy file is in one of the paths.',
  });
}
