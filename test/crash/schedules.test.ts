import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { createPick } from '../support/pick.ts';

/** Kills of the server; CI asks for more. */
const ROUNDS = Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 4);
/** Another one each time; a failure names it. */
const SEED = Number(process.env['GOVCTL_CRASH_SEED'] ?? Date.now() % 1_000_000);
/** All fire every minute. */
const SCHEDULES = 6;

type Json = Record<string, unknown>;

let folder: TempFolder;
let running: BuiltServer | undefined;
beforeEach(async () => void (folder = await tempFolder()));
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await folder.remove();
});

const start = async (): Promise<BuiltServer> =>
  (running = await startBuiltServer({
    dataDir: join(folder.path, 'data'),
    args: ['--log-level', 'error'],
  }));

/** @returns undefined where the server is gone */
async function ask(method: string, path: string, body?: Json): Promise<Json | undefined> {
  const server = running;
  let response;
  let text;
  try {
    response = await fetch(`${server?.baseUrl ?? ''}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${server?.key ?? ''}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch {
    return undefined;
  }
  if (response.status === 503) return undefined;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Json;
}

async function readAll(path: string, plural: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let cursor = ''; ;) {
    const page = await ask('GET', `${path}?limit=100${cursor}`);
    if (!page) throw new Error(`GET ${path}: no answer`);
    rows.push(...(page[plural] as Json[]));
    const next = (page.pagination as Json).next_cursor;
    if (typeof next !== 'string') return rows;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

async function now(): Promise<number | undefined> {
  const clock = await ask('GET', '/v1/local/clock');
  return clock && Date.parse(String(clock.now));
}

const toClock = (ms: number): Promise<Json | undefined> =>
  ask('PUT', '/v1/local/clock', { now: new Date(ms).toISOString() });

test(`each fire makes one report through kill -9 and set clocks (seed ${SEED})`, async () => {
  const pick = createPick(SEED);
  await start();
  const ids: string[] = [];
  for (let at = 0; at < SCHEDULES; at++) {
    const made = await ask('POST', '/v1/reports/schedules', {
      name: `schedule ${at}`,
      schedule: { cron: '* * * * *' },
      report_template: {
        name: '{{date}}',
        type: 'compliance',
        format_options: { formats: ['csv'] },
      },
    });
    ids.push(String(made?.id));
  }
  for (let round = 0; round < ROUNDS; round++) {
    const moving = (async () => {
      for (let minutes = 0; minutes < 3; minutes++) {
        const at = await now();
        // Back now and then: what was fired is not fired again.
        if (at !== undefined) await toClock(at + (pick(4) === 0 ? -90_000 : 60_000));
        await pause(pick(40));
      }
    })();
    await pause(pick(120));
    await running?.stop('SIGKILL');
    await moving;
    await start();
  }
  // One more fire of each, after the last kill: all that was due is done by then.
  const target = ((await now()) ?? 0) + 10 * 60_000;
  await toClock(target);
  const isFired = async (id: string): Promise<boolean> => {
    const schedule = await ask('GET', `/v1/reports/schedules/${id}`);
    return Date.parse(String(schedule?.next_run_at)) > target;
  };
  for (const id of ids) while (!(await isFired(id))) await pause(20);

  const reports = await readAll('/v1/reports', 'reports');
  const made = new Set(reports.map(({ id }) => id));
  const asked = new Set<unknown>();
  for (const id of ids) {
    const runs = await readAll(`/v1/reports/schedules/${id}/runs`, 'runs');
    expect(runs.length).toBeGreaterThan(0);
    const fires = runs.map(({ fire_at: at }) => String(at));
    expect(new Set(fires).size).toBe(fires.length);
    for (const run of runs) {
      expect(made.has(run.report_id)).toBe(true);
      asked.add(run.report_id);
    }
  }
  // And none that no fire asked for.
  expect(reports).toHaveLength(asked.size);
}, 120_000);
