import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScoreDay } from '../../../src/contract/governance.ts';
import { scoreDays } from '../../../src/server/posture/collection.ts';
import { countRows } from '../../../src/server/store/all-rows.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

const hour = 3_600_000;

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const history = async (query = ''): Promise<ScoreDay[]> =>
  (await inventory.ok('GET', `/v1/governance/score-history${query}`)).json
    .score_history as ScoreDay[];
/** Time goes on, and upkeep is done. */
async function pass(ms: number): Promise<void> {
  service.advance(ms);
  await service.maintain();
}

describe('the scores of the last days', () => {
  it('have none of a day on which nothing was evaluated', async () => {
    await service.maintain();
    expect(await history()).toEqual([]);
  });

  it('are the last ones of their days, to the hour, the first first', async () => {
    await inventory.createPolicy('p');
    await service.evaluator.run();
    await inventory.put('a', { public: false });
    await service.maintain();
    expect(await history()).toEqual([
      { day: '2026-03-01', at: '2026-03-01T12:00:00.000Z', compliance_score: 100, evaluated: 1 },
    ]);
    await inventory.put('b', { public: true });
    await pass(hour - 1);
    expect(await history()).toMatchObject([{ compliance_score: 100 }]);
    await pass(1);
    expect(await history()).toMatchObject([{ compliance_score: 50, evaluated: 2 }]);
    await pass(24 * hour);
    await inventory.put('a', { public: true });
    await pass(48 * hour);
    expect(await history()).toMatchObject([
      { day: '2026-03-01', compliance_score: 50 },
      { day: '2026-03-02', compliance_score: 50 },
      { day: '2026-03-04', compliance_score: 0 },
    ]);
    expect(await history('?days=3')).toMatchObject([{ day: '2026-03-02' }, { day: '2026-03-04' }]);
    expect(await history('?days=1')).toMatchObject([{ day: '2026-03-04' }]);
  });

  it('write nothing where nothing has changed, and go after 400 days', async () => {
    await inventory.createPolicy('p');
    await service.evaluator.run();
    await inventory.put('a', { public: false });
    await service.maintain();
    const before = await history();
    await pass(3 * hour);
    expect(await history()).toEqual(before);
    for (let at = 0; at < 3; at += 1) await pass(24 * hour);
    expect(await history()).toHaveLength(4);
    await pass(398 * 24 * hour);
    expect(await countRows(service.deps.store, scoreDays)).toBe(4);
    expect(await history('?days=400')).toHaveLength(3);
  });

  it.each(['days=0', 'days=401', 'days=x', 'from=2026-01-01'])(
    'are refused for %s',
    async (query) => {
      const { status, json } = await service.send('GET', `/v1/governance/score-history?${query}`);
      expect([status, json.error]).toEqual([400, 'malformed_request']);
    },
  );
});
