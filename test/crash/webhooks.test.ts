import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { createPick } from '../support/pick.ts';
import { startReceiver } from './webhook-receiver.ts';
import type { Receiver } from './webhook-receiver.ts';

/** Kills of the server; CI asks for more. */
const ROUNDS = Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 6);
const EVENTS = Math.max(2_000, ROUNDS * 200);
const WEBHOOKS = 20;
/** Of 1,000 requests, so many are answered badly. */
const BAD = 30;
/** Another one each time; a failure names it. */
const SEED = Number(process.env['GOVCTL_CRASH_SEED'] ?? Date.now() % 1_000_000);
/** Each webhook gets one of these, the first one gets two. */
const types = ['scan.completed', 'scan.failed', 'user.login', 'resource.changed'] as const;

let folder: TempFolder;
let receiver: Receiver;
let running: BuiltServer | undefined;
beforeEach(async () => void (folder = await tempFolder()));
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await receiver.close();
  await folder.remove();
});

const start = async (): Promise<BuiltServer> =>
  (running = await startBuiltServer({
    dataDir: join(folder.path, 'data'),
    args: ['--log-level', 'error'],
  }));

type Json = Record<string, unknown>;

/** @returns undefined where the server is gone: what was asked for may have been done or not */
async function ask(method: string, path: string, body?: Json): Promise<Json | undefined> {
  const server = running;
  if (!server) return undefined;
  let response;
  let text;
  try {
    response = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch {
    return undefined;
  }
  // While it stops, it says so.
  if (response.status === 503) return undefined;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Json;
}

async function askNow(method: string, path: string, body?: Json): Promise<Json> {
  const answer = await ask(method, path, body);
  if (!answer) throw new Error(`${method} ${path}: no answer`);
  return answer;
}

/** All rows of a list. */
async function readAll(path: string, plural: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let cursor = ''; ;) {
    const page = await askNow('GET', `${path}&limit=100${cursor}`);
    rows.push(...(page[plural] as Json[]));
    const next = (page.pagination as Json).next_cursor;
    if (typeof next !== 'string') return rows;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

/** @returns how many events were acknowledged, until there are enough of them */
async function emit(numbers: () => number, isCalm: () => boolean): Promise<Set<string>> {
  const acknowledged = new Set<string>();
  const sender = async (): Promise<void> => {
    while (acknowledged.size < EVENTS) {
      const type = types[numbers() % types.length];
      const event = await ask('POST', '/v1/events', { type });
      if (event) acknowledged.add(String(event.id));
      // Slower than it could be: they are to come while the server is killed, too.
      if (!event || !isCalm()) await pause(numbers() % 25);
    }
  };
  await Promise.all(Array.from({ length: 12 }, sender));
  return acknowledged;
}

async function waitingIn(): Promise<number> {
  const { webhooks } = await askNow('GET', '/v1/webhooks?limit=100');
  const all = webhooks as { readonly waiting: number; readonly status: string }[];
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 'active'));
  return all.reduce((sum, { waiting }) => sum + waiting, 0);
}

test(`webhooks get every event in order through kill -9, bad receivers and clock jumps (seed ${SEED})`, async () => {
  const pick = createPick(SEED);
  receiver = await startReceiver(createPick(SEED + 1), BAD);
  await start();
  const subscribed = new Map<string, readonly string[]>();
  const idOf = new Map<string, string>();
  for (let at = 0; at < WEBHOOKS; at++) {
    const name = `hook-${at}`;
    const events = types.filter(
      (_, type) => type === at % types.length || (at === 0 && type === 1),
    );
    const secret = `the secret of ${name}`;
    receiver.expect(name, secret);
    const url = receiver.url(name);
    const created = await askNow('POST', '/v1/webhooks', { name, url, events, secret, timeout_seconds: 1 }); // prettier-ignore
    subscribed.set(name, events);
    idOf.set(name, String(created.id));
  }

  let killing = true;
  let calm = false;
  const emitting = emit(
    () => pick(1_000),
    () => !killing,
  );
  const jumping = (async () => {
    // Forward mostly, so that retries fall due; the 24 hours of a webhook's failures are far.
    while (!calm) {
      const clock = await ask('GET', '/v1/local/clock');
      if (clock) {
        const by = pick(5) === 0 ? -pick(20_000) : pick(30_000);
        const now = new Date(Date.parse(String(clock.now)) + by).toISOString();
        await ask('PUT', '/v1/local/clock', { now });
      }
      await pause(100);
    }
  })();
  for (let round = 0; round < ROUNDS; round++) {
    await pause(200 + pick(400));
    receiver.serverDies();
    // A server that is asked to stop lets what is on its way end, unless that takes too long.
    await running?.stop(round % 4 === 3 ? 'SIGTERM' : 'SIGKILL');
    await receiver.serverDied();
    await start();
  }
  killing = false;
  const acknowledged = await emitting;
  while ((await waitingIn()) > 0) await pause(50);
  calm = true;
  await jumping;

  expect(receiver.faults).toEqual([]);
  const events = await readAll('/v1/events?', 'events');
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  const stored = new Set(events.map(({ id }) => String(id)));
  expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
  for (const [name, wanted] of subscribed) {
    const meant = events.filter(({ type }) => wanted.includes(String(type)));
    expect(receiver.accepted(name)).toEqual(meant.map(({ id }) => String(id)));
  }
  // What came again without a kill must have had its answer lost, by the server's own account.
  for (const { webhook, event, attempt } of receiver.unexplained) {
    const path = `/v1/webhooks/${idOf.get(webhook)}/deliveries`;
    const item = (await readAll(`${path}?`, 'deliveries')).find((one) => one.event_id === event);
    const { attempts } = await askNow('GET', `${path}/${String(item?.id)}`);
    const made = (attempts as Json[]).find(({ number }) => number === attempt);
    expect([webhook, event, made]).toEqual([webhook, event, expect.objectContaining({ error: expect.any(String) as string })]); // prettier-ignore
    expect(made).not.toHaveProperty('response_status');
  }
  for (const how of ['ok', 'slow', 'half body', 'half head', 'reset', 'hang', 'fail', 'again']) {
    expect([how, receiver.counts[how]]).not.toEqual([how, undefined]);
  }
}, 600_000);
