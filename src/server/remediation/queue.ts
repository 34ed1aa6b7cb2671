import { defined } from '../../contract/defined.ts';
import { readRemediationAction } from '../../contract/remediation-action.ts';
import type { Policy } from '../../contract/policies.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import { nextTurn } from '../next-turn.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { resources } from '../resources/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Tx } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { actions, automationLanes, automations, queue, remediations } from './collection.ts';
import type { QueuedViolation, StoredAction, StoredAutomation } from './collection.ts';

/** Who remediates automatically. */
export const system = { userId: 'system', via: 'auto_remediation', requestId: 'system' };

export const hour = 3_600_000;
const day = 24 * hour;

/** A violation that is detected again this soon was not fixed for good. */
const holdsFor = day;
/** Attempts for one violation, and actions of a policy that fail in a row. */
const mostFailures = 3;

/** Days from the detection of a violation to its automatic remediation; undefined: the policy has no automatic remediation. */
export function automaticAfter({
  auto_remediation: isAutomatic,
  remediation_action: text = '',
}: Policy): number | undefined {
  const action = isAutomatic ? readRemediationAction(text) : undefined;
  // Nothing to carry out: the events of a violation already notify of it.
  if (action === undefined || action.kind === 'other') return undefined;
  return action.kind === 'notify' ? action.afterDays : 0;
}

/** Wakes the lane of an automation at a given time, or earlier. */
async function wake(tx: Tx, id: string, at: number): Promise<void> {
  const { waiting, dueAt = 0 } = await tx.laneState(automationLanes, id);
  if (waiting === 0) await tx.append(automationLanes, id, id);
  if (waiting === 0 || at < dueAt) await tx.putOff(automationLanes, id, at);
}

/** Queues the open violations of a policy, or stops queueing them, after it was created, deleted or changed in a way that matters here. */
export async function automationChanged(
  tx: Tx,
  now: number,
  before: StoredPolicy | undefined,
  after: StoredPolicy | undefined,
): Promise<void> {
  const id = (after ?? before)?.id ?? '';
  const known = (await tx.get(automations, id))?.doc;
  const after_days = after && automaticAfter(after);
  if (after_days !== undefined) {
    const begun = {
      id,
      after_days,
      failures: 0,
      ...defined({ hour: known?.hour, queued_to: before && '' }),
    };
    await (known ? tx.replace(automations, begun) : tx.insert(automations, begun));
  } else if (!known) return;
  await wake(tx, id, now);
}

/** Starts automations for policies that a version without them stored. */
export async function automateOlder(tx: Tx): Promise<void> {
  for await (const { doc } of allRows(tx, policies, {})) {
    const after_days = automaticAfter(doc);
    if (after_days === undefined || (await tx.get(automations, doc.id))) continue;
    await tx.insert(automations, { id: doc.id, after_days, failures: 0, queued_to: '' });
    await wake(tx, doc.id, 0);
  }
}

/** Queues a violation, counting its delay from now, also if it is queued already. */
export async function enqueue(
  tx: Tx,
  { id: policy_id, after_days }: StoredAutomation,
  violation: string,
  now: number,
): Promise<void> {
  await putQueued(tx, { id: violation, policy_id, due_at: now + after_days * day, attempt: 1 });
}

async function putQueued(tx: Tx, queued: QueuedViolation): Promise<void> {
  const known = await tx.get(queue, queued.id);
  await (known ? tx.replace(queue, queued) : tx.insert(queue, queued));
  await wake(tx, queued.policy_id, queued.due_at);
}

/**
 * Queues a violation that has just become OPEN, if its policy is remediated automatically. If it was fixed shortly before,
 * the policy's fixes do not hold, so automatic remediation stops.
 */
export async function violationOpened(
  deps: Deps,
  tx: Tx,
  policy: StoredPolicy,
  violation: StoredViolation,
  before?: StoredViolation,
): Promise<void> {
  const automation = (await tx.get(automations, policy.id))?.doc;
  if (!automation || policy.remediation_problem?.stopped) return;
  const now = deps.clock.now();
  const fix = before && (await fixOf(tx, before, now));
  if (fix === undefined) return enqueue(tx, automation, violation.id, now);
  const reason = `${violation.resource_id} failed again within ${holdsFor / hour} hours of its remediation`;
  await stopAutomation(deps, tx, policy.id, { reason, ...aboutOf(violation), remediation_id: fix });
}

/** The automatic remediation that resolved a violation shortly before. */
async function fixOf(
  tx: Tx,
  { status, remediation_id: id, resolved_at: at = '' }: StoredViolation,
  now: number,
): Promise<string | undefined> {
  if (status !== 'RESOLVED' || id === undefined || now - Date.parse(at) >= holdsFor)
    return undefined;
  return (await tx.get(remediations, id))?.doc.automatic ? id : undefined;
}

const aboutOf = ({ id: violation_id, resource_id }: StoredViolation) => ({
  violation_id,
  resource_id,
});

interface Problem {
  readonly reason: string;
  readonly violation_id: string;
  readonly resource_id: string;
  readonly remediation_id?: string;
}

/** Ends the automatic remediation of a policy until it changes, shows why, and emits it. */
export const stopAutomation = (deps: Deps, tx: Tx, policyId: string, problem: Problem) =>
  showProblem(deps, tx, policyId, { ...problem, stopped: true });

/** Stores with the policy why automatic remediation does not work, and emits it once. */
export async function showProblem(
  deps: Deps,
  tx: Tx,
  policyId: string,
  { violation_id, resource_id, ...shown }: Problem & { readonly stopped: boolean },
): Promise<void> {
  const policy = (await tx.get(policies, policyId))?.doc;
  const known = policy?.remediation_problem;
  if (!policy || known?.stopped) return;
  if (known?.reason === shown.reason && known.stopped === shown.stopped) return;
  const remediation_problem = { since: timestamp(deps.clock.now()), ...shown };
  const { doc } = await tx.replace(policies, { ...policy, remediation_problem });
  if (shown.stopped) {
    await recordAudit(deps, tx, system, 'remediation.stop', policyId);
    // A stopped policy needs no queue.
    await wake(tx, policyId, deps.clock.now());
  }
  const { reason, remediation_id = null } = shown;
  const error = shown.stopped ? `automatic remediation has stopped: ${reason}` : reason;
  const enforcement = { remediation_id, violation_id, resource_id, error };
  await emit(deps, tx, 'policy.enforcement.failed', { policy: { ...doc, enforcement } });
}

/** Removes the problem: automatic remediation works again. */
export async function clearProblem(tx: Tx, policyId: string): Promise<void> {
  const policy = (await tx.get(policies, policyId))?.doc;
  if (!policy?.remediation_problem || policy.remediation_problem.stopped) return;
  await tx.replace(policies, withoutAbsent({ ...policy, remediation_problem: undefined }));
}

/**
 * An action of an automatic remediation has ended. After each failure, the policy pauses for twice as long; after three in
 * a row it stops. What is still open is queued again, three times at most.
 */
export async function automaticActionEnded(
  deps: Deps,
  tx: Tx,
  action: StoredAction,
): Promise<void> {
  const { policy_id: id, violation_id, resource_id, attempt = 1, status, why = '' } = action;
  const automation = (await tx.get(automations, id))?.doc;
  const policy = (await tx.get(policies, id))?.doc;
  if (!automation || policy?.remediation_problem?.stopped) return;
  const now = deps.clock.now();
  const again = { id: violation_id, policy_id: id };
  const { failures: before } = automation;
  if (status === 'completed') {
    if (before > 0) await tx.replace(automations, { ...automation, failures: 0, resumes_at: 0 });
  } else if (status === 'skipped') {
    // An earlier action that is not verified yet may already have fixed it.
    const isWaiting = await tx.find(actions, 'waiting', violation_id);
    await putQueued(tx, { ...again, due_at: isWaiting ? now + hour : now, attempt });
  } else if (status === 'failed' && (await tx.get(resources, resource_id))) {
    const failures = before + 1;
    const resumes_at = now + hour * 2 ** Math.min(before, mostFailures);
    await tx.replace(automations, { ...automation, failures, resumes_at });
    if (failures < mostFailures) {
      if (attempt < mostFailures) {
        await putQueued(tx, { ...again, due_at: resumes_at, attempt: attempt + 1 });
      }
      return;
    }
    const reason = `${failures} actions failed in a row, the last on ${resource_id}: ${why}`;
    const about = { violation_id, resource_id, remediation_id: action.remediation_id };
    await stopAutomation(deps, tx, id, { reason, ...about });
  }
}

/** Rows that are added or removed before other work gets a turn. */
const rowsPerTurn = 50;

/** Yields to other work after this many rows. */
export const turnAt = (at: number): Promise<void> | undefined =>
  at % rowsPerTurn === rowsPerTurn - 1 ? nextTurn() : undefined;
