import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';

/** Kills of each report: it is begun again three times. */
const KILLS = Math.min(3, Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 2));

let folder: TempFolder;
let running: BuiltServer | undefined;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await folder.remove();
});

const dataDir = (): string => join(folder.path, 'data');
const start = async (): Promise<BuiltServer> =>
  (running = await startBuiltServer({ dataDir: dataDir() }));

const call = (
  server: BuiltServer,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<Response> =>
  fetch(`${server.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${server.key}`, 'content-type': type },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });

const json = async <T>(answer: Promise<Response>): Promise<T> =>
  (await answer).json() as Promise<T>;

interface Report {
  readonly id: string;
  readonly status: string;
  readonly failure?: unknown;
  readonly formats?: readonly {
    readonly format: string;
    readonly url: string;
    readonly sha256: string;
  }[];
}

const resourceLines = (count: number): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `bucket-${n}`, type: 'AWS::S3::Bucket', public: n % 2 === 0 }),
  ).join('\n');

const policy = {
  name: 'private',
  resource_type: 'AWS::S3::Bucket',
  severity: 'HIGH',
  rules: [{ condition: 'resource.public == true', effect: 'DENY', message: 'Make it private' }],
  compliance_frameworks: ['SOC2:CC6.1'],
};

const order = (name: string) => ({
  name,
  type: 'audit',
  scope: {},
  format_options: { formats: ['html', 'pdf'] },
});

const reportsOf = async (server: BuiltServer): Promise<readonly Report[]> =>
  (await json<{ reports: Report[] }>(call(server, '/v1/reports?limit=100'))).reports;

/** Until one of them is being made. */
async function untilBegun(server: BuiltServer): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const reports = await reportsOf(server);
    if (reports.some(({ status }) => status === 'generating')) return;
    if (reports.every(({ status }) => status === 'completed')) return;
    await sleep(5);
  }
}

async function untilEnded(server: BuiltServer): Promise<readonly Report[]> {
  for (let tries = 0; tries < 600; tries += 1) {
    const reports = await reportsOf(server);
    if (reports.every(({ status }) => status === 'completed' || status === 'failed'))
      return reports;
    await sleep(100);
  }
  throw new Error('the reports did not end');
}

/** Whole files, as they were announced. */
async function checkFiles(server: BuiltServer, { id }: Report): Promise<void> {
  const detail = await json<Report>(call(server, `/v1/reports/${id}`));
  expect(detail.formats?.map(({ format }) => format)).toEqual(['html', 'pdf']);
  for (const { format, url, sha256 } of detail.formats ?? []) {
    const bytes = Buffer.from(await (await call(server, new URL(url).pathname)).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    const end = bytes.subarray(-20).toString('latin1').trimEnd();
    expect(end.endsWith(format === 'pdf' ? '%%EOF' : '</html>')).toBe(true);
  }
}

test('a report survives kill -9 while it is made: one of each in the end, whole, and nothing beside', async () => {
  let server = await start();
  await call(server, '/v1/policies', JSON.stringify(policy));
  await call(server, '/v1/resources/import', resourceLines(1_200), 'application/x-ndjson');
  for (const name of ['one', 'two']) {
    expect((await call(server, '/v1/reports', JSON.stringify(order(name)))).status).toBe(201);
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    await untilBegun(server);
    await sleep(Math.random() * 400);
    await server.stop('SIGKILL');
    server = await start();
  }
  const reports = await untilEnded(server);
  expect(reports.map(({ status, failure }) => ({ status, failure }))).toEqual(
    ['one', 'two'].map(() => ({ status: 'completed', failure: undefined })),
  );
  for (const report of reports) await checkFiles(server, report);

  const { events } = await json<{ events: { data: { report: { id: string } } }[] }>(
    call(server, '/v1/events?type=compliance.report.generated&limit=100'),
  );
  const ids = reports.map(({ id }) => id).sort();
  expect(events.map(({ data }) => data.report.id).sort()).toEqual(ids);

  // Two for what it is made of, and one for each file; all of one attempt.
  const blobs = await readdir(join(dataDir(), 'blobs'));
  expect(blobs.map((name) => name.split('.')[0]).sort()).toEqual(
    ids.flatMap((id) => [id, id, id, id]),
  );
  const attempts = new Set(blobs.map((name) => name.split('.').slice(0, 2).join('.')));
  expect(attempts.size).toBe(ids.length);
}, 180_000);

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Undefined: it was cut off, and whoever downloads knows. */
async function fetchFile(server: BuiltServer, id: string, format: string) {
  try {
    const answer = await call(server, `/v1/reports/${id}/download/${format}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, told: answer.headers.get('x-content-sha256'), bytes };
  } catch {
    return undefined;
  }
}

test('no half of a file passes for a whole one when kill -9 ends its download, or its rendering', async () => {
  let server = await start();
  await call(server, '/v1/policies', JSON.stringify(policy));
  await call(server, '/v1/resources/import', resourceLines(1_200), 'application/x-ndjson');
  await call(server, '/v1/reports', JSON.stringify(order('one')));
  const [{ id, status } = { id: '', status: 'none' }] = await untilEnded(server);
  expect(status).toBe('completed');
  const formats = ['html', 'pdf', 'csv', 'json'];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const fetches = [...formats, ...formats].map((format) => fetchFile(server, id, format));
    await sleep(Math.random() * 300);
    await server.stop('SIGKILL');
    for (const file of await Promise.all(fetches)) {
      if (file?.status === 200) expect(sha256Of(file.bytes)).toBe(file.told);
    }
    server = await start();
  }
  for (const format of formats) {
    const file = await fetchFile(server, id, format);
    expect([file?.status, file && sha256Of(file.bytes)]).toEqual([200, file?.told]);
  }
  // Two for what it is made of, and one for each file: what was cut off is gone.
  const blobs = () => readdir(join(dataDir(), 'blobs'));
  await expect.poll(blobs, { timeout: 10_000 }).toHaveLength(2 + formats.length);
}, 180_000);
