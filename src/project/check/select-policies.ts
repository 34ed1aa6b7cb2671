import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { typeKey } from '../../contract/resources.ts';
import type { LocalPolicy } from '../model.ts';

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
  const names = all.flatMap(({ key, policy }) => [policy.name, key]);
  requireKnown('--policy', policies, names, (name) => name);
  requireKnown(
    '--type',
    types,
    all.map(({ policy }) => policy.resource_type),
    typeKey,
  );
  const wantedNames = new Set(policies);
  const wantedTypes = new Set(types.map(typeKey));
  return all.filter(
    ({ key, policy }) =>
      (policies.length === 0 || wantedNames.has(key) || wantedNames.has(policy.name)) &&
      (types.length === 0 || wantedTypes.has(typeKey(policy.resource_type))),
  );
}

function requireKnown(
  flag: string,
  wanted: readonly string[],
  known: readonly string[],
  normal: (word: string) => string,
): void {
  const set = new Set(known.map(normal));
  const unknown = wanted.find((word) => !set.has(normal(word)));
  if (unknown === undefined) return;
  const nearest = nearestWord(unknown, known);
  const what = flag === '--type' ? 'is about this type' : 'has this name or key';
  throw new GovctlError('usage_error', `${flag} ${JSON.stringify(unknown)}: no policy ${what}`, {
    hint: nearest
      ? `Did you mean ${JSON.stringify(nearest)}?`
      : 'Check that its file is among those that policies are read from.',
  });
}
