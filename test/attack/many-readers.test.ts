import { expect, test } from 'vitest';
import { streamBytes } from '../../src/server/http/byte-body.ts';

test('very many readers who come at once get their pieces in turn, so that others are answered in between', async () => {
  const readers = 100;
  const piecesOfEach = 3;
  let read = 0;
  let ended = 0;
  const open = async function* () {
    for (let n = 0; n < piecesOfEach; n += 1) {
      read += 1;
      yield Buffer.from('piece');
    }
  };
  /** How many pieces were read in each turn of the event loop. */
  const inTurns: number[] = [];
  let counted = 0;
  const count = (): void => {
    inTurns.push(read - counted);
    counted = read;
    if (ended < readers) setImmediate(count);
  };
  setImmediate(count);
  const taken = await Promise.all(
    Array.from({ length: readers }, () =>
      new Response(streamBytes({ type: 'text/csv', open }, () => void (ended += 1))).text(),
    ),
  );
  expect(taken).toEqual(Array(readers).fill('piece'.repeat(piecesOfEach)));
  expect(Math.max(...inTurns, read - counted)).toBe(1);
  expect(read).toBe(readers * piecesOfEach);
});

test('nothing is opened for a reader who leaves before its turn has come', async () => {
  let opened = 0;
  const open = async function* () {
    opened += 1;
    yield Buffer.from('piece');
  };
  const ends: number[] = [];
  const stream = streamBytes({ type: 'text/csv', open }, (bytes) => void ends.push(bytes));
  const reader = stream.getReader();
  const reading = reader.read();
  await reader.cancel();
  expect((await reading).done).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(opened).toBe(0);
  expect(ends).toEqual([0]);
});
