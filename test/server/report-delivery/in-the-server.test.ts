import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { collections, lanes } from '../../../src/server/wiring/modules.ts';
import {
  reportDeliveries,
  reportDeliveryLanes,
} from '../../../src/server/report-delivery/collection.ts';
import { reports } from '../../../src/server/reports/collection.ts';
import { startServer } from '../../../src/server/start.ts';
import type { RunningServer } from '../../../src/server/start.ts';
import { openLowdbStore } from '../../../src/server/store/lowdb/open.ts';
import { until } from '../../support/until.ts';
import { startMailServer } from './mail-server.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function start(smtpPort: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-mailing-test-'));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const configFile = path.join(folder, 'server.yaml');
  writeFileSync(
    configFile,
    'smtp:\n  url: smtp://127.0.0.1:${PORT}\n  from: reports@sender.example\n',
  );
  const run = async (): Promise<RunningServer> => {
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      dataDir: path.join(folder, 'data'),
      store: 'lowdb',
      apiKey: `gk_${'a'.repeat(43)}`,
      allowTargets: [],
      rateLimit: 'off',
      metrics: false,
      logLevel: 'silent',
      configFile,
      env: { PORT: String(smtpPort) },
    });
    open.push(() => server.stop());
    return server;
  };
  return { run, dataDir: path.join(folder, 'data') };
}

const call = async (server: RunningServer, method: string, url: string, body?: unknown) => {
  const response = await server.fetch(new URL(url, server.baseUrl).href, {
    method,
    headers: {
      authorization: `Bearer gk_${'a'.repeat(43)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
};

interface Run {
  readonly status: string;
  readonly deliveries: readonly { readonly status: string; readonly error?: string }[];
}

test('a schedule mails its report, a report tells whom it was to, and a link of the mail leads to the file', async () => {
  let busy = true;
  const mail = await startMailServer({
    refuseMessage: () => (busy ? { code: 451, text: 'not now' } : undefined),
  });
  open.push(() => mail.close());
  const { run } = await start(mail.port);
  let server = await run();
  const schedule = await call(server, 'POST', '/v1/reports/schedules', {
    name: 'Weekly',
    schedule: { cron: '0 9 * * 1' },
    report_template: { name: 'Review', type: 'compliance', format_options: { formats: ['csv'] } },
    delivery: { email: { recipients: ['ann@one.example'], subject: 'Review of {{date}}' } },
  });
  const runsOf = async (): Promise<readonly Run[]> => {
    const { runs } = await call(server, 'GET', `/v1/reports/schedules/${String(schedule.id)}/runs`);
    return runs as Run[];
  };
  await call(server, 'POST', `/v1/reports/schedules/${String(schedule.id)}/run`);
  await expect.poll(runsOf).toMatchObject([
    {
      status: 'pending',
      deliveries: [{ status: 'pending', error: expect.stringContaining('not now') as string }],
    },
  ]);
  // What waits, waits on in the next server.
  await server.stop();
  busy = false;
  server = await run();
  await until(() => mail.mails.length === 1);
  expect(mail.mails[0]?.to).toEqual(['ann@one.example']);
  expect(mail.mails[0]?.text).toMatch(/filename="?review/i);
  await expect
    .poll(runsOf)
    .toMatchObject([{ status: 'completed', deliveries: [{ status: 'delivered' }] }]);

  const asked = await call(server, 'POST', '/v1/reports', {
    name: 'Told',
    type: 'risk',
    scope: {},
    format_options: { formats: ['json'] },
    delivery: { notifications: { email: ['bob@two.example'] } },
  });
  await until(() => mail.mails.length === 2);
  const text = mail.mails[1]?.text.replace(/=\r\n/g, '').replace(/=3D/g, '=') ?? '';
  const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/v1\/reports\/\S+signature=[0-9a-f]{64}/.exec(text) ?? []; // prettier-ignore
  const file = await server.fetch(link, { method: 'GET' });
  expect(file.status).toBe(200);
  expect(JSON.parse(await file.text())).toBeTypeOf('object');
  await expect
    .poll(() => call(server, 'GET', `/v1/reports/${String(asked.id)}`))
    .toMatchObject({
      notifications: {
        email: ['bob@two.example'],
        deliveries: [{ channel: 'email', target: 'bob@two.example', status: 'delivered' }],
      },
    });
});

test('what waits at the start tells of the address that the server listens on then', async () => {
  const mail = await startMailServer({});
  open.push(() => mail.close());
  const { run, dataDir } = await start(mail.port);
  const store = await openLowdbStore({ dir: dataDir, collections, lanes });
  const at = new Date().toISOString();
  const file = { filename: 'r.json', media_type: 'application/json', blob: 'none', size: 1 };
  await store.transact(async (tx) => {
    await tx.insert(reports, {
      id: 'rpt_1',
      name: 'Told',
      type: 'risk',
      scope: {},
      formats: ['json'],
      include_executive_summary: true,
      include_detailed_findings: true,
      status: 'completed',
      attempts: 1,
      created_at: at,
      created_by: 'user_x',
      updated_at: at,
      result: {
        summary: { compliance_score: null, total_violations: 0, critical: 0, high: 0, medium: 0, low: 0 }, // prettier-ignore
        policies: 0,
        resources: 0,
        sections: [],
        model: [],
        files: [{ ...file, format: 'json', sha256: 'none' }],
      },
    });
    await tx.insert(reportDeliveries, {
      id: 'dlv_1',
      report_id: 'rpt_1',
      kind: 'email',
      channel: { kind: 'email', recipients: ['bob@two.example'], attach: false },
      target: 'bob@two.example',
      status: 'pending',
      attempts: 0,
      created_at: at,
      next_attempt_at: at,
    });
    await tx.append(reportDeliveryLanes, 'rpt_1/email', 'dlv_1');
  });
  await store.close();
  const server = await run();
  await until(() => mail.mails.length === 1);
  const text = mail.mails[0]?.text.replace(/=\r\n/g, '').replace(/=3D/g, '=') ?? '';
  expect(text).toContain(`${server.baseUrl}/v1/reports/rpt_1/download-links/`);
});
