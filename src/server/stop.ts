import { setTimeout as sleep } from 'node:timers/promises';
import { inThrees } from '../contract/in-threes.ts';
import type { Clock, Log } from './deps.ts';
import type { Listener } from './http/listener.ts';
import type { Store } from './store/store.ts';

/** How a stop ended. */
export interface Stopped {
  /** What was not finished, in words. */
  readonly cutOff: readonly string[];
  /** What did not end in time, so that the process has to be ended. Absent: all is closed. */
  readonly stuck?: string;
}

/** Milliseconds after its begin at which a stop goes on to the next step, whatever the one before has not finished. */
export interface StopTimes {
  /** Bodies of requests that are on their way. */
  readonly bodies: number;
  /** Requests and the reading of their answers. */
  readonly requests: number;
  /** Background work. */
  readonly work: number;
  /** Checkpoints: the journal has what they lack. */
  readonly checkpoints: number;
  /** All of it, however slow the disk is. */
  readonly all: number;
}

/** Below the 10 seconds after which container runtimes kill. */
export const usualStop: StopTimes = {
  bodies: 1_000,
  requests: 5_000,
  work: 7_000,
  checkpoints: 8_000,
  all: 9_000,
};

interface Running {
  /** That of the API, then others. */
  readonly listeners: readonly [Listener, ...Listener[]];
  readonly service: {
    drain(withinMs: number, except?: number): Promise<number>;
    stop(): Promise<void>;
  };
  readonly store: Pick<Store, 'close'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

/** Finishes what was begun, refuses new work, and closes all of it, in bounded time. */
export async function stopRunning(
  { listeners, service, store, clock, log }: Running,
  times: StopTimes = usualStop,
): Promise<Stopped> {
  const begun = clock.monotonic();
  const rest = (until: number): number => Math.max(0, begun + until - clock.monotonic());
  const cutOff: string[] = [];
  let step = 'finishing requests';

  const endRequests = async (): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.stopListening()));
    await service.drain(rest(times.bodies));
    const refused = listeners[0].refuseUnread();
    const unanswered = await service.drain(rest(times.requests), refused);
    const [unread] = await Promise.all(listeners.map((one) => one.close(rest(times.requests))));
    const count = Math.max(unanswered, unread ?? 0);
    if (count > 0)
      cutOff.push(`${inThrees(count)} response${count === 1 ? '' : 's'} not sent completely`);
  };
  const endWork = async (): Promise<void> => {
    step = 'ending background work';
    const isLate = await Promise.race([
      service.stop(),
      sleep(rest(times.work), true, { ref: false }),
    ]);
    if (isLate) cutOff.push('background work, which is repeated at the next start');
  };
  const closeStore = async (): Promise<void> => {
    step = 'writing to the disk';
    const late = new AbortController();
    const alarm = setTimeout(
      () => late.abort(new Error('the shutdown timed out')),
      rest(times.checkpoints),
    );
    await store.close(late.signal).finally(() => clearTimeout(alarm));
    if (late.signal.aborted) cutOff.push('the checkpoints, which are restored from the journal');
  };
  const stopAll = async (): Promise<undefined> => {
    // Whatever fails: the files are left whole and the lock is let go.
    try {
      await endRequests();
      await endWork();
    } finally {
      await closeStore();
    }
    return undefined;
  };
  const tooLate = new AbortController();
  const stopped = stopAll().finally(() => tooLate.abort());
  const stuck = await Promise.race([
    stopped,
    sleep(times.all, undefined, { signal: tooLate.signal }).then(
      () => step,
      () => undefined,
    ),
  ]);
  if (stuck !== undefined)
    stopped.catch((error: unknown) => log.error({ err: error }, 'the shutdown failed'));
  log.info({ cut_off: cutOff, stuck }, 'stopped');
  return stuck === undefined ? { cutOff } : { cutOff, stuck };
}
