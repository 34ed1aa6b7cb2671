import { setTimeout as pause } from 'node:timers/promises';
import type { Forwarded } from './forward.ts';
import { isAccepted } from './forward.ts';

/** Milliseconds before each repetition: the schedule of the service. */
const waits = [1_000, 2_000, 4_000, 8_000, 16_000];

/** What is told of each attempt. */
export type Attempted = (
  forwarded: Forwarded,
  attempt: number,
  /** Undefined: the last attempt. */
  waitMs: number | undefined,
) => Promise<void>;

/**
 * Forwards deliveries: those of one object one after the other, those of different objects independently, so that one that
 * fails holds back no other. A failed one is repeated five times.
 */
export class OrderedForwarding {
  /** The last of each object that is not forwarded yet. */
  private readonly ends = new Map<string, Promise<void>>();
  private waiting = 0;

  /** @param signal ends repetitions */
  constructor(private readonly signal: AbortSignal) {}

  /**
   * @param object that the event is about
   * @param send never rejects
   */
  add(object: string, send: () => Promise<Forwarded>, attempted: Attempted): void {
    this.waiting++;
    const end = (this.ends.get(object) ?? Promise.resolve())
      .then(() => this.repeat(send, attempted))
      .finally(() => {
        if (this.ends.get(object) === end) this.ends.delete(object);
      });
    this.ends.set(object, end);
  }

  /** Resolves when none is left, or the signal is aborted. @returns how many were not forwarded */
  async settle(): Promise<number> {
    while (this.ends.size > 0 && !this.signal.aborted) await Promise.all(this.ends.values());
    return this.waiting;
  }

  private async repeat(send: () => Promise<Forwarded>, attempted: Attempted): Promise<void> {
    for (let attempt = 1; !this.signal.aborted; attempt++) {
      const forwarded = await send();
      const wait = isAccepted(forwarded) ? undefined : waits[attempt - 1];
      if (isAccepted(forwarded)) this.waiting--;
      await attempted(forwarded, attempt, wait);
      if (wait === undefined) return;
      // Rejects when it is aborted.
      await pause(wait, undefined, { signal: this.signal }).catch(() => {});
    }
  }
}
