import { afterEach, expect, test } from 'vitest';
import { StoreUnavailable } from '../../../src/server/store/store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { until } from '../../support/until.ts';
import type { Got, TestService } from '../test-service.ts';
import { blobIds, create, idOf, read, renderText, startReports } from './report-world.ts';

let service: TestService;
afterEach(() => service.close());

const completed = async (fields?: Readonly<Record<string, unknown>>): Promise<string> => {
  const id = idOf(await create(service, fields));
  await service.reportWork.idle();
  return id;
};

const download = (id: string, format: string): Promise<Got> =>
  service.send('GET', `/v1/reports/${id}/download/${format}`);

const formatsOf = async (id: string): Promise<readonly string[]> =>
  ((await read(service, id)).formats as { format: string }[]).map(({ format }) => format);

const blobOf = async (format: string): Promise<string> => {
  const blob = (await blobIds(service)).find((one) => one.endsWith(`.${format}`));
  if (blob === undefined) throw new Error(`no ${format} was made`);
  return blob;
};

test('a file whose commit may have lasted is kept: what names it can be downloaded', async () => {
  let fails = false;
  const wrapStore = (store: Store): Store => ({
    ...store,
    async transact(work) {
      const done = await store.transact(work);
      if (!fails) return done;
      fails = false;
      throw new StoreUnavailable('EIO: fdatasync');
    },
  });
  service = await startReports({ wrapStore });
  const id = await completed();
  fails = true;
  const refused = await download(id, 'csv');
  expect([refused.status, refused.json.error_description]).toEqual([
    503,
    expect.stringMatching(/Free disk space, then download it again$/),
  ]);
  expect(await formatsOf(id)).toEqual(['pdf', 'csv']);
  const again = await download(id, 'csv');
  expect(again.status).toBe(200);
  expect(again.text).toMatch(/^csv First quarter\n/);
  expect((await service.send('GET', '/v1/local/snapshot')).status).toBe(200);
});

test('a file that is lost is made again, in the place of the one that was named', async () => {
  service = await startReports();
  const id = await completed({ format_options: { formats: ['csv', 'pdf'], security: { sign: true } } }); // prettier-ignore
  const before = (await download(id, 'csv')).text;
  for (const kind of ['csv', 'csv.sig']) {
    await service.deps.store.blobs.remove(await blobOf(kind));
    expect((await download(id, 'csv')).text).toBe(before);
    expect((await download(id, 'csv/signature')).status).toBe(200);
  }
  expect(await formatsOf(id)).toEqual(['csv', 'pdf']);
  expect((await service.send('GET', '/v1/local/snapshot')).status).toBe(200);
  await service.send('DELETE', `/v1/reports/${id}`);
  expect(await blobIds(service)).toEqual([]);
});

test('a report that is deleted while a further format of it is made is not found, and leaves nothing', async () => {
  let held = 0;
  service = await startReports({
    reports: {
      async render(job) {
        if (job.options.format === 'pdf') return renderText(job);
        await job.write(Buffer.from('half a file'));
        held += 1;
        return new Promise((_resolve, reject) => {
          job.signal.addEventListener('abort', () => reject(job.signal.reason as Error));
        });
      },
    },
  });
  const id = await completed();
  const waiting = download(id, 'csv');
  await until(() => held === 1);
  expect((await service.send('DELETE', `/v1/reports/${id}`)).status).toBe(204);
  expect(await waiting).toMatchObject({ status: 404, json: { error: 'report_not_found' } });
  expect(await blobIds(service)).toEqual([]);
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
