import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSpool } from '../../../../src/server/reports/gather/spool.ts';
import type { TestService } from '../../test-service.ts';
import { startTestService } from '../../test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

interface Line {
  readonly key: number;
  readonly number: number;
  readonly text: string;
}

const blobsNow = async (): Promise<string[]> => {
  const ids: string[] = [];
  for await (const id of service.deps.store.blobs.list()) ids.push(id);
  return ids;
};

async function fill(rows: number, text: string) {
  const spool = createSpool<Line>(service.deps, 'rpt_1');
  for (let number = 0; number < rows; number += 1) {
    const key = (number * 7) % 5;
    spool.add(String(key), { key, number, text });
    if (number % 100 === 0) await spool.drain();
  }
  return spool;
}

async function check(spool: Awaited<ReturnType<typeof fill>>, rows: number) {
  const finished = await spool.finish((a, b) => Number(b) - Number(a));
  expect(finished.count).toBe(rows);
  for (let time = 0; time < 2; time += 1) {
    let last = { key: 4, number: -1 };
    let count = 0;
    for await (const batch of finished.read()) {
      expect(batch.length).toBeLessThanOrEqual(1_000);
      for (const row of batch) {
        if (row.key > last.key || (row.key === last.key && row.number <= last.number)) {
          throw new Error(`${row.number} of ${row.key} comes after ${last.number} of ${last.key}`);
        }
        last = row;
        count += 1;
      }
    }
    expect(count).toBe(rows);
  }
}

describe('rows that are put aside', () => {
  it('are read by key in the order they came, as often as wanted, without a file while they are few', async () => {
    const spool = await fill(1_200, 'x');
    await check(spool, 1_200);
    expect(await blobsNow()).toEqual([]);
    await spool.close();
  });

  it('go into a file that is gone once it is closed', async () => {
    const rows = 12_000;
    const spool = await fill(rows, 'é'.repeat(1_000));
    await check(spool, rows);
    expect(await blobsNow()).toHaveLength(1);
    await spool.close();
    expect(await blobsNow()).toEqual([]);
  });

  it('leave nothing where they are not finished', async () => {
    const spool = await fill(12_000, 'x'.repeat(1_000));
    await spool.close();
    expect(await blobsNow()).toEqual([]);
  });
});
