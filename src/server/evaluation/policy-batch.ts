import { typeKey } from '../../contract/resources.ts';
import type { Finding } from '../../contract/findings.ts';
import type { StatusCause } from '../../contract/violations.ts';
import { emptyTally, tally } from '../../engine/score.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { beginning, resources } from '../resources/collection.ts';
import { violations } from '../violations/collection.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { costOf, writeCost, judgeAndRecord, resolveGone } from './judge.ts';
import type { Judge, JudgedPolicy } from './judge.ts';
import { announceDeployment, reevaluateEvery } from './schedule-policy.ts';
import { putWork, removeWork } from './work.ts';
import type { PolicyWork } from './work.ts';

/**
 * Goes on evaluating a policy: over its resources first, then over the violations of resources that it is no longer
 * about. @returns how many evaluations it counts for
 */
export async function policyBatch(judge: Judge, stored: PolicyWork, room: number): Promise<number> {
  const { tx } = judge;
  const work = { ...stored, began: stored.began ?? judge.now };
  const policy = (await tx.get(policies, work.id))?.doc;
  const judged =
    policy &&
    (await judge.policiesOf(policy.resource_type)).find((one) => one.policy.id === policy.id);
  if (judged && work.swept === undefined) {
    const { taken, last, findings } = await evaluateBatch(judge, judged, work.after, room);
    const counted = { ...work, tally: tally(work.tally ?? emptyTally, findings) };
    if (last !== undefined) {
      await putWork(tx, { ...without(counted), after: last, due_at: judge.now });
      return taken;
    }
    if (!work.sweep) {
      await finish(judge, counted, judged);
      return taken + 1;
    }
    await putWork(tx, { ...without(counted), swept: '', due_at: judge.now });
    return taken + 1;
  }
  return sweepBatch(judge, work, { policy, judged }, room);
}

/** What the last step left, without its failures. */
const without = ({ failures: _failures, ...work }: PolicyWork): PolicyWork => work;

async function evaluateBatch(
  judge: Judge,
  judged: JudgedPolicy,
  after: string | undefined,
  room: number,
): Promise<{
  readonly taken: number;
  readonly last: string | undefined;
  readonly findings: readonly Finding[];
}> {
  const page = await judge.tx.page(resources, {
    where: { type: { any: [typeKey(judged.policy.resource_type)] } },
    orderBy: 'id',
    direction: 'asc',
    limit: room,
    ...(after === undefined ? {} : { after: { value: beginning(after), id: after } }),
  });
  const findings: Finding[] = [];
  let taken = 0;
  let last: string | undefined;
  for (const { doc } of page.rows) {
    if (taken >= room) return { taken, last, findings };
    const { finding } = await judgeAndRecord(judge, judged, doc.resource);
    findings.push(finding);
    taken += costOf(finding);
    last = doc.id;
  }
  return { taken, last: page.hasMore ? last : undefined, findings };
}

async function sweepBatch(
  judge: Judge,
  work: PolicyWork & { readonly began: number },
  { policy, judged }: { policy: StoredPolicy | undefined; judged: JudgedPolicy | undefined },
  room: number,
): Promise<number> {
  const { tx } = judge;
  const after = work.swept;
  const page = await tx.page(violations, {
    where: { standing_of_policy: { any: [work.id] } },
    orderBy: 'id',
    direction: 'asc',
    limit: Math.max(1, Math.ceil(room / writeCost)),
    ...(after ? { after: { value: after, id: after } } : {}),
  });
  for (const { doc } of page.rows) {
    const cause = whyGone(policy, doc);
    if (cause) await resolveGone(judge, doc, cause);
  }
  const last = page.last?.id;
  if (page.hasMore && last !== undefined) {
    await putWork(tx, { ...without(work), swept: last, due_at: judge.now });
  } else {
    await finish(judge, work, judged);
  }
  return page.rows.length * writeCost + 1;
}

function whyGone(
  policy: StoredPolicy | undefined,
  { resource_type: type }: StoredViolation,
): StatusCause | undefined {
  if (!policy) return 'policy_deleted';
  if (!policy.enabled) return 'policy_disabled';
  return typeKey(policy.resource_type) === typeKey(type) ? undefined : 'policy_changed_type';
}

/** One that reads `now` is evaluated again an hour after it was begun: the server may have been down meanwhile. */
async function finish(
  { deps, tx }: Judge,
  { id, began, deploys, tally: counted = emptyTally }: PolicyWork & { readonly began: number },
  judged: JudgedPolicy | undefined,
): Promise<void> {
  if (deploys && judged) await announceDeployment(deps, tx, judged.policy, counted);
  if (judged?.prepared.readsNow) {
    await putWork(tx, { kind: 'policy', id, due_at: began + reevaluateEvery });
  } else {
    await removeWork(tx, id);
  }
}
