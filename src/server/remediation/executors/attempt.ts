import { isDeepStrictEqual } from 'node:util';
import type { KnownResource } from '../../../contract/resources.ts';
import { applyPatch } from '../../../engine/remediation/patch.ts';
import { recordAudit } from '../../audit/service.ts';
import type { Deps } from '../../deps.ts';
import { createJudge } from '../../evaluation/judge.ts';
import { evaluateAndWrite } from '../../evaluation/retry.ts';
import type { Verdicts } from '../../evaluation/verdicts.ts';
import { pauseAfter } from '../../outbound/retry.ts';
import type { Send } from '../../outbound/send.ts';
import { resources } from '../../resources/collection.ts';
import { putResource, subjectsOf } from '../../resources/service.ts';
import type { LaneWork, Tx } from '../../store/store.ts';
import { withoutAbsent } from '../../without-absent.ts';
import { actions, remediationLanes } from '../collection.ts';
import type { StoredAction, StoredRemediation } from '../collection.ts';
import { asRequester, beginAttempt, endUndone, goOn, inLane, rebase, whyStale } from '../run.ts';
import type { Attempt, RunParts } from '../run.ts';
import { endAction } from '../service.ts';
import { runFor } from './command.ts';
import { findExecutor } from './executor.ts';
import type { Executor } from './executor.ts';
import type { Begun, Result } from './order.ts';
import { sendFor } from './webhook.ts';

/** Maximum number of retries of a request that could not be sent. */
const mostRetries = 3;

export interface OutsideParts extends Pick<RunParts, 'evaluation' | 'settings'> {
  readonly send: Send;
}

/**
 * Carries out actions by commands and webhooks, once each: the attempt is stored before it begins, so an interrupted
 * action is never begun again.
 */
export const createOutside = (deps: Deps, parts: OutsideParts): RunParts['outside'] => ({
  async attempt(turn) {
    const begun = await begin(deps, parts, turn);
    if (!begun) return;
    const { executor, ...about } = begun;
    const result =
      executor.kind === 'exec'
        ? await runFor(executor.command, about, turn.signal)
        : await sendFor(deps, parts.send, executor, about, turn.signal);
    tell(deps, about, result);
    await recordWith(deps, parts, { ...turn, ...about }, result);
  },

  giveUp: (claimed, { id }) =>
    inLane(deps, claimed, async (tx) => {
      const action = (await tx.get(actions, id))?.doc;
      if (action?.status === 'attempting') await endAction(deps, tx, action, 'unverified', cutOff);
      await goOn(deps, tx, claimed);
    }),
});

const cutOff = 'the server stopped before the result was known; the action is not repeated';

/** @returns undefined if the action must no longer be attempted */
async function begin(
  deps: Deps,
  { settings }: OutsideParts,
  { claimed, signal, action: planned }: Attempt,
): Promise<(Begun & { readonly executor: Executor }) | undefined> {
  signal.throwIfAborted();
  return inLane(deps, claimed, async (tx, remediation) => {
    const row = await tx.get(resources, planned.resource_id);
    const stale = await whyStale(tx, { remediation, action: planned, row, settings });
    if (stale === 'left') return undefined;
    const executor = findExecutor(settings, planned.executor ?? '');
    const why = stale ?? ('why' in executor ? executor.why : whyAnother(executor, planned));
    if (why !== undefined || 'why' in executor || !row) {
      await endAction(deps, tx, planned, 'skipped', why);
      await goOn(deps, tx, claimed);
      return undefined;
    }
    if (remediation.rolls_back !== undefined) await endUndone(deps, tx, remediation, planned);
    // Why it could not be sent before.
    const fresh = withoutAbsent({ ...planned, why: undefined });
    const action = await beginAttempt(deps, tx, fresh, row);
    const { actor } = asRequester(remediation);
    await recordAudit(deps, tx, actor, 'remediation.attempt', planned.resource_id);
    return { remediation, action, resource: row.doc.resource, executor };
  });
}

const whyAnother = (executor: Executor, { command_fingerprint: planned }: StoredAction) =>
  executor.kind === 'exec' && executor.fingerprint !== planned
    ? 'the command has changed since the plan was created'
    : undefined;

type Done = Attempt & Begun;

/** What the executor observed is stored together with the result, if it can be evaluated. */
async function recordWith(
  deps: Deps,
  { evaluation }: OutsideParts,
  done: Done,
  { observed, ...result }: Result,
): Promise<void> {
  if (!observed) return record(deps, done, result);
  try {
    await evaluateAndWrite(
      { evaluation, clock: deps.clock },
      { signal: done.signal },
      () => subjectsOf(deps.store, [observed]),
      (verdicts) => record(deps, done, result, { resource: observed, verdicts }),
    );
  } catch (err) {
    if (done.signal.aborted) throw err;
    deps.log.error({ remediation: done.remediation.id, err }, 'an observation was not stored');
    await record(deps, done, result);
  }
}

interface Put {
  readonly resource: KnownResource;
  readonly verdicts: Verdicts;
}

const record = (
  deps: Deps,
  { claimed, action: { id }, resource }: Done,
  result: Omit<Result, 'observed'>,
  put?: Put,
): Promise<void> =>
  inLane(deps, claimed, async (tx, remediation) => {
    const action = (await tx.get(actions, id))?.doc;
    if (action?.status !== 'attempting') return goOn(deps, tx, claimed);
    const { outcome, why, status } = result;
    if (status === 'unsent') return afterUnsent(deps, tx, claimed, { remediation, action, why });
    const isGone = !(await tx.get(resources, action.resource_id));
    const told = { ...action, ...(outcome ? { outcome } : {}) };
    if (isGone && status === 'unverified') {
      await endAction(deps, tx, told, 'failed', 'the resource was deleted');
    } else {
      await endAction(deps, tx, told, status, why);
    }
    if (put && !isGone) {
      await putResource(createJudge(deps, tx), asRequester(remediation), put);
      const planned = action.patch && applyPatch(resource, action.patch);
      if (isDeepStrictEqual(put.resource, planned)) await rebase(tx, action, put.resource);
    }
    await goOn(deps, tx, claimed);
  });

/** Nothing was sent, so the request is retried later, a few times. */
async function afterUnsent(
  deps: Deps,
  tx: Tx,
  claimed: LaneWork,
  {
    remediation,
    action: { unsent: before = 0, ...action },
    why,
  }: {
    readonly remediation: StoredRemediation;
    readonly action: StoredAction;
    readonly why: string | undefined;
  },
): Promise<void> {
  const unsent = before + 1;
  if (remediation.status !== 'running') {
    await endAction(deps, tx, { ...action, unsent }, 'cancelled', why);
  } else if (unsent <= mostRetries) {
    await endAction(deps, tx, { ...action, unsent }, 'planned', why);
    const due = deps.clock.now() + pauseAfter(unsent, {}, 0);
    return tx.putOff(remediationLanes, claimed.lane, due);
  } else {
    await endAction(deps, tx, { ...action, unsent }, 'failed', why);
  }
  await goOn(deps, tx, claimed);
}

/** Logs only the host of a webhook, whose path may be a secret, and the exit code of a command. */
function tell({ log }: Deps, { action }: Begun, { status, outcome, why }: Result): void {
  const { id, executor = '', policy_id: policy } = action;
  const by = executor.startsWith('exec:') ? executor : 'webhook';
  const place = { action: id, policy, by, status, exit: outcome?.exit_code, why };
  if (status === 'unverified') log.info(place, 'remediation attempted');
  else log.warn(place, status === 'failed' ? 'remediation failed' : 'remediation not sent');
}
