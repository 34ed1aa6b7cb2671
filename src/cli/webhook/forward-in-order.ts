import { setTimeout as pause } from 'node:timers/promises';
import type { Forwarded } from './forward.ts';
import { isAccepted } from './forward.ts';

/** Milliseconds before each repetition: the schedule of the service. */
const waits = [1_000, 2_000, 4_000, 8_000, 16_000];

/** Deliveries, and bytes of their bodies, that wait to be forwarded. */
const mostWaiting = 10_000;
const mostWaitingBytes = 64 * 1024 * 1024;

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
  private waitingBytes = 0;
  private failed = 0;

  /** @param signal ends repetitions */
  constructor(private readonly signal: AbortSignal) {}

  /** Whether so much waits that more must not be taken: the service sends it again later. */
  get isFull(): boolean {
    return this.waiting >= mostWaiting || this.waitingBytes >= mostWaitingBytes;
  }

  /**
   * @param object that the event is about
   * @param bytes of memory until it is forwarded
   * @param send never rejects
   */
  add(
    { object, bytes }: { readonly object: string; readonly bytes: number },
    send: () => Promise<Forwarded>,
    attempted: Attempted,
  ): void {
    this.waiting++;
    this.waitingBytes += bytes;
    const end = (this.ends.get(object) ?? Promise.resolve())
      .then(() => this.repeat(send, attempted))
      .finally(() => {
        this.waiting--;
        this.waitingBytes -= bytes;
        if (this.ends.get(object) === end) this.ends.delete(object);
      });
    this.ends.set(object, end);
  }

  /** Resolves when none is left, or the signal is aborted. @returns how many were not forwarded */
  async settle(): Promise<number> {
    while (this.ends.size > 0 && !this.signal.aborted) await Promise.all(this.ends.values());
    return this.waiting + this.failed;
  }

  private async repeat(send: () => Promise<Forwarded>, attempted: Attempted): Promise<void> {
    for (let attempt = 1; !this.signal.aborted; attempt++) {
      const forwarded = await send();
      const wait = isAccepted(forwarded) ? undefined : waits[attempt - 1];
      await attempted(forwarded, attempt, wait);
      if (isAccepted(forwarded)) return;
      if (wait === undefined) break;
      // Rejects when it is aborted.
      await pause(wait, undefined, { signal: this.signal }).catch(() => {});
    }
    this.failed++;
  }
}
