import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../src/server/http/listener.ts';
import type { Listener } from '../../../../src/server/http/listener.ts';
import { reports } from '../../../../src/server/reports/collection.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { until } from '../../../support/until.ts';
import type { TestService } from '../../test-service.ts';
import { writeBlob } from '../../store/blob-contract.ts';
import { create, idOf, startReports } from '../report-world.ts';

/** Larger than what a socket takes at once. */
const bytes = Buffer.alloc(24 << 20, 'one line of a large report\n');
const sha256 = createHash('sha256').update(bytes).digest('hex');

let service: TestService;
let listener: Listener;
let id: string;
/** Chunks of a file until the disk fails. */
let failAfter: number;
const failing = (store: Store): Store => ({
  ...store,
  blobs: {
    ...store.blobs,
    async *read(blob, range) {
      let left = failAfter;
      for await (const chunk of store.blobs.read(blob, range)) {
        if (left === 0) throw new Error('EIO on /secret');
        left -= 1;
        yield chunk;
      }
    },
  },
});
beforeEach(async () => {
  failAfter = Infinity;
  service = await startReports({ wrapStore: failing });
  listener = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch: (asked, peer) => service.app.fetch(asked, peer),
    refuse: (status) => new Response(null, { status }),
  });
  id = idOf(await create(service, { format_options: { formats: ['csv'] } }));
  await service.reportWork.idle();
  const { store } = service.deps;
  await writeBlob(store.blobs, 'large', [bytes]);
  const doc = (await store.get(reports, id))?.doc;
  const [file] = doc?.result?.files ?? [];
  if (!doc?.result || !file) throw new Error('it was just made');
  const large = { ...file, blob: 'large', size: bytes.length, sha256 };
  await store.transact((tx) =>
    tx.replace(reports, { ...doc, result: { ...doc.result!, files: [large] } }),
  );
});
afterEach(async () => {
  await listener?.stopListening();
  await listener?.close(0);
  await service.close();
});

const open = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: listener.port, path, method, headers, agent: false },
      resolve,
    );
    asked.on('error', reject);
    asked.end();
  });

const ofCsv = (): string => `/v1/reports/${id}/download/csv`;
const token = (): Record<string, string> => ({ authorization: `Bearer ${service.key}` });

/** Up to so many bytes; then the connection is cut. */
const take = async (answer: IncomingMessage, most = Infinity): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= most) break;
  }
  return Buffer.concat(chunks);
};

const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).endsWith('/blobs/large');
    } catch {
      return false; // closed meanwhile
    }
  }).length;

const ended = (): number =>
  service.events.filter(({ route }) => route?.endsWith('/download/:format')).length;

describe('a download over a socket', () => {
  test('that was cut goes on where it was, and is the same file in the end', async () => {
    const first = await open(ofCsv(), token());
    expect(first.headers['content-length']).toBe(String(bytes.length));
    const begun = await take(first, 3_000_000);
    const rest = await open(ofCsv(), {
      ...token(),
      range: `bytes=${begun.length}-`,
      'if-range': String(first.headers.etag),
    });
    expect(rest.statusCode).toBe(206);
    expect(rest.headers['content-length']).toBe(String(bytes.length - begun.length));
    const whole = Buffer.concat([begun, await take(rest)]);
    expect(createHash('sha256').update(whole).digest('hex')).toBe(rest.headers['x-content-sha256']);
    expect(whole.equals(bytes)).toBe(true);
  });

  test('of who hangs up closes the file, and ends the request', async () => {
    const answer = await open(ofCsv(), token());
    await new Promise((resolve) => answer.once('readable', resolve));
    if (process.platform === 'linux') expect(openFiles()).toBe(1);
    expect(ended()).toBe(0);
    answer.destroy();
    await until(() => ended() === 1);
    if (process.platform === 'linux') await until(() => openFiles() === 0);
  });

  test('of a report that is deleted meanwhile goes on to its end', async () => {
    const answer = await open(ofCsv(), token());
    await new Promise((resolve) => answer.once('readable', resolve));
    expect((await service.send('DELETE', `/v1/reports/${id}`)).status).toBe(204);
    expect((await take(answer)).equals(bytes)).toBe(true);
    expect((await open(ofCsv(), token())).statusCode).toBe(404);
  });

  test('of the headers alone opens no file', async () => {
    const answer = await open(ofCsv(), token(), 'HEAD');
    expect(answer.headers['content-length']).toBe(String(bytes.length));
    expect(answer.headers['x-content-sha256']).toBe(sha256);
    expect(await take(answer)).toHaveLength(0);
    expect(ended()).toBe(1);
    if (process.platform === 'linux') expect(openFiles()).toBe(0);
  });

  test('of a range that is not there answers 416', async () => {
    const answer = await open(ofCsv(), { ...token(), range: `bytes=${bytes.length}-` });
    expect(answer.statusCode).toBe(416);
    expect(answer.headers['content-range']).toBe(`bytes */${bytes.length}`);
    await take(answer);
  });

  test('by a link needs no token, until the clock of the server passes its expiry', async () => {
    const made = await service.send('POST', `/v1/reports/${id}/download-link`, {
      body: { format: 'csv', expires_in: 60 },
    });
    const { pathname, search } = new URL(String(made.json.url));
    const got = await take(await open(pathname + search));
    expect(got.equals(bytes)).toBe(true);
    const moved = await service.send('POST', '/v1/local/clock/advance', { body: { by: '61s' } });
    expect(moved.status).toBe(200);
    const late = await open(pathname + search);
    expect(late.statusCode).toBe(404);
    expect(JSON.parse(String(await take(late)))).toMatchObject({
      error_code: 'RPT_002',
      report_id: id,
    });
  });

  test.each([0, 2])(
    'whose disk fails after %d chunks is cut, and tells nobody why',
    async (after) => {
      failAfter = after;
      const got = open(ofCsv(), token()).then((answer) => take(answer));
      await expect(got).rejects.toMatchObject({ code: 'ECONNRESET' });
      await until(() => ended() === 1);
      expect(service.logged).toContainEqual({
        level: 'error',
        message: 'a response was truncated',
        fields: { request_id: expect.stringMatching(/^req_/), err: new Error('EIO on /secret') },
      });
    },
  );
});
