import type { Rule } from '../../contract/policies.ts';
import { evaluationBudget } from '../../engine/condition/budget.ts';
import type { Verdict } from '../../engine/decide.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { setStanding } from '../posture/service.ts';
import type { Versioned } from '../store/store.ts';
import type { StoredSubject, Verdicts } from './verdicts.ts';
import { inThrees } from '../../contract/in-threes.ts';

export type Quarantined = NonNullable<StoredPolicy['quarantined']>;

/** A policy is quarantined at this many resources over budget if they are half of its evaluated resources … */
const fewest = 10;
/** … and at this many in any case. */
const most = 1_000;
/** Maximum number of policies with counts in memory. */
const mostCounted = 10_000;

interface Counted {
  readonly revision: number;
  evaluated: number;
  /** Ids of resources on which the policy exceeded its budget. */
  readonly over: Set<string>;
  /** Set once quarantined, for callers that read the policy before it was stored as quarantined. */
  quarantined?: Quarantined;
}

/**
 * Excludes policies that cost too much from evaluation until they change, because each of their evaluations would spend its
 * whole budget without a result. Counts are in memory, so they start at zero after each restart.
 */
export function createQuarantine(deps: Deps) {
  const counts = new Map<string, Counted>();

  function countsOf({ doc: { id }, revision }: Versioned<StoredPolicy>): Counted {
    const known = counts.get(id);
    if (known?.revision === revision) return known;
    if (counts.size >= mostCounted) counts.clear();
    const counted = { revision, evaluated: 0, over: new Set<string>() };
    counts.set(id, counted);
    return counted;
  }

  /** The quarantine of a policy, as it was read or since then. */
  function whyOf({ doc, revision }: Versioned<StoredPolicy>): Quarantined | undefined {
    if (doc.quarantined) return doc.quarantined;
    const known = counts.get(doc.id);
    return known?.revision === revision ? known.quarantined : undefined;
  }

  /** Counts verdicts over budget, and quarantines policies with too many. */
  async function count(subjects: readonly StoredSubject[], verdicts: Verdicts): Promise<void> {
    const over = new Map<string, Versioned<StoredPolicy>>();
    for (const { resource, policies: its } of subjects) {
      for (const row of its) {
        if (whyOf(row)) continue;
        const verdict = verdicts.of(row.doc, resource);
        if (!verdict) continue;
        const counted = countsOf(row);
        counted.evaluated += 1;
        if (verdict.status !== 'ERROR' || verdict.reason !== 'budget') continue;
        counted.over.add(resource.id);
        const { size } = counted.over;
        if (size >= most || (size >= fewest && size * 2 >= counted.evaluated)) {
          over.set(row.doc.id, row);
        }
      }
    }
    for (const row of over.values()) await quarantine(row, countsOf(row));
  }

  async function quarantine(
    { doc: { id }, revision }: Versioned<StoredPolicy>,
    counted: Counted,
  ): Promise<void> {
    const [example = ''] = counted.over;
    const why = {
      since: timestamp(deps.clock.now()),
      resources: counted.over.size,
      example,
      reason: `the conditions exceed the budget of ${inThrees(evaluationBudget)} steps`,
    };
    const isDone = await deps.store.transact(async (tx) => {
      const row = await tx.get(policies, id);
      // A policy that has changed since can be cheaper now.
      if (row?.revision !== revision) return false;
      const { doc } = await tx.replace(policies, { ...row.doc, quarantined: why });
      await setStanding(tx, doc, 'quarantined');
      await emit(deps, tx, 'policy.quarantined', { policy: doc });
      return true;
    });
    if (!isDone) return;
    counted.quarantined = why;
    deps.log.warn({ policy_id: id }, 'policy quarantined: it exceeds its budget on many resources');
  }

  return { count, whyOf };
}

/** ERROR, never PASS, as the result of a quarantined policy is unknown. */
export const quarantinedVerdict = (rules: readonly Rule[], { since }: Quarantined): Verdict => ({
  status: 'ERROR',
  rules: rules.map(({ effect }, index) => ({
    index,
    effect,
    message: `the policy has been quarantined since ${since}: it exceeded its budget on many resources`,
  })),
  reason: 'budget',
});
