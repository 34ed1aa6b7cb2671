import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Approval } from '../../contract/remediations.ts';
import type { Deps } from '../deps.ts';
import { evaluationWork } from '../evaluation/work.ts';
import { isStillHead } from '../lanes/head.ts';
import type { LaneRunnerOptions } from '../lanes/runner.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { LaneWork, Tx } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { actions, automationLanes, automations, queue, remediations } from './collection.ts';
import type { QueuedViolation, StoredAutomation } from './collection.ts';
import { fingerprintOf } from './fingerprint.ts';
import { planViolations } from './plan.ts';
import type { Plan, PlanParts } from './plan.ts';
import {
  automaticAfter,
  clearProblem,
  enqueue,
  hour,
  showProblem,
  system,
  turnAt,
} from './queue.ts';
import { approvalOf, isOutside } from './settings.ts';
import { storePlan } from './store-plan.ts';

/** Policies take turns: two plans that change the same resource at once would make each other stale. */
const mostAtOnce = 1;
/** Actions of one plan. */
const mostPlanned = 100;
/** Maximum number of rows that one transaction queues or removes. */
const mostRows = 500;
/** Milliseconds until another look at a policy that is being evaluated, or whose resources are being changed. */
const lookAfter = 1_000;

/** Plans the automatic remediation of queued violations, policy by policy. */
export const automaticWork = (deps: Deps, parts: PlanParts): LaneRunnerOptions => ({
  lanes: automationLanes,
  most: mostAtOnce,
  async perform(claimed, signal) {
    const turn: Turn = { deps, parts, claimed };
    const chosen = await inLane(turn, (tx) => choose(turn, tx));
    if (!chosen) return;
    const plan = await planSome(turn, chosen.selected, signal);
    await inLane(turn, (tx) => store(turn, tx, chosen, plan));
  },
});

interface Turn {
  readonly deps: Deps;
  readonly parts: PlanParts;
  readonly claimed: LaneWork;
}

/** Runs a transaction while the work is at the head of its lane. */
const inLane = <R>(
  { deps, claimed }: Turn,
  work: (tx: Tx) => Promise<R | undefined>,
): Promise<R | undefined> =>
  deps.store.transact(async (tx) =>
    (await isStillHead(tx, automationLanes, claimed)) ? work(tx) : undefined,
  );

/** Continues after other due policies have had their turn. */
async function goOn({ deps, claimed }: Turn, tx: Tx): Promise<undefined> {
  await tx.append(automationLanes, claimed.lane, claimed.work);
  await tx.complete(automationLanes, claimed);
  await tx.putOff(automationLanes, claimed.lane, deps.clock.now());
}

async function later({ claimed }: Turn, tx: Tx, at: number): Promise<undefined> {
  await tx.putOff(automationLanes, claimed.lane, at);
}

interface Selected {
  readonly queued: QueuedViolation;
  readonly violation: StoredViolation;
}

interface Chosen {
  readonly policy: StoredPolicy;
  readonly selected: readonly Selected[];
}

/** The next violations of the policy to plan for; undefined: there is something else to do first, or nothing. */
async function choose(turn: Turn, tx: Tx): Promise<Chosen | undefined> {
  const { deps, parts, claimed } = turn;
  const now = deps.clock.now();
  const automation = (await tx.get(automations, claimed.work))?.doc;
  const policy = (await tx.get(policies, claimed.work))?.doc;
  const isWanted = policy !== undefined && automaticAfter(policy) !== undefined;
  if (!automation || !isWanted || policy.remediation_problem?.stopped) {
    return forget(turn, tx, isWanted);
  }
  // Until the evaluation ends, its violations are those of the earlier rules.
  if (await isBeingEvaluated(tx, policy.id, now)) return later(turn, tx, now + lookAfter);
  if (policy.quarantined) return later(turn, tx, now + hour);
  if (automation.queued_to !== undefined) return queueOpen(turn, tx, automation);
  const { resumes_at: resumesAt = 0 } = automation;
  if (resumesAt > now) return later(turn, tx, resumesAt);
  const { since, planned } = hourOf(automation, now);
  const room = parts.settings.rate - planned;
  if (room <= 0) return later(turn, tx, since + hour);
  const { rows } = await tx.page(queue, {
    where: { policy: { any: [policy.id] } },
    orderBy: 'due_at',
    direction: 'asc',
    limit: Math.min(mostPlanned, room),
  });
  const [first] = rows;
  if (!first) return void (await tx.complete(automationLanes, claimed));
  if (first.doc.due_at > now) return later(turn, tx, first.doc.due_at);
  const selected: Selected[] = [];
  let isBusy = false;
  for (const { doc: queued } of rows) {
    if (queued.due_at > now) break;
    const violation = (await tx.get(violations, queued.id))?.doc;
    if (violation?.status !== 'OPEN') await tx.remove(queue, queued.id);
    else if (await isBeingChanged(tx, violation.resource_id)) isBusy = true;
    else selected.push({ queued, violation });
  }
  if (selected.length > 0) return { policy, selected };
  return isBusy ? later(turn, tx, now + lookAfter) : goOn(turn, tx);
}

/** Whether a remediation that is under way is about to change a resource. */
async function isBeingChanged(tx: Tx, resource: string): Promise<boolean> {
  const where = { planned_of_resource: { any: [resource] } };
  for await (const { doc } of allRows(tx, actions, where)) {
    const status = (await tx.get(remediations, doc.remediation_id))?.doc.status;
    if (status === 'approved' || status === 'running') return true;
  }
  return false;
}

/** The current hour; setting the clock back starts a new one. */
const hourOf = ({ hour: known }: StoredAutomation, now: number) =>
  known && now >= known.since && now < known.since + hour ? known : { since: now, planned: 0 };

async function isBeingEvaluated(tx: Tx, id: string, now: number): Promise<boolean> {
  const work = (await tx.get(evaluationWork, id))?.doc;
  return work?.kind === 'policy' && work.due_at <= now;
}

/** Empties the queue of a policy that is not remediated automatically, or no longer. */
async function forget(turn: Turn, tx: Tx, isWanted: boolean): Promise<undefined> {
  const { claimed } = turn;
  const { rows, hasMore } = await tx.page(queue, {
    where: { policy: { any: [claimed.work] } },
    orderBy: 'id',
    direction: 'asc',
    limit: mostRows,
  });
  for (const [at, { doc }] of rows.entries()) {
    await tx.remove(queue, doc.id);
    await turnAt(at);
  }
  if (hasMore) return goOn(turn, tx);
  if (!isWanted && (await tx.get(automations, claimed.work))) {
    await tx.remove(automations, claimed.work);
  }
  await tx.complete(automationLanes, claimed);
}

/** Queues violations that were open before auto_remediation was on, or its action changed. */
async function queueOpen(turn: Turn, tx: Tx, automation: StoredAutomation): Promise<undefined> {
  const { id, queued_to: after = '', ...rest } = automation;
  const page = await tx.page(violations, {
    where: { standing_of_policy: { any: [id] } },
    orderBy: 'id',
    direction: 'asc',
    limit: mostRows,
    ...(after === '' ? {} : { after: { value: after, id: after } }),
  });
  const now = turn.deps.clock.now();
  for (const [at, { doc }] of page.rows.entries()) {
    if (doc.status === 'OPEN') await enqueue(tx, automation, doc.id, now);
    await turnAt(at);
  }
  const last = page.hasMore ? page.last?.id : undefined;
  const left = last === undefined ? {} : { queued_to: last };
  await tx.replace(automations, { id, ...rest, ...left });
  return goOn(turn, tx);
}

interface Planned {
  readonly some: readonly Selected[];
  readonly plan: Awaited<ReturnType<typeof planViolations>>;
}

/** Plans as many violations as fit into one plan. */
async function planSome(
  { parts }: Turn,
  selected: readonly Selected[],
  signal: AbortSignal,
): Promise<Planned> {
  for (let count = selected.length; ; count = Math.floor(count / 2)) {
    const some = selected.slice(0, count);
    const chosen = some.map(({ violation }) => violation);
    try {
      return { some, plan: await planViolations(parts, { signal }, chosen) };
    } catch (error) {
      const isTooLong = error instanceof GovctlError && error.error === 'remediation_guard';
      if (!isTooLong || count === 1) throw error;
    }
  }
}

/** Stores the plan, removes its violations from the queue, and stores with the policy why a plan failed. */
async function store(
  turn: Turn,
  tx: Tx,
  { policy }: Chosen,
  { some, plan: { obstacles, ...plan } }: Planned,
): Promise<undefined> {
  const { deps, parts } = turn;
  const now = deps.clock.now();
  const automation = (await tx.get(automations, policy.id))?.doc;
  const current = (await tx.get(policies, policy.id))?.doc;
  if (automation && current && isUnchanged(policy, current)) {
    const { since, planned } = hourOf(automation, now);
    const hourly = { since, planned: planned + some.length };
    await tx.replace(automations, { ...automation, hour: hourly });
    const [unready] = [...obstacles].find(([, { error }]) => error === notConfigured) ?? [];
    const isUnready = unready !== undefined && obstacles.size === some.length;
    for (const [at, { queued }] of some.entries()) {
      const isKept = isUnready && obstacles.get(at + 1)?.error === notConfigured;
      await takeOut(tx, queued, isKept ? now + hour : undefined);
    }
    if (isUnready) {
      await show(turn, tx, some[unready - 1], obstacles.get(unready)?.why ?? '');
    } else {
      const attempts = plan.actions.map((action, at) => ({
        ...action,
        attempt: some[at]?.queued.attempt ?? 1,
      }));
      const { doc } = await storePlan(parts, tx, system, {
        plan: { ...plan, actions: attempts },
        automatic: true,
        dry_run: false,
        requires_approval: approvalFor(parts, current, plan),
      });
      if (plan.why_not.length > 0) {
        await show(turn, tx, some[0], `refused by a guard: ${plan.why_not.join('; ')}`, doc.id);
      } else if (doc.status !== 'failed') await clearProblem(tx, policy.id);
    }
  }
  return goOn(turn, tx);
}

const notConfigured = 'remediator_not_configured';

const isUnchanged = (planned: StoredPolicy, current: StoredPolicy): boolean =>
  current.enabled === true &&
  current.remediation_problem?.stopped !== true &&
  automaticAfter(current) !== undefined &&
  fingerprintOf(current) === fingerprintOf(planned);

/** Unless it was queued anew meanwhile. @param laterAt keeps it until then */
async function takeOut(tx: Tx, queued: QueuedViolation, laterAt?: number): Promise<void> {
  const found = (await tx.get(queue, queued.id))?.doc;
  if (found?.due_at !== queued.due_at) return;
  if (laterAt === undefined) await tx.remove(queue, queued.id);
  else await tx.replace(queue, { ...found, due_at: laterAt });
}

const show = (
  { deps }: Turn,
  tx: Tx,
  about: Selected | undefined,
  reason: string,
  remediation?: string,
): Promise<void> | undefined => {
  if (!about) return undefined;
  const { id: violation_id, policy_id, resource_id } = about.violation;
  return showProblem(deps, tx, policy_id, {
    reason,
    violation_id,
    resource_id,
    stopped: false,
    ...defined({ remediation_id: remediation }),
  });
};

/** Whose approval a plan requires. Commands and webhooks need that of a person, unless the operator has listed the policy. */
function approvalFor(
  { settings }: PlanParts,
  policy: StoredPolicy,
  { actions: planned, why_not }: Plan,
): Approval {
  const mayRun = settings.auto === 'run' && why_not.length === 0;
  const isCommand = planned.some(isOutside);
  const isListed = settings.autoCommands.has(`${policy.id}@${fingerprintOf(policy)}`);
  if (mayRun && isCommand && isListed) return 'none';
  const required = approvalOf(settings, planned, true);
  return required === 'none' && (!mayRun || isCommand) ? 'approval' : required;
}
