import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Patch } from '../../engine/remediation/patch.ts';
import { timestamp } from '../deps.ts';
import { askerOf } from '../evaluation/thread/threads.ts';
import type { Call } from '../http/call.ts';
import { resources } from '../resources/collection.ts';
import type { Reader, Versioned } from '../store/store.ts';
import type { Asker } from '../threads/threads.ts';
import { remediations } from './collection.ts';
import type { StoredRemediation } from './collection.ts';
import { sha256Of } from './fingerprint.ts';
import { whyProtected } from './guards.ts';
import { refuseTooMany, withActions } from './handlers.ts';
import { obstacle, patching, planEach, refuseEmpty, shownChange } from './plan.ts';
import type { Plan, PlanParts } from './plan.ts';
import { approvalOf, refuseGuarded } from './settings.ts';
import { storePlan } from './store-plan.ts';

/** Another size for a resource, as a recommendation has it. */
export interface Resizing {
  /** Of the recommendation. */
  readonly id: string;
  readonly resource_id: string;
  readonly patch: Patch;
  /** Without any cost: whoever may read remediations reads it. */
  readonly note: string;
}

/**
 * Plans a remediation that gives a resource another size. It always waits for approval. The same recommendation again is
 * answered with the remediation that there is.
 */
export const createResizer = (parts: PlanParts) => {
  const { deps, settings } = parts;
  return async (call: Call, resizing: Resizing) => {
    const isOld = (await call.isRepeated()) || (await findOpen(deps.store, resizing.id));
    const plan = isOld ? undefined : await planResizing(parts, askerOf(call), resizing);
    return call.transact(async (tx) => {
      const open = await findOpen(tx, resizing.id);
      if (open && open.doc.note !== resizing.note) throw another(open.doc);
      if (open) return answer(tx, open);
      if (!plan)
        throw new GovctlError(
          'unavailable',
          'The remediation of this virtual machine has just ended; try again',
        );
      await refuseTooMany(tx, call.actor);
      const required = approvalOf(settings, plan.actions, call.isLocal);
      const row = await storePlan(parts, tx, call.actor, {
        plan,
        dry_run: false,
        note: resizing.note,
        rightsizing: resizing.id,
        requires_approval: required === 'none' ? 'approval' : required,
        ...defined({ made_by: call.principal.person }),
      });
      return answer(tx, row);
    });
  };
};

const another = ({ id, status, note = '' }: StoredRemediation): GovctlError =>
  new GovctlError('remediation_state', `${id} is ${status} and sets a different size (${note})`, {
    hint: `Cancel the remediation first: run \`govctl remediate cancel ${id}\`.`,
  });

async function answer(reader: Reader, row: Versioned<StoredRemediation>) {
  const headers = { Location: `/v1/compliance/remediate/${row.doc.id}` };
  return { ...(await withActions(reader, row)), headers };
}

async function findOpen(
  reader: Reader,
  id: string,
): Promise<Versioned<StoredRemediation> | undefined> {
  const where = { open_rightsizing: { any: [id] } };
  const { rows } = await reader.page(remediations, { where, orderBy: 'id', direction: 'asc', limit: 1 }); // prettier-ignore
  return rows[0];
}

/** @throws GovctlError remediation_guard, remediator_not_configured or invalid_remediation */
async function planResizing(
  parts: PlanParts,
  asker: Asker,
  { id, resource_id, patch }: Resizing,
): Promise<Plan> {
  const { deps, settings } = parts;
  const planned = await planEach(parts, asker, [resource_id], async (resourceId, n) => {
    const row = await deps.store.get(resources, resourceId);
    if (!row) throw new GovctlError('rightsizing_not_found', 'The resource was deleted');
    const { resource } = row.doc;
    const { type, provider, account_id, environment } = resource;
    const about = {
      n,
      violation_id: id,
      policy_id: id,
      policy_name: 'Rightsizing',
      severity: 'LOW' as const,
      resource_id: resourceId,
      resource_type: type,
      provider,
      ...defined({ account_id, environment }),
      fingerprint: '',
      base: { revision: row.revision, sha256: sha256Of(resource) },
    };
    const excluded = whyProtected(resource, settings.guards);
    const done =
      excluded === undefined
        ? patching(settings, resource, patch)
        : obstacle(excluded, 'remediation_guard');
    if (!('why' in done)) {
      const changes = done.changes.map(shownChange);
      return { action: { ...about, ...done, changes, status: 'planned' as const } };
    }
    const skipped = { status: 'skipped' as const, why: done.why };
    const ended_at = timestamp(deps.clock.now());
    const action = { ...about, method: 'patch' as const, changes: [], ...skipped, ended_at };
    return { action, obstacle: done };
  });
  const plan = refuseEmpty(planned);
  refuseGuarded(plan.why_not);
  return plan;
}
