import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../deps.ts';
import type { Worker } from './workers.ts';

export interface Advance {
  readonly clock: Clock;
  /** Those that make work for others stand before them. */
  readonly workers: readonly Worker[];
  /** Sets the clock to a moment, in milliseconds since the epoch. */
  readonly move: (to: number) => Promise<void>;
  readonly target: number;
  /** Milliseconds of real time that it may take. */
  readonly withinMs: number;
  /** Whether the server is to stop, and this with it. */
  readonly isStopping: () => boolean;
}

/** Milliseconds until work that is due, but that nobody took, is looked at again. */
const untilAnotherLook = 5;

/**
 * Moves the clock to where it is to go, by way of every moment at which something is due: it is done there, before time
 * goes on. Where real time is up before, or the server stops, the clock stays where it came.
 */
export async function advance({
  clock,
  workers,
  move,
  target,
  withinMs,
  isStopping,
}: Advance): Promise<{ readonly reached: boolean; readonly steps: number }> {
  const until = clock.monotonic() + withinMs;
  const isTimeUp = (): boolean => isStopping() || clock.monotonic() >= until;
  let steps = 0;
  for (;;) {
    if (!(await haveSettled(workers, until - clock.monotonic()))) return { reached: false, steps };
    const due = await earliestOf(workers);
    if (due === undefined || due > target) break;
    if (isTimeUp()) return { reached: false, steps };
    if (due <= clock.now()) await sleep(untilAnotherLook);
    else {
      await move(due);
      steps += 1;
    }
  }
  if (clock.now() < target) await move(target);
  return { reached: true, steps };
}

/**
 * Waits until all that is due is done, one worker after another: what one does is work for those behind it.
 * @returns false where some were still at it when the time was up
 */
export async function haveSettled(workers: readonly Worker[], withinMs: number): Promise<boolean> {
  const timer = new AbortController();
  const all = settleInTurn(workers);
  const late = sleep(Math.max(0, withinMs), false, { signal: timer.signal }).catch(() => true);
  try {
    return await Promise.race([all, late]);
  } finally {
    timer.abort();
  }
}

async function settleInTurn(workers: readonly Worker[]): Promise<boolean> {
  for (const worker of workers) await worker.settle();
  return true;
}

async function earliestOf(workers: readonly Worker[]): Promise<number | undefined> {
  let earliest: number | undefined;
  for (const worker of workers) {
    const due = await worker.nextDue();
    if (due !== undefined && (earliest === undefined || due < earliest)) earliest = due;
  }
  return earliest;
}
