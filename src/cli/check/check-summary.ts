import type { Tally } from '../../project/check/checker.ts';
import type { LocalPolicy } from '../../project/model.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import type { CheckResult } from './check-result.ts';
import { bySeverity } from './findings-text.ts';
import { compareSeverity, enforcementOfPolicy, severityOf } from './verdict.ts';
import type { Severity } from './verdict.ts';

/** The outcome in a few lines; the first one is the verdict. */
export function describeCheck(result: CheckResult): string[] {
  const { summary, unreadable, baseline } = result;
  const unread = unreadable.items.length + unreadable.hidden;
  return [
    [...(unread > 0 ? [describeUnread(unread)] : []), verdictOf(result)].join(' '),
    figuresOf(result),
    ...describePolicies(result),
    ...(summary.evaluated > 0 ? describeUnmatched(result) : []),
    ...describeLeftOut(result),
    ...describeSet(result),
    ...(baseline && baseline.stale.length > 0
      ? [
          `${count(baseline.stale.length, 'outdated entry', 'outdated entries')} in ${baseline.file}${baseline.pruned ? ' removed' : '. Use --prune-baseline to remove outdated entries'}.`,
        ]
      : []),
    ...(baseline?.written === undefined
      ? []
      : [`${count(baseline.written, 'finding')} written to ${baseline.file}.`]),
  ];
}

/** Said before the verdict, which is about the rest. */
const describeUnread = (places: number): string =>
  `${count(places, 'part')} of the input could not be read: the check is incomplete.`;

/** Resources that are named in one line. */
const mostLeftOut = 5;

/** How many resources are not deployed, which, and what shows them; nothing where all are. */
function describeLeftOut({ leftOut }: Pick<CheckResult, 'leftOut'>): string[] {
  const amount = leftOut.items.length + leftOut.hidden;
  if (amount === 0) return [];
  const named = leftOut.items
    .slice(0, mostLeftOut)
    .map(({ resource, condition }) => `${printableLine(resource)} (${printableLine(condition)})`);
  const more = amount - named.length;
  const names = named.join(', ') + (more > 0 ? ` and ${count(more, 'other')}` : '');
  const said =
    amount === 1 ? 'excluded because its condition is' : 'excluded because their conditions are';
  return [
    `${count(amount, 'resource')} ${said} false: ${names}. Use --all-conditions to check ${amount === 1 ? 'it' : 'them'}.`,
  ];
}

/** How many policies the set leaves out, and what runs them. */
function describeSet({ set: { name, policies_left_out: amount } }: CheckResult): string[] {
  if (amount === 0) return [];
  const [are, them] = amount === 1 ? ['is', 'it'] : ['are', 'them'];
  return [
    `${count(amount, 'policy', 'policies')} ${are} not in the ${name} set. Use --set strict to run ${them}.`,
  ];
}

function verdictOf(result: CheckResult): string {
  const { leftOut, summary, failing, policies, counts, limits } = result;
  if (summary.resources === 0 && leftOut.items.length > 0)
    return 'Nothing was evaluated: the conditions of all resources are false.';
  if (summary.resources === 0) {
    const ofType = limits.type ? ` of type ${limits.type.map(printableLine).join(' or ')}` : '';
    return `Nothing was evaluated: there are no resources${ofType} in the input.`;
  }
  if (summary.evaluated === 0) return describeNothing(result);
  if (summary.fail + summary.error === 0) {
    if (summary.exempt + (summary.baselined ?? 0) === 0) {
      return `${summary.evaluated === 1 ? '1 evaluation' : `All ${inThrees(summary.evaluated)} evaluations`} passed.`;
    }
    return 'No failures.';
  }
  const failed = new Map<Severity, number>();
  const undecided = new Map<Severity, number>();
  const advised = new Map<Severity, number>();
  let mandatory = 0;
  for (const [index, policy] of policies.entries()) {
    const { fail = 0, error = 0 } = counts[index] ?? {};
    const severity = severityOf(policy);
    const enforcement = enforcementOfPolicy(policy);
    if (enforcement === 'advisory') add(advised, severity, fail + error);
    else {
      add(failed, severity, fail);
      add(undecided, severity, error);
      if (enforcement === 'mandatory') mandatory += fail;
    }
  }
  const [fails, errors, advisory] = [sum(failed), sum(undecided), sum(advised)];
  const words = [
    ...(fails > 0
      ? [
          `${inThrees(fails)} failed (${bySeverity(failed)})${mandatory > 0 ? `, ${inThrees(mandatory)} mandatory` : ''}`,
        ]
      : []),
    ...(errors > 0 ? [`${count(errors, 'error')} (${bySeverity(undecided)})`] : []),
    ...(advisory > 0 ? [`${count(advisory, 'advisory finding')} (${bySeverity(advised)})`] : []),
  ];
  if (failing > 0) return `${words.join('; ')}.`;
  const because = [
    ...(limits.failOn ? [`--fail-on ${limits.failOn}`] : []),
    ...(limits.onError === 'warn' ? ['--on-error warn'] : []),
    ...(limits.onUnknown === 'warn' ? ['--on-unknown warn'] : []),
  ];
  if (fails + errors === 0) return `${words.join('; ')}; none of these fail the check.`;
  return `${words.join('; ')}; none of these fail the check with ${because.join(' ')}.`;
}

/** Failures and errors from which on the output is too long to see which policies they are of. */
const manyFindings = 30;
/** Policies that are listed. */
const mostPolicies = 10;

/** The policies with failures and errors, each counted on its own, the worst first; nothing where the output is short. */
function describePolicies({ summary, policies, counts }: CheckResult): string[] {
  const rows = policies.flatMap((policy, index) => {
    const { fail = 0, error = 0 } = counts[index] ?? {};
    return fail + error === 0 ? [] : [{ policy, fail, error, severity: severityOf(policy) }];
  });
  if (summary.fail + summary.error < manyFindings || rows.length < 2) return [];
  rows.sort(
    (a, b) => compareSeverity(a.severity, b.severity) || b.fail + b.error - a.fail - a.error,
  );
  const shown = rows.slice(0, mostPolicies);
  const failed = inColumn(shown.map(({ fail }) => fail));
  const errors = summary.error > 0 ? inColumn(shown.map(({ error }) => error)) : undefined;
  const more = rows.length - shown.length;
  return [
    `By policy (failed${errors ? ', errors' : ''}):`,
    ...shown.map(({ policy: one, severity }, at) => {
      const { key, policy } = one;
      const amounts = [failed[at], ...(errors ? [errors[at]] : [])].join('  ');
      const advisory = enforcementOfPolicy(one) === 'advisory' ? ' (advisory)' : '';
      return `  ${amounts}  ${severity.padEnd(8)}  ${printableLine(policy.name)} [${printableLine(key)}]${advisory}`;
    }),
    ...(more > 0 ? [`  ${count(more, 'other policy', 'other policies')}`] : []),
  ];
}

/** Numbers as wide as the widest; a dash for none. */
function inColumn(amounts: readonly number[]): string[] {
  const texts = amounts.map((amount) => (amount === 0 ? '-' : inThrees(amount)));
  const width = Math.max(...texts.map(({ length }) => length));
  return texts.map((text) => text.padStart(width));
}

function figuresOf({ summary, policies, files }: CheckResult): string {
  const { resources, evaluated, pass, fail, error, exempt, baselined } = summary;
  const parts = [
    `${inThrees(pass)} passed`,
    `${inThrees(fail)} failed`,
    ...(error > 0 ? [count(error, 'error')] : []),
    ...(exempt > 0 ? [`${inThrees(exempt)} exempt`] : []),
    ...(baselined ? [`${inThrees(baselined)} in the baseline`] : []),
  ];
  return `Checked ${inThrees(resources)} ${resources === 1 ? 'resource' : 'resources'} in ${count(files, 'file')} (${count(policies.length, 'policy', 'policies')}): ${inThrees(evaluated)} ${evaluated === 1 ? 'evaluation' : 'evaluations'}, ${parts.join(', ')}.`;
}

const add = (amounts: Map<Severity, number>, severity: Severity, amount: number): void =>
  void amounts.set(severity, (amounts.get(severity) ?? 0) + amount);

/** Types that are named in one line. */
const mostTypes = 5;

function describeUnmatched({ tally, policies }: CheckResult): string[] {
  const resources = sum(tally.unmatched);
  if (resources === 0) return [];
  return [
    `No policy covers the ${tally.unmatched.size === 1 ? 'type' : 'types'} of ${count(resources, 'resource')}: ${listTypes(tally.unmatched, policies)}.`,
  ];
}

/** The type of a policy that differs from a resource's only in case. */
export function typeMeant(type: string, policies: readonly LocalPolicy[]): string | undefined {
  const lower = type.toLowerCase();
  return policies
    .map(({ policy }) => policy.resource_type)
    .find((wanted) => wanted !== type && wanted.toLowerCase() === lower);
}

function describeNothing({ tally, policies, set }: CheckResult): string {
  if (policies.length === 0) return `Nothing was evaluated: no policies in the ${set.name} set.`;
  if (tally.policies.some(({ skipped }) => skipped > 0))
    return 'Nothing was evaluated: the policies are disabled.';
  const about = countTypes(policies);
  return `Nothing was evaluated: no policy applies to ${listTypes(tally.unmatched, policies)}. Policies exist for ${listTypes(about)}.`;
}

function countTypes(policies: readonly LocalPolicy[]): Tally['unmatched'] {
  const types = new Map<string, number>();
  for (const { policy } of policies) {
    types.set(policy.resource_type, (types.get(policy.resource_type) ?? 0) + 1);
  }
  return types;
}

const sum = (amounts: ReadonlyMap<string, number>): number =>
  [...amounts.values()].reduce((total, each) => total + each, 0);

/** The most frequent first. */
function listTypes(
  types: ReadonlyMap<string, number>,
  policies: readonly LocalPolicy[] = [],
): string {
  const sorted = [...types].sort(([, a], [, b]) => b - a);
  const named = sorted.slice(0, mostTypes).map(([type, n]) => {
    const meant = typeMeant(type, policies);
    return `${printableLine(type)} (${inThrees(n)}${meant === undefined ? '' : `; did you mean ${meant}?`})`;
  });
  const more = sorted.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${count(more, 'other type')}` : '');
}
