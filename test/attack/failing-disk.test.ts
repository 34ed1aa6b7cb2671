import { afterEach, expect, it } from 'vitest';
import { costPeriods } from '../../src/server/cost/collection.ts';
import { utilization } from '../../src/server/rightsizing/collection.ts';
import { countRows } from '../../src/server/store/all-rows.ts';
import { StoreUnavailable } from '../../src/server/store/store.ts';
import type { CollectionSpec, Store } from '../../src/server/store/store.ts';
import { importFiles } from '../server/cost-imports/import-files.ts';
import { machine, machineId, putMachines, sendLines } from '../server/rightsizing/machines.ts';
import { startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

let service: TestService;
afterEach(() => service.close());

const file = (cost: number) => ({
  name: 'a.csv',
  bytes: `ProviderName,BillingAccountId,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart\nAWS,1,USD,${cost},2026-02-03,2026-02-01\n`,
});
const spent = async () => {
  const { status, json } = await service.send(
    'GET',
    '/v1/cost/analysis?start=2026-02-01&end=2026-03-01',
  );
  return [status, json.totals];
};

/** Says of the first change that brings a row of a collection that it was not saved, though it was. */
function failingOnce<T extends { id: string }>(store: Store, rows: CollectionSpec<T>): Store {
  let isSeen = false;
  return {
    ...store,
    async transact(...given) {
      const done = await store.transact(...given);
      if (isSeen || (await countRows(store, rows, {})) === 0) return done;
      isSeen = true;
      throw new StoreUnavailable('the change was not saved');
    },
  };
}

it('an import for which the disk has no room ends with this reason, and the charges before stay', async () => {
  let isFull = false;
  const wrapStore = (store: Store): Store => ({
    ...store,
    blobs: {
      ...store.blobs,
      create(id) {
        if (isFull && !id.endsWith('.file')) throw new StoreUnavailable('no space left on device');
        return store.blobs.create(id);
      },
    },
  });
  service = await startTestService({ wrapStore });
  await importFiles(service, [file(1)]);
  const before = await spent();
  isFull = true;
  const { id, status: first } = await importFiles(service, [file(2)]);
  let status = first;
  for (let again = 0; again < 5 && status !== 'failed'; again++) {
    service.advance(60_000);
    service.costImportWork.poke();
    await service.costImportWork.idle();
    ({ status } = (await service.send('GET', `/v1/cost/imports/${id}`)).json as {
      status: typeof status;
    });
  }
  const { json } = await service.send('GET', `/v1/cost/imports/${id}`);
  expect(json).toMatchObject({
    status: 'failed',
    failure: { reason: expect.stringContaining('the disk of the server is full') as string },
  });
  expect(await spent()).toEqual(before);
});

it('utilization stays readable where it is not known whether its upload was saved', async () => {
  service = await startTestService({ wrapStore: (store) => failingOnce(store, utilization) });
  await putMachines(service, machine(machineId, 'm5.xlarge'));
  const point = { resource_id: machineId, metric: 'cpu', at: '2026-02-28T10:00:00Z' };
  const line = JSON.stringify({ ...point, period_seconds: 300, value: 12 });
  expect((await sendLines(service, [line])).status).toBe(503);
  expect((await sendLines(service, [line])).status).toBe(200);
});

it('charges stay readable where it is not known whether their import was saved', async () => {
  service = await startTestService({ wrapStore: (store) => failingOnce(store, costPeriods) });
  expect((await importFiles(service, [file(1)])).status).toBe('completed');
  expect(await spent()).toMatchObject([200, [{ amount: '1' }]]);
});
