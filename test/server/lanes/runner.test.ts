import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../../src/server/deps.ts';
import { createLaneRunner } from '../../../src/server/lanes/runner.ts';
import type { LaneRunner, LaneRunnerOptions } from '../../../src/server/lanes/runner.ts';
import { openLowdbStore } from '../../../src/server/store/lowdb/open.ts';
import type { LaneSpec, LaneWork, Store } from '../../../src/server/store/store.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';
import type { TempFolder } from '../store/lowdb/temp-folder.ts';

const posts: LaneSpec = { name: 'posts' };

let folder: TempFolder;
let store: Store;
let now: number;
let logged: string[];
let runners: LaneRunner[];

const open = (): Promise<Store> =>
  openLowdbStore({ dir: folder.path, collections: [], lanes: [posts] });

beforeEach(async () => {
  folder = await tempFolder();
  store = await open();
  now = 1_000_000;
  logged = [];
  runners = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.stop(1000);
  await store.close();
  await folder.remove();
});

const write: Log['info'] = (_, message) => void logged.push(message);
const log: Log = { debug: write, info: write, warn: write, error: write };

const start = (
  perform: LaneRunnerOptions['perform'],
  { most = 8, over = store, lanes = posts }: { most?: number; over?: Store; lanes?: LaneSpec } = {},
): LaneRunner => {
  const clock = { now: () => now, monotonic: () => now };
  const runner = createLaneRunner({ store: over, clock, log }, { lanes, most, perform });
  runners.push(runner);
  return runner;
};

const append = (...places: readonly (readonly [lane: string, work: string])[]): Promise<void> =>
  store.transact(async (tx) => {
    for (const [lane, work] of places) await tx.append(posts, lane, work);
  });
const complete = (work: LaneWork): Promise<void> =>
  store.transact((tx) => tx.complete(posts, work));

/** Fulfils a promise from outside. */
const gate = (): { opened: Promise<void>; open: () => void } => {
  let pass = (): void => {};
  const opened = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { opened, open: pass };
};

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
};

/** Long enough for whatever would go on by itself. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 40));

describe('a lane runner', () => {
  test('does what waits when it starts and what comes later, each lane in order', async () => {
    await append(['a', 'a1'], ['b', 'b1'], ['a', 'a2']);
    const done: string[] = [];
    const runner = start(async (work) => {
      done.push(work.work);
      await complete(work);
    });
    await runner.idle();
    expect(done.filter((work) => work.startsWith('a'))).toEqual(['a1', 'a2']);
    await append(['a', 'a3'], ['c', 'c1']);
    await until(() => done.length === 5);
    expect([...done].sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
    await runner.idle();
    expect(await store.nextDue(posts)).toBeUndefined();
    expect(logged).toEqual([]);
  });

  test('has so many under way at most, one of each lane, and a slow one holds up no other', async () => {
    const lanes = ['slow', 'a', 'b', 'c', 'd'];
    await append(...lanes.flatMap((lane) => [1, 2, 3].map((n) => [lane, `${lane}${n}`] as const)));
    const slow = gate();
    const underWay = new Set<string>();
    const done: string[] = [];
    let most = 0;
    const runner = start(
      async (work) => {
        expect(underWay).not.toContain(work.lane);
        underWay.add(work.lane);
        most = Math.max(most, underWay.size);
        if (work.lane === 'slow') await slow.opened;
        done.push(work.work);
        await complete(work);
        underWay.delete(work.lane);
      },
      { most: 3 },
    );
    await until(() => done.length === 12);
    expect(done.some((work) => work.startsWith('slow'))).toBe(false);
    slow.open();
    await runner.idle();
    expect(most).toBe(3);
    for (const lane of lanes) {
      expect(done.filter((work) => work.startsWith(lane))).toEqual(
        [1, 2, 3].map((n) => `${lane}${n}`),
      );
    }
    expect(logged).toEqual([]);
  });

  test('tries what was put off when the clock says so, also one that was moved, and lets nothing pass it', async () => {
    await append(['a', 'a1'], ['a', 'a2'], ['b', 'b1']);
    const tried: [work: string, at: number][] = [];
    const runner = start(async (work) => {
      tried.push([work.work, now]);
      if (work.work === 'a1' && now < 1_003_000) {
        await store.transact((tx) => tx.putOff(posts, 'a', now + 1500));
      } else await complete(work);
    });
    await runner.idle();
    expect(await store.nextDue(posts)).toBe(1_001_500);
    now += 1499;
    await runner.idle();
    now += 1;
    runner.poke();
    await runner.idle();
    // Nobody tells it this time.
    now += 1500;
    await until(() => tried.length === 5);
    expect(tried).toEqual([
      ['a1', 1_000_000],
      ['b1', 1_000_000],
      ['a1', 1_001_500],
      ['a1', 1_003_000],
      ['a2', 1_003_000],
    ]);
    expect(logged).toEqual([]);
  });

  test('takes no work for left alone that was put off to a time that has come by the time it ends', async () => {
    await append(['a', 'a1']);
    let tried = 0;
    const runner = start(async (work) => {
      tried += 1;
      if (tried > 1) return complete(work);
      await store.transact((tx) => tx.putOff(posts, 'a', now + 1000));
      now += 1001;
    });
    await runner.idle();
    expect(tried).toBe(2);
    expect(logged).toEqual([]);
  });

  test('puts a lane off whose work fails, for longer each time, and goes on in order', async () => {
    await append(['a', 'a1'], ['a', 'a2'], ['b', 'b1']);
    const tried: string[] = [];
    let failing = true;
    const runner = start(async (work) => {
      tried.push(work.work);
      if (work.lane === 'a' && failing) throw new Error('no');
      await complete(work);
    });
    const pauses: number[] = [];
    for (let times = 1; times <= 8; times += 1) {
      await runner.idle();
      expect(logged).toHaveLength(times);
      const { dueAt = 0 } = await store.laneState(posts, 'a');
      pauses.push(dueAt - now);
      now = dueAt;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
    failing = false;
    await runner.idle();
    expect(tried.filter((work) => work !== 'a1')).toEqual(['b1', 'a2']);
    // Once it went well, it begins anew.
    failing = true;
    await append(['a', 'a3']);
    await runner.idle();
    expect((await store.laneState(posts, 'a')).dueAt).toBe(now + 1000);
  });

  test('puts off what fails, also where only a clock that was set back had made it due', async () => {
    await append(['a', 'a1']);
    await store.transact((tx) => tx.putOff(posts, 'a', now + 600_000));
    let tried = 0;
    const perform = async () => {
      tried += 1;
      throw new Error('no');
    };
    const runner = start(perform, { lanes: { ...posts, longestPause: 60_000 } });
    await until(() => tried > 0);
    await runner.idle();
    expect(tried).toBe(1);
    expect((await store.laneState(posts, 'a')).dueAt).toBe(now + 1000);
  });

  test('puts off what ends as if nothing had happened, and leaves alone what has done its part', async () => {
    await append(['idle', 'i1'], ['later', 'l1'], ['done', 'd1'], ['held', 'h1'], ['gone', 'g1']);
    const tried: string[] = [];
    const runner = start(async (work) => {
      tried.push(work.lane);
      if (work.lane === 'idle') return;
      await store.transact(async (tx) => {
        if (work.lane === 'later') await tx.putOff(posts, 'later', now + 90_000);
        if (work.lane === 'done') await tx.complete(posts, work);
        if (work.lane === 'held') await tx.hold(posts, 'held', true);
        if (work.lane === 'gone') await tx.clear(posts, 'gone');
      });
      throw new Error('after all');
    });
    await runner.idle();
    await aWhile();
    expect(tried.sort()).toEqual(['done', 'gone', 'held', 'idle', 'later']);
    expect((await store.laneState(posts, 'idle')).dueAt).toBe(now + 1000);
    expect((await store.laneState(posts, 'later')).dueAt).toBe(now + 90_000);
    expect(await store.laneState(posts, 'done')).toEqual({ waiting: 0, held: false });
    expect(await store.laneState(posts, 'held')).toEqual({ waiting: 1, held: true });
    expect(logged).toHaveLength(5);
  });

  test('waits while the store takes no writes, then goes on by itself', async () => {
    let writable = false;
    let claims = 0;
    const over: Store = {
      ...store,
      health: () => ({ writable }),
      claim(lanes, query) {
        claims += 1;
        return store.claim(lanes, query);
      },
    };
    await append(['a', 'a1']);
    const runner = start(complete, { over });
    await runner.idle();
    await aWhile();
    expect(claims).toBe(0);
    writable = true;
    await until(() => claims > 0);
    await runner.idle();
    expect((await store.laneState(posts, 'a')).waiting).toBe(0);
  });

  test('does not run hot when neither claiming nor putting off succeeds', async () => {
    let claims = 0;
    const over: Store = {
      ...store,
      claim(lanes, query) {
        claims += 1;
        if (claims === 1) throw new Error('no claims now');
        return store.claim(lanes, query);
      },
      transact: () => Promise.reject(new Error('no writes now')),
    };
    await append(['a', 'a1'], ['b', 'b1']);
    let tried = 0;
    start(
      async () => {
        tried += 1;
        throw new Error('no');
      },
      { over },
    );
    await until(() => tried > 0);
    await aWhile();
    expect(tried).toBeLessThan(10);
    expect(claims).toBeLessThan(20);
    expect(logged).toContain('work could not be claimed');
    expect(logged).toContain('a lane could not be postponed');
  });

  test('stops: what is under way may end, nothing is begun, and the rest waits for the next', async () => {
    await append(['a', 'a1'], ['a', 'a2']);
    const begun = gate();
    const end = gate();
    const done: string[] = [];
    const runner = start(async (work) => {
      begun.open();
      await end.opened;
      done.push(work.work);
      await complete(work);
    });
    await begun.opened;
    const stopped = runner.stop(60_000);
    await append(['b', 'b1']);
    runner.poke();
    end.open();
    await stopped;
    await runner.idle();
    expect(done).toEqual(['a1']);
    await store.close();
    store = await open();
    const next = start(async (work) => {
      done.push(work.work);
      await complete(work);
    });
    await next.idle();
    expect(done).toEqual(['a1', 'a2', 'b1']);
    expect(logged).toEqual([]);
  });

  test('aborts what has not ended in time when it stops, and lets its lane go as it is', async () => {
    await append(['a', 'a1'], ['b', 'b1']);
    const aborted: string[] = [];
    const deaf = gate();
    const runner = start(async (work, signal) => {
      if (work.lane === 'b') await deaf.opened;
      else {
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(work.work);
            reject(new Error('aborted'));
          });
        });
      }
    });
    await until(() => store.nextDue(posts) === undefined);
    await runner.stop(1);
    expect(aborted).toEqual(['a1']);
    expect(await store.laneState(posts, 'a')).toEqual({ waiting: 1, held: false });
    expect(await store.nextDue(posts)).toBe(0);
    // One that heeds no abort is not waited for without end.
    expect(logged).toEqual(['canceled work did not end']);
    deaf.open();
  });
});

test('each piece of work is given a signal of its own, on which nothing of others is left', async () => {
  const signals = new Set<AbortSignal>();
  const runner = start(async (work, signal) => {
    signals.add(signal);
    await complete(work);
  });
  await append(['a', '1'], ['a', '2'], ['b', '1']);
  await runner.idle();
  expect(signals.size).toBe(3);
});
