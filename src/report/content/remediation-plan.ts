import { severities } from '../../contract/policies.ts';
import type { Severity } from '../../contract/policies.ts';
import { complianceScore, weightOf } from '../../engine/score.ts';
import type { Facts, PolicyFact } from './facts.ts';
import { brief } from './text.ts';

export const efforts = ['automatic', 'small', 'medium', 'large'] as const;
type Effort = (typeof efforts)[number];

/** How efforts are found, as a report tells it. */
export const effortRule =
  'Effort is “automatic” if the policy can fix its violations (auto_remediation, or a remediation_action that starts with patch:). Otherwise it depends on the number of open violations, with HIGH and CRITICAL counted twice: “small” up to 5, “medium” up to 25, “large” above.';

export interface Action {
  /** From 1. */
  readonly step: number;
  readonly policy: PolicyFact;
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
  const wanted = policies
    .filter((policy) => openOf(policy) > 0)
    .map((policy) => ({
      policy,
      open: openOf(policy),
      failing: policy.counter.fail,
      effort: effortOf(policy, openOf(policy)),
      weight: policy.counter.fail * weightOf(policy),
    }))
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

function effortOf(
  { auto_remediation: isAutomatic, remediation_action: action, severity }: PolicyFact,
  open: number,
): Effort {
  if (isAutomatic || action?.startsWith('patch:')) return 'automatic';
  const amount = severity === 'HIGH' || severity === 'CRITICAL' ? 2 * open : open;
  if (amount <= 5) return 'small';
  return amount <= 25 ? 'medium' : 'large';
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
    return `webhook: ${URL.canParse(address) ? new URL(address).host : 'an address'}`;
  });
