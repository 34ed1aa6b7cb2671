import type { Client } from '../../client/client.ts';
import { listAllPolicies } from '../../client/policies.ts';
import type { ErrorName, ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Policy } from '../../contract/policies.ts';
import { checkAnswer } from './check-answer.ts';
import { orderChanges } from '../plan/order.ts';
import { readOwnership } from '../compare/ownership.ts';
import type { Change, Plan } from '../plan/plan.ts';
import { readCurrent, standChanges } from './recheck.ts';
import { runSteps } from './run-steps.ts';
import type { Sending } from './send-step.ts';
import { sendStep } from './send-step.ts';

type ResultStatus = 'applied' | 'failed' | 'skipped' | 'not_attempted';

export interface ChangeResult {
  readonly action: Change['action'];
  readonly key: string;
  readonly name: string;
  readonly id: string | null;
  readonly status: ResultStatus;
  /** Why it failed, or was not attempted. */
  readonly error?: {
    readonly error: ErrorName;
    readonly message: string;
    readonly hint?: string;
    readonly request_id?: string;
  };
  /** Applied, but the server made something else of it. */
  readonly warnings?: readonly string[];
}

export interface ApplyResult {
  readonly summary: Readonly<Record<ResultStatus, number>>;
  /** In the order of the plan's changes. */
  readonly results: readonly ChangeResult[];
  /** Milliseconds from the first change sent to the last answer read. */
  readonly networkMs: number;
  readonly interrupted: boolean;
}

export interface ApplyOptions {
  /** Requests at once. */
  readonly concurrency: number;
  /** Aborted: nothing more is begun. */
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Waits that many milliseconds between two tries of a creation. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** After so many requests without an answer the rest would fare no better. */
const mostUnreachable = 3;

/**
 * Applies a plan: reads again what it touches and refuses as a whole where that changed; then makes the changes,
 * going on with independent ones after a failure. Applying again goes on where this one stopped.
 * @throws GovctlError plan_stale when something changed since the plan was made; nothing is written then
 */
export async function applyPlan(
  client: Client,
  plan: Plan,
  options: ApplyOptions,
): Promise<ApplyResult> {
  const current = await readCurrent(client, plan.changes, options.concurrency, options.signal);
  const standings = standChanges(plan, current);
  refuseStale(plan, standings);
  const standingOf = new Map(plan.changes.map((change, index) => [change, standings[index]]));
  const isAside = (change: Change): boolean => standingOf.get(change)?.kind === 'aside';
  const steps = orderChanges(
    plan.changes.filter((change) => standingOf.get(change)?.kind !== 'done'),
    isAside,
  );

  const outcome = new Map<Change, Outcome>();
  const sending: Sending = {
    client,
    project: plan.project,
    etags: new Map(current.etags),
    sleep: options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  };
  let unreachable = 0;
  let finished = 0;
  const started = performance.now();
  const stepOutcomes = await runSteps({
    waitsFor: steps.map(({ waitsFor }) => waitsFor),
    concurrency: options.concurrency,
    signal: options.signal,
    run: async (index) => {
      const step = steps[index];
      if (!step) return 'failed';
      try {
        const answer = await sendStep(sending, step);
        if (step.kind === 'aside') return 'done';
        options.onProgress?.(++finished, steps.length);
        const { warnings, failure } = checkAnswer(plan.project, step.change, answer.policy);
        const id = answer.policy?.id ?? step.change.id;
        outcome.set(step.change, { id, seen: answer.policy !== undefined, warnings, failure });
        return failure ? 'halt' : 'done';
      } catch (error) {
        const failure = asGovctlError(error);
        outcome.set(step.change, { id: step.change.id, seen: true, warnings: [], failure });
        if (failure.error === 'unreachable') unreachable++;
        return failsForAll(failure) || unreachable >= mostUnreachable ? 'halt' : 'failed';
      }
    },
  });
  const networkMs = performance.now() - started;
  if (!options.signal.aborted) await lookAtUnseen(client, plan.project, outcome);

  const wasBegun = new Set(
    steps.filter((_, at) => stepOutcomes[at] !== 'not_attempted').map(({ change }) => change),
  );
  const results = plan.changes.map((change): ChangeResult => {
    const standing = standingOf.get(change);
    if (standing?.kind === 'done') return describeResult(change, 'skipped', { id: standing.id });
    const made = outcome.get(change);
    if (made) return describeResult(change, made.failure ? 'failed' : 'applied', made);
    return wasBegun.has(change)
      ? describeResult(change, 'failed', { id: change.id, failure: leftAside(change) })
      : describeResult(change, 'not_attempted', { id: change.id });
  });
  return {
    summary: countResults(results),
    results,
    networkMs,
    interrupted: options.signal.aborted,
  };
}

interface Outcome {
  id: string | null;
  /** Whether the server showed what it made of it. */
  seen: boolean;
  warnings: readonly string[];
  failure: GovctlError | undefined;
}

function refuseStale(plan: Plan, standings: ReturnType<typeof standChanges>): void {
  const details = plan.changes.flatMap((change, index) => {
    const standing = standings[index];
    return standing?.kind === 'stale' ? [{ field: change.key, message: standing.why }] : [];
  });
  if (details.length === 0) return;
  throw new GovctlError(
    'plan_stale',
    `${details.length === 1 ? 'A policy' : `${details.length} policies`} changed since the plan was made; nothing was written`,
    { details, hint: 'Plan again, look at what changed, and apply that plan.' },
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
  return new GovctlError('internal_error', `Something went wrong inside: ${message}`, {
    cause: error,
  });
}

const leftAside = (change: Change): GovctlError =>
  new GovctlError(
    'partly_applied',
    `${change.id} is left under a temporary name, as another change of the same circle of names failed`,
    { hint: 'Apply again to finish the renaming.' },
  );

/** Servers that answer a change without a body are asked once, for all of them, what they made of it. */
async function lookAtUnseen(
  client: Client,
  project: string,
  outcomes: ReadonlyMap<Change, Outcome>,
): Promise<void> {
  const unseen = [...outcomes].filter(
    ([change, { seen, failure }]) => !seen && !failure && change.action !== 'delete',
  );
  if (unseen.length === 0) return;
  const byId = new Map<string, Policy>();
  const byKey = new Map<string, Policy>();
  try {
    for await (const policy of listAllPolicies(client)) {
      byId.set(policy.id, policy);
      const { owner, key } = readOwnership(policy.tags ?? []);
      if (owner === project && key !== undefined) byKey.set(key, policy);
    }
  } catch (error) {
    // The changes were accepted; only the look at them failed.
    const why = `it could not be looked at afterwards: ${asGovctlError(error).message}`;
    for (const [, made] of unseen) made.warnings = [why];
    return;
  }
  for (const [change, made] of unseen) {
    const policy = change.id === null ? byKey.get(change.key) : byId.get(change.id);
    made.id = policy?.id ?? made.id;
    Object.assign(
      made,
      policy ? checkAnswer(project, change, policy) : { failure: notKept(change) },
    );
  }
}

const notKept = (change: Change): GovctlError =>
  new GovctlError(
    'bad_answer',
    `The server took "${change.name}" but does not list it with govctl's tags`,
    {
      hint: 'govctl knows its policies by their tags; a server that drops tags can not be managed with it.',
    },
  );

function describeResult(
  change: Change,
  status: ResultStatus,
  made: { id: string | null; failure?: GovctlError | undefined; warnings?: readonly string[] },
): ChangeResult {
  const { failure, warnings = [] } = made;
  return {
    action: change.action,
    key: change.key,
    name: change.name,
    id: made.id,
    status,
    ...(failure
      ? {
          error: {
            error: failure.error,
            message: [
              failure.message,
              ...failure.details.map(({ field, message }) => `${field}: ${message}`),
            ].join('\n'),
            ...(failure.hint ? { hint: failure.hint } : {}),
            ...(failure.requestId ? { request_id: failure.requestId } : {}),
          },
        }
      : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function countResults(results: readonly ChangeResult[]): ApplyResult['summary'] {
  const summary = { applied: 0, failed: 0, skipped: 0, not_attempted: 0 };
  for (const { status } of results) summary[status]++;
  return summary;
}

/**
 * 0 all is as planned · 130 interrupted · 7 a part was applied · where nothing was: the exit code that all the
 * failures share (4 for a refused login, 5 for a conflict, ...), else 1.
 */
export function applyExitCode({ summary, results, interrupted }: ApplyResult): ExitCode {
  if (summary.failed === 0 && summary.not_attempted === 0) return exitCodes.ok;
  if (interrupted) return exitCodes.interrupted;
  if (summary.applied > 0) return exitCodes.partial;
  const exits = new Set(
    results.flatMap(({ error }) => (error ? [new GovctlError(error.error, '').exitCode] : [])),
  );
  const [only] = exits;
  return exits.size === 1 && only !== undefined ? only : exitCodes.error;
}
