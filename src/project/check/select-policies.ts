import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { PolicyType } from '../../contract/policies.ts';
import { matchesType, typeKey } from '../../contract/resources.ts';
import { matchesId } from '../../engine/exempt.ts';
import { frameworkKey, labelKey, splitLabel } from '../../engine/labels.ts';
import type { LocalPolicy } from '../model.ts';
import { judgeType } from '../read/check-attributes.ts';
import { isInSet } from '../policy-sets.ts';
import type { PolicySet } from '../policy-sets.ts';

/** Which policies are meant; an empty or missing list means all. */
export interface Selection {
  /** Names or keys, or globs in which `*` stands for any characters. */
  readonly policies?: readonly string[];
  /** Resource types. */
  readonly types?: readonly string[];
  /** A policy has all of them. */
  readonly tags?: readonly string[];
  /** Frameworks or controls, in any spelling: `pci`, `SOC2:CC6.1`. A policy is mapped to at least one. */
  readonly frameworks?: readonly string[];
}

/**
 * The policies that --policy, --type, --tag and --framework name.
 * @throws GovctlError usage_error for a word that no policy has, and where no policy has all that is asked for
 */
export function selectPolicies(
  all: readonly LocalPolicy[],
  { policies = [], types = [], tags = [], frameworks = [] }: Selection,
): readonly LocalPolicy[] {
  const names = new Set(all.flatMap(({ key, policy }) => [policy.name, key]));
  const isNamed = ({ key, policy }: LocalPolicy, wanted: string): boolean =>
    matchesId(wanted, key) || matchesId(wanted, policy.name);
  requireKnown('--policy', policies, names, (wanted) => all.some((one) => isNamed(one, wanted)));
  const policyTypes = new Set(all.map(({ policy }) => policy.resource_type));
  for (const type of types) if (!policyTypes.has(type)) refuseSlip(type);
  requireKnown('--type', types, policyTypes, (wanted) =>
    [...policyTypes].some((type) => areAkin(wanted, type)),
  );
  const known = new Set(all.flatMap(({ policy }) => policy.tags ?? []));
  requireKnown('--tag', tags, known, (tag) => known.has(tag));
  const labels = new Set(all.flatMap(({ policy }) => policy.compliance_frameworks ?? []));
  requireKnown('--framework', frameworks, labels, (wanted) =>
    [...labels].some((label) => isPartOf(label, wanted)),
  );
  const selected = all.filter(
    (one) =>
      isAny(policies, (wanted) => isNamed(one, wanted)) &&
      isAny(types, (wanted) => areAkin(wanted, one.policy.resource_type)) &&
      tags.every((tag) => one.policy.tags?.includes(tag)) &&
      isAny(frameworks, (wanted) =>
        (one.policy.compliance_frameworks ?? []).some((label) => isPartOf(label, wanted)),
      ),
  );
  if (selected.length === 0 && all.length > 0) {
    const asked = [
      ...policies.map((name) => `--policy ${name}`),
      ...types.map((type) => `--type ${type}`),
      ...tags.map((tag) => `--tag ${tag}`),
      ...frameworks.map((label) => `--framework ${label}`),
    ];
    throw new GovctlError('usage_error', `No policy matches all of ${asked.join(', ')}`, {
      hint: 'A policy must have every tag, and one of each other flag. Run separate checks for different policies.',
    });
  }
  return selected;
}

const isAny = (wanted: readonly string[], fits: (word: string) => boolean): boolean =>
  wanted.length === 0 || wanted.some(fits);

/** Whether a label is a framework or control, or a control of the framework. */
function isPartOf(label: string, wanted: string): boolean {
  const { framework, control } = splitLabel(wanted);
  return control === ''
    ? frameworkKey(splitLabel(label).framework) === frameworkKey(framework)
    : labelKey(label) === labelKey(wanted);
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

/** A policy about `AWS::*` is akin to every type of AWS, those with a mistake in their name too. */
function refuseSlip(type: string): void {
  const { error } = PolicyType.safeParse(type);
  const [issue] = error?.issues ?? [];
  if (issue) {
    throw new GovctlError('usage_error', `--type ${JSON.stringify(type)} ${issue.message}`);
  }
  const slip = judgeType(type);
  if (slip) {
    throw new GovctlError(
      'usage_error',
      `--type ${JSON.stringify(type)}: unknown type`,
      defined({ hint: slip.hint }),
    );
  }
}

function requireKnown(
  flag: '--policy' | '--type' | '--tag' | '--framework',
  wanted: readonly string[],
  known: ReadonlySet<string>,
  isKnown: (word: string) => boolean,
): void {
  const unknown = wanted.find((word) => !isKnown(word));
  if (unknown === undefined) return;
  const nearest = nearestWord(unknown, known);
  const what = {
    '--policy': 'has this name or key',
    '--type': 'applies to this type',
    '--tag': 'has this tag',
    '--framework': 'is mapped to this framework or control',
  }[flag];
  throw new GovctlError('usage_error', `${flag} ${JSON.stringify(unknown)}: no policy ${what}`, {
    hint: nearest
      ? `Did you mean ${JSON.stringify(nearest)}?`
      : 'Check that the policy file is in one of the paths.',
  });
}
