import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PredictionMethod, PredictiveAlert } from '../../src/contract/predictions.ts';
import { exemptions } from '../../src/server/exemptions/collection.ts';
import { collectAlerts } from '../../src/server/prediction/alerts.ts';
import type { Reader } from '../../src/server/store/store.ts';
import { inventoryOf } from '../server/inventory-service.ts';
import type { TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

const day = 86_400_000;
const resources = 50;

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

/** Resources that fail a policy in ten days, and exemptions of it that end day by day. */
async function fill(count: number, glob: string): Promise<void> {
  await inventory.createPolicy('p', {
    rules: [{ condition: 'timestamp(resource.ends) < now', effect: 'DENY' }],
  });
  const ends = '2026-03-11T12:00:00Z';
  const all = Array.from({ length: resources }, (_, n) => ({
    id: `r${n}`,
    type: 'AWS::S3::Bucket',
    ends,
  }));
  await inventory.ok('POST', '/v1/resources', { body: { resources: all } });
  await service.evaluator.run();
  for (let n = 0; n < count; n += 1) {
    const expires = new Date(service.deps.clock.now() + n * day).toISOString().slice(0, 10);
    await inventory.exempt({ resources: [glob], expires });
  }
}

/** A store that counts how often somebody asks until when an exemption counts. */
function counting(reader: Reader): { readonly reader: Reader; asked(): number } {
  let asked = 0;
  const counted: Reader = {
    ...reader,
    async page(collection, query) {
      const page = await reader.page(collection, query);
      if (collection.name !== exemptions.name) return page;
      const rows = page.rows.map((row) => {
        const { expires } = row.doc as { expires?: unknown };
        const get = (): unknown => ((asked += 1), expires);
        return { ...row, doc: Object.defineProperty({ ...row.doc }, 'expires', { get }) };
      });
      return { ...page, rows };
    },
  };
  return { reader: counted, asked: () => asked };
}

const methods = new Set<PredictionMethod>(['date_certain', 'exemption_expiry']);

it('exemptions that end one after the other are compared with a coming violation once, not once for each end', async () => {
  const count = 100;
  await fill(count, 'r*');
  const { reader, asked } = counting(service.deps.store);
  const now = service.deps.clock.now();
  const { signal } = new AbortController();
  expect(
    await collectAlerts({ reader, now, signal, methods }, { until: now + 30 * day }, 100),
  ).toEqual([]);
  // With the exemptions multiplied by their ends there are 50 times more.
  expect(asked()).toBeLessThan(count * resources);
});

it('many exemptions with short globs are compared in turns', async () => {
  await fill(300, 'x*');
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const { json } = await inventory.ok('GET', '/v1/violations/predictive?limit=100');
  isOver = true;
  expect(json.predictive_alerts as PredictiveAlert[]).toHaveLength(resources);
  // 15,000 comparisons.
  expect(turns).toBeGreaterThan(3);
});

it('the predictions that one caller asks for are made one at a time, so that others are answered in between', async () => {
  await fill(300, 'x*');
  const other = await service.keyWith('governance:read');
  const answered: string[] = [];
  const ask = async (key: string, name: string): Promise<void> => {
    await inventory.ok('GET', '/v1/violations/predictive', { key });
    answered.push(name);
  };
  const asked = Array.from({ length: 10 }, () => ask(service.key, 'many'));
  await Promise.all([...asked, ask(other, 'other')]);
  expect(answered.indexOf('other')).toBeLessThan(3);
});

it('predictions that nobody waits for are not made', async () => {
  await fill(1, 'x*');
  const { reader, asked } = counting(service.deps.store);
  const now = service.deps.clock.now();
  const signal = AbortSignal.abort(new Error('left'));
  const alerts = collectAlerts({ reader, now, signal, methods }, { until: now + 30 * day }, 100);
  await expect(alerts).rejects.toThrow('left');
  expect(asked()).toBeLessThan(10);
});

it('no more than 10,000 exemptions are active, whether new or brought back by a later day', async () => {
  await inventory.createPolicy('p');
  const id = await inventory.exempt({ resources: ['r*'], expires: '2026-03-01' });
  service.advance(day);
  await service.evaluator.run();
  await service.deps.store.transact(async (tx) => {
    const expired = await tx.get(exemptions, id);
    if (expired?.doc.status !== 'expired') throw new Error('it has not expired');
    for (let n = 0; n < 9_999; n += 1) {
      const doc = { ...expired.doc, id: `exm_${n}`, policy: 'q', status: 'active' as const };
      await tx.insert(exemptions, doc);
    }
  });
  const asked = { policy: 'p', resources: ['r*'], reason: 'r', owner: 'o', expires: '2026-12-31' };
  const create = () => service.send('POST', '/v1/exemptions', { body: asked });
  const bringBack = () =>
    service.send('PUT', `/v1/exemptions/${id}`, { body: { expires: '2026-12-31' } });
  expect((await create()).status).toBe(201);
  for (const refused of [await create(), await bringBack()]) {
    expect([refused.status, refused.json.error]).toEqual([400, 'invalid_exemption']);
    expect(refused.json.error_description).toMatch(/has 10,000 active exemptions/);
  }
  await inventory.ok('DELETE', '/v1/exemptions/exm_0');
  expect((await bringBack()).status).toBe(200);
  expect((await create()).status).toBe(400);
});
