import type { Mapping } from '../../../engine/labels.ts';
import { severities } from '../../../contract/policies.ts';
import { createPolicySet } from '../../../engine/evaluate.ts';
import type { EvaluatedPolicy, PolicySet } from '../../../engine/evaluate.ts';
import { exemptionsOf, namesOf } from '../../exemptions/collection.ts';
import type { PolicyName, StoredExemption } from '../../exemptions/collection.ts';
import { namedPolicy } from '../../evaluation/named-policy.ts';
import { policies } from '../../policies/collection.ts';
import type { StoredPolicy } from '../../policies/collection.ts';
import { allRows } from '../../store/all-rows.ts';
import type { Reader, Versioned } from '../../store/store.ts';
import type { PolicyFact } from '../../../report/content/facts.ts';
import { newCounter } from '../../../report/content/counters.ts';
import { mappingsOf } from '../../../report/content/framework.ts';
import type { Pace } from '../../pace.ts';
import { brief } from '../../../report/content/text.ts';
import type { Scope } from '../../../report/content/scope.ts';

/** A policy that is counted for. */
export interface CountedPolicy {
  readonly fact: PolicyFact & { readonly failing: string[]; readonly undecided: string[] };
  readonly named: EvaluatedPolicy;
  readonly row: Versioned<StoredPolicy>;
  readonly exemptions: readonly StoredExemption[];
}

export interface Policies {
  /** By severity, the highest first, and name. */
  readonly counted: readonly CountedPolicy[];
  readonly set: PolicySet<CountedPolicy & EvaluatedPolicy>;
  readonly disabled: number;
  /** What exemptions may name those by that are in scope, disabled ones among them. */
  readonly names: readonly PolicyName[];
}

/** The enabled policies that are in scope, ready to run, with the exemptions that may cover what they find. */
export async function gatherPolicies(reader: Reader, scope: Scope, pace: Pace): Promise<Policies> {
  const counted: CountedPolicy[] = [];
  const names: PolicyName[] = [];
  let disabled = 0;
  for await (const row of allRows(reader, policies, {})) {
    await pace.spend(10);
    const mappings = mappingsOf(row.doc.compliance_frameworks ?? [], scope.framework);
    if (scope.framework && mappings.length === 0) continue;
    const named = namedPolicy(row.doc);
    names.push(...namesOf(named));
    if (!row.doc.enabled) {
      disabled += 1;
      continue;
    }
    counted.push({
      fact: factOf(row.doc, mappings),
      named,
      row,
      exemptions: await exemptionsOf(reader, namesOf(named)),
    });
  }
  counted.sort((a, b) => compareFacts(a.fact, b.fact));
  return {
    counted,
    set: createPolicySet(counted.map((one) => ({ ...one, ...one.named }))),
    disabled,
    names,
  };
}

const compareFacts = (a: PolicyFact, b: PolicyFact): number =>
  severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
  (a.name < b.name ? -1 : Number(a.name > b.name));

function factOf(doc: StoredPolicy, mappings: readonly Mapping[]): CountedPolicy['fact'] {
  const messages = doc.rules.flatMap(({ message }) => (message ? [brief(message)] : []));
  return {
    id: doc.id,
    name: doc.name,
    severity: doc.severity ?? 'MEDIUM',
    resource_type: doc.resource_type,
    ...(doc.description ? { description: brief(doc.description) } : {}),
    messages: [...new Set(messages)],
    auto_remediation: doc.auto_remediation === true,
    ...(doc.remediation_action ? { remediation_action: brief(doc.remediation_action) } : {}),
    created_at: Date.parse(doc.created_at),
    updated_at: Date.parse(doc.updated_at),
    mappings,
    counter: newCounter(),
    failing: [],
    undecided: [],
  };
}
