import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scans } from '../../src/server/scans/collection.ts';
import { scanSamples } from '../../src/server/scans/samples.ts';
import { countRows } from '../../src/server/store/all-rows.ts';
import type { CollectionSpec, Document } from '../../src/server/store/store.ts';
import { violations } from '../../src/server/violations/collection.ts';
import { startTestService } from './test-service.ts';
import type { TestService } from './test-service.ts';

const many = 100_000;
/** Rows that go in one turn of the event loop, at most. */
const mostPerTurn = 500;

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const at = '2026-03-01T12:00:00.000Z';

async function insert<T extends Document>(
  spec: CollectionSpec<T>,
  count: number,
  make: (n: number) => object,
): Promise<void> {
  for (let from = 0; from < count; from += 5_000) {
    await service.deps.store.transact(async (tx) => {
      for (let n = from; n < Math.min(count, from + 5_000); n += 1)
        await tx.insert(spec, make(n) as T);
    });
  }
}

const violation = (n: number) => ({
  ...{
    id: `vio_${n}`,
    policy_id: 'pol_1',
    policy_name: 'p',
    message: 'm',
    severity: 'HIGH',
    rules: [],
  },
  ...{ resource_id: `r${n}`, resource_type: 'AWS::S3::Bucket', provider: 'aws', tags: {} },
  ...{ status: 'RESOLVED', detected_at: at, resolved_at: at, updated_at: at },
  ...{ compliance_frameworks: [], history: [] },
});

/** Upkeep is done meanwhile. @returns the most rows that went in a turn, and the answers to health checks */
async function watch(spec: CollectionSpec<never>) {
  const left = () => countRows(service.deps.store, spec as CollectionSpec<Document>);
  let isOver = false;
  const upkeep = service.maintain().finally(() => (isOver = true));
  let most = 0;
  const answers = new Set<number>();
  for (let before = await left(); !isOver;) {
    await turnOfLoop();
    const now = await left();
    if (now < before) answers.add((await service.send('GET', '/healthz')).status);
    most = Math.max(most, before - now);
    before = now;
  }
  await upkeep;
  return { most, answers: [...answers], left: await left() };
}

it('so many rows that are due at once go a few hundred in a turn, and requests are answered in between', async () => {
  await insert(violations, many, violation);
  service.advance(500 * 86_400_000);
  const { most, answers, left } = await watch(violations as never);
  expect([answers, left]).toEqual([[200], 0]);
  expect(most).toBeLessThanOrEqual(mostPerTurn);
});

it('so many parts of one row, and of many, go as few in a turn', async () => {
  const scan = (n: number) => ({
    ...{ id: `scan_${n}`, status: 'completed', created_at: at, completed_at: at, created_by: 'u' },
    ...{ progress: 100, resources_scanned: 1, violations_found: 0, resource_types: ['x'] },
  });
  await insert(scans, 1_001, scan);
  // Half of them are those of one scan.
  await insert(scanSamples, many, (n) => ({
    ...{ id: `smp_${n}`, scan_id: `scan_${n % 2 === 0 ? 0 : n % 1_001}`, policy_id: 'pol_1' },
    ...{ resource_id: `r${n}`, resource_type: 'x', values: [], rank: n, at },
  }));
  service.advance(500 * 86_400_000);
  const { most, answers, left } = await watch(scanSamples as never);
  expect([answers, left, await countRows(service.deps.store, scans)]).toEqual([[200], 0, 0]);
  expect(most).toBeLessThanOrEqual(mostPerTurn);
});
