import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CostImport } from '../../src/contract/cost-imports.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';

/** Imports that are cut off, each at another moment. */
const ROUNDS = Math.min(50, Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 3));
const rowsOfFile = 40_000;

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

const call = async <T>(
  server: BuiltServer,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<T> => {
  const answer = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': type },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return (text === '' ? undefined : JSON.parse(text)) as T;
};

/** Two billing periods in which each charge costs as much. */
function fileOf(cost: number): string {
  const rows = [
    'ProviderName,BillingAccountId,ResourceId,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart',
  ];
  for (let at = 0; at < rowsOfFile; at++) {
    const month = 1 + (at % 2);
    rows.push(`AWS,1,i-${at % 500},USD,${cost},2026-0${month}-1${at % 10},2026-0${month}-01`);
  }
  return `${rows.join('\n')}\n`;
}

/** Opens an import, sends its file and commits it. */
async function begin(server: BuiltServer, cost: number): Promise<string> {
  const { id } = await call<CostImport>(server, 'POST', '/v1/cost/imports', '{}');
  const path = `/v1/cost/imports/${id}`;
  await call(server, 'PUT', `${path}/files/1`, fileOf(cost), 'application/octet-stream');
  await call(server, 'POST', `${path}/commit`);
  return path;
}

async function ended(server: BuiltServer, path: string): Promise<CostImport> {
  for (;;) {
    const seen = await call<CostImport>(server, 'GET', path);
    if (seen.status !== 'pending' && seen.status !== 'running') return seen;
    await sleep(20);
  }
}

const totalOf = async (server: BuiltServer): Promise<string | undefined> => {
  const path = '/v1/cost/analysis?start=2026-01-01&end=2026-03-01';
  const { totals } = await call<{ totals: { amount: string }[] }>(server, 'GET', path);
  return totals[0]?.amount;
};

test('a kill at any moment of an import leaves the old charges or the new ones, and the next start goes on with it', async () => {
  let server = await start();
  let cost = 1;
  const first = await ended(server, await begin(server, cost));
  expect(first.status).toBe('completed');
  for (let round = 0; round < ROUNDS; round++) {
    const [before, after] = [cost * rowsOfFile, (cost + 1) * rowsOfFile].map(String);
    const path = await begin(server, (cost += 1));
    await sleep(Math.random() * 600);
    await server.stop('SIGKILL');
    server = await start();
    expect([before, after]).toContain(await totalOf(server));
    expect((await ended(server, path)).status).toBe('completed');
    expect(await totalOf(server)).toBe(after);
  }
  await server.stop('SIGTERM');
  server = await start();
  await ended(server, await begin(server, cost));
  await server.stop('SIGTERM');
  // The charges of two periods: neither a file, nor what was put aside, nor what was replaced.
  expect(await readdir(join(dataDir(), 'blobs'))).toHaveLength(2);
}, 240_000);
