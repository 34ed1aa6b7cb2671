import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LaneSpec, LaneWork, Store, Tx } from '../../../src/server/store/store.ts';
import { notes } from './store-contract.ts';
import type { TestStore } from './store-contract.ts';

export const posts: LaneSpec = { name: 'posts' };
export const jobs: LaneSpec = { name: 'jobs' };

/** What every store must do with lanes; `open` gives one over {@link posts}, {@link jobs} and the collections of the store's suite. */
export const describeLanes = (name: string, open: () => Promise<TestStore>): void => {
  describe(name, () => {
    let current: TestStore;
    let store: Store;
    beforeEach(async () => {
      current = await open();
      store = current.store;
    });
    afterEach(() => current.dispose());

    const append = (lane: string, ...works: string[]): Promise<void> =>
      store.transact(async (tx) => {
        for (const work of works) await tx.append(posts, lane, work);
      });
    const claim = async (now = 1000, most = 100): Promise<readonly LaneWork[]> =>
      store.claim(posts, { now, most });
    const claimOne = async (now = 1000): Promise<LaneWork> => {
      const [work] = await claim(now, 1);
      if (!work) throw new Error('nothing was claimed');
      return work;
    };
    const complete = (work: LaneWork): Promise<void> =>
      store.transact((tx) => tx.complete(posts, work));
    const change = (work: (tx: Tx) => Promise<void>): Promise<void> => store.transact(work);
    const worksIn = async (lane?: string): Promise<string[]> =>
      (await store.laneWork(posts, { ...(lane !== undefined && { lane }), limit: 1000 })).map(
        ({ work }) => work,
      );
    const works = (claimed: readonly LaneWork[]): string[] => claimed.map(({ work }) => work);

    test('gives the work of a lane out in order, one piece at a time', async () => {
      await append('a', 'one', 'two', 'three');
      for (const expected of ['one', 'two', 'three']) {
        const work = await claimOne();
        expect(work).toMatchObject({ lane: 'a', work: expected });
        expect(await claim()).toEqual([]);
        await complete(work);
        // The lease is its holder's until it is let go.
        expect(await claim()).toEqual([]);
        await store.release(posts, work);
      }
      expect(await claim()).toEqual([]);
      expect(await store.laneState(posts, 'a')).toEqual({ waiting: 0, held: false });
    });
  });
};
void jobs;
void notes;
