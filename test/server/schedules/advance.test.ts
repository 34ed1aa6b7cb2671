import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer } from '../../../src/server/start.ts';
import type { RunningServer } from '../../../src/server/start.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';
import type { TempFolder } from '../store/lowdb/temp-folder.ts';

/** A system's clock that stands still, so that what moves is what was moved. */
const standing = {
  now: () => Date.parse('2026-03-01T12:00:00Z'),
  monotonic: () => performance.now(),
};
const key = `gk_${'k'.repeat(43)}`;

let folder: TempFolder;
let server: RunningServer;
beforeEach(async () => {
  folder = await tempFolder();
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: join(folder.path, 'data'),
    store: 'lowdb',
    apiKey: key,
    allowTargets: [],
    metrics: false,
    logLevel: 'silent',
    clock: standing,
  });
});
afterEach(async () => {
  await server.stop();
  await folder.remove();
});

async function ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await server.fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}

test('a clock that is moved stands at each fire until its report is made and delivered', async () => {
  const { id } = await ask('POST', '/v1/reports/schedules', {
    name: 'daily',
    schedule: { cron: '0 9 * * *' },
    report_template: { name: '{{date}}', type: 'compliance' },
    // No mail server is configured, which fails at the first try.
    delivery: { email: { recipients: ['a@example.com'] } },
  });
  const moved = await ask('POST', '/v1/local/clock/advance', { by: '3d' });
  expect(moved).toMatchObject({ reached: true });
  const { runs } = await ask('GET', `/v1/reports/schedules/${String(id)}/runs?order=asc`);
  const at = ['2026-03-02', '2026-03-03', '2026-03-04'].map((day) => `${day}T09:00:00.000Z`);
  expect(runs).toMatchObject(
    at.map((moment) => ({
      fire_at: moment,
      started_at: moment,
      completed_at: moment,
      cause: 'schedule',
      status: 'failed',
      report_status: 'completed',
      deliveries: [{ status: 'failed', attempts: 1, last_attempt_at: moment }],
    })),
  );
});

test('a snapshot that is restored with its clock fires nothing that was not due when it was taken', async () => {
  const { id } = await ask('POST', '/v1/reports/schedules', {
    name: 'daily',
    schedule: { cron: '0 9 * * *' },
    report_template: { name: '{{date}}', type: 'compliance' },
    delivery: { email: { recipients: ['a@example.com'] } },
  });
  const headers = { authorization: `Bearer ${key}` };
  const snapshot = await server.fetch(`${server.baseUrl}/v1/local/snapshot`, { headers });
  const text = await snapshot.text();
  await server.fetch(`${server.baseUrl}/v1/reports/schedules/${String(id)}`, {
    method: 'DELETE',
    headers,
  });
  await ask('POST', '/v1/local/clock/advance', { by: '40d' });
  const restored = await server.fetch(`${server.baseUrl}/v1/local/restore?clock=snapshot`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: text,
  });
  expect(restored.status).toBe(200);
  // Whatever is due has been done when the clock stands.
  await ask('POST', '/v1/local/clock/advance', { by: '1h' });
  const { runs } = await ask('GET', `/v1/reports/schedules/${String(id)}/runs`);
  expect(runs).toEqual([]);
});
