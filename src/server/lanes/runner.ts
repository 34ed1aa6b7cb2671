import { setTimeout as sleep } from 'node:timers/promises';
import type { Awaitable } from '../awaitable.ts';
import { whenKnown } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import type { LaneSpec, LaneWork, Reader } from '../store/store.ts';
import { isStillHead } from './head.ts';

export interface LaneRunner {
  /** Looks for due work, now. */
  poke(): void;
  /** Resolves when nothing is due and nothing is under way, or the store takes no writes and nothing is under way. */
  idle(): Promise<void>;
  /** Claims nothing more, waits for what is under way, but so many milliseconds at most, then has it aborted. */
  stop(withinMs: number): Promise<void>;
}

export interface LaneRunnerOptions {
  readonly lanes: LaneSpec;
  /** Pieces of work under way at once. */
  readonly most: number;
  /**
   * Does a piece of work, and completes it or puts its lane off in a transaction of its own. Where it fails, or is
   * aborted, without having done so, the lane is tried again a little later.
   */
  readonly perform: (claimed: LaneWork, signal: AbortSignal) => Promise<void>;
}

export type CreateLaneRunner = (
  deps: Pick<Deps, 'store' | 'clock' | 'log'>,
  options: LaneRunnerOptions,
) => LaneRunner;

/** Milliseconds at most until the next look while work waits: the clock may have been moved meanwhile. */
const lookWithin = 1_000;
/** Milliseconds until a look or a release that failed, or had no store to write to, is tried again. */
const pauseAfterFailure = 1_000;
/** Milliseconds that a lane is put off when its work fails: doubled each time, a minute at most. */
const putOffAfterFailure = 1_000;
const putOffAtMost = 60_000;
/** Milliseconds that work has to end after it was aborted. */
const abortWithin = 1_000;

/** Runs the work of a family's lanes as it becomes due, from the start until it is stopped. */
export const createLaneRunner: CreateLaneRunner = (deps, { lanes, most, perform }) => {
  const { store, clock, log } = deps;
  /** What aborts each piece of work that is under way. One signal for all would collect what they leave with it. */
  const underWay = new Set<AbortController>();
  /** Times in a row that the work of a lane failed. */
  const failures = new Map<string, number>();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let lookAgain = false;
  let stopping: Promise<void> | undefined;
  /** Called when a look, or a piece of work, has ended. */
  let waiting: (() => void)[] = [];

  const tell = (): void => {
    const told = waiting;
    waiting = [];
    for (const resolve of told) resolve();
  };
  const change = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

  const lookIn = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(poke, Math.min(Math.max(1, ms), lookWithin));
    timer.unref();
  };

  /** Claims what there is room for, then sees to it that the next look comes in time. */
  async function look(): Promise<void> {
    clearTimeout(timer);
    if (!store.health().writable) {
      lookIn(pauseAfterFailure);
      return;
    }
    const room = most - underWay.size;
    // With none, whatever ends makes some.
    if (room <= 0) return;
    const now = clock.now();
    const claimed = await store.claim(lanes, { now, most: room });
    for (const work of claimed) void run(work, now);
    if (stopped || claimed.length === room) return;
    const due = await store.nextDue(lanes);
    if (due !== undefined) lookIn(due - clock.now());
  }

  async function lookOn(): Promise<void> {
    looking = true;
    try {
      do {
        lookAgain = false;
        await look();
      } while (lookAgain && !stopped);
    } catch (error) {
      log.error({ lanes: lanes.name, err: error }, 'work could not be claimed');
      lookIn(pauseAfterFailure);
    } finally {
      looking = false;
      if (stopped) clearTimeout(timer);
      tell();
    }
  }

  function poke(): void {
    if (stopped) return;
    if (looking) lookAgain = true;
    else void lookOn();
  }

  /**
   * Whether work was neither completed nor put off since it was claimed. What it was put off to may have come by now: on a
   * busy machine a pause of a second can end before this is asked.
   */
  const isLeft = (reader: Reader, work: LaneWork, claimedAt: number): Awaitable<boolean> =>
    whenKnown(isStillHead(reader, lanes, work), (isHead) => {
      if (!isHead) return false;
      return whenKnown(reader.laneState(lanes, work.lane), ({ held, dueAt = 0 }) => {
        const pause = dueAt - clock.now();
        const isDue = pause <= 0 && dueAt <= claimedAt;
        return !held && (isDue || pause > (lanes.longestPause ?? Infinity));
      });
    });

  const putOff = async (work: LaneWork, claimedAt: number): Promise<void> => {
    const times = (failures.get(work.lane) ?? 0) + 1;
    failures.set(work.lane, times);
    const pause = Math.min(putOffAfterFailure * 2 ** (times - 1), putOffAtMost);
    await store.transact(async (tx) => {
      if (await isLeft(tx, work, claimedAt)) await tx.putOff(lanes, work.lane, clock.now() + pause);
    });
  };

  const attempt = async (work: LaneWork, claimedAt: number, signal: AbortSignal): Promise<void> => {
    const place = { lanes: lanes.name, lane: work.lane, position: work.position };
    let failed = false;
    try {
      await perform(work, signal);
    } catch (error) {
      failed = true;
      if (!signal.aborted) log.error({ ...place, err: error }, 'work of a lane failed');
    }
    // The next start tries it again.
    if (signal.aborted) return;
    try {
      if (!(await isLeft(store, work, claimedAt))) {
        failures.delete(work.lane);
        return;
      }
      if (!failed)
        log.error(place, 'work of a lane ended, but was neither completed nor postponed');
      await putOff(work, claimedAt);
    } catch (error) {
      log.error({ ...place, err: error }, 'a lane could not be postponed');
      // Still leased, so that it is not tried again at once.
      await sleep(pauseAfterFailure, undefined, { ref: false });
    }
  };

  async function run(work: LaneWork, claimedAt: number): Promise<void> {
    const own = new AbortController();
    underWay.add(own);
    try {
      // What was claimed while it was stopped is let go as it is.
      if (!stopped) await attempt(work, claimedAt, own.signal);
      await store.release(lanes, work);
    } catch (error) {
      log.error({ lanes: lanes.name, lane: work.lane, err: error }, 'a lane could not be released');
    } finally {
      underWay.delete(own);
      poke();
      tell();
    }
  }

  const ended = async (withinMs: number): Promise<void> => {
    let late = false;
    const alarm = setTimeout(() => {
      late = true;
      tell();
    }, withinMs);
    while (!late && (looking || underWay.size > 0)) await change();
    clearTimeout(alarm);
  };

  const stopAll = async (withinMs: number): Promise<void> => {
    stopped = true;
    clearTimeout(timer);
    endListening();
    await ended(withinMs);
    if (underWay.size === 0) return;
    for (const one of underWay) one.abort();
    await ended(abortWithin);
    if (underWay.size > 0)
      log.warn({ lanes: lanes.name, left: underWay.size }, 'canceled work did not end');
  };

  const endListening = store.onWork(lanes, poke);
  poke();
  return {
    poke,
    async idle() {
      poke();
      for (;;) {
        while (looking || underWay.size > 0) await change();
        if (stopped || !store.health().writable) return;
        const due = await store.nextDue(lanes);
        if (looking || underWay.size > 0) continue;
        if (due === undefined || due > clock.now()) return;
        // It became due just now, or could not be claimed: the next look takes it.
        await change();
      }
    },
    stop: (withinMs) => (stopping ??= stopAll(withinMs)),
  };
};
