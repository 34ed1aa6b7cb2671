import { checkSameId, invalidField } from '../http/invalid-body.ts';
import type { ExemptionInput, ExemptionUpdate } from '../../contract/exemptions.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { readOwnerTag } from '../../contract/key-tag.ts';
import { serverAssigned } from '../../contract/policies.ts';
import { exemptionEnd } from '../../engine/exempt.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor, Changer } from '../http/call.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import { applyExemptions, judgedPolicy } from '../evaluation/judge.ts';
import type { Judge } from '../evaluation/judge.ts';
import { schedulePolicy } from '../evaluation/schedule-policy.ts';
import { putWork, removeWork } from '../evaluation/work.ts';
import { outcomes } from '../posture/collection.ts';
import { policies } from '../policies/collection.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { announceExemption } from './announce.ts';
import { exemptions } from './collection.ts';
import type { PolicyName, StoredExemption } from './collection.ts';
import { takeNamed } from './expire.ts';

/** Outcomes of a policy, with their violations, that are moved in the exemption's own transaction; the rest follow in the background. */
const movedAtOnce = 500;

/** Active exemptions: what a policy finds is compared with each of those that name it. */
const mostExemptions = 10_000;

/** @throws GovctlError exemption_not_found */
export const readExemption = (reader: Reader, id: string): Awaitable<Versioned<StoredExemption>> =>
  whenKnown(reader.get(exemptions, id), (found) => {
    if (found) return found;
    throw new GovctlError(
      'exemption_not_found',
      `There is no exemption ${id.slice(0, 100)}; it may have been deleted`,
    );
  });

const invalid = (field: string, message: string): GovctlError =>
  invalidField('invalid_exemption', field, message);

/** @throws GovctlError invalid_exemption for a last day that is over */
function checkExpiry(now: number, expires: string | undefined): void {
  if (expires !== undefined && exemptionEnd(expires) <= now) {
    throw invalid('expires', `must not be in the past; today is ${timestamp(now).slice(0, 10)}`);
  }
}

/** Fields that a client may send as it read them. */
const answeredOnly: ReadonlySet<string> = new Set(['status', 'named_by']);

/** What an exemption says of its policy. */
interface Naming {
  readonly policy: string;
  /** The project whose key it is. */
  readonly project?: string | null | undefined;
  /** The project that is meant if it has the key. */
  readonly own: string | undefined;
}

/**
 * What a policy is named by: the key of a given or the own project, else an ID, a name, or the key of the only project that has it.
 * @throws GovctlError invalid_exemption where no policy is named so, or those of several projects
 */
async function readName(
  tx: Tx,
  { policy, project, own }: Naming,
): Promise<Pick<PolicyName, 'named_by' | 'project'>> {
  const given = JSON.stringify(policy.slice(0, 100));
  const wanted = project ?? own;
  const having = new Set<string | undefined>();
  for await (const { doc } of allRows(tx, policies, { key: { any: [policy] } })) {
    const owner = readOwnerTag(doc.tags ?? []);
    if (owner !== undefined && owner === wanted) return { named_by: 'key', project: owner };
    having.add(owner);
  }
  if (project) {
    const named = JSON.stringify(project.slice(0, 100));
    throw invalid('policy', `must be the key of a policy in project ${named}, not ${given}`);
  }
  if ((await tx.get(policies, policy)) !== undefined) return { named_by: 'id' };
  if ((await tx.find(policies, 'name', policy)) !== undefined) return { named_by: 'name' };
  if (having.size === 0) {
    throw invalid('policy', `must be the ID, name or key in git of a policy, not ${given}`);
  }
  const [only] = having;
  if (having.size === 1) return { named_by: 'key', ...defined({ project: only }) };
  const named = [...having].map((one) => one ?? 'no project').slice(0, 10);
  throw invalid(
    'policy',
    `is ambiguous: several projects have a policy with the key ${given} (${named.join(', ')}). Use the ID or name of the policy, or set project`,
  );
}

/** @throws GovctlError invalid_exemption where as many are active as there can be */
async function checkRoom(tx: Tx): Promise<void> {
  const active = { status: { any: ['active'] } };
  if ((await countRows(tx, exemptions, active)) < mostExemptions) return;
  const message = `The service has ${inThrees(mostExemptions)} active exemptions, which is the maximum`;
  const hint =
    'Delete exemptions that are no longer needed, or list the resources of one policy in one exemption.';
  throw new GovctlError('invalid_exemption', message, { hint });
}

/** @throws GovctlError invalid_exemption */
export async function createExemption(
  judge: Judge,
  actor: Actor,
  input: ExemptionInput,
): Promise<Versioned<StoredExemption>> {
  const { deps, tx, now } = judge;
  checkExpiry(now, input.expires);
  const name = await readName(tx, { ...input, own: readOwnerTag(input.tags ?? []) });
  await checkRoom(tx);
  const at = timestamp(now);
  const stored = await tx.insert(exemptions, {
    id: deps.ids.next('exm'),
    ...withoutAbsent({ ...input, project: undefined, ...name }),
    status: 'active',
    created_at: at,
    updated_at: at,
    created_by: actor.userId,
  });
  await putWork(tx, {
    kind: 'expiry',
    id: stored.doc.id,
    due_at: exemptionEnd(input.expires),
  });
  await recordAudit(deps, tx, actor, 'exemption.create', stored.doc.id);
  await announceExemption(deps, tx, stored.doc, 'created');
  await moveOutcomes(judge, [input.policy]);
  return stored;
}

/** @throws GovctlError exemption_not_found, invalid_exemption, or what `checkMatch` throws */
export async function updateExemption(
  judge: Judge,
  call: Changer,
  id: string,
  update: ExemptionUpdate,
): Promise<Versioned<StoredExemption>> {
  const { deps, tx, now } = judge;
  const before = await readExemption(tx, id);
  call.checkMatch(before.revision);
  checkSameId('invalid_exemption', 'exemption', id, update.id);
  const given = Object.entries(update).filter(
    ([field, value]) =>
      value !== undefined && !answeredOnly.has(field) && !Object.hasOwn(serverAssigned, field),
  );
  const changed = given
    .filter(([field, value]) => JSON.stringify(before.doc[field] ?? null) !== JSON.stringify(value))
    .map(([field]) => field);
  if (changed.length === 0) return before;
  const isChanged = (field: string): boolean => changed.includes(field);
  // A last day in the past ends it.
  const merged = { ...before.doc, ...Object.fromEntries(given) };
  if (isChanged('policy') || isChanged('project')) {
    const own = before.doc.project ?? readOwnerTag(merged.tags ?? []);
    const { policy } = merged;
    const name = await readName(tx, { policy, project: update.project, own });
    Object.assign(merged, { project: undefined }, name);
  }
  const isOver = exemptionEnd(merged.expires) <= now;
  if (!isOver && before.doc.status === 'expired') await checkRoom(tx);
  const stored = await tx.replace(exemptions, {
    ...withoutAbsent(merged),
    status: isOver ? 'expired' : 'active',
    updated_at: updatedAfter(before.doc.updated_at, now),
  });
  if (!isOver) await putWork(tx, { kind: 'expiry', id, due_at: exemptionEnd(merged.expires) });
  const ends = isOver && (await removeWork(tx, id));
  await recordAudit(deps, tx, call.actor, 'exemption.update', id, changed);
  await announceExemption(deps, tx, stored.doc, ends ? 'ended' : 'changed');
  await moveOutcomes(judge, [before.doc.policy, merged.policy]);
  return stored;
}

/** @throws GovctlError exemption_not_found, or what `checkMatch` throws */
export async function deleteExemption(judge: Judge, call: Changer, id: string): Promise<void> {
  const { deps, tx } = judge;
  const before = await readExemption(tx, id);
  call.checkMatch(before.revision);
  await tx.remove(exemptions, id);
  // One whose last day is over has no work left once its end was told.
  const isEndToTell = await removeWork(tx, id);
  await recordAudit(deps, tx, call.actor, 'exemption.delete', id);
  if (isEndToTell) await announceExemption(deps, tx, before.doc, 'ended');
  await moveOutcomes(judge, [before.doc.policy]);
}

/** Exemptions of these policies have changed: what fails counts as exempt, and what is not resolved becomes OPEN or EXEMPT. */
async function moveOutcomes(judge: Judge, named: readonly string[]): Promise<void> {
  const { tx } = judge;
  for (const name of new Set(named)) {
    for (const policy of await takeNamed(judge, name)) {
      const page = await tx.page(outcomes, {
        where: { policy_id: { any: [policy.id] } },
        orderBy: 'id',
        direction: 'asc',
        limit: movedAtOnce,
      });
      const judged = judgedPolicy(policy);
      let isDone = !page.hasMore;
      for (const { doc } of page.rows) {
        // The background moves the others.
        if (judge.isFull()) isDone = false;
        else await applyExemptions(judge, judged, doc);
      }
      if (!isDone) await schedulePolicy(tx, judge.now, policy.id);
    }
  }
}
