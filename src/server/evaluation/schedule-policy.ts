import { typeKey } from '../../contract/resources.ts';
import { emptyTally } from '../../engine/score.ts';
import type { Tally } from '../../engine/score.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { resources } from '../resources/collection.ts';
import { hasAny } from '../store/all-rows.ts';
import type { Tx } from '../store/store.ts';
import { evaluationWork, putWork } from './work.ts';

/** Milliseconds between two evaluations of a policy that reads `now`. */
export const reevaluateEvery = 3_600_000;

/** Fields that change neither a verdict nor what a violation says. */
const ofNoConcern: ReadonlySet<string> = new Set([
  'id',
  'description',
  'auto_remediation',
  'remediation_action',
  'created_at',
  'updated_at',
  'created_by',
]);

/** Whether a change of these fields asks for another evaluation. */
export const bearsOnVerdicts = (changed: readonly string[]): boolean =>
  changed.some((field) => !ofNoConcern.has(field));

interface Asked {
  /** It was, or may have been, about another type: the violations of that are to be resolved, too. */
  readonly sweep?: boolean;
  /** It is new, changed or enabled: its end is told as its deployment. */
  readonly deploys?: boolean;
}

/**
 * Has a policy evaluated over the inventory from the beginning, as soon as it can be; one that is disabled or deleted
 * has its violations resolved. What was asked before and is not done yet is still asked.
 */
async function beginPolicy(
  tx: Tx,
  now: number,
  policyId: string,
  { sweep = false, deploys = false }: Asked = {},
): Promise<void> {
  const known = (await tx.get(evaluationWork, policyId))?.doc;
  const waiting: Asked = known?.kind === 'policy' ? known : {};
  await putWork(tx, {
    kind: 'policy',
    id: policyId,
    due_at: now,
    ...(sweep || waiting.sweep ? { sweep: true } : {}),
    ...(deploys || waiting.deploys ? { deploys: true } : {}),
  });
}

/**
 * Has a policy that is as it was evaluated over the whole inventory. An evaluation that is under way goes on to its end,
 * however often this is asked meanwhile, and is followed by one more.
 */
export async function schedulePolicy(tx: Tx, now: number, policyId: string): Promise<void> {
  const known = (await tx.get(evaluationWork, policyId))?.doc;
  if (known?.kind !== 'policy' || known.due_at > now) return beginPolicy(tx, now, policyId);
  // One that has not begun will see everything.
  if (known.began === undefined || known.again) return;
  await tx.replace(evaluationWork, { ...known, again: true });
}

interface PolicyChange {
  /** Absent: it is new. */
  readonly before?: StoredPolicy;
  /** Absent: it is gone. */
  readonly after?: StoredPolicy;
  /** Names of the fields. */
  readonly changed?: readonly string[];
}

/** Schedules what a change of a policy asks for. Absent: it is created, or deleted. */
export async function policyChanged(
  deps: Deps,
  tx: Tx,
  { before, after, changed = [] }: PolicyChange,
): Promise<void> {
  const now = deps.clock.now();
  if (before && after) {
    if (!bearsOnVerdicts(changed)) return;
    if (!before.enabled && !after.enabled) return;
    // While it was disabled it may have become one of another type, and its violations may still be there.
    const leaves =
      !before.enabled || typeKey(before.resource_type) !== typeKey(after.resource_type);
    await beginPolicy(tx, now, after.id, { sweep: leaves, deploys: after.enabled === true });
  } else if (before) {
    await beginPolicy(tx, now, before.id);
  } else if (after?.enabled) {
    await scheduleNew(deps, tx, now, after);
  }
}

/** A new policy without resources needs no work; one that may read `now` is looked at when the hour is over. */
async function scheduleNew(deps: Deps, tx: Tx, now: number, policy: StoredPolicy): Promise<void> {
  const ofItsType = { type: { any: [typeKey(policy.resource_type)] } };
  if (await hasAny(tx, resources, ofItsType)) {
    await beginPolicy(tx, now, policy.id, { deploys: true });
    return;
  }
  await announceDeployment(deps, tx, policy, emptyTally);
  if (policy.rules.some(({ condition }) => /\bnow\b/.test(condition))) {
    await putWork(tx, { kind: 'policy', id: policy.id, due_at: now + reevaluateEvery });
  }
}

/** Tells that a policy that is new, changed or enabled has been evaluated over the inventory, and what came of it. */
export async function announceDeployment(
  deps: Deps,
  tx: Tx,
  policy: StoredPolicy,
  { evaluated, pass, fail, error, exempt }: Tally,
): Promise<void> {
  const evaluation = { evaluated, pass, fail, error, exempt };
  await emit(deps, tx, 'policy.deployment.completed', { policy: { ...policy, evaluation } });
}
