import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PredictiveAlert } from '../../../src/contract/predictions.ts';
import { inventoryOf } from '../inventory-service.ts';
import { startTestService } from '../test-service.ts';

const hour = 3_600_000;
const start = Date.parse('2026-03-01T12:00:00Z');
const days = 4;

const moment = fc
  .integer({ min: -days * 24 * 2, max: days * 24 * 2 })
  .map((halves) => new Date(start + (halves * hour) / 2 + 1_000).toISOString());
const resource = fc.record({ a: moment, b: moment });
/** Some hold for a while only, some by the clock, some only together with another attribute. */
const condition = fc.constantFrom(
  'now > timestamp(resource.a)',
  'timestamp(resource.a) < now && now < timestamp(resource.b)',
  'now - timestamp(resource.a) > duration("30h") || now - timestamp(resource.b) > duration("50h")',
  'timestamp(resource.a) - now < duration("20h") && timestamp(resource.a) > now',
  'resource.a < resource.b && now >= timestamp(resource.b)',
  'now.getDayOfWeek() == 3 && now > timestamp(resource.b)',
  'now.getHours() >= 9 && now.getHours() < 17 && now > timestamp(resource.a)',
);

it('every violation that time brings was announced for its hour, and every one that is announced comes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(condition, { minLength: 1, maxLength: 2 }),
      fc.array(resource, { minLength: 1, maxLength: 3 }),
      async (conditions, resources) => {
        const service = await startTestService();
        try {
          const inventory = inventoryOf(service);
          for (const [at, text] of conditions.entries()) {
            await inventory.createPolicy(`p${at}`, {
              rules: [{ condition: text, effect: 'DENY' }],
            });
          }
          for (const [at, fields] of resources.entries()) await inventory.put(`r${at}`, fields);
          await service.evaluator.run();
          const announced = new Map<string, number>();
          const open = new Set<string>();
          for (let passed = 0; passed <= days * 24; passed += 1) {
            const before = new Set(open);
            open.clear();
            for (const one of await inventory.violations('status=OPEN&limit=100')) {
              open.add(`${one.policy_id} ${one.resource_id}`);
            }
            const now = start + passed * hour;
            for (const pair of passed === 0 ? [] : open) {
              // Announced for a moment since the last evaluation.
              if (!before.has(pair)) expect(now - (announced.get(pair) ?? 0)).toBeLessThanOrEqual(hour); // prettier-ignore
            }
            for (const [pair, at] of announced) {
              if (at > now - hour && at <= now && !open.has(pair)) {
                // It was over again before anybody looked.
                expect(conditions.some((text) => text.includes('&&'))).toBe(true);
              }
            }
            announced.clear();
            const { json } = await inventory.ok('GET', '/v1/violations/predictive?limit=100');
            for (const alert of json.predictive_alerts as PredictiveAlert[]) {
              announced.set(`${alert.policy_id} ${alert.resource_id}`, Date.parse(alert.at));
            }
            for (const at of announced.values()) expect(at).toBeGreaterThan(now);
            service.advance(hour);
            await service.evaluator.run();
          }
        } finally {
          await service.close();
        }
      },
    ),
    { numRuns: 15 },
  );
});
