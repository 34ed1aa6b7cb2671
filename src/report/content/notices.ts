import type { Facts } from './facts.ts';
import { scoreOf } from './score.ts';
import { count, firstOf, listed, moment, number, sentence } from './wording.ts';

/** Names that are told before the rest is counted. */
const mostNames = 10;

/** What has to stand beside the main figures, wherever these are shown without the rest. */
export function noticesOf(facts: Facts): readonly string[] {
  const { scope, order, evaluations } = facts;
  const nowhere = nowhereOf(facts);
  const said = [
    ...pendingOf(facts),
    ...(evaluations.total.evaluated === 0
      ? [`Nothing was evaluated: ${whyNothing(facts)}.`]
      : [...nowhere.map((one) => `${sentence(one)}.`), ...uncoveredOf(facts)]),
  ];
  if (!scope.isPast) return said;
  const { timezone } = order.scope;
  const { scan, value } = scoreOf(facts);
  const violations = `Violations are as of the end of the range, ${moment(scope.end, timezone)}`;
  if (value === null) return [...said, `${violations}.`];
  const score = scan
    ? `of the last scan before it (${scan.id})`
    : `as evaluated at ${moment(scope.at, timezone)}`;
  return [...said, `${violations}; the score is ${score}.`];
}

/** What was still to be evaluated, as violations follow from it. */
export function pendingOf({ pending }: Pick<Facts, 'pending'>): string[] {
  if (!pending) return [];
  const { evaluations, policies } = pending;
  const what =
    evaluations === 0
      ? 'changes of policies and exemptions were still being applied'
      : `${count(evaluations, 'evaluation')} of ${count(policies, 'policy', 'policies')} ${evaluations === 1 ? 'was' : 'were'} pending`;
  return [
    `Evaluation was not complete: ${what}. Violations, and figures based on them, are incomplete.`,
  ];
}

/** A score says little about resources that only policies for all types of a provider are about, if any. */
function uncoveredOf({ evaluations: { resources, covered } }: Facts): string[] {
  const uncovered = resources - covered;
  if (uncovered === 0) return [];
  const have = uncovered === 1 ? 'has a type' : 'have types';
  return [
    `${number(uncovered)} of ${count(resources, 'resource')} ${have} without a policy in scope for the type or its service.`,
  ];
}

/** Environments and providers that were asked for and that no resource is of: they may be misspelt. */
export const nowhereOf = ({ order: { scope }, evaluations: { places } }: Facts): string[] => [
  ...absent(scope.environments, places.environments, 'in environment'),
  ...absent(
    scope.cloud_providers?.map((one) => one.toLowerCase()),
    places.providers,
    'of cloud provider',
  ),
];

function absent(
  asked: readonly string[] = [],
  known: ReadonlySet<string>,
  preposition: string,
): string[] {
  const unknown = asked.filter((one) => !known.has(one));
  if (unknown.length === 0) return [];
  const names = [...known].sort();
  const others =
    names.length === 0
      ? 'the inventory contains none'
      : `the inventory contains ${names.length > mostNames ? firstOf(names, mostNames) : listed(names)}`;
  const which = unknown.length > mostNames ? firstOf(unknown, mostNames) : listed(unknown);
  return [`no resource is ${preposition} ${which}; ${others}`];
}

export function whyNothing(facts: Facts): string {
  const { policies, disabled, evaluations } = facts;
  if (policies.length === 0) {
    return disabled > 0
      ? `${count(disabled, 'policy', 'policies')} in scope, all disabled`
      : 'no policies in scope';
  }
  if (evaluations.resources === 0) {
    return nowhereOf(facts).join('; ') || 'no resources in scope';
  }
  return `no policy in scope applies to the types of ${count(evaluations.resources, 'resource')}`;
}
