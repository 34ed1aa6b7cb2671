import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reports } from '../../../src/server/reports/collection.ts';
import { bytesInUse } from '../../support/bytes-in-use.ts';
import { until } from '../../support/until.ts';
import { idsOf, writeBlob } from '../store/blob-contract.ts';
import { blobIds, create, idOf, read, startReports } from '../reports/report-world.ts';
import type { Got, TestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startReports();
});
afterEach(() => service.close());

const completed = async (fields?: Readonly<Record<string, unknown>>): Promise<string> => {
  const id = idOf(await create(service, fields));
  await service.reportWork.idle();
  return id;
};

const snapshot = async (): Promise<string> =>
  (await service.send('GET', '/v1/local/snapshot')).text;

const restore = (text: string, query = '', to = service): Promise<Got> =>
  to.send('POST', `/v1/local/restore${query}`, {
    text,
    headers: { 'content-type': 'application/x-ndjson' },
  });

const download = (id: string, format = 'pdf', of = service): Promise<Got> =>
  of.send('GET', `/v1/reports/${id}/download/${format}`);

/** A snapshot with other lines, under a checksum that fits. */
function edited(text: string, change: (lines: string[]) => string[]): string {
  const lines = change(text.split('\n').slice(0, -2));
  const body = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ end: true, lines: lines.length, sha256 })}\n`;
}

/** Gives the file of a report other bytes: many, so that they take several lines. */
async function enlarge(id: string, bytes: Buffer): Promise<void> {
  const { store } = service.deps;
  const doc = (await store.get(reports, id))?.doc;
  const [file] = doc?.result?.files ?? [];
  if (!doc?.result || !file) throw new Error('it was just made');
  const blob = `${id}.job_large.pdf`;
  const files = [{ ...file, ...(await writeBlob(store.blobs, blob, [bytes])), blob }];
  await store.transact((tx) => tx.replace(reports, { ...doc, result: { ...doc.result!, files } }));
  await store.blobs.remove(file.blob);
}

describe('a snapshot of a server with reports', () => {
  test('brings back their files, their links and their access log, into the same server', async () => {
    const id = await completed();
    const large = Buffer.alloc(1_000_000, 'bytes of a PDF ');
    await enlarge(id, large);
    const link = await service.send('POST', `/v1/reports/${id}/download-link`, {
      body: { format: 'pdf' },
    });
    await download(id);
    const before = await read(service, id);
    const text = await snapshot();
    const blobs = await blobIds(service);
    await service.send('DELETE', `/v1/reports/${id}`);
    const other = await completed();
    expect((await restore(text)).json).toMatchObject({
      restored: { reports: 1, report_links: 1, report_downloads: 1 },
      new_secrets: 0,
    });
    expect(await read(service, id)).toEqual(before);
    expect(await blobIds(service)).toEqual(blobs);
    expect((await download(id)).text).toBe(large.toString());
    const { pathname, search } = new URL(String(link.json.url));
    expect((await service.send('GET', pathname + search, { key: null })).status).toBe(200);
    // What is rendered on demand is made of the model that was restored.
    expect((await download(id, 'csv')).text).toContain('csv First quarter');
    expect((await download(other)).status).toBe(404);
  });

  test('keeps files that are there already', async () => {
    const id = await completed();
    const text = await snapshot();
    const blobs = await blobIds(service);
    expect((await restore(text)).status).toBe(200);
    expect(await blobIds(service)).toEqual(blobs);
    expect((await download(id)).status).toBe(200);
  });

  test('brings reports into another server, where their links lead nowhere', async () => {
    const id = await completed();
    const link = await service.send('POST', `/v1/reports/${id}/download-link`, {
      body: { format: 'pdf' },
    });
    const text = await snapshot();
    const other = await startReports();
    expect((await restore(text, '', other)).status).toBe(200);
    expect((await download(id, 'pdf', other)).text).toBe((await download(id)).text);
    const { pathname, search } = new URL(String(link.json.url));
    expect((await other.send('GET', pathname + search, { key: null })).status).toBe(404);
    await other.close();
  });

  test('goes on with reports that waited', async () => {
    const due = { delivery: { scheduled_at: '2026-03-02T00:00:00Z' } };
    const id = idOf(await create(service, due));
    const text = await snapshot();
    await service.send('POST', '/v1/local/reset');
    await restore(text);
    expect(await read(service, id)).toMatchObject({ status: 'pending' });
    await service.send('POST', '/v1/local/clock/advance', { body: { by: '1d' } });
    expect(await read(service, id)).toMatchObject({ status: 'completed' });
  });

  test('with a password asks for the key it was sealed with, or for it to be given up', async () => {
    const password = 'correct horse';
    const id = await completed({ format_options: { security: { password } } });
    const text = await snapshot();
    expect(text).not.toContain(password);
    const other = await startReports();
    const refused = await restore(text, '', other);
    expect([refused.status, refused.json.error_description]).toEqual([
      400,
      expect.stringContaining('encrypted with the key of another server'),
    ]);
    expect((await restore(text, '?secrets=new', other)).json).toMatchObject({ new_secrets: 0 });
    const headers = { 'x-service-report-password': password };
    const asked = (format: string): Promise<Got> =>
      other.send('GET', `/v1/reports/${id}/download/${format}`, { headers });
    expect((await asked('pdf')).status).toBe(200);
    expect((await download(id, 'pdf', other)).status).toBe(403);
    // Never without the protection that was asked for.
    const further = await asked('csv');
    expect([further.status, further.json.error_description]).toEqual([
      503,
      expect.stringContaining('password'),
    ]);
    await other.close();
  });

  const blobLine = /^\{"blob":/;
  test.each<[string, (lines: string[]) => string[], string]>([
    ['a file less', (lines) => lines.filter((line) => !blobLine.test(line)), 'is missing'],
    [
      'another byte in a file',
      (lines) =>
        lines.map((line) =>
          line.startsWith('{"blob"') && line.includes('.pdf"')
            ? line.replace(/"bytes":"..../, '"bytes":"AAAA')
            : line,
        ),
      'has changed',
    ],
    [
      'a file of nobody',
      (lines) => [...lines, '{"blob":"mine","bytes":"AAAA"}'],
      'belongs to the file "mine", which no row references',
    ],
    [
      'a file that leads out of its folder',
      (lines) => [...lines, '{"blob":"../mine","bytes":"AAAA"}'],
      'not a line',
    ],
    [
      'bytes that are none',
      (lines) => [...lines, '{"blob":"mine","bytes":"A*AA"}'],
      'is not base64',
    ],
    [
      'parts of a file with others between them',
      (lines) => [...lines, ...lines.filter((line) => blobLine.test(line))],
      'is separated from the other parts of the file',
    ],
    [
      'a report that is none',
      (lines) => [
        ...lines,
        '{"in":"reports","doc":{"id":"rpt_1","type":"audit","status":"completed","name":"n","created_at":"c","result":{"model":1}}}',
      ],
      'scope is required',
    ],
  ])('is refused with %s, and nothing is touched', async (_, change, why) => {
    const id = await completed();
    const blobs = await blobIds(service);
    const got = await restore(edited(await snapshot(), change));
    expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    expect(got.json.error_description).toContain(why);
    expect(await blobIds(service)).toEqual(blobs);
    expect((await download(id)).status).toBe(200);
  });
});

test('a restore keeps a part of the files in memory at a time', async () => {
  const id = await completed();
  const size = 24 << 20;
  await enlarge(id, Buffer.alloc(size, 'bytes of a PDF '));
  const { body } = await service.app.fetch(
    new Request('http://localhost/v1/local/snapshot', {
      headers: { authorization: `Bearer ${service.key}` },
    }),
    {},
  );
  let before = 0;
  const inUse: number[] = [];
  const other = await startReports({
    wrapStore: (store) => ({
      ...store,
      blobs: {
        ...store.blobs,
        async create(blob) {
          const writer = await store.blobs.create(blob);
          return {
            ...writer,
            async finish() {
              inUse.push(bytesInUse() - before);
              return writer.finish();
            },
          };
        },
      },
    }),
  });
  before = bytesInUse();
  const restored = await other.app.fetch(
    new Request('http://localhost/v1/local/restore', {
      ...{ method: 'POST', body, duplex: 'half' },
      headers: {
        authorization: `Bearer ${other.key}`,
        'content-type': 'application/x-ndjson',
      },
    }),
    {},
  );
  expect(restored.status).toBe(200);
  expect(inUse).not.toEqual([]);
  expect(Math.max(...inUse)).toBeLessThan(size / 2);
  expect((await download(id, 'pdf', other)).text).toHaveLength(size);
  await other.close();
});

test('a reset leaves no file of a report', async () => {
  const id = await completed();
  await download(id, 'csv');
  const got = await service.send('POST', '/v1/local/reset');
  expect(got.json).toMatchObject({ removed: { reports: 1, report_downloads: 1 } });
  expect(await idsOf(service.deps.store.blobs)).toEqual([]);
});

test('a restore leaves a file that is made just now, which its report names soon after', async () => {
  const id = await completed();
  const text = await snapshot();
  let held = false;
  let goOn = (): void => undefined;
  const passage = new Promise<void>((resolve) => (goOn = resolve));
  const other = await startReports({
    wrapStore: (store) => ({
      ...store,
      blobs: {
        ...store.blobs,
        async create(blob) {
          const writer = await store.blobs.create(blob);
          if (!blob.endsWith('.csv')) return writer;
          return {
            ...writer,
            async finish() {
              const done = await writer.finish();
              held = true;
              await passage;
              return done;
            },
          };
        },
      },
    }),
  });
  await restore(text, '', other);
  const asked = download(id, 'csv', other);
  await until(() => held);
  expect((await restore(text, '', other)).status).toBe(200);
  goOn();
  expect(await asked).toMatchObject({ status: 200, text: expect.stringMatching(/^csv /) });
  expect((await other.send('GET', '/v1/local/snapshot')).status).toBe(200);
  await other.close();
});
