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
let logged: { level: string; message: string }[];
let runners: LaneRunner[];

beforeEach(async () => {
  folder = await tempFolder();
  store = await openLowdbStore({ dir: folder.path, collections: [], lanes: [posts] });
  now = 1_000_000;
  logged = [];
  runners = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.stop(1000);
  await store.close();
  await folder.remove();
});

const at =
  (level: string): Log['info'] =>
  (_, message) =>
    void logged.push({ level, message });
const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };

const start = (perform: LaneRunnerOptions['perform'], most = 8, over = store): LaneRunner => {
  const clock = { now: () => now, monotonic: () => now };
  const runner = createLaneRunner({ store: over, clock, log }, { lanes: posts, most, perform });
  runners.push(runner);
  return runner;
};

const append = (...places: readonly (readonly [lane: string, work: string])[]): Promise<void> =>
  store.transact(async (tx) => {
    for (const [lane, work] of places) await tx.append(posts, lane, work);
  });
const complete = (work: LaneWork): Promise<void> =>
  store.transact((tx) => tx.complete(posts, work));
const putOff = (work: LaneWork, dueAt: number): Promise<void> =>
  store.transact((tx) => tx.putOff(posts, work.lane, dueAt));

/** Fulfils a promise from outside. */
const gate = (): { opened: Promise<void>; open: () => void } => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

describe('a lane runner', () => {
  test('does what waits when it starts and what comes later, each lane in order', async () => {
    await append(['a', 'a1'], ['b', 'b1'], ['a', 'a2']);
    const done: string[] = [];
    const runner = start(async (work) => {
      done.push(work.work);
      await complete(work);
    });
    await runner.idle();
    await append(['a', 'a3'], ['c', 'c1']);
    await runner.idle();
    expect(done.filter((work) => work.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect([...done].sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
    expect(await store.nextDue(posts)).toBeUndefined();
    expect(logged).toEqual([]);
  });
});
void putOff;
void gate;
