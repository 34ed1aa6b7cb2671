import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileNameOf } from '../../../../src/report/formats/file-types.ts';
import type { Block, Cell, ReportModel, Row } from '../../../../src/report/model.ts';
import { openModel, saveModel } from '../../../../src/server/reports/rendering/stored-model.ts';
import type { Blobs } from '../../../../src/server/store/store.ts';
import { findingsTable, sampleReport } from '../../../support/sample-report.ts';
import { memoryBlobs } from '../memory-blobs.ts';

const save = (model: ReportModel, blobs: Blobs) =>
  saveModel(model, blobs, 'm', {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });

/** Everything of a model, its rows read. */
const read = async ({ head, sections }: ReportModel) => {
  const readBlock = async (block: Block) => {
    if (block.kind !== 'table') return block;
    const rows: Row[] = [];
    for await (const batch of block.rows()) rows.push(...batch);
    return { ...block, rows };
  };
  const read: unknown[] = [];
  for (const { blocks, ...section } of sections) {
    read.push({ ...section, blocks: await Promise.all(blocks.map(readBlock)) });
  }
  return { head, sections: read };
};

const tableOf = (id: string, batches: readonly (readonly Row[])[]): Block => ({
  ...findingsTable(0),
  id,
  rowCount: batches.flat().length,
  rows: async function* () {
    yield* batches;
  },
});

const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
  fc.constant(null),
);

describe('a model that is kept', () => {
  test('is what it was, every block and every row', async () => {
    const blobs = memoryBlobs();
    const model = sampleReport(1_234);
    const ids = await save(model, blobs);
    expect(await read(await openModel(blobs, ids))).toEqual(await read(model));
  });

  test('keeps any cells, in batches of any size, and is read in chunks of any size', async () => {
    const batches = fc.array(fc.array(fc.array(cell, { maxLength: 3 }), { maxLength: 4 }), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(batches, batches, fc.integer({ min: 1, max: 40 }), async (a, b, chunk) => {
        const blobs = memoryBlobs(chunk);
        const { head } = sampleReport(0);
        const blocks = [tableOf('a', a), tableOf('b', b)];
        const model = { head, sections: [{ id: 's', title: 'S', blocks }] };
        const ids = await save(model, blobs);
        expect(await read(await openModel(blobs, ids))).toEqual(
          JSON.parse(JSON.stringify(await read(model))),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('is read as far as it is asked for, and each table by itself', async () => {
    const blobs = memoryBlobs();
    const ids = await save(sampleReport(20_000), blobs);
    const size = (await blobs.stat(ids[1] ?? ''))?.size ?? 0;
    let bytes = 0;
    const counting: Pick<Blobs, 'read'> = {
      async *read(id, range) {
        for await (const chunk of blobs.read(id, range)) {
          if (id === ids[1]) bytes += chunk.byteLength;
          yield chunk;
        }
      },
    };
    const opened = await openModel(counting, ids);
    expect(bytes).toBe(0);
    for (const { blocks } of opened.sections) {
      for (const block of blocks) {
        if (block.kind !== 'table' || block.rowCount < 20_000) continue;
        await block.rows()[Symbol.asyncIterator]().next();
      }
    }
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(size / 10);
  });

  test('is refused where a part of it is gone', async () => {
    const blobs = memoryBlobs();
    const ids = await save(sampleReport(10), blobs);
    await blobs.remove(ids[0] ?? '');
    await expect(openModel(blobs, ids)).rejects.toThrow('no blob');
    await expect(openModel(blobs, [])).rejects.toThrow('not stored');
  });
});

test.each([
  ['First quarter', 'First-quarter'],
  ['../../etc/passwd', 'etc-passwd'],
  ['a"b\r\nSet-Cookie: x', 'a-b-Set-Cookie-x'],
  ['審計 2026', '審計-2026'],
  ['...', 'report'],
  ['🔥🔥', 'report'],
  ['CON', 'report-CON'],
  ['Lpt1 ', 'report-Lpt1'],
  ['Consent', 'Consent'],
  ['x'.repeat(300), 'x'.repeat(80)],
])('the file of %j is called %s', (name, expected) => {
  expect(fileNameOf(name)).toBe(expected);
});
