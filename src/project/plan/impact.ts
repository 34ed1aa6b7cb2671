import { defined } from '../../contract/defined.ts';
import type { ResourceCostSum } from '../../contract/cost-resources.ts';
import type { Finding } from '../../contract/findings.ts';
import type { InputProblem } from '../../inventory/model.ts';
import type { PlacedLeftOut } from '../check/left-out.ts';
import type { Change } from './change.ts';
import type { Subject } from './impact-subjects.ts';

/** A resource whose verdict would change, with the policy's message. */
interface ImpactedResource {
  readonly resource: string;
  readonly resource_type: string;
  readonly message?: string;
}

interface Impacted {
  readonly total: number;
  /** The first resources. */
  readonly resources: readonly ImpactedResource[];
}

interface ChangeImpact {
  /** Of the policy. */
  readonly key: string;
  /** Absent: the plan changes only exemptions of the policy. */
  readonly action?: Change['action'];
  /** Resources that do not fail now, or are exempt, and would fail. */
  readonly newly_failing: Impacted;
  /** Resources that fail now and would no longer fail, or be exempt. */
  readonly newly_passing: Impacted;
  /** Resources that are decided now and would become errors: as bad as failing. */
  readonly newly_undecided: Impacted;
}

/** Which resources would start to fail or pass if the plan were applied. */
export interface Impact {
  readonly summary: {
    readonly resources: number;
    readonly newly_failing: number;
    readonly newly_passing: number;
    readonly newly_undecided: number;
  };
  readonly changes: readonly ChangeImpact[];
  /** What the newly failing resources cost, each counted once; absent: not known, or the caller may not see it. */
  readonly newly_failing_cost?: ResourceCostSum;
  /** Places of the input that could not be read: the figures are not complete. */
  readonly unreadable?: readonly PlacedProblem[];
  /** Resources of the input whose condition is false: none of them is among the figures. */
  readonly left_out?: readonly PlacedLeftOut[];
  /** What may be otherwise than the input says. */
  readonly warnings?: readonly PlacedProblem[];
}

type PlacedProblem = InputProblem & { readonly file: string };

/** Maximum number of listed resources per change. */
const mostNamed = 100;

interface ImpactCount {
  /** Adds the findings of both sides for some resources; passes may be left out. */
  add(resources: number, before: readonly Finding[], after: readonly Finding[]): void;
  /** The resources that newly fail, each once. */
  newlyFailing(): ReadonlySet<string>;
  result(): Impact;
}

/** Counts the impact on any number of resources. */
export function countImpact(subjects: readonly Subject[]): ImpactCount {
  let seen = 0;
  const newlyFailing = new Set<string>();
  const counted = subjects.map((subject) => ({
    subject,
    failing: tallyOf(),
    passing: tallyOf(),
    undecided: tallyOf(),
  }));
  return {
    add(resources, before, after) {
      seen += resources;
      const [was, is] = [byPolicy(before), byPolicy(after)];
      for (const { subject, failing, passing, undecided } of counted) {
        const old = was.get(subject.before?.policy.name ?? '') ?? new Map<string, Finding>();
        const next = is.get(subject.after?.policy.name ?? '') ?? new Map<string, Finding>();
        for (const [id, finding] of next) {
          const { status } = finding;
          if (status === old.get(id)?.status) continue;
          if (status === 'FAIL') {
            failing.add(finding);
            newlyFailing.add(id);
          }
          if (status === 'ERROR') undecided.add(finding);
        }
        for (const [id, finding] of old) {
          const after = next.get(id)?.status;
          if (finding.status === 'FAIL' && after !== 'FAIL' && after !== 'ERROR') {
            passing.add(finding);
          }
        }
      }
    },
    newlyFailing: () => newlyFailing,
    result() {
      const impacts = counted.map(({ subject: { key, action }, failing, passing, undecided }) => ({
        key,
        ...defined({ action }),
        newly_failing: failing.result(),
        newly_passing: passing.result(),
        newly_undecided: undecided.result(),
      }));
      const sum = (field: 'newly_failing' | 'newly_passing' | 'newly_undecided'): number =>
        impacts.reduce((total, impact) => total + impact[field].total, 0);
      return {
        summary: {
          resources: seen,
          newly_failing: sum('newly_failing'),
          newly_passing: sum('newly_passing'),
          newly_undecided: sum('newly_undecided'),
        },
        changes: impacts,
      };
    },
  };
}

function tallyOf() {
  let total = 0;
  const resources: ImpactedResource[] = [];
  return {
    add({ resource, resource_type, rules }: Finding) {
      total += 1;
      const message = rules.find((rule) => rule.message !== undefined)?.message;
      const named = { resource, resource_type, ...defined({ message }) };
      if (resources.length < mostNamed) resources.push(named);
    },
    result: (): Impacted => ({ total, resources }),
  };
}

/** Findings by policy name and resource ID. */
function byPolicy(findings: readonly Finding[]): Map<string, Map<string, Finding>> {
  const found = new Map<string, Map<string, Finding>>();
  for (const finding of findings) {
    const same = found.get(finding.policy) ?? new Map<string, Finding>();
    found.set(finding.policy, same.set(finding.resource, finding));
  }
  return found;
}
