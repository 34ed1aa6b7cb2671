import { isTypePattern, typeKey } from '../../contract/resources.ts';
import { emptyTally } from '../../engine/score.ts';
import type { Tally } from '../../engine/score.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { outcomesMissing, setStanding } from '../posture/service.ts';
import { automationChanged } from '../remediation/queue.ts';
import { resources } from '../resources/collection.ts';
import { hasAny } from '../store/all-rows.ts';
import type { Tx, Where } from '../store/store.ts';
import { evaluationWork, putWork } from './work.ts';

/** Milliseconds between two evaluations of a policy that reads `now`. */
export const reevaluateEvery = 3_600_000;

/** Fields that affect neither verdicts nor violations. */
const ofNoConcern: ReadonlySet<string> = new Set([
  'id',
  'description',
  'auto_remediation',
  'remediation_action',
  'created_at',
  'updated_at',
  'created_by',
]);

/** Whether a change of these fields requires another evaluation. */
export const bearsOnVerdicts = (changed: readonly string[]): boolean =>
  changed.some((field) => !ofNoConcern.has(field));

const ofRemediation: ReadonlySet<string> = new Set([
  'resource_type',
  'rules',
  'auto_remediation',
  'remediation_action',
]);

/** Whether a change of these fields may make automatic remediation work that failed. */
export const bearsOnRemediation = (changed: readonly string[]): boolean =>
  changed.some((field) => ofRemediation.has(field));

interface Asked {
  /** Whether its type has, or could have, changed, so that violations of the old type must be resolved. */
  readonly sweep?: boolean;
  /** Whether the policy is new, changed or enabled, so that the end is emitted as its deployment. */
  readonly deploys?: boolean;
}

/**
 * Schedules the evaluation of a policy on the whole inventory, from the start and as soon as possible. If the policy is
 * disabled or deleted, its violations are resolved. Unfinished earlier requests are merged.
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
 * Schedules the evaluation of an unchanged policy on the whole inventory. An evaluation in progress is not restarted, so
 * that frequent requests cannot keep it from ending; one more follows it.
 */
export async function schedulePolicy(tx: Tx, now: number, policyId: string): Promise<void> {
  const known = (await tx.get(evaluationWork, policyId))?.doc;
  const isWaiting = known?.kind === 'policy' && known.began === undefined;
  // One that has not begun will see everything; a routine one becomes one that is awaited.
  if (isWaiting && !known.routine && known.due_at <= now) return;
  if (known?.kind !== 'policy' || known.due_at > now || isWaiting) {
    return beginPolicy(tx, now, policyId);
  }
  if (known.again) return;
  await tx.replace(evaluationWork, { ...known, again: true });
}

interface PolicyChange {
  /** Absent for a new policy. */
  readonly before?: StoredPolicy;
  /** Absent for a deleted policy. */
  readonly after?: StoredPolicy;
  /** Names of the changed fields. */
  readonly changed?: readonly string[];
}

/** Schedules the evaluation and the automatic remediation that a change of a policy requires. */
export async function policyChanged(
  deps: Deps,
  tx: Tx,
  { before, after, changed = [] }: PolicyChange,
): Promise<void> {
  const now = deps.clock.now();
  if (!before || !after || bearsOnRemediation(changed)) {
    await automationChanged(tx, now, before, after);
  }
  if (before && after) {
    if (!bearsOnVerdicts(changed)) return;
    if (!before.enabled && !after.enabled) return;
    // New rules leave the outcomes as the latest that there are; all else makes them count otherwise.
    if (!after.enabled) await outcomesMissing(tx, after.id);
    else if (countsOtherwise(before, after)) await setStanding(tx, after, 'pending');
    // Its type can have changed while it was disabled, before its old violations were resolved.
    const leaves =
      !before.enabled || typeKey(before.resource_type) !== typeKey(after.resource_type);
    await beginPolicy(tx, now, after.id, { sweep: leaves, deploys: after.enabled === true });
  } else if (before) {
    await outcomesMissing(tx, before.id);
    await beginPolicy(tx, now, before.id);
  } else if (after?.enabled) {
    await scheduleNew(deps, tx, now, after);
  }
}

const countsOtherwise = (before: StoredPolicy, after: StoredPolicy): boolean =>
  !before.enabled ||
  before.quarantined !== undefined ||
  before.severity !== after.severity ||
  typeKey(before.resource_type) !== typeKey(after.resource_type);

/** Finds the resources that a policy can be about: those of its type; all for a pattern, which the index can't match. */
export const whereAbout = ({
  resource_type: type,
}: StoredPolicy): Readonly<Record<string, Where>> =>
  isTypePattern(type) ? {} : { type: { any: [typeKey(type)] } };

/**
 * A new policy without resources has nothing to evaluate: one that may compare numbers is only described, and one that can
 * read `now` is evaluated in an hour.
 */
async function scheduleNew(deps: Deps, tx: Tx, now: number, policy: StoredPolicy): Promise<void> {
  const isAboutSome = await hasAny(tx, resources, whereAbout(policy));
  await setStanding(tx, policy, isAboutSome ? 'pending' : 'counted');
  if (isAboutSome) {
    await beginPolicy(tx, now, policy.id, { deploys: true });
    return;
  }
  await announceDeployment(deps, tx, policy, emptyTally);
  const mayHave = (word: RegExp): boolean =>
    policy.rules.some(({ condition }) => word.test(condition));
  const work = { kind: 'policy', id: policy.id, routine: true } as const;
  if (mayHave(/[<>]/)) await putWork(tx, { ...work, due_at: now });
  else if (mayHave(/\bnow\b/)) await putWork(tx, { ...work, due_at: now + reevaluateEvery });
}

/** Emits that a new, changed or enabled policy has been evaluated on the inventory, with the result. */
export async function announceDeployment(
  deps: Deps,
  tx: Tx,
  policy: StoredPolicy,
  { evaluated, pass, fail, error, exempt }: Tally,
): Promise<void> {
  const evaluation = { evaluated, pass, fail, error, exempt };
  await emit(deps, tx, 'policy.deployment.completed', { policy: { ...policy, evaluation } });
}
