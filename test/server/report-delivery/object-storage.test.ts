import { createHash, createHmac } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import S3rver from 's3rver';
import { afterEach, describe, expect, test } from 'vitest';
import type { StoredChannel } from '../../../src/server/report-delivery/channels/channel.ts';
import { objectUrl } from '../../../src/server/report-delivery/channels/object-storage.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';
import { openReportWorld } from './report-world.ts';
import type { ReportWorld, WorldOptions } from './report-world.ts';

type Storage = Extract<StoredChannel, { kind: 'object_storage' }>;

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const keys = {
  access_key_id: 'S3RVER',
  secret_access_key: 'S3RVER',
  hosts: [],
  buckets: ['reports', 'elsewhere'],
};

const withKeysFor = (endpoint = ''): WorldOptions => ({
  config: { object_storage: { ...keys, hosts: [new URL(endpoint).host] } },
});

async function openWorld(options: WorldOptions = {}): Promise<ReportWorld> {
  const world = await openReportWorld({ config: { object_storage: keys }, ...options });
  open.push(world);
  return world;
}

async function deliver(world: ReportWorld, channel: StoredChannel, reportId: string) {
  const { id } = await world.queue(reportId, channel);
  await world.idle();
  return world.delivery(id);
}

describe('a report that is put into an S3-compatible store', () => {
  async function startStore(): Promise<{ channel: Storage; folder: string }> {
    const { path: folder, remove } = await tempFolder();
    open.push({ close: remove });
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'reports', configs: [] }],
    });
    const { port } = await server.run();
    open.push({ close: () => server.close() });
    const endpoint = `http://127.0.0.1:${port}`;
    return { folder, channel: { kind: 'object_storage', provider: 's3', bucket: 'reports', endpoint } }; // prettier-ignore
  }

  test('lies there byte for byte under its prefix, once however often it is sent', async () => {
    const { channel, folder } = await startStore();
    const world = await openWorld(withKeysFor(channel.endpoint));
    const pdf = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
    const report = await world.addReport({}, { pdf, csv: '' });
    const there = { ...channel, prefix: "/monthly//soc 2+(ü)'s/" };
    const delivery = await deliver(world, there, report.id);
    expect(delivery.error).toBeUndefined();
    expect(delivery).toMatchObject({ status: 'delivered', target: "s3://reports/monthly//soc 2+(ü)'s" }); // prettier-ignore
    await deliver(world, there, report.id);
    const stem = `report-2026-03-01-${report.id.slice(-8)}`;
    const inside = path.join(folder, 'reports', 'monthly', "soc 2+(ü)'s");
    const objects = readdirSync(inside).filter((name) => name.endsWith('_object'));
    expect(objects.sort()).toEqual([`${stem}.csv._S3rver_object`, `${stem}.pdf._S3rver_object`]);
    expect(readFileSync(path.join(inside, `${stem}.pdf._S3rver_object`))).toEqual(pdf);
  });

  test('fails at once where there is no such bucket', async () => {
    const { channel } = await startStore();
    const world = await openWorld(withKeysFor(channel.endpoint));
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, { ...channel, bucket: 'elsewhere' }, report.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
    expect(delivery.error).toContain('returned 404 (NoSuchBucket). Check the bucket elsewhere');
  });
});

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Takes what comes, and answers what it is told to. */
async function startReceiver(answer: (response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, path: url, headers, body: Buffer.concat(chunks) });
      answer(response);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  open.push({ close: () => new Promise((closed) => server.close(closed)) });
  const { port } = server.address() as AddressInfo; // of a socket that listens on a port
  return { seen, endpoint: `http://127.0.0.1:${port}` };
}

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** As AWS describes it: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function signatureOf({ method, path: given, headers, body }: Seen, secret: string): string {
  const authorization = headers.authorization ?? '';
  const [, scope = '', names = ''] =
    /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, given, '', lines.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const [date = '', region = '', service = '', end = ''] = scope.split('/');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), end);
  return hmac(key, text).toString('hex');
}

describe('a request to object storage', () => {
  const channelAt = (endpoint: string): Storage => ({
    kind: 'object_storage',
    provider: 's3',
    bucket: 'reports',
    prefix: "a b/ü+'()*",
    region: 'eu-central-1',
    endpoint,
  });

  test('is signed as AWS says, over all of the file', async () => {
    const { seen, endpoint } = await startReceiver((response) => response.end());
    const world = await openWorld({
      config: {
        object_storage: {
          access_key_id: 'AKID',
          secret_access_key: 's3cret/key',
          session_token: 'a-token',
          hosts: [new URL(endpoint).host],
          buckets: ['reports'],
        },
      },
    });
    const report = await world.addReport({}, { pdf: Buffer.alloc(70_000, 7) });
    expect(await deliver(world, channelAt(endpoint), report.id)).toMatchObject({ status: 'delivered' }); // prettier-ignore
    const [request] = seen;
    if (!request) throw new Error('none came');
    expect(request).toMatchObject({
      method: 'PUT',
      path: `/reports/a%20b/%C3%BC%2B%27%28%29%2A/report-2026-03-01-${report.id.slice(-8)}.pdf`,
      headers: {
        'content-type': 'application/pdf',
        'content-length': '70000',
        'x-amz-content-sha256': sha256(Buffer.alloc(70_000, 7)),
        'x-amz-date': '20260301T120000Z',
        'x-amz-security-token': 'a-token',
      },
    });
    expect(request.headers['transfer-encoding']).toBeUndefined();
    const authorization = request.headers.authorization ?? '';
    expect(authorization).toContain('Credential=AKID/20260301/eu-central-1/s3/aws4_request');
    expect(authorization).toMatch(new RegExp(`Signature=${signatureOf(request, 's3cret/key')}$`));
    expect(authorization).toMatch(/SignedHeaders=[^,]*host;[^,]*x-amz-content-sha256/);
    expect(JSON.stringify([world.logged])).not.toContain('s3cret');
  });

  test.each([
    [403, 'SignatureDoesNotMatch', 'failed', 1],
    [301, 'PermanentRedirect', 'failed', 1],
    [503, 'SlowDown', 'pending', 1],
    [400, 'RequestTimeout', 'pending', 1],
  ])('answered with %s %s leaves the delivery %s', async (status, code, after, attempts) => {
    const { endpoint } = await startReceiver((response) => {
      response.writeHead(status, { 'retry-after': '120' });
      response.end(`<Error><Code>${code}</Code><Message>s3cret</Message></Error>`);
    });
    const world = await openWorld(withKeysFor(endpoint));
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, channelAt(endpoint), report.id);
    expect(delivery).toMatchObject({ status: after, attempts });
    expect(delivery.error).toContain(`returned ${status} (${code})`);
    expect(delivery.error).not.toContain('s3cret');
    if (status === 503) expect(Date.parse(delivery.next_attempt_at ?? '') - world.now).toBe(120_000); // prettier-ignore
  });

  test('is not made to an address within, whatever its name', async () => {
    const { seen, endpoint } = await startReceiver((response) => response.end());
    const world = await openWorld({
      ...withKeysFor(endpoint.replace('127.0.0.1', 'storage.example')),
      local: false,
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    });
    const report = await world.addReport({}, { pdf: 'x' });
    const inside = endpoint.replace('http://127.0.0.1', 'https://storage.example');
    const delivery = await deliver(world, channelAt(inside), report.id);
    expect(delivery.error).toContain('the address is not allowed as a target');
    expect(seen).toEqual([]);
  });

  test('needs keys', async () => {
    const world = await openWorld({ config: {} });
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, channelAt('http://127.0.0.1:1'), report.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
    expect(delivery.error).toContain('object_storage in the --config file');
  });
});

describe('the address of an object', () => {
  const at = (fields: Partial<Storage>): string =>
    objectUrl({ kind: 'object_storage', provider: 's3', bucket: 'b', ...fields }, 'f.pdf');

  test.each([
    [{}, 'https://b.s3.us-east-1.amazonaws.com/f.pdf'],
    [{ region: 'eu-west-1', prefix: 'x/' }, 'https://b.s3.eu-west-1.amazonaws.com/x/f.pdf'],
    [{ bucket: 'a.b' }, 'https://s3.us-east-1.amazonaws.com/a.b/f.pdf'],
    [{ endpoint: 'https://minio.example:9000/' }, 'https://minio.example:9000/b/f.pdf'],
    [{ prefix: '../.././other/..' }, 'https://b.s3.us-east-1.amazonaws.com/other/f.pdf'],
  ])('of %j is %s', (fields, url) => {
    expect(at(fields)).toBe(url);
    expect(new URL(url).href).toBe(url);
  });
});
