import type { ErrorName, ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { KindName, Secrets } from '../kinds/kind.ts';
import { kindField } from '../kinds/kind.ts';
import type { Change } from '../plan/change.ts';

type ResultStatus = 'applied' | 'failed' | 'skipped' | 'not_attempted';

export interface ChangeResult {
  /** Said of what is no policy. */
  readonly kind?: KindName;
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

/** What became of a change. */
export interface Outcome {
  id: string | null;
  /** Whether the server showed what it made of it. */
  seen: boolean;
  warnings: readonly string[];
  failure: GovctlError | undefined;
}

/** A change and what became of it; whatever a server says, no secret comes back with it. */
export function describeResult(
  secrets: Secrets,
  change: Change,
  status: ResultStatus,
  made: Pick<Outcome, 'id'> & Partial<Outcome>,
): ChangeResult {
  const { failure, warnings = [] } = made;
  return {
    ...kindField(change.kind),
    action: change.action,
    key: change.key,
    name: change.name,
    id: made.id,
    status,
    ...(failure
      ? {
          error: {
            error: failure.error,
            message: secrets.hide(
              [
                failure.message,
                ...failure.details.map(({ field, message }) => `${field}: ${message}`),
              ].join('\n'),
            ),
            ...(failure.hint ? { hint: failure.hint } : {}),
            ...(failure.requestId ? { request_id: failure.requestId } : {}),
          },
        }
      : {}),
    ...(warnings.length > 0 ? { warnings: warnings.map(secrets.hide) } : {}),
  };
}

export function countResults(results: readonly ChangeResult[]): ApplyResult['summary'] {
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
