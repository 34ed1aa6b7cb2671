import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { LaneSpec, LaneWork, Store } from '../../../src/server/store/store.ts';
import { createLaneModel } from './lane-model.ts';
import type { LaneModel, Step } from './lane-model.ts';
import { notes } from './store-contract.ts';
import type { TestStore } from './store-contract.ts';

export const posts: LaneSpec = { name: 'posts' };
export const jobs: LaneSpec = { name: 'jobs' };
type Note = { readonly text: string };
/** In turn by the first word of their notes; the second is when they were last worked on. */
export const errands: LaneSpec = {
  name: 'errands',
  turns: {
    collection: notes,
    ownerOf: ({ text }: Note) => text.split(' ')[0] ?? '',
    servedAt: ({ text }: Note) => text.split(' ')[1],
  },
};

/** A store over {@link posts}, {@link jobs}, {@link errands} and the collections of the store's suite. */
export interface TestLanes extends TestStore {
  /** Ends the store, in peace or not, and opens it again. */
  reopen(): Promise<Store>;
}

const names = ['a', 'b', 'c', '__proto__', ''];

const aLane = fc.constantFrom(...names);
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('append'), lane: aLane }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('complete'),
      claimed: fc.integer({ max: 9, min: 0 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('putOff'),
      lane: aLane,
      dueAt: fc.integer({ min: 0, max: 30 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('hold'), lane: aLane, held: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear'), lane: aLane }) },
);

/** Transactions that are asked for together. Each takes some turns of the event loop, so that others become durable meanwhile. */
const transactions = fc.array(
  fc.record({
    steps: fc.array(aStep, { minLength: 1, maxLength: 6 }),
    turns: fc.integer({ min: 0, max: 4 }),
    abandon: fc.integer({ min: 0, max: 4 }).map((one) => one === 4),
  }),
  { minLength: 1, maxLength: 4 },
);
export const anAction = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), transactions }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      now: fc.integer({ min: 0, max: 30 }),
      most: fc.integer({ min: 0, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      claimed: fc.integer({ min: 0, max: 9 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

interface Write {
  readonly steps: readonly Step[];
  readonly turns: number;
  readonly abandon: boolean;
}

/** The lanes of {@link posts} beside a model that does the same. */
export const besideModel = (first: TestLanes) => {
  let { store } = first;
  const model = createLaneModel();
  /** The latest come first, so that small numbers mostly mean what is leased. */
  const claimed: LaneWork[] = [];

  const compare = async (reader: Pick<Store, 'laneState' | 'laneWork'>): Promise<void> => {
    for (const lane of names) {
      expect(await reader.laneState(posts, lane)).toEqual(model.state(lane));
      expect(await reader.laneWork(posts, { lane, limit: 3 })).toEqual(model.work(lane, 0, 3));
    }
    expect(await reader.laneWork(posts, { limit: 5, after: 3 })).toEqual(
      model.work(undefined, 3, 5),
    );
  };

  const write = ({ steps, turns, abandon }: Write): Promise<void> =>
    store.transact(async (tx) => {
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      const before = model.copy();
      for (const step of steps) {
        model.apply(step, claimed);
        if (step.kind === 'append') {
          const work = model.work(step.lane, 0, Infinity).at(-1);
          await tx.append(posts, step.lane, work?.work ?? '');
        } else if (step.kind === 'putOff') await tx.putOff(posts, step.lane, step.dueAt);
        else if (step.kind === 'hold') await tx.hold(posts, step.lane, step.held);
        else if (step.kind === 'clear') await tx.clear(posts, step.lane);
        else {
          const work = claimed[step.claimed];
          if (work) await tx.complete(posts, work);
        }
      }
      await compare(tx);
      if (!abandon) return;
      model.restore(before);
      throw new Error('abandoned');
    });

  const nextDue = (): number | undefined => {
    const due = [...model.open().values()];
    return due.length > 0 ? Math.min(...due) : undefined;
  };

  return {
    async write(all: readonly Write[]) {
      const outcomes = await Promise.allSettled(all.map(write));
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') expect(all[at]?.abandon).toBe(false);
        else expect(outcome.reason).toEqual(new Error('abandoned'));
      }
    },
    async claim(now: number, most: number) {
      const open = model.open();
      const due = [...open].filter(([, dueAt]) => dueAt <= now).map(([lane]) => lane);
      const got = await store.claim(posts, { now, most });
      expect(got).toHaveLength(Math.min(most, due.length));
      for (const work of got) {
        expect(due).toContain(work.lane);
        expect(work).toEqual(model.head(work.lane));
        model.lease(work);
        claimed.unshift(work);
      }
      // Of those put off, none that has been due for less time went first.
      const taken = got.map(({ lane }) => open.get(lane) ?? 0);
      const left = due.map((lane) => (model.open().has(lane) ? (open.get(lane) ?? 0) : 0));
      for (const dueAt of left.filter((at) => at > 0)) {
        expect(Math.max(0, ...taken)).toBeLessThanOrEqual(dueAt);
      }
    },
    async release(index: number) {
      const work = claimed[index];
      if (!work) return;
      model.release(work);
      await store.release(posts, work);
    },
    async restart() {
      model.endLeases();
      store = await first.reopen();
    },
    async check() {
      await compare(store);
      expect(await store.nextDue(posts)).toBe(nextDue());
    },
    onWork: (listener: () => void) => store.onWork(posts, listener),
    open: () => model.open(),
  };
};

/** Whether there is something to claim, or sooner, that was not there before. */
export const isMore = (
  before: ReturnType<LaneModel['open']>,
  after: ReturnType<LaneModel['open']>,
): boolean => [...after].some(([lane, dueAt]) => dueAt < (before.get(lane) ?? Infinity));
