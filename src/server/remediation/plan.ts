import { defined } from '../../contract/defined.ts';
import type { ErrorName } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Rule } from '../../contract/policies.ts';
import { actOf, readRemediationAction } from '../../contract/remediation-action.ts';
import { inThrees } from '../../contract/in-threes.ts';
import type { Remediation } from '../../contract/remediations.ts';
import { GivenResource, typeKey } from '../../contract/resources.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { applyPatch, changesOf, fillPatch } from '../../engine/remediation/patch.ts';
import type { Changed, Patch } from '../../engine/remediation/patch.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { nextTurn } from '../next-turn.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { resources } from '../resources/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import { countRows } from '../store/all-rows.ts';
import type { Versioned } from '../store/store.ts';
import type { Asker } from '../threads/threads.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { createClashes } from './clashes.ts';
import type { StoredAction } from './collection.ts';
import { findExecutor } from './executors/executor.ts';
import type { Executor } from './executors/executor.ts';
import { digestOf, fingerprintOf, sha256Of } from './fingerprint.ts';
import { blastOf, whyNot, whyProtected } from './guards.ts';
import type { Settings } from './settings.ts';

export type PlannedAction = Omit<StoredAction, 'id' | 'remediation_id' | 'planned_at'>;

/** The planned actions and their blast radius. */
export interface Plan extends Pick<Remediation, 'why_not' | 'blast' | 'digest'> {
  readonly actions: readonly PlannedAction[];
}

interface PlanWithObstacles extends Plan {
  /** Why actions are skipped, by their numbers. */
  readonly obstacles: ReadonlyMap<number, Obstacle>;
}

export interface PlanParts {
  readonly deps: Deps;
  readonly evaluation: Evaluation;
  readonly settings: Settings;
}

/** Why a violation cannot be remediated, and the error if that is so for all of them. */
export interface Obstacle {
  readonly why: string;
  readonly error: ErrorName;
}

type Done = Pick<
  PlannedAction,
  'method' | 'executor' | 'command_fingerprint' | 'patch' | 'changes'
>;

/**
 * Plans one action for each violation; those that nothing can be done about are skipped, with the reason.
 * @throws GovctlError invalid_remediation, remediator_not_configured or remediation_guard where no action is left
 */
export async function makePlan(
  parts: PlanParts,
  asker: Asker,
  selected: readonly StoredViolation[],
): Promise<Plan> {
  if (selected.length === 0) {
    throw new GovctlError('invalid_remediation', 'No open violations match', {
      hint: 'Use `govctl violation list` to see open violations.',
    });
  }
  return planViolations(parts, asker, selected).then(refuseEmpty);
}

/** The same, also where no action is left. @throws GovctlError remediation_guard where the plan is too long */
export const planViolations = (
  parts: PlanParts,
  asker: Asker,
  selected: readonly StoredViolation[],
): Promise<PlanWithObstacles> => planEach(parts, asker, selected, createPlanner(parts, asker));

/** @throws GovctlError invalid_remediation, remediator_not_configured or remediation_guard where no action is left */
export function refuseEmpty({ obstacles, ...plan }: PlanWithObstacles): Plan {
  if (obstacles.size === plan.actions.length) throw nothingToDo([...obstacles.values()]);
  return plan;
}

/**
 * Plans one action for each item, in order.
 * @throws GovctlError remediation_guard where the plan is too long
 */
export async function planEach<Item>(
  { deps, settings }: PlanParts,
  asker: Asker,
  items: readonly Item[],
  planOne: (
    item: Item,
    n: number,
  ) => Promise<{ readonly action: PlannedAction; readonly obstacle?: Obstacle }>,
): Promise<PlanWithObstacles> {
  const actions: PlannedAction[] = [];
  const obstacles = new Map<number, Obstacle>();
  let size = 0;
  for (const item of items) {
    asker.signal.throwIfAborted();
    const { action, obstacle } = await planOne(item, actions.length + 1);
    size += JSON.stringify(action).length;
    if (size > longestPlan) throw tooLong(actions.length);
    actions.push(action);
    if (obstacle) obstacles.set(action.n, obstacle);
    await nextTurn();
  }
  const planned = actions.filter(({ status }) => status === 'planned');
  const counts = new Map<string, number>();
  for (const { resource_type: type } of planned) {
    if (counts.has(type)) continue;
    const where = { type: { any: [typeKey(type)] } };
    counts.set(type, await countRows(deps.store, resources, where));
  }
  const countOf = (type: string): number => counts.get(type) ?? 0;
  return {
    actions,
    digest: digestOf(planned),
    blast: blastOf(planned, countOf),
    why_not: whyNot(planned, countOf, settings.guards),
    obstacles,
  };
}

/** Characters of all actions of a plan as JSON: it is stored in one go. */
const longestPlan = 4 << 20;

const tooLong = (fit: number): GovctlError =>
  new GovctlError(
    'remediation_guard',
    `The plan would exceed ${longestPlan >> 20} MiB after ${inThrees(fit)} actions`,
    { hint: 'Select fewer violations, for example those of one policy or account.' },
  );

function nothingToDo(obstacles: readonly Obstacle[]): GovctlError {
  const [first] = obstacles;
  const error = first?.error ?? 'invalid_remediation';
  const reasons = new Map<string, number>();
  for (const { why } of obstacles) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  const [most = ['', 0]] = [...reasons].sort(([, a], [, b]) => b - a);
  return new GovctlError(error, `Nothing to remediate: ${most[0]}`, {
    details: [...reasons].slice(0, 20).map(([message, count]) => ({
      field: count === 1 ? '1 violation' : `${count} violations`,
      message,
    })),
  });
}

/** Policies are read and checked once. Plans actions in the order of their numbers. */
function createPlanner({ deps, evaluation, settings }: PlanParts, asker: Asker) {
  const known = new Map<string, { policy: StoredPolicy; problem: string | undefined }>();
  const base = new Map<string, { row: Versioned<StoredResource>; sha256: string }>();
  const clashes = createClashes();

  async function policyOf(id: string) {
    const found = known.get(id);
    if (found) return found;
    const policy = (await deps.store.get(policies, id))?.doc;
    if (!policy) return undefined;
    const text = policy.remediation_action ?? '';
    const problem = await evaluation.checkAction(asker, {
      text,
      type: policy.resource_type,
      rules: policy.rules as Rule[], // checked when they came
    });
    const checked = { policy, problem };
    known.set(id, checked);
    return checked;
  }

  async function resourceOf(id: string) {
    const found = base.get(id);
    if (found) return found;
    const row = await deps.store.get(resources, id);
    if (!row) return undefined;
    const read = { row, sha256: sha256Of(row.doc.resource) };
    base.set(id, read);
    return read;
  }

  return async (
    violation: StoredViolation,
    n: number,
  ): Promise<{ action: PlannedAction; obstacle?: Obstacle }> => {
    const checked = await policyOf(violation.policy_id);
    const read = await resourceOf(violation.resource_id);
    const at = timestamp(deps.clock.now());
    const about = {
      n,
      violation_id: violation.id,
      ...pairOf(violation),
      fingerprint: checked ? fingerprintOf(checked.policy) : '',
      ...(read ? { base: { revision: read.row.revision, sha256: read.sha256 } } : {}),
    };
    const done =
      checked && read
        ? howOf(settings, checked, read.row.doc)
        : obstacle('the policy or the resource was deleted');
    const clash = 'why' in done ? undefined : clashes.find(violation.resource_id, done.changes);
    const result = clash ? obstacle(`action ${clash.n} sets ${clash.path} to another value`) : done;
    if (!('why' in result)) {
      clashes.add(violation.resource_id, n, result.changes);
      const shown = { ...result, changes: result.changes.map(shownChange) };
      return { action: { ...about, ...shown, status: 'planned' } };
    }
    const { why } = result;
    const nothing = { method: methodOf(checked?.policy), changes: [] };
    return {
      action: { ...about, ...nothing, status: 'skipped', why, ended_at: at },
      obstacle: result,
    };
  };
}

type Pair = Pick<
  PlannedAction,
  | 'policy_id'
  | 'policy_name'
  | 'severity'
  | 'resource_id'
  | 'resource_type'
  | 'provider'
  | 'account_id'
  | 'environment'
>;

/** The policy and the resource of an action, as a violation or another action has them. */
export const pairOf = (of: Pair): Pair => ({
  policy_id: of.policy_id,
  policy_name: of.policy_name,
  severity: of.severity,
  resource_id: of.resource_id,
  resource_type: of.resource_type,
  provider: of.provider,
  ...defined({ account_id: of.account_id, environment: of.environment }),
});

export const obstacle = (why: string, error: ErrorName = 'invalid_remediation'): Obstacle => ({
  why,
  error,
});

function methodOf(policy: StoredPolicy | undefined): Done['method'] {
  const { kind } = actOf(readRemediationAction(policy?.remediation_action ?? ''));
  return kind === 'other' ? 'notify' : kind;
}

/** How a violation is remediated, or why it can't be. */
function howOf(
  settings: Settings,
  { policy, problem }: { readonly policy: StoredPolicy; readonly problem: string | undefined },
  { resource }: StoredResource,
): Done | Obstacle {
  const text = policy.remediation_action ?? '';
  if (text === '') return obstacle(`policy ${policy.name} has no remediation_action`);
  if (problem !== undefined) return obstacle(`remediation_action of ${policy.name} ${problem}`);
  const excluded = whyProtected(resource, settings.guards);
  if (excluded !== undefined) return obstacle(excluded, 'remediation_guard');
  const action = actOf(readRemediationAction(text));
  if (action.kind === 'notify') return { method: 'notify', changes: [] };
  if (action.kind === 'other') {
    return obstacle(
      `remediation_action of ${policy.name} is none of patch:, webhook:, exec: and notify`,
    );
  }
  if (action.kind !== 'patch') {
    const executor = action.kind === 'exec' ? `exec:${action.name}` : `webhook:${action.url}`;
    const found = findExecutor(settings, executor);
    if ('why' in found) {
      return obstacle(`policy ${policy.name}: ${found.why}`, 'remediator_not_configured');
    }
    return { method: action.kind, ...byExecutor(executor, found), changes: [] };
  }
  const filled = fillPatch(action.patch, settings.parameters);
  if ('missing' in filled) {
    return obstacle(
      `the patch requires a value for ${filled.missing}: set remediation.parameters.${filled.missing} in the server's configuration`,
      'remediator_not_configured',
    );
  }
  return patching(settings, resource, filled.patch);
}

/** How a patch of a resource is carried out, or why it can't be. */
export function patching(
  settings: Settings,
  resource: KnownResource,
  patch: Patch,
): Done | Obstacle {
  const changes = changesOf(resource, patch);
  if (changes.length === 0) return obstacle('the resource already matches the patch');
  const executor = executorFor(settings, resource.type);
  if ('why' in executor) return executor;
  const checked = GivenResource.safeParse(applyPatch(resource, patch));
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return obstacle(`the patched resource would not be valid: ${issue?.message ?? ''}`);
  }
  return { method: 'patch', ...executor, patch, changes };
}

const byExecutor = (
  executor: string,
  found: Executor,
): Pick<Done, 'executor' | 'command_fingerprint'> => ({
  executor,
  ...(found.kind === 'exec' ? { command_fingerprint: found.fingerprint } : {}),
});

/** What carries out patches of a type. */
export function executorFor(
  settings: Settings,
  type: string,
): Pick<Done, 'executor' | 'command_fingerprint'> | Obstacle {
  const executor = settings.executorOf(type);
  if (executor === 'inventory') return { executor };
  const found =
    executor === undefined
      ? { why: `the server's configuration has no remediation.executors for ${type}` }
      : findExecutor(settings, executor);
  if ('why' in found) return obstacle(found.why, 'remediator_not_configured');
  return byExecutor(executor ?? '', found);
}

/** Characters of a value that is stored with an action: the resource itself has the rest. */
const longestShown = 1_024;
const secretName = /password|secret|token|private_key|user_data/i;

export function shownChange({ path, before, after }: Changed): Changed {
  const show = (value: unknown): unknown => {
    if (secretName.test(path) && !['boolean', 'number', 'undefined'].includes(typeof value)) {
      return '[redacted]';
    }
    const { length } = JSON.stringify(value) ?? '';
    return length > longestShown ? `[${length} characters]` : value;
  };
  return { path, ...defined({ before: show(before), after: show(after) }) };
}
