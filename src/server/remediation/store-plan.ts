import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Actor } from '../http/call.ts';
import { nextTurn } from '../next-turn.ts';
import type { Tx, Versioned } from '../store/store.ts';
import { actionId, actions, remediationLanes, remediations } from './collection.ts';
import type { StoredRemediation } from './collection.ts';
import type { Plan } from './plan.ts';
import { countsOf, hasWork } from './transitions.ts';

/** Milliseconds until a plan expires. */
const expiresAfter = 86_400_000;
/** Actions that are stored between two turns of others. */
const actionsPerTurn = 50;

interface NewRemediation extends Pick<
  StoredRemediation,
  'dry_run' | 'note' | 'rolls_back' | 'rightsizing' | 'made_by' | 'requires_approval' | 'automatic'
> {
  readonly plan: Plan;
}

/** Stores a plan. It is carried out at once, unless it requires approval. */
export async function storePlan(
  { deps }: { readonly deps: Deps },
  tx: Tx,
  actor: Actor,
  { plan, ...given }: NewRemediation,
): Promise<Versioned<StoredRemediation>> {
  const now = deps.clock.now();
  const at = timestamp(now);
  const id = deps.ids.next('rem');
  const { actions: planned, digest, blast, why_not } = plan;
  const counts = countsOf(planned.map(({ status }) => status));
  const isReady = !given.dry_run && given.requires_approval === 'none';
  const isOver = !hasWork(counts);
  const row = await tx.insert(remediations, {
    id,
    status: isOver ? 'failed' : isReady ? 'approved' : 'planned',
    why_not,
    digest,
    blast,
    counts,
    ...given,
    requested_by: actor.userId,
    expires_at: timestamp(now + expiresAfter),
    created_at: at,
    updated_at: at,
    ...(isOver ? { ended_at: at } : {}),
  });
  for (const action of planned) {
    const own = { id: actionId(id, action.n), remediation_id: id, planned_at: at };
    await tx.insert(actions, { ...action, ...own });
    if (action.n % actionsPerTurn === 0) await nextTurn();
  }
  if (!isOver) {
    await tx.append(remediationLanes, id, id);
    await tx.putOff(remediationLanes, id, isReady ? now : now + expiresAfter);
  }
  const did = given.rolls_back ? 'remediation.rollback' : 'remediation.create';
  await recordAudit(deps, tx, actor, did, id);
  return row;
}
