import { expect, it } from 'vitest';
import { reportDownloads } from '../../../../src/server/reports/download/collection.ts';
import { create, idOf, startReports } from '../report-world.ts';

it('the access log keeps the newest 10,000 rows of a report, for 400 days', async () => {
  const service = await startReports();
  const { store } = service.deps;
  const ids = [idOf(await create(service)), idOf(await create(service))];
  await service.reportWork.idle();
  const [id = '', other = ''] = ids;
  const start = service.deps.clock.now();
  const add = (report: string, count: number, days: number) =>
    store.transact(async (tx) => {
      for (let n = 0; n < count; n += 1) {
        await tx.insert(reportDownloads, {
          id: `dwn_${report}_${days}_${n}`,
          report_id: report,
          at: new Date(start - days * 24 * 3_600_000 + n).toISOString(),
          format: 'pdf',
          by: 'user_x',
          via: 'token',
        });
      }
    });
  const totalOf = async (report: string) => {
    const got = await service.send('GET', `/v1/reports/${report}/downloads?limit=1`);
    return (got.json.pagination as { total: number }).total;
  };
  await add(id, 10_050, 1);
  await add(other, 600, 399);
  await service.send('GET', `/v1/reports/${id}/download/pdf`);
  expect(await totalOf(id)).toBe(10_051);
  await add(id, 100, 2);
  await service.send('GET', `/v1/reports/${id}/download/pdf`);
  expect([await totalOf(id), await totalOf(other)]).toEqual([10_000, 600]);
  await service.maintain();
  expect(await totalOf(other)).toBe(600);
  service.advance(2 * 24 * 3_600_000);
  await service.maintain();
  expect([await totalOf(id), await totalOf(other)]).toEqual([10_000, 0]);
  await service.close();
});
