import type { Client } from '../../client/client.ts';
import type { ApplySource } from '../../contract/apply-source.ts';
import { GovctlError } from '../../contract/errors.ts';
import { atStart } from '../kinds/kind.ts';
import type { LiveItem, Secrets } from '../kinds/kind.ts';
import { kinds, kindOf, nounOf } from '../kinds/kinds.ts';
import { noSecrets } from '../kinds/webhook-secrets.ts';
import type { Change } from '../plan/change.ts';
import type { Step } from '../plan/order.ts';
import { inTurns, orderChanges } from '../plan/order.ts';
import type { Plan } from '../plan/plan.ts';
import { checkAnswer } from './check-answer.ts';
import { lookAtUnseen } from './look-again.ts';
import type { Standing } from './recheck.ts';
import { readCurrent, standChanges } from './recheck.ts';
import type { ApplyResult, ChangeResult, Outcome } from './results.ts';
import { countResults, describeResult } from './results.ts';
import type { StepOutcome } from './run-steps.ts';
import { runSteps } from './run-steps.ts';
import type { Sending } from './send-step.ts';
import { sendStep } from './send-step.ts';

export interface ApplyOptions {
  /** Requests at once. */
  readonly concurrency: number;
  /** Aborted: nothing more is begun. */
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Waits that many milliseconds between two tries of a creation. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** What the plan only names. Default: nothing is. */
  readonly secrets?: Secrets;
  /** The commit that is applied. Default: unknown. */
  readonly source?: ApplySource | undefined;
}

/** After so many requests without an answer the rest would fare no better. */
const mostUnreachable = 3;

/**
 * Applies a plan: reads again what it touches and refuses as a whole where that changed; then makes the changes,
 * going on with independent ones after a failure. Applying again goes on where this one stopped.
 * @throws GovctlError plan_stale when something changed since the plan was created; nothing is written then
 */
export async function applyPlan(
  client: Client,
  plan: Plan,
  options: ApplyOptions,
): Promise<ApplyResult> {
  const secrets = options.secrets ?? noSecrets;
  const { standingOf, etags, live } = await recheck(client, plan, secrets, options);
  const isAside = (change: Change): boolean => standingOf.get(change)?.kind === 'aside';
  const open = plan.changes.filter((change) => standingOf.get(change)?.kind !== 'done');
  const turns = inTurns(open).map((changes) => orderChanges(changes, isAside));
  const sending: Sending = {
    client,
    project: plan.project,
    secrets,
    source: options.source,
    etags,
    live,
    sleep: options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  };
  const started = performance.now();
  const { outcomes, begun } = await sendTurns(sending, turns, options);
  const networkMs = performance.now() - started;
  if (!options.signal.aborted) await lookAtUnseen(client, plan.project, secrets, outcomes);

  const results = plan.changes.map((change): ChangeResult => {
    const standing = standingOf.get(change);
    if (standing?.kind === 'done') {
      return describeResult(secrets, change, 'skipped', { id: standing.id });
    }
    const made = outcomes.get(change);
    if (made) return describeResult(secrets, change, made.failure ? 'failed' : 'applied', made);
    return begun.has(change)
      ? describeResult(secrets, change, 'failed', { id: change.id, failure: leftAside(change) })
      : describeResult(secrets, change, 'not_attempted', { id: change.id });
  });
  return {
    summary: countResults(results),
    results,
    networkMs,
    interrupted: options.signal.aborted,
  };
}

interface Rechecked {
  readonly standingOf: ReadonlyMap<Change, Standing>;
  readonly etags: Map<string, string>;
  readonly live: ReadonlyMap<string, LiveItem>;
}

async function recheck(
  client: Client,
  plan: Plan,
  secrets: Secrets,
  options: ApplyOptions,
): Promise<Rechecked> {
  const standingOf = new Map<Change, Standing>();
  const etags = new Map<string, string>();
  const live = new Map<string, LiveItem>();
  for (const kind of kinds) {
    const changes = plan.changes.filter((change) => kindOf(change) === kind);
    if (changes.length === 0) continue;
    const current = await readCurrent(client, kind, changes, options);
    for (const [id, etag] of current.etags) etags.set(id, etag);
    for (const [id, item] of current.byId) live.set(id, item);
    const standings = standChanges({ kind, project: plan.project, secrets, current }, changes);
    changes.forEach((change, index) => {
      const standing = standings[index];
      if (standing) standingOf.set(change, standing);
    });
  }
  refuseStale(plan, standingOf);
  return { standingOf, etags, live };
}

interface Sent {
  readonly outcomes: Map<Change, Outcome>;
  readonly begun: ReadonlySet<Change>;
}

/** Sends what each turn holds, one turn after the other; what fails in one stops the next only where all would fail. */
async function sendTurns(
  sending: Sending,
  turns: readonly (readonly Step[])[],
  { concurrency, signal, onProgress }: ApplyOptions,
): Promise<Sent> {
  const outcomes = new Map<Change, Outcome>();
  const begun = new Set<Change>();
  const total = turns.reduce((sum, { length }) => sum + length, 0);
  let unreachable = 0;
  let finished = 0;
  let isHalted = false;
  const run = async ({ change, kind }: Step): Promise<'done' | 'failed' | 'halt'> => {
    try {
      const answer = await sendStep(sending, { change, kind, waitsFor: [] });
      if (kind === 'aside') return 'done';
      onProgress?.(++finished, total);
      const { project, secrets } = sending;
      const { warnings, failure } = checkAnswer(project, secrets, change, answer.item);
      const id = answer.item?.id ?? change.id;
      outcomes.set(change, { id, seen: answer.item !== undefined, warnings, failure });
      return failure ? 'halt' : 'done';
    } catch (error) {
      const failure = asGovctlError(error);
      outcomes.set(change, { id: change.id, seen: true, warnings: [], failure });
      if (failure.error === 'unreachable') unreachable++;
      return failsForAll(failure) || unreachable >= mostUnreachable ? 'halt' : 'failed';
    }
  };
  for (const steps of turns) {
    if (isHalted || signal.aborted) break;
    const ended: StepOutcome[] = await runSteps({
      waitsFor: steps.map(({ waitsFor }) => waitsFor),
      concurrency,
      signal,
      run: async (index) => {
        const step = steps[index];
        const outcome = step ? await run(step) : 'failed';
        if (outcome === 'halt') isHalted = true;
        return outcome;
      },
    });
    steps.forEach(({ change }, at) => {
      if (ended[at] !== 'not_attempted') begun.add(change);
    });
  }
  return { outcomes, begun };
}

function refuseStale(plan: Plan, standingOf: ReadonlyMap<Change, Standing>): void {
  const stale = plan.changes.filter((change) => standingOf.get(change)?.kind === 'stale');
  if (stale.length === 0) return;
  const details = stale.map((change) => {
    const standing = standingOf.get(change);
    return { field: change.key, message: standing?.kind === 'stale' ? standing.why : '' };
  });
  const { one, many } = nounOf(stale);
  throw new GovctlError(
    'plan_stale',
    `${details.length === 1 ? atStart(one) : `${details.length} ${many}`} changed since the plan was created; nothing was written`,
    { details, hint: 'Run plan again, review the changes, and apply the new plan.' },
  );
}

/** Errors that every further request would meet too. */
const failsForAll = ({ error }: GovctlError): boolean =>
  ['invalid_token', 'expired_token', 'insufficient_scope', 'not_logged_in'].includes(error) ||
  error === 'rate_limit_exceeded' ||
  error === 'interrupted';

function asGovctlError(error: unknown): GovctlError {
  if (error instanceof GovctlError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new GovctlError('internal_error', `Internal error: ${message}`, {
    cause: error,
  });
}

const leftAside = (change: Change): GovctlError =>
  new GovctlError(
    'partly_applied',
    `${change.id} has a temporary name because another change of the same rename cycle failed`,
    { hint: 'Run apply again to finish the rename.' },
  );
