import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlots } from '../../../src/server/outbound/slots.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);
const turn = () => new Promise(setImmediate);

describe('slots', () => {
  test('are given in the order of asking, host by host', async () => {
    const slots = createSlots({ all: 10, host: 1 });
    const went: string[] = [];
    const leave = await slots.take('a', never);
    const later = ['first', 'second'].map(async (name) => {
      const done = await slots.take('a', never);
      went.push(name);
      done();
    });
    (await slots.take('b', never))();
    expect(went).toEqual([]);
    leave();
    await Promise.all(later);
    expect(went).toEqual(['first', 'second']);
  });

  test('of all are not held by those that wait for their host', async () => {
    const slots = createSlots({ all: 2, host: 1 });
    await slots.take('hangs', never);
    for (let at = 0; at < 100; at++) void slots.take('hangs', never);
    (await slots.take('other', never))();
    (await slots.take('another', never))();
  });

  test('of a host grow with quick answers and shrink with requests that take long', async () => {
    const slots = createSlots({ all: 1_000, host: 64 });
    const placesOf = async (host: string) => {
      const ends = new AbortController();
      setMaxListeners(0, ends.signal);
      const entered: ((tookMs?: number) => void)[] = [];
      for (let at = 0; at < 100; at++) {
        const taken = slots.take(host, ends.signal);
        if (taken instanceof Promise) taken.catch(() => undefined);
        else entered.push(taken);
      }
      ends.abort(new Error('enough'));
      await turn();
      const count = entered.length;
      const [keeps, ...others] = entered;
      for (const leave of others) leave();
      return { count, last: keeps ?? (() => undefined) };
    };
    const { count: first, last } = await placesOf('a');
    expect(first).toBe(8);
    // While one is inside, the host is remembered.
    const stays = await slots.take('a', never);
    for (const quick of [10, 20, 999, 5]) (await slots.take('a', never))(quick);
    last();
    expect((await placesOf('a')).count).toBe(63);
    for (const long of [30_000, 1_000, 30_000, 30_000, 30_000, 30_000]) {
      (await slots.take('a', never))(long);
    }
    expect((await placesOf('a')).count).toBeLessThanOrEqual(3);
    stays();
  });

  test('are not taken by whoever gives up', async () => {
    const slots = createSlots({ all: 1, host: 1 });
    const leave = await slots.take('a', never);
    const ends = new AbortController();
    const waiting = [slots.take('a', ends.signal), slots.take('b', ends.signal)];
    const next = slots.take('b', never);
    ends.abort(new Error('stopped'));
    for (const one of waiting) await expect(one).rejects.toThrow('stopped');
    expect(() => slots.take('a', ends.signal)).toThrow('stopped');
    leave();
    (await next)();
    (await slots.take('a', never))();
  });

  test('are never more than allowed, and all are free again at the end', async () => {
    const host = fc.constantFrom('a', 'b', 'c');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(host, fc.boolean(), fc.integer({ min: 0, max: 3 })), { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        async (asked, all, perHost) => {
          const slots = createSlots({ all, host: perHost });
          const inside = new Map<string, number>();
          const count = (name: string, by: number) =>
            void inside.set(name, (inside.get(name) ?? 0) + by);
          const work = asked.map(async ([name, givesUp, turns]) => {
            const controller = new AbortController();
            if (givesUp) setImmediate(() => controller.abort(new Error('gave up')));
            let leave;
            try {
              leave = await slots.take(name, controller.signal);
            } catch {
              return;
            }
            count(name, 1);
            count('all', 1);
            expect(inside.get(name)).toBeLessThanOrEqual(perHost);
            expect(inside.get('all')).toBeLessThanOrEqual(all);
            for (let at = 0; at < turns; at++) await turn();
            count(name, -1);
            count('all', -1);
            leave();
          });
          await Promise.all(work);
          // Had one been lost, this would wait for ever.
          const last = await Promise.all(
            Array.from({ length: Math.min(all, perHost) }, () => slots.take('a', never)),
          );
          expect(last).toHaveLength(Math.min(all, perHost));
        },
      ),
      { numRuns: 60 },
    );
  });
});
