import { afterEach, expect, test } from 'vitest';
import { events } from '../../../src/server/events/collection.ts';
import { sampleData } from '../../../src/server/events/samples.ts';
import { RenderCrash, RenderFault } from '../../../src/report/formats/render-fault.ts';
import { scans } from '../../../src/server/scans/collection.ts';
import { allRows } from '../../../src/server/store/all-rows.ts';
import { StoreUnavailable } from '../../../src/server/store/store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { until } from '../../support/until.ts';
import type { TestService } from '../test-service.ts';
import {
  blobIds,
  composeTiny,
  create,
  idOf,
  read,
  renderText,
  startReports,
} from './report-world.ts';

let service: TestService;
afterEach(() => service.close());

const minute = 60_000;
const at = (ms: number): string =>
  new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms).toISOString();

/** Data of the events of a type. */
async function told(type: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { doc } of allRows(service.deps.store, events, {})) {
    if (doc.type === type) found.push(JSON.parse(doc.data));
  }
  return found;
}

/** Holds what comes by until it is let go. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let held = 0;
  return {
    open,
    /** Those that have come. */
    held: () => held,
    async pass(signal: AbortSignal): Promise<void> {
      held += 1;
      const aborted = new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      await Promise.race([opened, aborted]);
      signal.throwIfAborted();
    },
  };
}

test('those that were asked for first come first, but for those that are for later', async () => {
  const order: string[] = [];
  const passage = gate();
  service = await startReports({
    reports: {
      async compose(deps, evaluation, asked, options) {
        order.push(asked.name);
        await passage.pass(options.signal);
        return composeTiny(deps, evaluation, asked, options);
      },
    },
  });
  await create(service, { name: 'later', delivery: { scheduled_at: at(5 * minute) } });
  const made: Record<string, unknown>[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) made.push((await create(service, { name })).json);
  await until(() => order.length > 0);
  const { reports } = (await service.send('GET', '/v1/reports?status=pending&sort_by=name')).json;
  const last = await read(service, String(made.at(-1)?.id));
  // One or two are begun, the one for later is behind.
  expect(last.queue_position).toBe((reports as unknown[]).length - 1);
  expect(Date.parse(String(last.estimated_completion))).toBeGreaterThan(Date.parse(at(3_000)));
  passage.open();
  await service.reportWork.idle();
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('one that is immediate comes before the others that wait, and of two the first', async () => {
  const order: string[] = [];
  const passage = gate();
  service = await startReports({
    reports: {
      async compose(deps, evaluation, asked, options) {
        order.push(asked.name);
        await passage.pass(options.signal);
        return composeTiny(deps, evaluation, asked, options);
      },
    },
  });
  for (const name of ['a', 'b', 'c', 'd']) {
    await create(service, { name, delivery: { immediate: false } });
  }
  await until(() => order.length > 0);
  const begun = [...order];
  const now = [];
  for (const name of ['x', 'y']) {
    now.push((await create(service, { name, delivery: { immediate: true } })).json);
  }
  expect(now.map(({ queue_position: position }) => position)).toEqual([1, 2]);
  passage.open();
  await service.reportWork.idle();
  const left = ['a', 'b', 'c', 'd'].slice(begun.length);
  expect(order).toEqual([...begun, 'x', 'y', ...left]);
});

test('one that is for later begins at its time, and tells of then', async () => {
  service = await startReports();
  const got = await create(service, {
    delivery: { immediate: false, scheduled_at: at(5 * minute) },
  });
  expect(got.json).toMatchObject({
    status: 'pending',
    queue_position: 1,
    estimated_completion: at(5 * minute + 3_000),
    scheduled_at: at(5 * minute),
  });
  await service.reportWork.idle();
  expect(await read(service, idOf(got))).toMatchObject({ status: 'pending' });
  service.advance(5 * minute - 1);
  await service.reportWork.idle();
  expect(await read(service, idOf(got))).toMatchObject({ status: 'pending' });
  await service.send('POST', '/v1/local/clock/advance', { body: { by: '1s' } });
  await service.reportWork.idle();
  expect(await read(service, idOf(got))).toMatchObject({
    status: 'completed',
    generated_at: expect.stringMatching(/^2026-03-01T12:05:0/),
  });
});

test('one that is completed is told of once, as lists show it; an audit, when it begins, too', async () => {
  service = await startReports();
  const id = idOf(await create(service, { type: 'audit', framework: 'soc2' }));
  await service.reportWork.idle();
  const { reports } = (await service.send('GET', '/v1/reports')).json as { reports: unknown[] };
  expect(await told('compliance.report.generated')).toEqual([{ report: reports[0] }]);
  expect(await told('compliance.audit.started')).toEqual([
    { audit: expect.objectContaining({ id, type: 'audit', status: 'generating' }) },
  ]);
  const fieldsOf = (data: unknown, key: string): string[] =>
    Object.keys((data as Record<string, Record<string, unknown>>)[key] ?? {}).sort();
  for (const [type, key] of [
    ['compliance.report.generated', 'report'],
    ['compliance.audit.started', 'audit'],
  ] as const) {
    // As it is shown to those who write receivers.
    expect(fieldsOf((await told(type))[0], key)).toEqual(fieldsOf(sampleData(type), key));
  }
  await create(service);
  await service.reportWork.idle();
  expect(await told('compliance.report.generated')).toHaveLength(2);
  expect(await told('compliance.audit.started')).toHaveLength(1);
});

test('whoever waits for its end is told in the transaction that ends it', async () => {
  const ended: string[] = [];
  service = await startReports({
    reports: {
      render: (job) =>
        job.options.format === 'csv'
          ? Promise.reject(new RenderFault('No csv yet'))
          : renderText(job),
      async ended(tx, report) {
        ended.push(`${report.status} ${report.failure?.reason ?? ''}`.trim());
        const stored = (await tx.page(scans, { orderBy: 'id', direction: 'asc', limit: 1 })).total;
        expect(stored).toBe(0);
      },
    },
  });
  await create(service);
  await create(service, { format_options: { formats: ['pdf', 'csv'] } });
  await service.reportWork.idle();
  expect(ended.sort()).toEqual(['completed', 'failed No csv yet']);
});

test('one that fails says why, keeps no file, and is not tried again', async () => {
  let tries = 0;
  service = await startReports({
    reports: {
      render(job) {
        tries += 1;
        return tries === 2 ? Promise.reject(new TypeError('at /srv/app.js:1')) : renderText(job);
      },
    },
  });
  const id = idOf(await create(service, { format_options: { formats: ['pdf', 'csv'] } }));
  await service.reportWork.idle();
  const detail = await read(service, id);
  expect(detail).toMatchObject({
    status: 'failed',
    failure: { reason: expect.stringContaining(`see the service log for ${id}`) },
  });
  expect(JSON.stringify(detail)).not.toContain('/srv');
  expect(await blobIds(service)).toEqual([]);
  expect(tries).toBe(2);
  expect(service.logged.some(({ fields }) => fields.report_id === id)).toBe(true);
  expect(await told('compliance.report.generated')).toEqual([]);
});

test('what crashes the renderer is tried again three times, at growing intervals', async () => {
  let tries = 0;
  service = await startReports({
    reports: {
      render() {
        tries += 1;
        return Promise.reject(new RenderCrash('out of memory'));
      },
    },
  });
  const id = idOf(await create(service));
  await service.reportWork.idle();
  expect(await read(service, id)).toMatchObject({ status: 'pending', queue_position: 1 });
  for (const [pause, expected] of [
    [2_000, 2],
    [10_000, 3],
    [60_000, 4],
  ] as const) {
    service.advance(pause - 1);
    await service.reportWork.idle();
    expect(tries).toBe(expected - 1);
    service.advance(1);
    await service.reportWork.idle();
    expect(tries).toBe(expected);
  }
  expect(await read(service, id)).toMatchObject({
    status: 'failed',
    failure: { reason: expect.stringContaining('ended unexpectedly') },
  });
  service.advance(60 * minute);
  await service.reportWork.idle();
  expect(tries).toBe(4);
  expect(await blobIds(service)).toEqual([]);
});

/** A disk that takes no more blobs while it is full. */
const fullDisk =
  (isFull: () => boolean) =>
  (store: Store): Store => ({
    ...store,
    blobs: {
      ...store.blobs,
      async create(id) {
        const writer = await store.blobs.create(id);
        return {
          ...writer,
          async write(chunk) {
            if (isFull()) throw new StoreUnavailable(`ENOSPC: /srv/data/blobs/${id}`);
            await writer.write(chunk);
          },
        };
      },
    },
  });

test('a full disk is tried again, and what was waited for is made once there is room', async () => {
  let full = true;
  service = await startReports({ wrapStore: fullDisk(() => full) });
  const id = idOf(await create(service));
  await service.reportWork.idle();
  expect(await read(service, id)).toMatchObject({ status: 'pending' });
  full = false;
  service.advance(minute);
  await service.reportWork.idle();
  expect(await read(service, id)).toMatchObject({ status: 'completed' });
});

test('a disk that stays full fails it, in words for an operator, and leaves nothing', async () => {
  service = await startReports({ wrapStore: fullDisk(() => true) });
  const id = idOf(await create(service));
  for (let times = 0; times < 4; times += 1) {
    await service.reportWork.idle();
    service.advance(minute);
  }
  const { failure, status } = await read(service, id);
  expect(status).toBe('failed');
  expect(failure).toEqual({ reason: expect.stringMatching(/disk .* is full/) });
  expect(JSON.stringify(failure)).not.toContain('/srv');
  expect(await blobIds(service)).toEqual([]);
});

test('progress is shown while it is made', async () => {
  const passage = gate();
  service = await startReports({
    reports: {
      async compose(deps, evaluation, order, options) {
        service.advance(1_500);
        options.onProgress(0.5);
        await passage.pass(options.signal);
        return composeTiny(deps, evaluation, order, options);
      },
    },
  });
  const id = idOf(await create(service));
  let shown: Record<string, unknown> = {};
  await until(() => {
    void read(service, id).then((detail) => (shown = detail));
    return (shown.progress ?? 0) !== 0;
  });
  expect(shown).toMatchObject({ status: 'generating', progress: 17, estimated_duration: '3s' });
  passage.open();
  await service.reportWork.idle();
  expect(await read(service, id)).not.toHaveProperty('progress');
});

test('its title page is given the names of who it is for and of who asked for it', async () => {
  let asked: object = {};
  service = await startReports({
    reports: {
      compose(deps, evaluation, order, options) {
        asked = order;
        return composeTiny(deps, evaluation, order, options);
      },
    },
  });
  const prepared_for = 'The audit committee';
  const id = idOf(await create(service, { format_options: { prepared_for } }));
  await service.reportWork.idle();
  expect(asked).toMatchObject({ prepared_for, prepared_by: 'bootstrap' });
  expect(await read(service, id)).toMatchObject({ format_options: { prepared_for } });
});

test('one that is deleted meanwhile stops, and leaves nothing', async () => {
  const passage = gate();
  let stoppedBy: unknown;
  service = await startReports({
    reports: {
      async render(job) {
        await job.write(Buffer.from('half a file'));
        await passage.pass(job.signal).catch((error: unknown) => {
          stoppedBy = error;
          throw error;
        });
        return {};
      },
    },
  });
  const id = idOf(await create(service));
  await until(() => passage.held() === 1);
  expect((await service.send('DELETE', `/v1/reports/${id}`)).status).toBe(204);
  await service.reportWork.idle();
  expect(stoppedBy).toEqual(new Error('the report was deleted'));
  expect(await blobIds(service)).toEqual([]);
  expect(await told('compliance.report.generated')).toEqual([]);
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a stop of the service puts it back without counting, and leaves nothing', async () => {
  const passage = gate();
  service = await startReports({
    reports: {
      async render(job) {
        await job.write(Buffer.from('half a file'));
        await passage.pass(job.signal);
        return {};
      },
    },
  });
  const id = idOf(await create(service));
  await until(() => passage.held() === 1);
  await service.reportWork.stop(0);
  expect(await read(service, id)).toMatchObject({ status: 'pending', queue_position: 1 });
  expect(await blobIds(service)).toEqual([]);
});

test('the pages of a report are those of its PDF, also where none was asked for', async () => {
  service = await startReports();
  const id = idOf(await create(service, { format_options: { formats: ['csv'] } }));
  await service.reportWork.idle();
  const { content, formats } = await read(service, id);
  expect(content).toEqual({
    pages: 3,
    sections: [
      { name: 'Summary', pages: 1 },
      { name: 'Findings', pages: 2 },
    ],
  });
  expect(formats).toMatchObject([{ format: 'csv' }]);
  expect((await blobIds(service)).filter((blob) => blob.endsWith('.pdf'))).toEqual([]);
});

const asker = { owner: 'somebody', signal: new AbortController().signal };

test('a further format is rendered once, from the same data, for all who ask for it', async () => {
  const rendered: string[] = [];
  service = await startReports({
    reports: {
      render(job) {
        rendered.push(job.options.format);
        return renderText(job);
      },
    },
  });
  const id = idOf(await create(service, { format_options: { formats: ['csv'] } }));
  await service.reportWork.idle();
  const files = await Promise.all(
    [1, 2, 3].map(() => service.reportWork.ensureFile(id, 'pdf', asker)),
  );
  expect(new Set(files.map(({ blob }) => blob)).size).toBe(1);
  expect(await service.reportWork.ensureFile(id, 'pdf', asker)).toEqual(files[0]);
  // The first time for its pages only.
  expect(rendered).toEqual(['csv', 'pdf', 'pdf']);
  expect(await read(service, id)).toMatchObject({
    content: { pages: 3, sections: [{ pages: 1 }, { pages: 2 }] },
    formats: [{ format: 'csv' }, { format: 'pdf', sha256: files[0]?.sha256 }],
  });
  await service.send('DELETE', `/v1/reports/${id}`);
  expect(await blobIds(service)).toEqual([]);
  await expect(service.reportWork.ensureFile(id, 'pdf', asker)).rejects.toMatchObject({
    error: 'report_not_found',
  });
});

test('a further format that cannot be made says so, leaves nothing, and may be asked for again', async () => {
  let fails = true;
  service = await startReports({
    reports: {
      render: (job) =>
        job.options.format === 'excel' && fails
          ? Promise.reject(new RenderFault('No excel yet'))
          : renderText(job),
    },
  });
  const id = idOf(await create(service));
  await expect(service.reportWork.ensureFile(id, 'excel', asker)).rejects.toMatchObject({
    error: 'report_not_ready',
  });
  await service.reportWork.idle();
  const before = await blobIds(service);
  await expect(service.reportWork.ensureFile(id, 'excel', asker)).rejects.toThrow('No excel yet');
  expect(await blobIds(service)).toEqual(before);
  fails = false;
  expect((await service.reportWork.ensureFile(id, 'excel', asker)).filename).toBe(
    'First-quarter.xlsx',
  );
});

test('one that waits is answered anew though its ETag is known, as its place in the queue changes', async () => {
  service = await startReports();
  const later = (days: number) => ({
    delivery: { immediate: false, scheduled_at: at(days * 24 * 60 * minute) },
  });
  const id = idOf(await create(service, later(2)));
  const got = await service.send('GET', `/v1/reports/${id}`);
  await create(service, later(1));
  const headers = { 'if-none-match': String(got.headers.get('etag')) };
  const again = await service.send('GET', `/v1/reports/${id}`, { headers });
  expect([again.status, got.json.queue_position, again.json.queue_position]).toEqual([200, 1, 2]);
  const ended = idOf(await create(service));
  await service.reportWork.idle();
  const tag = String((await service.send('GET', `/v1/reports/${ended}`)).headers.get('etag'));
  const known = await service.send('GET', `/v1/reports/${ended}`, { headers: { 'if-none-match': tag } }); // prettier-ignore
  expect(known.status).toBe(304);
});

test('whom it is to tell is shown in it', async () => {
  service = await startReports();
  const email = ['ann@one.example'];
  const id = idOf(await create(service, { delivery: { notifications: { email } } }));
  expect(await read(service, id)).toMatchObject({ notifications: { email, deliveries: [] } });
});

test('one that fails is counted once, though its transaction is run again', async () => {
  // As a store does whose transactions collide.
  const wrapStore = (store: Store): Store => ({
    ...store,
    async transact(work) {
      const collided = store.transact(async (tx) => {
        await work(tx);
        throw new Error('collided');
      });
      await collided.catch(() => undefined);
      return store.transact(work);
    },
  });
  const render = () => Promise.reject(new RenderFault('Not today'));
  service = await startReports({ wrapStore, reports: { render } });
  const id = idOf(await create(service));
  await service.reportWork.idle();
  expect(await read(service, id)).toMatchObject({ status: 'failed' });
  expect(service.reportWork.counts).toMatchObject({ failed: 1, completed: 0 });
});
