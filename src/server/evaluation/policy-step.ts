import { defined } from '../../contract/defined.ts';
import { matchesType } from '../../contract/resources.ts';
import type { StatusCause } from '../../contract/violations.ts';
import { emptyTally, tally } from '../../engine/score.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { outcomes } from '../posture/collection.ts';
import { forgetStanding, setStanding } from '../posture/service.ts';
import { forgetPolicy, keepLimits } from '../prediction/service.ts';
import { beginning, resources } from '../resources/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import type { Page, Versioned } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { judgedPolicy, resolveGone, writeCost } from './judge.ts';
import type { Judge } from './judge.ts';
import { announceDeployment, reevaluateEvery, whereAbout } from './schedule-policy.ts';
import { readAgain, recordSome } from './step.ts';
import type { Evaluated, Step } from './step.ts';
import type { Verdicts } from './verdicts.ts';
import { evaluationWork, putWork, removeWork } from './work.ts';
import type { PolicyWork } from './work.ts';

/** Maximum resources per step. */
const mostResources = 500;

/** Maximum pages per step without a resource that the policy is about. */
const mostPages = 20;

type Begun = PolicyWork & { readonly began: number };

/**
 * Continues the evaluation of a policy: first on the resources of its type, then on the violations of resources that it
 * no longer applies to.
 */
export async function policyStep(step: Step, stored: PolicyWork): Promise<void> {
  const { deps } = step;
  const work: Begun = { ...stored, began: stored.began ?? deps.clock.now() };
  // Before anything is read: whoever asks for an evaluation from here on may be too late for this one.
  if (stored.began === undefined && (await step.write(async () => ({ next: work }))) === 'left') {
    return;
  }
  const row = await deps.store.get(policies, work.id);
  if (!row?.doc.enabled || work.swept !== undefined) return sweep(step, work, row);
  // A quarantined policy is not evaluated.
  if (row.doc.quarantined) return finish(step, work, row);
  return evaluatePage(step, work, row);
}

/** The next page of resources, at best one with a resource that the policy is about: a pattern passes over many. */
async function nextPage(
  { deps, most }: Step,
  { after: first }: PolicyWork,
  policy: StoredPolicy,
): Promise<Page<StoredResource>> {
  let after = first;
  for (let read = 1; ; read++) {
    const page = await deps.store.page(resources, {
      where: whereAbout(policy),
      orderBy: 'id',
      direction: 'asc',
      limit: Math.min(mostResources, most),
      ...(after === undefined ? {} : { after: { value: beginning(after), id: after } }),
    });
    const isAbout = page.rows.some(({ doc: { resource } }) =>
      matchesType(policy.resource_type, resource.type),
    );
    if (isAbout || !page.hasMore || read === mostPages) return page;
    after = page.rows.at(-1)?.doc.id;
  }
}

async function evaluatePage(step: Step, begun: Begun, row: Versioned<StoredPolicy>): Promise<void> {
  const { deps, evaluation, asker } = step;
  const page = await nextPage(step, begun, row.doc);
  const evaluate = (rows: Evaluated['rows']): Promise<Verdicts> =>
    evaluation.ofStored(asker, {
      now: deps.clock.now(),
      flips: true,
      subjects: rows.map(({ doc: { resource } }) => ({
        resource,
        policies: matchesType(row.doc.resource_type, resource.type) ? [row] : [],
      })),
    });
  let left: Evaluated = {
    rows: page.rows,
    verdicts: await evaluate(page.rows),
    repeated: new Set(),
  };
  let work = begun;
  while (left.rows.length > 0) {
    const evaluated = left;
    const written = await step.write(async (judge) => {
      const policy = (await judge.tx.get(policies, work.id))?.doc;
      const some = await recordSome(judge, evaluated, async (_, resource) =>
        policy && matchesType(policy.resource_type, resource.type) ? [judgedPolicy(policy)] : [],
      );
      const findings = some.found.map(({ finding }) => finding);
      const last = evaluated.rows[some.seen - 1]?.doc.id;
      const progressed: Begun = {
        ...work,
        tally: tally(work.tally ?? emptyTally, findings),
        ...(last === undefined ? {} : { after: last }),
        due_at: judge.now,
      };
      const isToContinue = some.seen === evaluated.rows.length && page.hasMore;
      return {
        ...(isToContinue ? { later: progressed } : { next: progressed }),
        work: progressed,
        some,
        isToContinue,
      };
    });
    if (written === 'left' || written.isToContinue) return;
    ({ work } = written);
    const { seen, isOutdated } = written.some;
    left = { ...evaluated, rows: evaluated.rows.slice(seen) };
    if (isOutdated) {
      const again = await readAgain(deps.store, left.rows);
      left = { ...again, verdicts: await evaluate(again.rows) };
    }
  }
  if (!page.hasMore) await finish(step, work, row);
}

/** After the last resource: starts the sweep if one was requested, else ends the work. */
async function finish(step: Step, work: Begun, row: Versioned<StoredPolicy>): Promise<void> {
  if (work.sweep) {
    await step.write(async (judge) => ({
      later: { ...work, swept: '', due_at: judge.now },
    }));
    return;
  }
  await end(step, work, row);
}

async function sweep(
  step: Step,
  work: Begun,
  row: Versioned<StoredPolicy> | undefined,
): Promise<void> {
  const after = work.swept;
  const written = await step.write(async (judge) => {
    const policy = (await judge.tx.get(policies, work.id))?.doc;
    const page = await judge.tx.page(violations, {
      where: { standing_of_policy: { any: [work.id] } },
      orderBy: 'id',
      direction: 'asc',
      limit: Math.max(1, Math.ceil(step.most / writeCost)),
      ...(after ? { after: { value: after, id: after } } : {}),
    });
    for (const { doc } of page.rows) {
      const cause = whyGone(policy, doc);
      if (cause) await resolveGone(judge, doc, cause);
    }
    const last = page.last?.id;
    const others = await judge.tx.page(outcomes, {
      where: { policy_id: { any: [work.id] } },
      orderBy: 'id',
      direction: 'asc',
      limit: mostResources,
      ...(work.sweptOutcome ? { after: { value: work.sweptOutcome, id: work.sweptOutcome } } : {}),
    });
    for (const { doc } of others.rows) {
      if (whyGone(policy, doc)) await judge.tx.remove(outcomes, doc.id);
    }
    const hasFlips = !policy?.enabled && (await forgetPolicy(judge.tx, work.id, mostResources));
    const isDone = (!page.hasMore || last === undefined) && !others.hasMore && !hasFlips;
    const progressed: Begun = {
      ...work,
      swept: last ?? after ?? '',
      ...defined({ sweptOutcome: others.last?.id ?? work.sweptOutcome }),
      due_at: judge.now,
    };
    return isDone
      ? { next: progressed, work: progressed, isDone }
      : { later: progressed, work: progressed, isDone };
  });
  if (written !== 'left' && written.isDone) await end(step, written.work, row);
}

function whyGone(
  policy: StoredPolicy | undefined,
  { resource_type: type }: Pick<StoredViolation, 'resource_type'>,
): StatusCause | undefined {
  if (!policy) return 'policy_deleted';
  if (!policy.enabled) return 'policy_disabled';
  return matchesType(policy.resource_type, type) ? undefined : 'policy_changed_type';
}

/** A policy that reads `now` is due again an hour after the start of this work, even if the server was down meanwhile. */
async function end(
  step: Step,
  { id, began, deploys, tally: counted = emptyTally }: Begun,
  row: Versioned<StoredPolicy> | undefined,
): Promise<void> {
  const { deps, evaluation, asker } = step;
  const isEvaluated = row?.doc.enabled === true && !row.doc.quarantined;
  const read = isEvaluated ? await evaluation.describe(asker, row.doc.rules) : undefined;
  await step.write(async ({ tx, now }: Judge) => {
    const stored = (await tx.get(evaluationWork, id))?.doc;
    const policy = (await tx.get(policies, id))?.doc;
    if (deploys && policy?.enabled && !policy.quarantined) {
      await announceDeployment(deps, tx, policy, counted);
    }
    await keepLimits(tx, policy, { id, limits: read?.limits ?? [] });
    if (!policy?.enabled) await forgetStanding(tx, id);
    else if (policy.quarantined) await setStanding(tx, policy, 'quarantined');
    else if (stored?.kind !== 'policy' || !stored.again) await setStanding(tx, policy, 'counted');
    if (stored?.kind === 'policy' && stored.again) {
      await putWork(tx, { kind: 'policy', id, due_at: now });
    } else if (read?.readsNow)
      await putWork(tx, { kind: 'policy', id, due_at: began + reevaluateEvery, routine: true });
    else await removeWork(tx, id);
    return {};
  });
}
