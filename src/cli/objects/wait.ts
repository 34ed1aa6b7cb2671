import { setTimeout as sleep } from 'node:timers/promises';
import { parseDuration } from '../../contract/duration.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { World } from '../context.ts';

/** Milliseconds of `600` (seconds) or `10m`. @throws GovctlError usage_error */
export function parseTimeout(text: string): number {
  const ms = /^\d{1,7}$/.test(text) ? Number(text) * 1_000 : parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new GovctlError(
    'usage_error',
    `--timeout ${text}: must be a number of seconds or a duration such as 10m`,
  );
}

/** The timeout for people. */
export const showTimeout = (text: string): string => (/^\d+$/.test(text) ? `${text} s` : text);

/** Milliseconds between polls, growing from the first to the longest. */
const firstPause = 100;
const longestPause = 2_000;

export interface Awaited<T> {
  readonly timeoutMs: number;
  /** Gets the current state. */
  readonly look: () => Promise<T>;
  readonly isUnderway: (state: T) => boolean;
  /** The hint after an interrupted wait: `` `govctl scan get ID` shows … ``. */
  readonly lookLater: string;
}

/**
 * Polls until the work has ended or the timeout is reached. @returns the last state
 * @throws GovctlError interrupted (the work continues), and what `look` throws
 */
export async function waitUntilEnded<T>(
  { signal }: Pick<World, 'signal'>,
  begun: T,
  { timeoutMs, look, isUnderway, lookLater }: Awaited<T>,
): Promise<T> {
  const until = performance.now() + timeoutMs;
  let seen = begun;
  for (let pause = firstPause; isUnderway(seen); pause = Math.min(pause * 1.5, longestPause)) {
    const left = until - performance.now();
    if (left <= 0) return seen;
    await sleep(Math.min(pause, left), undefined, { signal }).catch(() => undefined);
    seen = await look().catch((error: unknown) => {
      if (!signal.aborted) throw error;
      throw new GovctlError('interrupted', 'Interrupted; the work continues in the service', {
        hint: lookLater,
        cause: error,
      });
    });
  }
  return seen;
}
