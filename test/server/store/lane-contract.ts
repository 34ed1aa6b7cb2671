import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LaneSpec, LaneWork, Store } from '../../../src/server/store/store.ts';
import { anAction, besideModel, errands, isMore, jobs, posts } from './lane-actions.ts';
import type { TestLanes } from './lane-actions.ts';
import { notes } from './store-contract.ts';

/** What every store must do with lanes; run it with each of them. */
export const describeLanes = (name: string, open: () => Promise<TestLanes>): void => {
  describe(name, () => {
    let current: TestLanes;
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
    const finish = async (work: LaneWork): Promise<void> => {
      await complete(work);
      await store.release(posts, work);
    };
    const putOff = async (work: LaneWork, dueAt: number): Promise<void> => {
      await store.transact((tx) => tx.putOff(posts, work.lane, dueAt));
      await store.release(posts, work);
    };
    const hold = (lane: string, held: boolean): Promise<void> =>
      store.transact((tx) => tx.hold(posts, lane, held));
    const worksOf = (claimed: readonly LaneWork[]): string[] => claimed.map(({ work }) => work);

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

    test('lets nothing pass a head that is put off, and goes on at once when it is done', async () => {
      await append('a', 'one', 'two');
      await append('b', 'other');
      for (const dueAt of [2000, 3000]) {
        expect(await store.nextDue(posts)).toBe(dueAt === 2000 ? 0 : 2000);
        const first = (await claim(dueAt - 1000)).find(({ lane }) => lane === 'a');
        expect(first?.work).toBe('one');
        if (first) await putOff(first, dueAt);
        expect(await store.laneState(posts, 'a')).toEqual({ waiting: 2, held: false, dueAt });
        expect(await claim(dueAt - 1)).toEqual([]);
      }
      expect(await store.nextDue(posts)).toBe(3000);
      await finish(await claimOne(3000));
      expect(await store.laneState(posts, 'a')).toEqual({ waiting: 1, held: false });
      expect((await claimOne(0)).work).toBe('two');
      expect(await store.nextDue(posts)).toBeUndefined();
    });

    test('takes a head for due that is put off for longer than any pause is', async () => {
      const short = { ...posts, longestPause: 500 };
      await append('a', 'one');
      await putOff(await claimOne(9000), 9400);
      await append('b', 'other');
      await putOff(await claimOne(9000), 1500);
      expect(worksOf(await store.claim(short, { now: 8900, most: 9 }))).toEqual(['other']);
      // From here on the clock is set back.
      expect(await store.claim(posts, { now: 1000, most: 9 })).toEqual([]);
      expect(await store.nextDue(posts)).toBe(9400);
      expect(await store.nextDue(short)).toBe(0);
      const [work] = await store.claim(short, { now: 1000, most: 9 });
      expect(work).toMatchObject({ work: 'one' });
      if (work) await putOff(work, 1500);
      expect(await store.claim(short, { now: 1000, most: 9 })).toEqual([]);
      expect(await store.nextDue(short)).toBe(1500);
    });

    test('work that is let go without having been done is claimed again', async () => {
      await append('a', 'one', 'two');
      const work = await claimOne();
      await store.release(posts, work);
      expect(await claimOne()).toEqual(work);
    });

    test('keeps the heads of held lanes, also of those that were empty or leased then', async () => {
      await append('a', 'one', 'two');
      await hold('b', true);
      await append('b', 'other');
      const work = await claimOne();
      await hold('a', true);
      await finish(work);
      expect(await claim()).toEqual([]);
      expect(await store.nextDue(posts)).toBeUndefined();
      expect(await store.laneState(posts, 'b')).toEqual({ waiting: 1, held: true });
      await hold('b', false);
      await hold('a', false);
      expect(worksOf(await claim()).sort()).toEqual(['other', 'two']);
    });

    test('forgets a lane that is cleared, and one of the same name starts anew', async () => {
      await append('a', 'one', 'two');
      const old = await claimOne();
      await store.transact(async (tx) => {
        await tx.putOff(posts, 'a', 5000);
        await tx.hold(posts, 'a', true);
        await tx.clear(posts, 'a');
      });
      expect(await store.laneState(posts, 'a')).toEqual({ waiting: 0, held: false });
      await append('a', 'new', 'newer');
      // Whoever had the lane is still at it.
      expect(await claim()).toEqual([]);
      await complete(old);
      expect(await store.laneState(posts, 'a')).toEqual({ waiting: 2, held: false });
      await store.release(posts, old);
      expect((await claimOne()).work).toBe('new');
      await store.release(posts, old);
      expect(await claim()).toEqual([]);
    });

    test('drops work up to a position, and leaves when the next is due', async () => {
      await append('a', 'one', 'two', 'three', 'four');
      const one = await claimOne();
      await putOff(one, 5000);
      const [, two, , four] = await store.laneWork(posts, { lane: 'a', limit: 10 });
      const drop = (position = 0): Promise<void> =>
        store.transact((tx) => tx.drop(posts, 'a', position));
      await drop(one.position - 1);
      await drop(two?.position);
      expect(await store.laneState(posts, 'a')).toEqual({ waiting: 2, held: false, dueAt: 5000 });
      expect(await claim(4999)).toEqual([]);
      expect((await claimOne(5000)).work).toBe('three');
      await drop(one.position);
      await append('a', 'five');
      await drop(four?.position);
      expect(worksOf(await store.laneWork(posts, { lane: 'a', limit: 10 }))).toEqual(['five']);
      await drop((four?.position ?? 0) + 1);
      expect(await store.laneState(posts, 'a')).toEqual({ waiting: 0, held: false });
    });

    test('gives out those first that have been due longest', async () => {
      const lanes = ['a', 'b', 'c', 'd', 'e'];
      for (const lane of lanes) await append(lane, lane);
      const due = { a: 1700, b: 1500, c: 1900, d: 1500, e: 1600 };
      for (const work of await claim(1000)) await putOff(work, due[work.lane as keyof typeof due]); // the lanes above
      const order: string[] = [];
      for (const now of [1600, 1600, 1600, 1600, 1900, 1900]) {
        order.push(...worksOf(await claim(now, 1)));
      }
      expect(order).toEqual(['b', 'd', 'e', 'a', 'c']);
    });

    test('lets lanes take turns: one that goes on comes after all that wait already', async () => {
      for (const lane of ['a', 'b', 'c']) await append(lane, `${lane}1`, `${lane}2`);
      const order: string[] = [];
      for (let turn = 0; turn < 6; turn += 1) {
        const work = await claimOne();
        order.push(work.work);
        await finish(work);
      }
      expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
    });

    test('a lane that was put off gets its turn, however busy the others are', async () => {
      await append('slow', 'slow');
      await putOff(await claimOne(1000), 1500);
      for (const lane of ['a', 'b']) await append(lane, `${lane}1`, `${lane}2`, `${lane}3`);
      const order: string[] = [];
      for (const now of [1400, 1450, 1500, 1550, 1600, 1650]) {
        const work = await claimOne(now);
        order.push(work.work);
        await finish(work);
      }
      // Those before it were due before it was.
      expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'slow', 'a3']);
    });

    describe('of several owners', () => {
      const own = (...lanes: readonly string[]): Promise<void> =>
        store.transact(async (tx) => {
          for (const id of lanes) {
            await tx.insert(notes, { id, text: id.slice(0, 1) });
            await tx.append(errands, id, id);
          }
        });
      const claimErrands = async (most: number, now = 1000): Promise<readonly LaneWork[]> =>
        store.claim(errands, { now, most });
      const finishErrand = async (work: LaneWork): Promise<void> => {
        await store.transact((tx) => tx.complete(errands, work));
        await store.release(errands, work);
      };
      /** Does all that is due, one piece after another. */
      const doAll = async (now = 1000): Promise<string[]> => {
        const order: string[] = [];
        for (let [work] = await claimErrands(1, now); work; [work] = await claimErrands(1, now)) {
          order.push(work.lane);
          await finishErrand(work);
        }
        return order;
      };
      const aheadOf = (lane: string, dueAt = 0): Promise<readonly string[]> =>
        Promise.resolve(store.ahead(errands, { lane, owner: lane.slice(0, 1), now: 1000, dueAt }));

      test('serves them in turn, and the lanes of one in order', async () => {
        await own('a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2');
        expect(await doAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
      });

      test('whoever comes waits for one of each who waits already', async () => {
        await own('a1', 'a2', 'a3', 'b1', 'b2');
        const [first] = await claimErrands(1);
        await own('c1', 'c2');
        if (first) await finishErrand(first);
        expect([first?.lane, ...(await doAll())]).toEqual([
          'a1',
          'b1',
          'c1',
          'a2',
          'b2',
          'c2',
          'a3',
        ]);
      });

      test('gives what is free to those who have fewest under way', async () => {
        await own('a1', 'a2', 'a3');
        const [held, other] = await claimErrands(2);
        await own('b1', 'b2', 'b3');
        if (other) await finishErrand(other);
        // One of a is under way still, and stays so.
        const begun: (string | undefined)[] = [];
        for (let turn = 0; turn < 3; turn += 1) {
          const [work] = await claimErrands(1);
          begun.push(work?.lane);
          if (work) await finishErrand(work);
        }
        expect([held?.lane, begun]).toEqual(['a1', ['b1', 'b2', 'b3']]);
        expect((await claimErrands(5)).map(({ lane }) => lane)).toEqual(['a3']);
      });

      test('goes on after a restart with who was served longest ago', async () => {
        await own('a1', 'a2', 'b1', 'b2', 'c1', 'd1');
        await store.transact(async (tx) => {
          await tx.insert(notes, { id: 'a0', text: 'a 2026-01-03' });
          await tx.insert(notes, { id: 'a00', text: 'a 2026-01-01' });
          await tx.insert(notes, { id: 'b0', text: 'b 2026-01-02' });
          await tx.insert(notes, { id: 'd0', text: 'd 2026-01-02' });
          await tx.replace(notes, { id: 'd1', text: 'd 2026-01-04' });
        });
        for (let times = 0; times < 3; times += 1) store = await current.reopen();
        expect(await aheadOf('a1')).toEqual(['c1', 'b1']);
        expect(await doAll()).toEqual(['c1', 'b1', 'a1', 'd1', 'b2', 'a2']);
      });

      test('lanes that are put off, too, come in turn', async () => {
        await own('a1', 'a2', 'a3', 'b1');
        await store.transact(async (tx) => {
          for (const lane of ['a2', 'a3', 'b1']) await tx.putOff(errands, lane, 1500);
        });
        expect(await store.nextDue(errands)).toBe(0);
        expect(await doAll(1499)).toEqual(['a1']);
        expect(await store.nextDue(errands)).toBe(1500);
        expect(await doAll(1500)).toEqual(['b1', 'a2', 'a3']);
      });

      test('tells what is ahead of a lane, also of one that is yet to come', async () => {
        await own('a1', 'a2', 'a3', 'b1');
        expect(await aheadOf('a1')).toEqual([]);
        expect(await aheadOf('a3')).toEqual(['a1', 'b1', 'a2']);
        expect(await aheadOf('a4')).toEqual(['a1', 'b1', 'a2', 'a3']);
        expect(await aheadOf('b2')).toEqual(['a1', 'b1', 'a2']);
        expect(await aheadOf('c1')).toEqual(['a1', 'b1']);
        expect(await aheadOf('c1', 5000)).toEqual(['a1', 'b1']);
        const [begun] = await claimErrands(1);
        expect(begun?.lane).toBe('a1');
        expect(await aheadOf('a1')).toEqual([]);
        expect(await aheadOf('a2')).toEqual(['b1']);
        // Nothing came of asking.
        expect(await doAll()).toEqual(['b1', 'a2', 'a3']);
      });

      test('claims in the order that it tells, and nobody waits for two of another', async () => {
        const step = fc.record({
          owner: fc.constantFrom('a', 'b', 'c', 'd'),
          count: fc.integer({ min: 0, max: 4 }),
          claims: fc.integer({ min: 0, max: 3 }),
          restart: fc.integer({ min: 0, max: 9 }).map((one) => one === 9),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
            const tried = await open();
            ({ store } = tried);
            try {
              let made = 0;
              /** By waiting owner, who was served since. */
              const since = new Map<string, string[]>();
              const waiting: string[] = [];
              for (const { owner, count, claims, restart } of steps) {
                const lanes = Array.from({ length: count }, () => `${owner}${(made += 1)}`);
                await own(...lanes);
                waiting.push(...lanes);
                if (restart) {
                  store = await tried.reopen();
                  since.clear();
                }
                for (const lane of waiting) {
                  const [one = ''] = lane;
                  if (!since.has(one)) since.set(one, []);
                }
                const last = waiting.at(-1);
                const told = last === undefined ? [] : [...(await aheadOf(last)), last];
                for (let at = 0; at < claims; at += 1) {
                  const [work] = await claimErrands(1);
                  expect(work?.lane).toBe(told[at] ?? work?.lane);
                  if (!work) {
                    expect(waiting).toEqual([]);
                    break;
                  }
                  const [served = ''] = work.lane;
                  // In order.
                  expect(waiting.find((lane) => lane.startsWith(served))).toBe(work.lane);
                  waiting.splice(waiting.indexOf(work.lane), 1);
                  expect(since.get(served)).toEqual([...new Set(since.get(served))]);
                  for (const [other, list] of since) if (other !== served) list.push(served);
                  since.delete(served);
                  if (waiting.some((lane) => lane.startsWith(served))) since.set(served, []);
                  await finishErrand(work);
                }
              }
            } finally {
              await tried.dispose();
            }
          }),
          { numRuns: 60 },
        );
      });
    });

    test('counts positions over all lanes in the order of commits, without gaps', async () => {
      await append('a', 'one', 'two');
      await expect(
        store.transact(async (tx) => {
          await tx.append(posts, 'b', 'never');
          throw new Error('abandoned');
        }),
      ).rejects.toThrow('abandoned');
      await append('b', 'three');
      await store.transact((tx) => tx.append(jobs, 'a', 'elsewhere'));
      await append('a', 'four');
      const all = [
        { lane: 'a', position: 1, work: 'one' },
        { lane: 'a', position: 2, work: 'two' },
        { lane: 'b', position: 3, work: 'three' },
        { lane: 'a', position: 4, work: 'four' },
      ];
      expect(await store.laneWork(posts, { limit: 10 })).toEqual(all);
      expect(await store.laneWork(posts, { limit: 2, after: 1 })).toEqual(all.slice(1, 3));
      expect(await store.laneWork(posts, { lane: 'a', limit: 10, after: 1 })).toEqual([
        all[1],
        all[3],
      ]);
      expect(await store.laneWork(jobs, { limit: 10 })).toHaveLength(1);
    });

    test('a transaction sees its own changes; nobody else does before it has ended', async () => {
      await append('a', 'one');
      const work = await claimOne();
      await store.release(posts, work);
      await store.transact(async (tx) => {
        await tx.append(posts, 'a', 'two');
        await tx.complete(posts, work);
        await tx.putOff(posts, 'a', 9000);
        await tx.append(posts, 'b', 'three');
        await tx.hold(posts, 'b', true);
        expect(await tx.laneState(posts, 'a')).toEqual({ waiting: 1, held: false, dueAt: 9000 });
        expect(await tx.laneState(posts, 'b')).toEqual({ waiting: 1, held: true });
        expect(worksOf(await tx.laneWork(posts, { limit: 5 }))).toEqual(['two', 'three']);
        expect(await store.laneState(posts, 'a')).toEqual({ waiting: 1, held: false });
        expect(worksOf(await store.laneWork(posts, { limit: 5 }))).toEqual(['one']);
      });
      expect(await claim(8999)).toEqual([]);
      expect(worksOf(await claim(9000))).toEqual(['two']);
    });

    test('is one commit with the documents that the work is about', async () => {
      await store.transact(async (tx) => {
        await tx.insert(notes, { id: 'n1', text: 'x' });
        await tx.append(posts, 'a', 'n1');
      });
      const work = await claimOne();
      await store.transact(async (tx) => {
        await tx.remove(notes, 'n1');
        await tx.complete(posts, work);
      });
      expect(await store.get(notes, 'n1')).toBeUndefined();
      expect(await store.laneState(posts, 'a')).toEqual({ waiting: 0, held: false });
    });

    test('says when there is something to claim, until nobody listens any more', async () => {
      let told = 0;
      const end = store.onWork(posts, () => void (told += 1));
      const tells = async (work: () => Promise<unknown>): Promise<boolean> => {
        const before = told;
        await work();
        return told > before;
      };
      expect(await tells(() => append('a', 'one', 'two'))).toBe(true);
      const work = await claimOne();
      expect(await tells(() => complete(work))).toBe(false);
      expect(await tells(async () => store.release(posts, work))).toBe(true);
      const later = (dueAt: number) => () => store.transact((tx) => tx.putOff(posts, 'a', dueAt));
      expect(await tells(later(5000))).toBe(false);
      expect(await tells(later(4000))).toBe(true);
      expect(await tells(() => hold('a', true))).toBe(false);
      expect(await tells(() => hold('a', false))).toBe(true);
      expect(await tells(() => store.transact((tx) => tx.append(jobs, 'a', 'x')))).toBe(false);
      end();
      expect(await tells(() => append('b', 'one'))).toBe(false);
    });

    test('keeps thousands that came in one transaction in order, also while others come', async () => {
      const count = 3000;
      await append('a', ...Array.from({ length: count }, (_, at) => `w${at}`));
      for (let at = 0; at < 400; at += 1) {
        await store.transact(async (tx) => {
          const [work] = await tx.laneWork(posts, { lane: 'a', limit: 1 });
          expect(work?.work).toBe(`w${at}`);
          if (work) await tx.complete(posts, work);
          if (at % 2 === 0) await tx.append(posts, 'a', `w${count + at / 2}`);
        });
      }
      const left = await store.laneWork(posts, { lane: 'a', limit: 5000 });
      expect(worksOf(left)).toEqual(Array.from({ length: 2800 }, (_, at) => `w${400 + at}`));
      expect(await store.laneState(posts, 'a')).toEqual({ waiting: 2800, held: false });
      const again = await current.reopen();
      expect(await again.laneWork(posts, { lane: 'a', limit: 5000 })).toEqual(left);
    });

    test('names lanes that were not declared, and a time that is none', async () => {
      const unknown: LaneSpec = { name: 'unknown' };
      await expect(store.transact((tx) => tx.append(unknown, 'a', 'one'))).rejects.toThrow(
        /unknown/,
      );
      await expect(async () => store.claim(unknown, { now: 0, most: 1 })).rejects.toThrow(
        /unknown/,
      );
      await append('a', 'one');
      for (const dueAt of [NaN, Infinity]) {
        await expect(store.transact((tx) => tx.putOff(posts, 'a', dueAt))).rejects.toThrow(
          String(dueAt),
        );
      }
    });

    test('after a restart all is as it was, and leases have ended', async () => {
      await append('a', 'one', 'two', 'three');
      await append('b', 'other \u2028 "é"\n');
      await append('__proto__', 'strange');
      await hold('c', true);
      await finish(await claimOne());
      await store.transact((tx) => tx.putOff(posts, 'b', 7000));
      const work = await store.laneWork(posts, { limit: 10 });
      await claim();
      for (let round = 0; round < 3; round += 1) {
        store = await current.reopen();
        expect(await store.laneWork(posts, { limit: 10 })).toEqual(work);
        expect(await store.laneState(posts, 'b')).toEqual({ waiting: 1, held: false, dueAt: 7000 });
        expect(await store.laneState(posts, 'c')).toEqual({ waiting: 0, held: true });
        expect(worksOf(await claim())).toEqual(['two', 'strange']);
      }
      await append('d', 'next');
      expect((await store.laneWork(posts, { lane: 'd', limit: 1 }))[0]?.position).toBe(6);
    });

    test('agrees with a naive model through claims, retries, restarts', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anAction, { maxLength: 40 }), async (actions) => {
          const tried = await open();
          try {
            const both = besideModel(tried);
            for (const action of actions) {
              const before = both.open();
              let told = false;
              const end = both.onWork(() => (told = true));
              if (action.kind === 'write') await both.write(action.transactions);
              else if (action.kind === 'claim') await both.claim(action.now, action.most);
              else if (action.kind === 'release') await both.release(action.claimed);
              else await both.restart();
              await both.check();
              end();
              if (action.kind !== 'restart' && isMore(before, both.open())) {
                expect(told).toBe(true);
              }
            }
          } finally {
            await tried.dispose();
          }
        }),
        { numRuns: 100 },
      );
    });
  });
};
