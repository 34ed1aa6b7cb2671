import { enforcementOf } from '../contract/enforcement.ts';

/** How much of a library is run; each set includes those before it. */
export const policySets = ['baseline', 'strict'] as const;
export type PolicySet = (typeof policySets)[number];

/** What `check` runs unless --set or govctl.yaml says otherwise. */
export const defaultPolicySet: PolicySet = 'baseline';

/**
 * Whether a policy with these tags is run: what has no tag such as `set:strict` always is, as is what is mandatory. Of two
 * such tags the smaller set counts.
 */
export function isInSet(tags: readonly string[] = [], wanted: PolicySet): boolean {
  const own = policySets.findIndex((one) => tags.includes(`set:${one}`));
  return own <= policySets.indexOf(wanted) || enforcementOf(tags) === 'mandatory';
}
