import { GovctlError } from '../../contract/errors.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { applyPatch, changesOf, undoOf } from '../../engine/remediation/patch.ts';
import { timestamp } from '../deps.ts';
import { resources } from '../resources/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import type { Asker } from '../threads/threads.ts';
import { actions, images } from './collection.ts';
import type { StoredAction, StoredRemediation } from './collection.ts';
import { sha256Of } from './fingerprint.ts';
import { whyProtected } from './guards.ts';
import { executorFor, obstacle, pairOf, planEach, refuseEmpty, shownChange } from './plan.ts';
import type { Obstacle, Plan, PlanParts, PlannedAction } from './plan.ts';

/**
 * Plans to take back what a remediation has changed: the last change first, and of a resource only what was changed, as
 * long as that is as the remediation left it.
 * @throws GovctlError remediation_state where it may still change something; as `makePlan` where nothing can be taken back
 */
export async function planRollback(
  parts: PlanParts,
  asker: Asker,
  remediation: StoredRemediation,
): Promise<Plan> {
  refuseUnended(remediation);
  const done = await changedBy(parts.deps.store, remediation.id);
  if (done.length === 0) {
    throw new GovctlError('invalid_remediation', `${remediation.id} changed nothing`, {
      hint: `Use \`govctl remediate show ${remediation.id}\` to see the result of its actions.`,
    });
  }
  return planEach(parts, asker, done, createUndoer(parts)).then(refuseEmpty);
}

function refuseUnended({ id, status, counts, dry_run: isDry }: StoredRemediation): void {
  if (isDry) {
    throw new GovctlError('remediation_state', `${id} was a dry run and changed nothing`);
  }
  const isAtWork =
    status === 'planned' || status === 'approved' || counts.planned + counts.attempting > 0;
  if (!isAtWork) return;
  throw new GovctlError('remediation_state', `${id} is ${status} and may still change resources`, {
    hint: `Wait until the remediation ends, or run \`govctl remediate cancel ${id}\`.`,
  });
}

/** The actions that were attempted, the last one first. */
async function changedBy(reader: Reader, id: string): Promise<StoredAction[]> {
  const found: StoredAction[] = [];
  for await (const { doc } of allRows(reader, actions, { remediation: { any: [id] } })) {
    if (doc.attempted_at !== undefined) found.push(doc);
  }
  return found.sort((a, b) => b.n - a.n);
}

function createUndoer({ deps, settings }: PlanParts) {
  /** Resources as they will be when what is planned so far is done, by ID. */
  const planned = new Map<string, KnownResource>();

  async function howOf(
    { id, resource_id, resource_type, executor: by = '', patch }: StoredAction,
    resource: KnownResource | undefined,
  ): Promise<
    Obstacle | Pick<PlannedAction, 'patch' | 'changes' | 'executor' | 'command_fingerprint'>
  > {
    if (!patch) return obstacle(`the changes by ${by} are unknown, so they cannot be rolled back`);
    const image = (await deps.store.get(images, id))?.doc;
    if (!resource) return obstacle('the resource was deleted');
    if (!image) return obstacle('the state of the resource before the change is no longer stored');
    const changed = changesOf(resource, patch)[0];
    if (changed) return obstacle(`${changed.path} has changed since the remediation`);
    const excluded = whyProtected(resource, settings.guards);
    if (excluded !== undefined) return obstacle(excluded, 'remediation_guard');
    const executor = executorFor(settings, resource_type);
    if ('why' in executor) return executor;
    const undo = undoOf(image.resource, patch);
    planned.set(resource_id, applyPatch(resource, undo) as KnownResource); // a patch never touches its identity
    return { ...executor, patch: undo, changes: changesOf(resource, undo).map(shownChange) };
  }

  return async (done: StoredAction, n: number) => {
    const stored = await deps.store.get(resources, done.resource_id);
    const how = await howOf(done, planned.get(done.resource_id) ?? stored?.doc.resource);
    const about = {
      n,
      violation_id: done.violation_id,
      ...pairOf(done),
      fingerprint: done.fingerprint,
      method: done.patch ? ('patch' as const) : done.method,
      ...(stored
        ? { base: { revision: stored.revision, sha256: sha256Of(stored.doc.resource) } }
        : {}),
    };
    if (!('why' in how)) return { action: { ...about, ...how, status: 'planned' as const } };
    const ended_at = timestamp(deps.clock.now());
    const skipped = { status: 'skipped' as const, why: how.why, ended_at };
    return { action: { ...about, changes: [], ...skipped }, obstacle: how };
  };
}
