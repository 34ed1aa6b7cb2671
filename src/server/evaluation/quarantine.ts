import type { Rule } from '../../contract/policies.ts';
import { evaluationBudget } from '../../engine/condition/budget.ts';
import type { Verdict } from '../../engine/decide.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Versioned } from '../store/store.ts';
import type { StoredSubject, Verdicts } from './verdicts.ts';
import { inThrees } from '../../contract/in-threes.ts';

export type Quarantined = NonNullable<StoredPolicy['quarantined']>;

/** Resources that a policy may be over its budget on: so many, where it is on half of those that it is evaluated over … */
const fewest = 10;
/** … and so many in any case. */
const most = 1_000;
/** Policies that are counted for. */
const mostCounted = 10_000;

interface Counted {
  readonly revision: number;
  evaluated: number;
  /** Ids of resources that it was over its budget on. */
  readonly over: Set<string>;
  /** What came of it. Whoever read the policy before goes by this, as what they read does not say so. */
  quarantined?: Quarantined;
}

/**
 * Takes policies that cost too much out of evaluation, until they change: each of their evaluations would take all of its
 * budget and decide nothing. It counts since the start, so a policy has some evaluations after each.
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

  /** Why a policy is quarantined, if it is: by what was read of it, or since. */
  function whyOf({ doc, revision }: Versioned<StoredPolicy>): Quarantined | undefined {
    if (doc.quarantined) return doc.quarantined;
    const known = counts.get(doc.id);
    return known?.revision === revision ? known.quarantined : undefined;
  }

  /** Counts what was found, and quarantines by it. */
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
      reason: `its conditions exceed the budget of ${inThrees(evaluationBudget)} steps`,
    };
    const isDone = await deps.store.transact(async (tx) => {
      const row = await tx.get(policies, id);
      // It has changed meanwhile, and may be cheaper now.
      if (row?.revision !== revision) return false;
      const { doc } = await tx.replace(policies, { ...row.doc, quarantined: why });
      await emit(deps, tx, 'policy.quarantined', { policy: doc });
      return true;
    });
    if (!isDone) return;
    counted.quarantined = why;
    deps.log.warn({ policy_id: id }, 'a policy is over its budget on many resources: quarantined');
  }

  return { count, whyOf };
}

/** No verdict is no pass: what it would find can't be told. */
export const quarantinedVerdict = (rules: readonly Rule[], { since }: Quarantined): Verdict => ({
  status: 'ERROR',
  rules: rules.map(({ effect }, index) => ({
    index,
    effect,
    message: `the policy has been quarantined since ${since}: it exceeded its budget on many resources`,
  })),
  reason: 'budget',
});
