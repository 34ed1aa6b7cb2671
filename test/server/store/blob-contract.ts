import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../../../src/server/store/store.ts';
import type { ByteRange, Blobs, Store, StoredBlob } from '../../../src/server/store/store.ts';
import type { TestStore } from './store-contract.ts';

export const bytesOf = async (blobs: Blobs, id: string, range?: ByteRange): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.read(id, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export const writeBlob = async (
  blobs: Blobs,
  id: string,
  chunks: readonly Uint8Array[],
): Promise<StoredBlob> => {
  const writer = await blobs.create(id);
  for (const chunk of chunks) await writer.write(chunk);
  return writer.finish();
};

export const idsOf = async (blobs: Blobs): Promise<string[]> => {
  const ids: string[] = [];
  for await (const id of blobs.list()) ids.push(id);
  return ids.sort();
};

const text = (value: string): Buffer => Buffer.from(value);

/** What the blobs of every store must do; run it with each of them. */
export const describeBlobs = (name: string, open: () => Promise<TestStore>): void => {
  describe(name, () => {
    let current: TestStore;
    let store: Store;
    let blobs: Blobs;
    beforeEach(async () => {
      current = await open();
      ({ store } = current);
      ({ blobs } = store);
    });
    afterEach(() => current.dispose());

    test('gives back the bytes that were written, whatever the chunks, whole and in every range', async () => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }),
          fc.array(fc.tuple(fc.nat(200), fc.nat(200)), { maxLength: 6 }),
          async (chunks, places) => {
            const id = `b${(count += 1)}.bin`;
            const whole = Buffer.concat(chunks);
            expect(await writeBlob(blobs, id, chunks)).toEqual({
              size: whole.length,
              sha256: createHash('sha256').update(whole).digest('hex'),
            });
            expect(await blobs.stat(id)).toEqual({ size: whole.length });
            expect(await bytesOf(blobs, id)).toEqual(whole);
            for (const place of places) {
              const [start = 0, end = 0] = place
                .map((at) => at % (whole.length + 1))
                .sort((a, b) => a - b);
              expect(await bytesOf(blobs, id, { start, end })).toEqual(whole.subarray(start, end));
            }
          },
        ),
        { numRuns: 60 },
      );
    });

    test('hands out a large one in chunks', async () => {
      const whole = Buffer.alloc(3_000_001, 'govctl');
      await writeBlob(blobs, 'large', [whole]);
      const sizes: number[] = [];
      for await (const chunk of blobs.read('large')) sizes.push(chunk.length);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1 << 20);
      expect(
        (await bytesOf(blobs, 'large', { start: 5, end: 2_999_999 })).equals(
          whole.subarray(5, 2_999_999),
        ),
      ).toBe(true);
    });

    test('shows nothing of one before the blob is finished', async () => {
      const writer = await blobs.create('b1');
      await writer.write(text('half'));
      expect(await blobs.stat('b1')).toBeUndefined();
      expect(await idsOf(blobs)).toEqual([]);
      await expect(bytesOf(blobs, 'b1')).rejects.toThrow();
      await writer.finish();
      expect(await idsOf(blobs)).toEqual(['b1']);
    });

    test('leaves nothing of one that is abandoned, before or after the blob is finished without harm', async () => {
      const given = await blobs.create('b1');
      await given.write(text('half'));
      await given.abandon();
      await given.abandon();
      await expect(given.write(text('more'))).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(given.finish()).rejects.toBeInstanceOf(StoreUnavailable);
      expect(await blobs.stat('b1')).toBeUndefined();
      const kept = await blobs.create('b1');
      await kept.finish();
      await kept.abandon();
      expect(await blobs.stat('b1')).toEqual({ size: 0 });
    });

    test('lists all that are whole, but none that was begun since', async () => {
      for (const id of ['b1', 'b2', 'b3']) await writeBlob(blobs, id, [text(id)]);
      const listing = blobs.list();
      await writeBlob(blobs, 'b4', [text('late')]);
      const ids: string[] = [];
      for await (const id of listing) ids.push(id);
      expect(ids.sort()).toEqual(['b1', 'b2', 'b3']);
      expect(await idsOf(blobs)).toEqual(['b1', 'b2', 'b3', 'b4']);
    });

    test('forgets one that is removed, but lets who reads it read on to its end', async () => {
      const whole = Buffer.alloc(2_000_000, 'x');
      await writeBlob(blobs, 'b1', [whole]);
      const reading = blobs.read('b1')[Symbol.asyncIterator]();
      let read = ((await reading.next()).value as Uint8Array).length;
      await blobs.remove('b1');
      await blobs.remove('b1');
      expect(await blobs.stat('b1')).toBeUndefined();
      for (let next = await reading.next(); !next.done; next = await reading.next()) {
        read += next.value.length;
      }
      expect(read).toBe(whole.length);
    });

    test('refuses ids that are no names, ids that are taken, and ranges that leave the blob', async () => {
      for (const id of [
        '',
        '.',
        '..',
        '../x',
        'a/b',
        'a\\b',
        '.x',
        'a~',
        'a\0',
        'é',
        'a'.repeat(201),
      ]) {
        await expect(blobs.create(id), id).rejects.toThrow(/valid blob ID/);
        await expect(blobs.stat(id), id).rejects.toThrow(/valid blob ID/);
        await expect(bytesOf(blobs, id), id).rejects.toThrow(/valid blob ID/);
        await expect(blobs.remove(id), id).rejects.toThrow(/valid blob ID/);
      }
      await writeBlob(blobs, 'b1', [text('12345')]);
      await expect(blobs.create('b1')).rejects.toThrow(/already exists/);
      for (const [start, end] of [
        [-1, 2],
        [3, 2],
        [0, 6],
        [6, 6],
        [NaN, 2],
      ] as const) {
        await expect(bytesOf(blobs, 'b1', { start, end })).rejects.toThrow(/5 bytes/);
      }
      expect(String(await bytesOf(blobs, 'b1'))).toBe('12345');
    });

    test('takes nothing after the store was closed, and what was not finished then is gone', async () => {
      const writer = await blobs.create('b1');
      await writer.write(text('half'));
      await store.close();
      await expect(writer.write(text('more'))).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(writer.finish()).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(blobs.create('b2')).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(blobs.stat('b1')).rejects.toBeInstanceOf(StoreUnavailable);
    });
  });
};
