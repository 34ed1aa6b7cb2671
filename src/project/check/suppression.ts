import { enforcementOf } from '../../contract/enforcement.ts';
import type { PolicyInput } from '../../contract/policies.ts';

/**
 * Why a resource that asks to be spared some rules (in its template's Metadata) is exempt from a policy, in one line;
 * undefined where it isn't. A policy stands for such a rule by its tag: `guard:<RULE_NAME>` or `cfn_nag:<ID>`; the tag
 * `suppressed_by:guard:<RULE_NAME>` names a rule that spares from this policy too without being what it stands for.
 * A mandatory policy is spared by exemptions only: they have an owner and an end.
 */
export function suppressionOf(
  { tags = [] }: PolicyInput,
  suppressed: readonly string[],
): string | undefined {
  if (enforcementOf(tags) === 'mandatory') return undefined;
  const rule = suppressed.find(
    (tag) => tags.includes(tag) || tags.includes(`suppressed_by:${tag}`),
  );
  return rule === undefined ? undefined : `${rule} is suppressed by the resource itself`;
}
