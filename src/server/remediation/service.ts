import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Finding } from '../../contract/findings.ts';
import type { ActionStatus } from '../../contract/remediations.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { ViolationStatus } from '../../contract/violations.ts';
import { changesOf } from '../../engine/remediation/patch.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import { nextTurn } from '../next-turn.ts';
import { policies } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
import { actions, isOpen, remediationLanes, remediations } from './collection.ts';
import type { StoredAction, StoredRemediation } from './collection.ts';
import { automaticActionEnded } from './queue.ts';
import { afterAction, countsOf, hasWork } from './transitions.ts';

/** @throws GovctlError remediation_not_found */
export const readRemediation = (
  reader: Reader,
  id: string,
): Awaitable<Versioned<StoredRemediation>> =>
  whenKnown(reader.get(remediations, id), (found) => {
    if (found) return found;
    throw new GovctlError('remediation_not_found', `There is no remediation ${id.slice(0, 100)}`);
  });

/** Writes the outcome of an action down, and ends its remediation where it was the last one. @returns the action */
export async function endAction(
  deps: Deps,
  tx: Tx,
  action: StoredAction,
  status: ActionStatus,
  why?: string,
): Promise<StoredAction> {
  const now = deps.clock.now();
  const at = timestamp(now);
  const isOver = !hasWork(countsOf([status]));
  const ended = { ...action, status, ...defined({ why }), ...(isOver ? { ended_at: at } : {}) };
  const { doc } = await tx.replace(actions, ended);
  const before = (await tx.get(remediations, action.remediation_id))?.doc;
  if (!before) return doc;
  const after = afterAction(before, [action.status, status], now);
  await tx.replace(remediations, after);
  if (!hasWork(after.counts)) await tx.clear(remediationLanes, after.id);
  if (status === 'failed') await announceFailure(deps, tx, doc);
  if (before.automatic) await automaticActionEnded(deps, tx, doc);
  return doc;
}

async function announceFailure(
  deps: Deps,
  tx: Tx,
  { policy_id: id, remediation_id, violation_id, resource_id, why }: StoredAction,
): Promise<void> {
  const policy = (await tx.get(policies, id))?.doc;
  if (!policy) return;
  const enforcement = { remediation_id, violation_id, resource_id, error: why ?? '' };
  await emit(deps, tx, 'policy.enforcement.failed', { policy: { ...policy, enforcement } });
}

/** The action that was attempted for a violation, and whose resource was seen again since. */
export async function findRemedy(tx: Tx, violationId: string): Promise<StoredAction | undefined> {
  const found = (await tx.find(actions, 'waiting', violationId))?.doc;
  return found?.observed_at === undefined ? undefined : found;
}

/** What an evaluation of the resource, as it was seen again, says of an action. What can't be decided leaves it waiting. */
export async function verifyAction(
  deps: Deps,
  tx: Tx,
  remedy: StoredAction,
  status: Finding['status'],
): Promise<void> {
  if (status === 'PASS') await endAction(deps, tx, remedy, 'completed');
  else if (status !== 'ERROR') await endAction(deps, tx, remedy, 'failed', stillFails);
}

const stillFails = 'the resource was evaluated again and still fails';

/**
 * A resource is stored, whether or not it has changed: what was attempted on it can be verified. Call it before its
 * verdicts are recorded.
 * @returns the actions that an evaluation decides
 */
export async function resourceObserved(
  deps: Deps,
  tx: Tx,
  resource: KnownResource,
): Promise<readonly StoredAction[]> {
  const waiting = { waiting_of_resource: { any: [resource.id] } };
  const left: StoredAction[] = [];
  for await (const { doc } of allRows(tx, actions, waiting)) {
    const observed = { ...doc, observed_at: timestamp(deps.clock.now()) };
    const { rolls_back: undone, rightsizing } =
      (await tx.get(remediations, doc.remediation_id))?.doc ?? {};
    const isUndo = undone !== undefined;
    if (isUndo || rightsizing !== undefined)
      await verifyValues(deps, tx, observed, resource, isUndo);
    else left.push((await tx.replace(actions, observed)).doc);
  }
  return left;
}

/** What is taken back fails again, and no policy asks for another size: the values say whether it was done. */
async function verifyValues(
  deps: Deps,
  tx: Tx,
  action: StoredAction,
  resource: KnownResource,
  isUndo: boolean,
): Promise<void> {
  const [left] = changesOf(resource, action.patch ?? {});
  const why = `${left?.path} was not changed${isUndo ? ' back' : ''}`;
  if (left) await endAction(deps, tx, action, 'failed', why);
  else await endAction(deps, tx, action, 'completed');
}

/** The same, of one that was seen unchanged, so that no evaluation follows: the status of its violations says it. */
export async function verifyUnchanged(
  deps: Deps,
  tx: Tx,
  observed: readonly StoredAction[],
): Promise<void> {
  const saying: Readonly<Record<ViolationStatus, Finding['status']>> = {
    RESOLVED: 'PASS',
    OPEN: 'FAIL',
    EXEMPT: 'FAIL',
  };
  for (const action of observed) {
    const violation = (await tx.get(violations, action.violation_id))?.doc;
    if (violation?.undecided) continue;
    await verifyAction(deps, tx, action, violation ? saying[violation.status] : 'FAIL');
  }
}

/** A resource is deleted: nothing of it will be seen again. */
export async function resourceGone(deps: Deps, tx: Tx, id: string): Promise<void> {
  for await (const { doc } of allRows(tx, actions, { waiting_of_resource: { any: [id] } })) {
    await endAction(deps, tx, doc, 'failed', 'the resource was deleted');
  }
}

/** Actions that end between two turns of others. */
const endedPerTurn = 50;

/** Takes back the actions that were not begun. */
export async function dropPlanned(
  deps: Deps,
  tx: Tx,
  remediation: StoredRemediation,
): Promise<void> {
  if (isOpen(remediation)) throw new Error(`${remediation.id} has not ended`);
  const state = { state: { any: [`${remediation.id} planned`] } };
  const planned: StoredAction[] = [];
  for await (const { doc } of allRows(tx, actions, state)) planned.push(doc);
  for (const [at, action] of planned.entries()) {
    await endAction(deps, tx, action, 'cancelled');
    if (at % endedPerTurn === 0) await nextTurn();
  }
}
