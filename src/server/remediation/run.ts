import type { KnownResource } from '../../contract/resources.ts';
import { applyPatch } from '../../engine/remediation/patch.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { createJudge } from '../evaluation/judge.ts';
import { Outdated, evaluateAndWrite } from '../evaluation/retry.ts';
import type { Actor } from '../http/call.ts';
import { isStillHead } from '../lanes/head.ts';
import type { LaneRunnerOptions } from '../lanes/runner.ts';
import { policies } from '../policies/collection.ts';
import { resources } from '../resources/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import { putResource, subjectsOf } from '../resources/service.ts';
import { allRows } from '../store/all-rows.ts';
import type { LaneWork, Reader, Tx, Versioned } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
import { actions, images, remediationLanes, remediations } from './collection.ts';
import type { StoredAction, StoredRemediation } from './collection.ts';
import { fingerprintOf, sha256Of } from './fingerprint.ts';
import { whyProtected } from './guards.ts';
import { stopAutomation } from './queue.ts';
import { dropPlanned, endAction } from './service.ts';
import { isOutside } from './settings.ts';
import type { Settings } from './settings.ts';

/** Remediations that are carried out at once; each does one action after the other. */
const mostAtOnce = 4;
/** Milliseconds in which a resource must be seen again after an action was attempted on it. */
const verifiedWithin = 86_400_000;

export interface RunParts {
  readonly evaluation: Evaluation;
  readonly settings: Settings;
  readonly outside: {
    /** Carries out an action by a command or a webhook. */
    attempt(turn: Attempt): Promise<void>;
    /** Ends an action that was interrupted, so its result is unknown. */
    giveUp(claimed: LaneWork, action: StoredAction): Promise<void>;
  };
}

/** Carries out remediations: one action in each turn of their lane, then waits until all are verified. */
export const remediationWork = (deps: Deps, parts: RunParts): LaneRunnerOptions => ({
  lanes: remediationLanes,
  most: mostAtOnce,
  async perform(claimed, signal) {
    const { store } = deps;
    const remediation = (await store.get(remediations, claimed.work))?.doc;
    if (remediation?.status === 'planned') return expire(deps, claimed);
    if (remediation?.status === 'approved') return begin(deps, claimed);
    const cutOff = remediation && (await firstIn(store, remediation, 'attempting'));
    if (cutOff) return parts.outside.giveUp(claimed, cutOff);
    const next =
      remediation?.status === 'running' && (await firstIn(store, remediation, 'planned'));
    if (next) return attempt(deps, parts, { claimed, signal, action: next });
    return waitOn(deps, claimed);
  },
});

const firstIn = async (
  reader: Reader,
  { id }: StoredRemediation,
  status: StoredAction['status'],
): Promise<StoredAction | undefined> => {
  const where = { state: { any: [`${id} ${status}`] } };
  const { rows } = await reader.page(actions, { where, orderBy: 'id', direction: 'asc', limit: 1 });
  return rows[0]?.doc;
};

/** Runs a transaction on the remediation at the head of its lane, if it is still there. */
export const inLane = <R>(
  deps: Deps,
  claimed: LaneWork,
  work: (tx: Tx, remediation: StoredRemediation) => Promise<R>,
): Promise<R | undefined> =>
  deps.store.transact(async (tx) => {
    if (!(await isStillHead(tx, remediationLanes, claimed))) return undefined;
    const remediation = (await tx.get(remediations, claimed.work))?.doc;
    if (remediation) return work(tx, remediation);
    await tx.complete(remediationLanes, claimed);
    return undefined;
  });

/** A plan that nobody has approved in its time. */
const expire = (deps: Deps, claimed: LaneWork): Promise<void> =>
  inLane(deps, claimed, async (tx, remediation) => {
    if (remediation.status !== 'planned') return;
    const due = Date.parse(remediation.expires_at);
    const now = deps.clock.now();
    if (due > now) return tx.putOff(remediationLanes, claimed.lane, due);
    await endRemediation(deps, tx, remediation, { status: 'expired' });
    // Its last action has cleared the lane, if there was one.
    await tx.clear(remediationLanes, claimed.lane);
  });

/** Ends a remediation before its actions are: those that were not begun never are. */
export async function endRemediation(
  deps: Deps,
  tx: Tx,
  before: StoredRemediation,
  end: Pick<StoredRemediation, 'status' | 'reason' | 'cancelled_by'>,
): Promise<void> {
  const at = timestamp(deps.clock.now());
  const ended = { ...before, ...end, updated_at: at, ended_at: at };
  await tx.replace(remediations, ended);
  await dropPlanned(deps, tx, ended);
}

const begin = (deps: Deps, claimed: LaneWork): Promise<void> =>
  inLane(deps, claimed, async (tx, remediation) => {
    if (remediation.status !== 'approved') return;
    const at = timestamp(deps.clock.now());
    const begun = { ...remediation, status: 'running' as const, started_at: at, updated_at: at };
    await tx.replace(remediations, begun);
    await goOn(deps, tx, claimed);
  });

/** Takes up the rest after other remediations that are due. */
export async function goOn(deps: Deps, tx: Tx, claimed: LaneWork): Promise<void> {
  const left = (await tx.get(remediations, claimed.work))?.doc;
  // It may have ended with what was just done.
  if (!left || !(await isStillHead(tx, remediationLanes, claimed))) return;
  await tx.append(remediationLanes, claimed.lane, claimed.work);
  await tx.complete(remediationLanes, claimed);
  await tx.putOff(remediationLanes, claimed.lane, deps.clock.now());
}

/** Waits for verification: an action whose resource is not evaluated again in time has failed. */
const waitOn = (deps: Deps, claimed: LaneWork): Promise<void> =>
  inLane(deps, claimed, async (tx, remediation) => {
    const waiting = await firstIn(tx, remediation, 'unverified');
    if (!waiting) return tx.clear(remediationLanes, claimed.lane);
    const due = Date.parse(waiting.attempted_at ?? '') + verifiedWithin;
    if (due > deps.clock.now()) return tx.putOff(remediationLanes, claimed.lane, due);
    const hours = verifiedWithin / 3_600_000;
    const why = `the resource was not evaluated again within ${hours} hours`;
    await endAction(deps, tx, waiting, 'failed', waiting.why ?? why);
    await goOn(deps, tx, claimed);
  });

export interface Attempt {
  readonly claimed: LaneWork;
  readonly signal: AbortSignal;
  readonly action: StoredAction;
}

async function attempt(deps: Deps, parts: RunParts, turn: Attempt): Promise<void> {
  const { claimed, signal, action } = turn;
  if (action.method === 'notify') return notify(deps, claimed, action);
  if (isOutside(action)) return parts.outside.attempt(turn);
  const patch = action.patch ?? {};
  let row: Versioned<StoredResource> | undefined;
  let after: KnownResource | undefined;
  await evaluateAndWrite(
    { evaluation: parts.evaluation, clock: deps.clock },
    { signal },
    async () => {
      signal.throwIfAborted();
      row = await deps.store.get(resources, action.resource_id);
      // With its own identity: a patch never touches that.
      after = row && (applyPatch(row.doc.resource, patch) as KnownResource);
      return after ? subjectsOf(deps.store, [after]) : [];
    },
    (verdicts) =>
      inLane(deps, claimed, async (tx, remediation) => {
        const stale = await whyStale(tx, { remediation, action, row, settings: parts.settings });
        if (stale === 'left') return;
        if (stale !== undefined || !row || !after) {
          await endAction(deps, tx, action, 'skipped', stale);
          return goOn(deps, tx, claimed);
        }
        const isRollback = remediation.rolls_back !== undefined;
        if (isRollback) await endUndone(deps, tx, remediation, action);
        const begun = await beginAttempt(deps, tx, action, row);
        // What is taken back is so once it is written.
        await endAction(deps, tx, begun, isRollback ? 'completed' : 'unverified');
        const { actor } = asRequester(remediation);
        await recordAudit(deps, tx, actor, 'remediation.attempt', action.resource_id);
        const put = { resource: after, verdicts };
        await putResource(createJudge(deps, tx), asRequester(remediation), put);
        await rebase(tx, action, after);
        await goOn(deps, tx, claimed);
      }),
  );
}

/** Changes are attributed to the requester of the remediation. */
export const asRequester = ({ id, requested_by }: StoredRemediation) => {
  const actor: Actor = { userId: requested_by, via: id, requestId: id };
  return { actor, checkMatch: () => undefined, header: () => null };
};

interface Checked {
  readonly remediation: StoredRemediation;
  readonly action: StoredAction;
  readonly row: Versioned<StoredResource> | undefined;
  readonly settings: Settings;
}

/**
 * Why an action must not be attempted any more; `left` where that is not up to this turn.
 * @throws Outdated where the resource has changed since it was evaluated
 */
export async function whyStale(
  tx: Tx,
  { remediation, action, row, settings }: Checked,
): Promise<string | undefined> {
  const current = (await tx.get(actions, action.id))?.doc;
  if (remediation.status !== 'running' || current?.status !== 'planned') return 'left';
  const resource = await tx.get(resources, action.resource_id);
  if (!resource || !row) return 'the resource was deleted since the plan was created';
  if (resource.revision !== row.revision) throw new Outdated();
  if (sha256Of(resource.doc.resource) !== current.base?.sha256) {
    return 'the resource has changed since the plan was created';
  }
  // It takes back what was changed, whatever the policy says by now.
  if (remediation.rolls_back !== undefined) {
    return whyProtected(resource.doc.resource, settings.guards);
  }
  if (await tx.find(actions, 'waiting', action.violation_id)) {
    return 'another remediation of this violation is not verified yet';
  }
  // No policy asks for it.
  if (remediation.rightsizing !== undefined) {
    return whyProtected(resource.doc.resource, settings.guards);
  }
  const policy = (await tx.get(policies, action.policy_id))?.doc;
  if (policy?.enabled !== true || fingerprintOf(policy) !== action.fingerprint) {
    return 'the policy has changed since the plan was created';
  }
  if (remediation.automatic && policy.remediation_problem?.stopped) {
    return 'automatic remediation of the policy has stopped';
  }
  const violation = (await tx.get(violations, action.violation_id))?.doc;
  if (violation?.status !== 'OPEN') {
    return `the violation is now ${violation?.status ?? 'deleted'}`;
  }
  return whyProtected(resource.doc.resource, settings.guards);
}

/** Keeps the resource as it is, then writes down that the action is attempted: both or neither. */
export async function beginAttempt(
  deps: Deps,
  tx: Tx,
  action: StoredAction,
  { doc: { resource }, revision }: Versioned<StoredResource>,
): Promise<StoredAction> {
  const at = timestamp(deps.clock.now());
  const image = { id: action.id, at, revision, resource };
  // There is one already where a request could not be sent.
  if (await tx.get(images, action.id)) await tx.replace(images, image);
  else await tx.insert(images, image);
  return endAction(deps, tx, { ...action, attempted_at: at }, 'attempting');
}

/** An action that was rolled back no longer needs verification; an automatic one must not be repeated. */
export async function endUndone(
  deps: Deps,
  tx: Tx,
  { rolls_back: undone = '' }: StoredRemediation,
  { violation_id, resource_id, policy_id }: StoredAction,
): Promise<void> {
  if ((await tx.get(remediations, undone))?.doc.automatic) {
    const reason = `${undone} was rolled back`;
    const problem = { reason, violation_id, resource_id, remediation_id: undone };
    await stopAutomation(deps, tx, policy_id, problem);
  }
  const waiting = (await tx.find(actions, 'waiting', violation_id))?.doc;
  if (waiting) await endAction(deps, tx, waiting, 'failed', 'the remediation was rolled back');
}

/** The other actions of the plan on this resource were planned knowing that this one comes before them. */
export async function rebase(tx: Tx, done: StoredAction, after: KnownResource): Promise<void> {
  const { remediation_id: id, resource_id: resource } = done;
  const revision = (await tx.get(resources, resource))?.revision ?? 0;
  const where = { planned_for: { any: [`${id} ${resource}`] } };
  const base = { revision, sha256: sha256Of(after) };
  for await (const { doc } of allRows(tx, actions, where)) {
    if (doc.base?.sha256 === done.base?.sha256) await tx.replace(actions, { ...doc, base });
  }
}

/** Tells of the violation once more. */
const notify = (deps: Deps, claimed: LaneWork, { id }: StoredAction): Promise<void> =>
  inLane(deps, claimed, async (tx, remediation) => {
    const action = (await tx.get(actions, id))?.doc;
    if (remediation.status !== 'running' || action?.status !== 'planned') return;
    const violation = (await tx.get(violations, action.violation_id))?.doc;
    if (violation?.status !== 'OPEN') {
      const why = `the violation is now ${violation?.status ?? 'deleted'}`;
      await endAction(deps, tx, action, 'skipped', why);
    } else {
      const { severity, environment = null, provider, resource_id: resource, message } = violation;
      await emit(
        deps,
        tx,
        'policy.violation.detected',
        {
          violation_id: violation.id,
          severity: severity.toLowerCase(),
          resource,
          policy: violation.policy_name,
          message,
        },
        { severity, environment, provider },
      );
      await endAction(deps, tx, action, 'completed');
    }
    await goOn(deps, tx, claimed);
  });
