import { expect, it } from 'vitest';
import { reportDeliveries } from '../../../src/server/report-delivery/collection.ts';
import { runs } from '../../../src/server/schedules/collection.ts';
import { startSchedules } from './schedule-world.ts';

it('the newest 1,000 runs are kept with their deliveries, and those that are not done', async () => {
  const world = await startSchedules({ withoutReports: true });
  const { store } = world.service.deps;
  const ids = [await world.create(), await world.create({ name: 'Other' })];
  const [id = ''] = ids;
  const at = (minute: number): string => new Date(minute * 60_000).toISOString();
  await store.transact(async (tx) => {
    for (const schedule of ids) {
      for (let n = 0; n < 1_001; n += 1) {
        const run = `run_${schedule}_${String(n).padStart(4, '0')}`;
        const times = { fire_at: at(n), started_at: at(n) };
        const status = n === 1 ? 'pending' : 'completed';
        const fields = { id: run, schedule_id: schedule, cause: 'schedule', status } as const;
        await tx.insert(runs, { ...fields, ...times });
        if (n > 4) continue;
        await tx.insert(reportDeliveries, {
          id: `dlv_${run}`,
          report_id: 'rpt_x',
          schedule_id: schedule,
          run_id: run,
          kind: 'chat',
          channel: { kind: 'chat', channel: '#a' },
          target: '#a',
          // Of a run that failed at once, it may still be told.
          status: n === 2 ? 'pending' : 'delivered',
          attempts: 1,
          created_at: at(n),
        });
      }
    }
  });
  const left = async (schedule: string) => {
    const where = { schedule_id: { any: [schedule] } };
    const oldest = { where, orderBy: 'id', direction: 'asc', limit: 4 } as const;
    const kept = await store.page(runs, { ...oldest, orderBy: 'fire_at' });
    const sent = await store.page(reportDeliveries, oldest);
    const numberOf = ({ doc }: { doc: { id: string } }): number => Number(doc.id.slice(-4));
    return [kept.total, kept.rows.map(numberOf), sent.rows.map(numberOf)];
  };
  expect(await left(id)).toEqual([1_001, [0, 1, 2, 3], [0, 1, 2, 3]]);
  for (let times = 0; times < 3; times += 1) {
    await world.ok('POST', `/v1/reports/schedules/${id}/run`);
  }
  // The first and the fourth went; the two between are under way.
  expect(await left(id)).toEqual([1_002, [1, 2, 4, 5], [1, 2, 4]]);
  expect(await left(ids[1] ?? '')).toEqual([1_001, [0, 1, 2, 3], [0, 1, 2, 3]]);
  await world.close();
});
