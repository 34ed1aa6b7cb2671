import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { createPick } from '../support/pick.ts';
import { Client, GaveUp, Over, ask } from '../crash/kills/client.ts';
import type { Scene } from '../crash/kills/client.ts';
import type { Json } from '../crash/kills/history.ts';
import { makeEvents } from '../crash/kills/hooks.ts';
import { ours } from '../crash/kills/judge.ts';
import { lives } from '../crash/kills/lives.ts';
import { startReceiver } from '../crash/webhook-receiver.ts';
import type { Sample } from './plateaus.ts';

/** All that the operator can set an end to. */
const config = `remediation:
  approval: approval
retention:
  events: 2m
  deliveries: 2m
  violations: 2m
  scans: 2m
  reports: 2m
  audit_log: 2m
  attribute_history: 2m
  remediations: 2m
  evidence: 2m
  uses: 1d
`;

/**
 * Each client begins a turn once in this time: often enough that the journal, which is folded at 16 MiB, is folded in each
 * window of the measurement.
 */
const everyMs = 3_000;

/** The lists of what clients create and delete. */
const lists = [
  ...['/v1/policies', '/v1/resources', '/v1/exemptions', '/v1/budgets', '/v1/reports/schedules'],
  ...['/v1/users', '/v1/roles', '/v1/api-keys', '/v1/oauth-clients', '/v1/trusts'],
  '/v1/compliance/framework-definitions',
];

/**
 * Deletes what clients left behind because an answer was lost, such as on a connection that ended while idle: an object that
 * was there a minute ago, too, belongs to no client any more.
 */
async function sweep(server: BuiltServer, isOver: () => boolean): Promise<void> {
  let before = new Set<string>();
  while (!isOver()) {
    const now = new Set<string>();
    for (const path of lists) {
      const got = await ask(server, 'GET', `${path}?limit=100`);
      const rows = Object.values(got?.json ?? {}).find(Array.isArray) as
        readonly Json[] | undefined;
      for (const row of rows ?? []) {
        if (!JSON.stringify(row).includes(`"${ours}`)) continue;
        const one = `${path}/${encodeURIComponent(String(row.id ?? row.client_id))}`;
        now.add(one);
        if (before.has(one)) await ask(server, 'DELETE', one);
      }
    }
    before = now;
    for (let seconds = 0; seconds < 60 && !isOver(); seconds++) await pause(1_000);
  }
}

const mega = 1024 * 1024;

/** Bytes of all files below a directory. */
async function bytesIn(dir: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(dir, { recursive: true })) {
    // It may have been a file for a moment only.
    const found = await stat(join(dir, name)).catch(() => undefined);
    if (found?.isFile()) bytes += found.size;
  }
  return bytes;
}

/** Numbers of /metrics, by their names with labels. */
const readMetrics = (text: string): Map<string, number> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const [, name = '', value] = /^([^#\s]\S*) (\S+)$/.exec(line) ?? [];
      return value === undefined ? [] : [[name, Number(value)]];
    }),
  );

/** Those whose lowest value in a window counts: the rest is garbage, or the journal until it is folded. */
export const collected: ReadonlySet<string> = new Set([
  'heap (lowest), MiB',
  'files (lowest), MiB',
]);

/**
 * A server to which clients do everything at once, and after which nothing is to stay: what they make they delete, and the
 * rest has an end by the configuration. One of its webhooks is dead.
 * @param dir a directory that is there, and empty
 */
export async function soak(
  dir: string,
  minutes: number,
  told: (line: string) => void,
): Promise<{ samples: readonly Sample[]; rows: readonly Sample[]; writes: number }> {
  const configFile = join(dir, 'server.yaml');
  await writeFile(configFile, config);
  const dataDir = join(dir, 'data');
  const receiver = await startReceiver(createPick(1), 10);
  const server = await startBuiltServer({
    dataDir,
    args: ['--log-level', 'error', '--config', configFile],
  });
  let isOver = false;
  const scene: Scene = {
    pick: createPick(1),
    up: () => Promise.resolve(isOver ? undefined : server),
    history: [],
    objections: [],
    isForever: true,
    era: 0,
    things: 0,
    writes: 0,
  };
  const me = new Client(scene);
  for (const [name, url] of [
    ['kills-alive', receiver.url('alive')],
    // Nothing listens there.
    ['kills-dead', 'http://127.0.0.1:9/dead'],
  ] as const) {
    const secret = 'the secret of both';
    receiver.expect('alive', secret);
    const events = ['resource.changed', 'user.login', 'policy.violation.created', 'scan.completed'];
    await me.write('webhooks.create', '', { body: { name, url, events, secret } });
  }

  async function live(life: (me: Client) => Promise<void>): Promise<void> {
    const client = new Client(scene);
    for (let turn = performance.now(); ; turn += everyMs) {
      // As much on a busy machine as on an idle one: what is kept for minutes is then as much at any time.
      await pause(Math.max(0, turn - performance.now()));
      try {
        await life(client);
      } catch (error) {
        if (error instanceof Over) return;
        // A connection that was idle may end just when it is used again.
        if (!(error instanceof GaveUp)) throw error;
      }
    }
  }

  const samples: Sample[] = [];
  const rows: Sample[] = [];
  async function sample(): Promise<void> {
    const got = await ask(server, 'GET', '/metrics');
    if (got?.status !== 200) throw new Error(`/metrics: ${got?.status} ${got?.text}`);
    const all = readMetrics(got.text);
    const of = (name: string): number => all.get(name) ?? 0;
    const records = [...all].flatMap(([name, value]) => {
      const [, collection] = /^govctl_store_records\{collection="(\w+)"\}$/.exec(name) ?? [];
      return collection === undefined ? [] : [[collection, value] as const];
    });
    rows.push(Object.fromEntries(records));
    samples.push({
      'memory (RSS), MiB': of('process_resident_memory_bytes') / mega,
      'heap (lowest), MiB': of('nodejs_heap_size_used_bytes') / mega,
      'files (lowest), MiB': (await bytesIn(dataDir)) / mega,
      descriptors: of('process_open_fds'),
      rows: records.reduce((sum, [, value]) => sum + value, 0),
      'waiting events': [...all].reduce(
        (sum, [name, value]) => sum + (name.startsWith('govctl_webhook_waiting') ? value : 0),
        0,
      ),
    });
  }

  const clients = [
    ...[...Object.values(lives), makeEvents, makeEvents].map((life) => live(life)),
    sweep(server, () => isOver),
  ];
  const until = performance.now() + minutes * 60_000;
  const every = Math.min(5_000, (minutes * 60_000) / 100);
  const perLine = Math.round(60_000 / every);
  try {
    while (performance.now() < until) {
      await Promise.race([pause(every), ...clients]);
      await sample();
      const { objections } = scene;
      if (objections.length > 0) throw new Error(objections.slice(0, 5).join('\n'));
      scene.history.length = 0;
      if (samples.length % perLine === 0) {
        const numbers = Object.entries(samples.at(-1) ?? {}).map(([name, value]) => `${name} ${value.toFixed(0)}`); // prettier-ignore
        told(`${samples.length / perLine} min, ${scene.writes} writes: ${numbers.join('; ')}`);
      }
    }
    isOver = true;
    await Promise.all(clients);
    return { samples, rows, writes: scene.writes };
  } finally {
    isOver = true;
    await server.stop();
    await receiver.close();
  }
}
