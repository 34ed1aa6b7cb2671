import type { RetryConfig } from '../../contract/webhooks.ts';

const second = 1_000;
const hour = 3_600_000;
export const day = 24 * hour;

/** Retries on the stated schedule; the pause before each of those after them is at least twice as long as the last one. */
const statedRetries = 5;
/** Pauses over this one are spread, around the middle, so that what failed together does not come back together. */
const jitterAbove = 16 * second;
const jitter = 0.1;

/**
 * Milliseconds between an attempt that failed and the next, an hour at most. With an explicit `max_attempts` exactly
 * those of the stated schedule; without, pauses grow on after it, whatever the multiplier.
 * @param attempt the number of the one that failed, from 1
 * @param random from 0 up to 1
 */
export function pauseAfter(attempt: number, config: RetryConfig, random: number): number {
  const { backoff_multiplier: multiplier = 2, max_attempts: most } = config;
  if (most !== undefined) return Math.round(Math.min(second * multiplier ** (attempt - 1), hour));
  const stated = Math.min(attempt, statedRetries) - 1;
  const growth = Math.max(multiplier, 2) ** Math.max(0, attempt - statedRetries);
  const pause = Math.round(second * multiplier ** stated * growth);
  if (pause <= jitterAbove) return pause;
  // Low enough that the longest of the spread is an hour.
  const middle = Math.min(pause, hour / (1 + jitter));
  return Math.round(middle * (1 - jitter + 2 * jitter * random));
}

/** From 0 up to 1. */
export const drawRandom = (random: (bytes: number) => Uint8Array): number =>
  Buffer.from(random(4)).readUInt32LE() / 2 ** 32;

/** An attempt that failed. Times are milliseconds since the epoch. */
export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  /** When its delivery's first attempt was, later by the time that its webhook was paused since. */
  readonly firstAt: number;
  readonly now: number;
  readonly config: RetryConfig | undefined;
  readonly status?: number | undefined;
  /** By lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds that the receiver asked to be left alone, where that is known otherwise than by the two above. */
  readonly askedMs?: number | undefined;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * When the next attempt is, in milliseconds since the epoch; undefined: it is given up. The last one without an
 * explicit `max_attempts` is at the end of the 24 hours.
 */
export function nextAttempt(failed: FailedAttempt): number | undefined {
  const { attempt, firstAt, now, config = {}, status, askedMs = 0, random } = failed;
  if (status === 410) return undefined;
  const scheduled = now + pauseAfter(attempt, config, random);
  const asked = now + Math.max(askedPause(failed), Math.min(askedMs, hour));
  if (config.max_attempts !== undefined) {
    return attempt < config.max_attempts ? Math.max(scheduled, asked) : undefined;
  }
  const end = firstAt + day;
  if (now >= end) return undefined;
  return Math.min(Math.max(scheduled, asked), end);
}

/** Milliseconds that the receiver asked to be left alone, an hour at most; 0: it did not. */
export function askedPause({
  status,
  headers,
  now,
}: Pick<FailedAttempt, 'status' | 'headers' | 'now'>): number {
  const text = headers?.['retry-after']?.trim();
  if (text === undefined || (status !== 429 && status !== 503)) return 0;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * second, hour);
  const until = parseHttpDate(text);
  if (until === undefined) return 0;
  // Two times of one clock: the receiver's may be wrong.
  const since = parseHttpDate(headers?.['date'] ?? '') ?? now;
  return Math.min(Math.max(0, until - since), hour);
}

/** The three forms of https://www.rfc-editor.org/rfc/rfc9110#name-date-time-formats */
function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? [\w: -]{8,40}$/.test(text)) return undefined;
  // The third form has no zone, and means the same.
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(ms) ? undefined : ms;
}
