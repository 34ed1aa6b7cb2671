import { defined } from '../../contract/defined.ts';
import { titleOf } from '../../engine/frameworks/titles.ts';
import { complianceScore } from '../../engine/score.ts';
import { compliantFrom } from '../../engine/score.ts';
import type { Mapping } from '../../engine/labels.ts';
import type { Facts, PolicyFact, PolicyViolations } from './facts.ts';
import { sumCounters } from './counters.ts';
import type { Counter } from './counters.ts';
import { scoreText } from './wording.ts';

export interface FrameworkStatus {
  readonly name: string;
  readonly status: 'COMPLIANT' | 'NON_COMPLIANT' | 'NOT EVALUATED';
  /** Why it is not compliant, in words. */
  readonly because: readonly string[];
  readonly score: number | null;
  readonly policies: number;
  readonly counter: Counter;
  readonly open: number;
  /** By name. */
  readonly controls: readonly ControlStatus[];
}

export interface ControlStatus {
  readonly framework: string;
  readonly control: string;
  /** What it is about; absent: not known. */
  readonly title?: string;
  readonly status: 'PASSED' | 'FAILED' | 'UNDECIDED' | 'NOT EVALUATED';
  readonly policies: readonly PolicyFact[];
  readonly counter: Counter;
  /** Open violations, those of policies that are gone since among them. */
  readonly open: number;
  /** Some of the resources that fail. */
  readonly failing: readonly string[];
}

interface Mapped {
  /** As it is shown. */
  readonly name: string;
  readonly policies: PolicyFact[];
  readonly violated: PolicyViolations[];
}

const newMapped = (name: string): Mapped => ({ name, policies: [], violated: [] });

/** Something of a map, made where there is none. */
function within<T>(map: Map<string, T>, key: string, create: () => T): T {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}

/**
 * How each framework and each of its controls stands. Evaluations count by the labels that policies have, violations by
 * those that their policy had when they were found.
 */
export function frameworksOf(facts: Facts): readonly FrameworkStatus[] {
  const frameworks = new Map<string, Mapped & { readonly controls: Map<string, Mapped> }>();
  const mappedOf = ({ key, framework }: Mapping) =>
    within(frameworks, key, () => ({ ...newMapped(framework), controls: new Map() }));
  const controlOf = (controls: Map<string, Mapped>, control: string) =>
    within(controls, control.toLowerCase(), () => newMapped(control));
  for (const policy of facts.policies) {
    for (const mapping of policy.mappings) {
      const mapped = mappedOf(mapping);
      mapped.policies.push(policy);
      for (const one of mapping.controls) controlOf(mapped.controls, one).policies.push(policy);
    }
  }
  for (const policy of facts.violations.policies.values()) {
    if (policy.counts.open === 0) continue;
    for (const mapping of policy.mappings) {
      const mapped = mappedOf(mapping);
      mapped.violated.push(policy);
      for (const one of mapping.controls) controlOf(mapped.controls, one).violated.push(policy);
    }
  }
  return [...frameworks.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((mapped) => ({
      ...frameworkStatus(facts, mapped),
      name: mapped.name,
      controls: [...mapped.controls.values()]
        .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
        .map((one) => ({
          framework: mapped.name,
          control: one.name,
          ...defined({ title: (facts.titleOf ?? titleOf)(mapped.name, one.name) }),
          ...controlStatus(facts, one),
        })),
    }));
}

const counterOf = ({ policies }: Mapped): Counter =>
  sumCounters(policies.map(({ counter }) => counter));

const openOf = ({ violated }: Mapped): number =>
  violated.reduce((sum, { counts }) => sum + counts.open, 0);

function frameworkStatus(
  { scope }: Facts,
  mapped: Mapped,
): Omit<FrameworkStatus, 'name' | 'controls'> {
  const { policies, violated } = mapped;
  const counter = counterOf(mapped);
  const score = complianceScore(counter);
  const open = openOf(mapped);
  // What fails now was not necessarily so in the past.
  const fails = (severity: string): boolean =>
    !scope.isPast && policies.some((one) => one.severity === severity && one.counter.fail > 0);
  const isCritical =
    fails('CRITICAL') || violated.some(({ counts }) => counts.bySeverity.CRITICAL > 0);
  const isUndecided = policies.some(
    ({ severity, counter: { error } }) =>
      (severity === 'HIGH' || severity === 'CRITICAL') && error > 0,
  );
  const because = [
    ...(score !== null && score < compliantFrom
      ? [`its score of ${scoreText(score)} is below ${scoreText(compliantFrom)}`]
      : []),
    ...(isCritical ? ['a CRITICAL violation is open'] : []),
    ...(isUndecided ? ['a HIGH or CRITICAL evaluation ended in an error'] : []),
  ];
  // Without any evaluation, nothing is known to comply.
  const ok = score === null ? 'NOT EVALUATED' : 'COMPLIANT';
  return {
    status: because.length > 0 ? 'NON_COMPLIANT' : ok,
    because,
    score,
    policies: policies.length,
    counter,
    open,
  };
}

function controlStatus(
  { scope }: Facts,
  mapped: Mapped,
): Omit<ControlStatus, 'framework' | 'control' | 'title'> {
  const counter = counterOf(mapped);
  const open = openOf(mapped);
  return {
    status: statusOf(counter, open > 0 || (counter.fail > 0 && !scope.isPast)),
    policies: mapped.policies,
    counter,
    open,
    failing: [...new Set(mapped.policies.flatMap(({ failing }) => failing))],
  };
}

function statusOf({ evaluated, error }: Counter, isFailed: boolean): ControlStatus['status'] {
  if (isFailed) return 'FAILED';
  if (evaluated === 0) return 'NOT EVALUATED';
  return error > 0 ? 'UNDECIDED' : 'PASSED';
}
