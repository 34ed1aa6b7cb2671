import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditEntry, AuditHead } from '../../../src/contract/audit-log.ts';
import { startBuiltServer } from '../../support/built-cli.ts';
import type { BuiltServer } from '../../support/built-cli.ts';
import { createPick } from '../../support/pick.ts';
import { recompute } from '../../support/recompute.ts';
import { startReceiver } from '../webhook-receiver.ts';
import { Client, GaveUp, Over, ask } from './client.ts';
import type { Scene } from './client.ts';
import { askAgain, comeAndGo, createHooks, makeEvents } from './hooks.ts';
import type { Hook } from './hooks.ts';
import { isGivenUp } from './given-up.ts';
import { standings } from './history.ts';
import type { Json } from './history.ts';
import { judgeAudit, judgeLane, judgeRows, judgeSequence, judgeViolations } from './judge.ts';
import { kept } from './kept.ts';
import { lives } from './lives.ts';

/** Of 1,000 deliveries, so many are answered badly. */
const bad = 30;

export interface Tally {
  kills: number;
  writes: number;
  events: number;
  deliveries: number;
  violations: number;
  /** The longest that a stop took. */
  longestStopMs: number;
}

type Event = Json & { readonly id: string; readonly sequence: number; readonly type: string };

/** Kills beyond what was asked for, until every kind of write was acknowledged. */
const mostMore = 100;

/** The kinds of writes that were acknowledged. */
const kindsOf = ({ history }: Pick<Scene, 'history'>): ReadonlySet<string> =>
  new Set(history.flatMap(({ endpoint, fate }) => (fate === 'acknowledged' ? [endpoint] : [])));

/**
 * A server on a directory, and clients that do everything at once, until it has been ended so often.
 * @param dir a directory that is there, and empty
 * @param told is told after each end and start that all was well
 * @throws Error what was not well
 */
export async function runWorld(
  dir: string,
  seed: number,
  kills: number,
  wanted: readonly string[],
  told: (tally: Tally) => void,
): Promise<{ tally: Tally; kinds: ReadonlySet<string> }> {
  const pick = createPick(seed);
  const receiver = await startReceiver(createPick(seed + 1), bad);
  const dataDir = join(dir, 'data');
  const args = ['--log-level', 'error', '--config', join(dir, 'server.yaml')];
  let server: BuiltServer | undefined;
  /** Resolves when clients may go on. */
  let open = (): void => undefined;
  const shut = () => new Promise<void>((resolve) => (open = resolve));
  let gate = shut();
  let isOver = false;
  const scene: Scene = {
    pick,
    up: async () => {
      await gate;
      return isOver ? undefined : server;
    },
    history: [],
    objections: [],
    isForever: false,
    era: 0,
    things: 0,
    writes: 0,
  };
  const events: Event[] = [];
  const audit: AuditEntry[] = [];
  let hooks: readonly Hook[] = [];
  const tally: Tally = {
    kills: 0,
    writes: 0,
    events: 0,
    deliveries: 0,
    violations: 0,
    longestStopMs: 0,
  };

  const fail = (objections: readonly string[]): void => {
    const all = [...scene.objections, ...objections];
    if (all.length === 0) return;
    const shown = all.slice(0, 5).join('\n');
    throw new Error(`seed ${seed}, kill ${tally.kills}: ${all.length} objections\n${shown}`);
  };

  /** Starts it, and now and then ends it while it starts. */
  async function start(): Promise<void> {
    for (;;) {
      const ends = tally.kills > 0 && pick(5) === 0 && tally.kills < kills;
      const after = pick(700);
      server = await startBuiltServer({
        dataDir,
        args,
        spawned: (child) => ends && setTimeout(() => child.kill('SIGKILL'), after),
      }).catch((error: unknown) => {
        if (!ends) throw error;
        return undefined;
      });
      if (!ends) return;
      tally.kills += 1;
      // It may have been ready by then.
      await server?.process;
    }
  }

  async function get(path: string): Promise<Json> {
    const got = server && (await ask(server, 'GET', path));
    if (got?.status !== 200) throw new Error(`GET ${path}: ${got?.status} ${got?.text}`);
    return got.json;
  }

  /** All rows of a list, from a cursor on. */
  async function list(path: string, plural: string, search = ''): Promise<Json[]> {
    const rows: Json[] = [];
    for (let cursor = ''; ;) {
      const page = await get(`${path}?limit=100${search}${cursor}`);
      rows.push(...(page[plural] as Json[]));
      const next = (page.pagination as Json).next_cursor;
      if (typeof next !== 'string') return rows;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }

  /** What is there is what the clients were told, while they wait. */
  async function check(): Promise<void> {
    const rows = new Map<string, Json[]>();
    for (const [noun, { path, plural }] of Object.entries(kept)) {
      rows.set(noun, await list(path, plural));
    }
    events.splice(0, events.length, ...((await list('/v1/events', 'events')) as Event[]));
    const order = '&sort_by=sequence&order=asc';
    audit.splice(0, audit.length, ...((await list('/v1/audit-log', 'audit_log', order)) as AuditEntry[])); // prettier-ignore
    const head = (await get('/v1/audit-log/head')) as unknown as AuditHead;
    fail([
      ...judgeRows(scene.history, rows),
      ...judgeSequence(events),
      ...judgeAudit(scene.history, audit, head),
    ]);
    // Whoever has seen what came of a write that was never answered may count on it.
    for (const [noun, byLabel] of standings(scene.history)) {
      for (const [label, { may, entries }] of byLabel) {
        if (may.length === 1 || entries.some(({ fate }) => fate === 'open')) continue;
        const row = rows.get(noun)?.find((one) => kept[noun]?.label(one) === label) ?? null;
        scene.history.push({ era: scene.era, endpoint: 'read', about: { noun, label, leaves: row }, attempts: [], fate: 'acknowledged', row }); // prettier-ignore
      }
    }
  }

  /** Deliveries by now. */
  async function checkLanes(isDrained: boolean): Promise<void> {
    // The server goes on meanwhile: what has come is of an event that it lists afterwards, what had to come of one before.
    const before = new Set(events.map(({ id }) => id));
    const arrived = hooks.map((hook) => ({ hook, arrivals: [...receiver.arrivals(hook.name)] }));
    const came = new Set(arrived.flatMap(({ arrivals }) => arrivals.map(({ event }) => event)));
    const known = ((await list('/v1/events', 'events')) as Event[]).filter(
      ({ id }) => before.has(id) || came.has(id),
    );
    for (const { hook, arrivals } of arrived) {
      const lane = { ...hook, webhook: hook.name, isDrained };
      const { objections, unexplained } = judgeLane(lane, arrivals, known);
      fail(objections);
      for (const { event, attempt } of isDrained ? unexplained : []) {
        const path = `/v1/webhooks/${hook.id}/deliveries`;
        const item = (await list(path, 'deliveries')).find((one) => one.event_id === event);
        const { attempts } = await get(`${path}/${String(item?.id)}`);
        const made = (attempts as Json[]).find(({ number }) => number === attempt);
        if (made?.error === undefined || made.response_status !== undefined) {
          fail([`${hook.name}: event ${event} came again, and its answer had arrived`]);
        }
      }
    }
  }

  const settle = async (by: string): Promise<void> => {
    const body = JSON.stringify({ by });
    const headers = { 'content-type': 'application/json' };
    // The server waits for a minute: on a busy machine, what many kills left takes longer.
    for (let minutes = 1; ; minutes++) {
      const got =
        server && (await ask(server, 'POST', '/v1/local/clock/advance', { body, headers }));
      if (got?.json.reached === true) return;
      if (minutes === 20 || got?.json.reached !== false) {
        fail([`the work does not end: ${got?.text}`]);
      }
    }
  };

  /** Once all work is done: what stands is what evaluating everything anew finds; what was made can be read. */
  async function checkEnd(): Promise<void> {
    await settle('1s');
    // What waits for another try, too, and policies that read the time.
    await settle('2h');
    await check();
    await checkLanes(true);
    await checkViolations();
    const headers = { 'content-type': 'application/json' };
    if (server) await ask(server, 'POST', '/v1/scans', { body: '{}', headers });
    await settle('1m');
    tally.violations += await checkViolations();
    for (const { id } of await list('/v1/reports', 'reports')) {
      const report = await get(`/v1/reports/${String(id)}`);
      if (isGivenUp(report)) continue;
      if (report.status !== 'completed') fail([`a report failed: ${JSON.stringify(report)}`]);
      const { formats } = report as { formats: Json[] };
      for (const { format, size_bytes: size } of formats) {
        const path = `/v1/reports/${String(id)}/download/${String(format)}`;
        const got = server && (await ask(server, 'GET', path));
        if (got?.status !== 200) fail([`${path}: ${got?.status} ${got?.text}, of ${String(size)}`]);
      }
    }
    for (const bundle of await list('/v1/compliance/evidence/bundles', 'bundles')) {
      if (isGivenUp(bundle)) continue;
      const path = `/v1/compliance/evidence/${String(bundle.id)}/bundle`;
      const got = server && (await ask(server, 'GET', path));
      if (got?.status !== 200)
        fail([
          `${path}: ${got?.status}, as ${JSON.stringify(bundle.failure ?? bundle.status)}, of ${JSON.stringify(bundle)}`,
        ]);
    }
  }

  async function checkViolations(): Promise<number> {
    const inventory = {
      policies: (await list('/v1/policies', 'policies')) as never,
      resources: (await list('/v1/resources', 'resources')) as never,
      exemptions: (await list('/v1/exemptions', 'exemptions')) as never,
    };
    const found = await list('/v1/violations', 'violations');
    const { now } = await get('/v1/local/clock');
    const expected = recompute(inventory, Date.parse(String(now)));
    fail(judgeViolations(expected, found));
    return found.length;
  }

  /** One client does the same over and over. */
  async function live(life: (me: Client) => Promise<void>): Promise<void> {
    const me = new Client(scene);
    for (;;) {
      try {
        await life(me);
        if (pick(2) === 0) await me.repeat();
      } catch (error) {
        if (error instanceof Over) return;
        if (!(error instanceof GaveUp)) {
          scene.objections.push(error instanceof Error ? (error.stack ?? '') : String(error));
          return;
        }
      }
      // A client that always finds nothing to do must not keep the others from their turns.
      await pause(pick(10));
    }
  }

  /** Time passes faster than it does, so that what waits for another try falls due. */
  async function jump(): Promise<void> {
    while (!isOver) {
      const running = await scene.up();
      const clock = running && (await ask(running, 'GET', '/v1/local/clock'));
      if (running && clock?.status === 200) {
        const by = pick(5) === 0 ? -pick(5_000) : pick(10_000);
        const now = new Date(Date.parse(String(clock.json.now)) + by).toISOString();
        const headers = { 'content-type': 'application/json' };
        await ask(running, 'PUT', '/v1/local/clock', { body: JSON.stringify({ now }), headers });
      }
      await pause(200);
    }
  }

  const acknowledged = () => scene.history.filter(({ fate, endpoint }) => fate === 'acknowledged' && endpoint !== 'read').length; // prettier-ignore

  /** So that something is on its way whenever it is killed, on any machine. */
  async function someWrites(count: number): Promise<void> {
    const enough = acknowledged() + count;
    const longest = performance.now() + 5_000;
    while (acknowledged() < enough && performance.now() < longest) await pause(pick(20));
  }

  const isMissing = (): boolean => {
    const kinds = kindsOf(scene);
    return wanted.some((name) => !kinds.has(name));
  };

  try {
    await start();
    open();
    // Everything once, before anything is killed.
    const first = new Client(scene);
    hooks = await createHooks(first, receiver);
    const all = [
      ...Object.values(lives),
      makeEvents,
      (me: Client) => askAgain(me, hooks),
      (me: Client) => comeAndGo(me, receiver),
    ];
    for (const life of all) await life(first);
    fail([]);
    const clients = [...all, ...Object.values(lives)].map((life) => live(life));
    const jumping = jump();
    // Which writes a few rounds have is chance.
    while (tally.kills < kills || (isMissing() && tally.kills < kills + mostMore)) {
      await someWrites(pick(120));
      fail([]);
      gate = shut();
      receiver.serverDies();
      const signal = pick(5) === 0 ? 'SIGTERM' : 'SIGKILL';
      const asked = performance.now();
      const code = await server?.stop(signal);
      const ms = performance.now() - asked;
      tally.longestStopMs = Math.max(tally.longestStopMs, signal === 'SIGTERM' ? ms : 0);
      if (signal === 'SIGTERM' && code !== 0) fail([`after SIGTERM, the exit code was ${code} in ${ms} ms`]); // prettier-ignore
      await receiver.serverDied();
      tally.kills += 1;
      scene.era += 1;
      await start();
      await check();
      await checkLanes(false);
      tally.writes = acknowledged();
      tally.events = events.length;
      tally.deliveries = receiver.counts.requests ?? 0;
      told(tally);
      open();
    }
    isOver = true;
    await Promise.all([...clients, jumping]);
    fail([]);
    await checkEnd();
    await server?.stop();
    return { tally, kinds: kindsOf(scene) };
  } catch (error) {
    const saved = `${dir}-failed`;
    await server?.stop('SIGKILL');
    if (process.env.GOVCTL_KEEP_FAILED) await cp(dir, saved, { recursive: true });
    throw error;
  } finally {
    isOver = true;
    open();
    await server?.stop('SIGKILL');
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
