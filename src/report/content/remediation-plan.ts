import { severities } from '../../contract/policies.ts';
import type { Severity } from '../../contract/policies.ts';
import { complianceScore, weightOf } from '../../engine/score.ts';
import type { Facts, PolicyFact } from './facts.ts';
import { brief } from './text.ts';

export const efforts = ['automatic', 'small', 'medium', 'large'] as const;
type Effort = (typeof efforts)[number];

/** How efforts are found, as a report tells it. */
export const effortRule =
  'Effort is “automatic” if the policy can fix its violations (auto_remediation, or a remediation_action that starts with patch:). Otherwise it depends on the number of resources to change: “small” up to 5, “medium” up to 25, “large” above.';

export interface Action {
  /** From 1. */
  readonly step: number;
  /** The most severe of `policies`, or the first of these. */
  readonly policy: PolicyFact;
  /** All that the same fix satisfies: it is one action. */
  readonly policies: readonly PolicyFact[];
  /** Open violations, and evaluations that fail now. */
  readonly open: number;
  readonly failing: number;
  readonly effort: Effort;
  /** Points of score that it brings by itself; null where nothing was evaluated. */
  readonly gain: number | null;
  /** The score once this and all before it are done. */
  readonly scoreAfter: number | null;
}

/**
 * What to do first: by severity; within one, what takes the least effort, and of that what brings the most. What can't
 * be decided stays as it is, whatever is fixed.
 */
export function planOf({ policies, violations, evaluations: { total } }: Facts): readonly Action[] {
  const openOf = ({ id }: PolicyFact): number => violations.policies.get(id)?.counts.open ?? 0;
  const open = policies.filter((policy) => openOf(policy) > 0);
  const sum = (of: readonly PolicyFact[], amount: (one: PolicyFact) => number): number =>
    of.reduce((all, one) => all + amount(one), 0);
  const fixes = new Map<string, PolicyFact[]>();
  for (const policy of open) {
    const key = fixOf(policy);
    fixes.set(key, [...(fixes.get(key) ?? []), policy]);
  }
  const wanted = [...fixes.values()]
    .map((same) =>
      same.toSorted(
        (a, b) => rankOf(b.severity) - rankOf(a.severity) || (a.name < b.name ? -1 : 1),
      ),
    )
    .flatMap((same) => {
      const [policy] = same;
      if (!policy) return [];
      // Where several policies fail on the same resources, each of these is changed once.
      const resources = Math.max(...same.map(openOf));
      return {
        policy,
        policies: same,
        open: sum(same, openOf),
        failing: sum(same, ({ counter }) => counter.fail),
        effort: effortOf(same, resources),
        weight: sum(same, (one) => one.counter.fail * weightOf(one)),
      };
    })
    .sort(
      (a, b) =>
        rankOf(b.policy.severity) - rankOf(a.policy.severity) ||
        efforts.indexOf(a.effort) - efforts.indexOf(b.effort) ||
        b.weight - a.weight ||
        (a.policy.name < b.policy.name ? -1 : 1),
    );
  let met = total.met;
  return wanted.map(({ weight, ...action }, at) => {
    met += weight;
    return {
      ...action,
      step: at + 1,
      gain: complianceScore({ met: weight, all: total.all }),
      scoreAfter: complianceScore({ met, all: total.all }),
    };
  });
}

const rankOf = (severity: Severity): number => severities.indexOf(severity);

/** Policies that ask the same of the same type of resource have one fix. */
function fixOf(policy: PolicyFact): string {
  const advice = adviceOf(policy).trim().toLowerCase();
  return advice === '' ? policy.id : `${policy.resource_type}\u0000${advice}`;
}

function effortOf(policies: readonly PolicyFact[], resources: number): Effort {
  const isAutomatic = policies.some(
    ({ auto_remediation: isSet, remediation_action: action }) =>
      isSet || action?.startsWith('patch:') === true,
  );
  if (isAutomatic) return 'automatic';
  if (resources <= 5) return 'small';
  return resources <= 25 ? 'medium' : 'large';
}

/** What the policy says is to be done. An address is shown without its path, which may hold a secret. */
export function adviceOf({
  messages,
  description,
  remediation_action: action,
}: PolicyFact): string {
  const said = messages.length > 0 ? joined(messages) : description;
  return brief([said, action && describeAction(action)].filter(Boolean).join(' — '));
}

/** One after the other, each ended. */
const joined = (messages: readonly string[]): string =>
  messages
    .map((one, at) => (at === messages.length - 1 || /[.!?…]$/.test(one) ? one : `${one}.`))
    .join(' ');

/** `webhook:` may also stand in what is done after a notification. */
const describeAction = (action: string): string =>
  action.replaceAll(/webhook:([^"]*)/g, (_, given: string) => {
    const address = given.trim();
    return `webhook: ${URL.canParse(address) ? new URL(address).host : 'URL not shown'}`;
  });
