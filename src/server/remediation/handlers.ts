import { GovctlError } from '../../contract/errors.ts';
import type { RemediationWithActions, RollbackInput } from '../../contract/remediations.ts';
import { actionsPerAnswer } from '../../contract/remediations.ts';
import { defined } from '../../contract/defined.ts';
import { recordAudit } from '../audit/service.ts';
import type { Actor, Call, Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import { timestamp } from '../deps.ts';
import { askerOf } from '../evaluation/thread/threads.ts';
import { listPage } from '../http/paging.ts';
import { toJson } from '../json.ts';
import { countRows } from '../store/all-rows.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import {
  actions,
  isOpen,
  remediationFilters,
  remediationLanes,
  remediations,
} from './collection.ts';
import type { StoredAction, StoredRemediation } from './collection.ts';
import { personOf, refuseApproval } from './approval.ts';
import { makePlan } from './plan.ts';
import type { Plan, PlanParts } from './plan.ts';
import { planRollback } from './rollback.ts';
import { endRemediation } from './run.ts';
import { selectViolations } from './select.ts';
import { storePlan } from './store-plan.ts';
import { readRemediation } from './service.ts';
import { approvalOf, refuseGuarded } from './settings.ts';

/** Remediations of one caller that have not ended. */
const mostOpen = 100;

/** @param ownerTags the operator's */
export const remediationHandlers = (
  parts: PlanParts,
  ownerTags: readonly string[],
): Handlers['remediations'] => {
  const { deps } = parts;
  // Each compares very many settings.
  const inTurn = createCallerTurns();

  /** Stores what is planned, if it may be done. */
  async function planAndStore(call: Call, input: PlanInput, make: () => Promise<Plan>) {
    // A repeated request gets the answer that is stored: what it selected may be remediated by now.
    const plan = (await call.isRepeated())
      ? undefined
      : await inTurn(call, async () => refuseUnfit(input, await make()));
    return call.transact(async (tx) => {
      if (!plan) throw new Error('a repeated request has a stored response');
      await refuseTooMany(tx, call.actor);
      const { dry_run, note, rolls_back } = input;
      const row = await storePlan(parts, tx, call.actor, {
        plan,
        dry_run,
        requires_approval: approvalOf(parts.settings, plan.actions, call.isLocal),
        ...defined({ note, rolls_back, made_by: call.principal.person }),
      });
      const answer = await withActions(tx, row);
      return { ...answer, headers: { Location: `/v1/compliance/remediate/${row.doc.id}` } };
    });
  }

  return {
    create: ({ body }, call) =>
      planAndStore(call, body, async () => {
        const by = { now: deps.clock.now(), ownerTags, signal: call.signal };
        const selected = await selectViolations(deps.store, body, by);
        return makePlan(parts, askerOf(call), selected);
      }),

    rollback: ({ params: { id }, body }, call) =>
      planAndStore(call, { ...body, rolls_back: id }, async () => {
        const { doc } = await readRemediation(deps.store, id);
        return planRollback(parts, askerOf(call), doc);
      }),

    list: ({ query }) =>
      listPage(deps.store, remediations, {
        query,
        filters: remediationFilters(query),
        plural: 'remediations',
        show: ({ doc }) => toJson(doc),
      }),

    get: async ({ params, query }) => {
      const row = await readRemediation(deps.store, params.id);
      const answer = await withActions(deps.store, row, query.actions_offset);
      return { ...answer, revision: row.revision };
    },

    approve: ({ params, body }, call) =>
      call.transact(async (tx) => {
        const { doc } = await readRemediation(tx, params.id);
        refuseApproval(doc, {
          given: body.digest,
          requester: doc.made_by,
          approver: personOf(call.principal),
        });
        const now = deps.clock.now();
        const at = timestamp(now);
        const by = { approved_by: call.actor.userId, approved_at: at, updated_at: at };
        await tx.replace(remediations, { ...doc, ...by, status: 'approved' });
        await tx.putOff(remediationLanes, doc.id, now);
        await recordAudit(deps, tx, call.actor, 'remediation.approve', doc.id);
        return withActions(tx, await readRemediation(tx, doc.id));
      }),

    cancel: async ({ params, body }, call) =>
      call.transact(async (tx) => {
        const { doc } = await readRemediation(tx, params.id);
        if (!isOpen(doc)) {
          throw new GovctlError('remediation_state', `${doc.id} is already ${doc.status}`);
        }
        const { reason } = body;
        const by = { cancelled_by: call.actor.userId, ...defined({ reason }) };
        await endRemediation(deps, tx, doc, { status: 'cancelled', ...by });
        await recordAudit(deps, tx, call.actor, 'remediation.cancel', doc.id);
        return withActions(tx, await readRemediation(tx, doc.id));
      }),
  };
};

/** What a plan is stored with. */
type PlanInput = RollbackInput & Pick<StoredRemediation, 'rolls_back'>;

/** @throws GovctlError remediation_state where it is another plan than was shown, remediation_guard */
function refuseUnfit({ expected_digest: digest, dry_run: isDry }: PlanInput, plan: Plan): Plan {
  if (digest !== undefined && digest !== plan.digest) {
    throw new GovctlError('remediation_state', 'The plan has changed since it was shown', {
      hint: 'Create a new plan, review it, and apply it.',
    });
  }
  if (!isDry) refuseGuarded(plan.why_not);
  return plan;
}

/** @throws GovctlError unavailable */
export async function refuseTooMany(reader: Reader, { userId }: Actor): Promise<void> {
  const open = await countRows(reader, remediations, { open_of: { any: [userId] } });
  if (open < mostOpen) return;
  throw new GovctlError('unavailable', `${open} of your remediations have not ended`, {
    hint: 'Cancel some of them: list them with `govctl remediate list`. A plan expires after a day.',
    headers: { 'Retry-After': '60' },
  });
}

/** A remediation with some of its actions. */
export async function withActions(
  reader: Reader,
  { doc }: Versioned<StoredRemediation>,
  offset = 0,
) {
  const { rows } = await reader.page(actions, {
    where: { remediation: { any: [doc.id] } },
    orderBy: 'id',
    direction: 'asc',
    limit: actionsPerAnswer,
    offset,
  });
  const shown: RemediationWithActions = { ...doc, actions: rows.map((row) => showAction(row.doc)) };
  return { body: toJson(shown) };
}

function showAction(action: StoredAction): RemediationWithActions['actions'][number] {
  const inner = { id: undefined, remediation_id: undefined, planned_at: undefined };
  return withoutAbsent({
    ...action,
    ...inner,
    patch: undefined,
    changes: action.changes.map((change) => ({ ...change })),
    before_image: action.attempted_at !== undefined,
  });
}
