import { timestamp } from '../deps.ts';
import { nextAttempt } from '../outbound/retry.ts';
import type { SendResult } from './channels/channel.ts';
import type { StoredReportDelivery } from './collection.ts';

/** A try that has ended. Times are milliseconds since the epoch. */
export interface EndedTry {
  readonly at: number;
  readonly now: number;
  readonly result: SendResult;
  /** From 0 up to 1. */
  readonly random: number;
}

/** A delivery after one more try: delivered, failed, or pending until its next one. */
export function afterTry(
  { next_attempt_at: _, error: __, ...before }: StoredReportDelivery,
  { at, now, result, random }: EndedTry,
): StoredReportDelivery {
  const attempts = before.attempts + 1;
  // Not later than now, should a clock have been set back.
  const firstAt = Math.min(Date.parse(before.first_attempt_at ?? timestamp(at)), now);
  const delivery = {
    ...before,
    attempts,
    first_attempt_at: timestamp(firstAt),
    last_attempt_at: timestamp(at),
    ...(result.settled ? { settled: result.settled } : {}),
  };
  if (result.ok) return { ...delivery, status: 'delivered', delivered_at: timestamp(now) };
  const { error, permanent = false, triesAtMost = Infinity, retryAfterMs } = result;
  const next =
    permanent || attempts >= triesAtMost
      ? undefined
      : nextAttempt({
          attempt: attempts,
          firstAt,
          now,
          config: undefined,
          askedMs: retryAfterMs,
          random,
        });
  return next === undefined
    ? { ...delivery, status: 'failed', error }
    : { ...delivery, status: 'pending', next_attempt_at: timestamp(next), error };
}
