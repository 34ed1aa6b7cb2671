import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWriteBatcher } from '../../../../src/server/webhooks/delivery/write-batcher.ts';
import type { Tx } from '../../../../src/server/store/store.ts';

const turn = () => new Promise(setImmediate);

/** A store of a list of numbers: what a transaction puts in lasts only where it ends well. */
function listStore() {
  const lasting: number[] = [];
  let transactions = 0;
  let written: number[] = [];
  /** One after the other. */
  let line: Promise<unknown> = Promise.resolve();
  return {
    lasting,
    get transactions() {
      return transactions;
    },
    put: (value: number) => void written.push(value),
    transact<R>(work: (tx: Tx) => Promise<R>): Promise<R> {
      const mine = line.then(async () => {
        transactions += 1;
        written = [];
        const result = await work({} as Tx); // only handed through
        lasting.push(...written);
        await turn();
        return result;
      });
      line = mine.catch(() => undefined);
      return mine;
    },
  };
}

test('what comes together is one transaction, and each is answered with its own', async () => {
  const store = listStore();
  const batched = createWriteBatcher(store);
  const write = (value: number) =>
    batched((_tx) => {
      store.put(value);
      return Promise.resolve(value * 2);
    });
  expect(await Promise.all([write(1), write(2), write(3)])).toEqual([2, 4, 6]);
  expect(await write(4)).toBe(8);
  expect([store.lasting, store.transactions]).toEqual([[1, 2, 3, 4], 2]);
});

test('whatever fails fails alone, and everything else lasts once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ bad: fc.boolean(), turns: fc.nat(3) }), { maxLength: 30 }),
      async (asked) => {
        const store = listStore();
        const batched = createWriteBatcher(store);
        const results: Promise<PromiseSettledResult<number>[]>[] = [];
        for (const [at, { bad, turns }] of asked.entries()) {
          for (let left = turns; left > 0; left--) await turn();
          const one = batched(() => {
            store.put(at);
            return bad ? Promise.reject(new Error(`bad ${at}`)) : Promise.resolve(at);
          });
          results.push(Promise.allSettled([one]));
        }
        const settled = (await Promise.all(results)).flat();
        const good = asked.flatMap(({ bad }, at) => (bad ? [] : [at]));
        expect(settled.map(({ status }) => status === 'rejected')).toEqual(asked.map(({ bad }) => bad)); // prettier-ignore
        expect([...store.lasting].sort((a, b) => a - b)).toEqual(good);
      },
    ),
    { numRuns: 60 },
  );
});
