import type { Ids } from './ids.ts';
import type { SecretBox } from './keys/secret-box.ts';
import type { Store } from './store/store.ts';

/** All time comes from here, so that a test can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations. */
  monotonic(): number;
}

export const systemClock: Clock = { now: Date.now, monotonic: () => performance.now() };

type LogFields = Readonly<Record<string, unknown>>;

/** Structured log; a pino logger fits. Never given a header, a body, a query or a secret. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** The outside world, as a value. */
export interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Unguessable bytes. */
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
  /** Seals what has to be read again, such as a webhook's secret. */
  readonly secrets: SecretBox;
  /** Of govctl. */
  readonly version: string;
}

/** Many are asked for within a millisecond. */
let newest = { ms: 0, text: new Date(0).toISOString() };

/** ISO 8601 UTC with milliseconds. */
export function timestamp(ms: number): string {
  if (ms !== newest.ms) newest = { ms, text: new Date(ms).toISOString() };
  return newest.text;
}

/** When something is updated: two changes within a millisecond still have an order. @param before of the last change */
export const updatedAfter = (before: string, now: number): string =>
  timestamp(Math.max(now, Date.parse(before) + 1));
