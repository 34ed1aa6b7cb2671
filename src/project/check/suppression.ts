import type { PolicyInput } from '../../contract/policies.ts';

/**
 * Why a resource that asks to be spared some rules (in its template's Metadata) is exempt from a policy, in one line;
 * undefined where it isn't. A policy stands for such a rule by its tag: `guard:<RULE_NAME>` or `cfn_nag:<ID>`.
 */
export function suppressionOf(
  { tags = [] }: PolicyInput,
  suppressed: readonly string[],
): string | undefined {
  const rule = suppressed.find((tag) => tags.includes(tag));
  return rule === undefined ? undefined : `${rule} is suppressed by the resource itself`;
}
