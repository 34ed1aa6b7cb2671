import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Deps, Log } from '../../../src/server/deps.ts';
import { events } from '../../../src/server/events/collection.ts';
import { testEvaluation } from '../evaluation/test-evaluator.ts';
import { createIds } from '../../../src/server/ids.ts';
import { createLaneRunner } from '../../../src/server/lanes/runner.ts';
import { collections, lanes } from '../../../src/server/wiring/modules.ts';
import { reports } from '../../../src/server/reports/collection.ts';
import type { StoredReport } from '../../../src/server/reports/collection.ts';
import { createReportWork } from '../../../src/server/reports/generation/report-work.ts';
import type { ReportWork } from '../../../src/server/reports/generation/report-work.ts';
import { createReport, deleteReport } from '../../../src/server/reports/service.ts';
import { createSecretBox } from '../../../src/server/keys/secret-box.ts';
import { allRows } from '../../../src/server/store/all-rows.ts';
import { openLowdbStore } from '../../../src/server/store/lowdb/open.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { composeTiny, renderText } from './report-world.ts';

const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const actor = { userId: 'user_1', via: 'key_1', requestId: 'req_1' };
const never = new Promise<never>(() => undefined);

/** One process: what it asks of the store is never answered once it is gone. */
interface Process {
  readonly work: ReportWork;
  readonly store: Store;
  readonly deps: Deps;
  die(): void;
}

/** Makes a process' store deaf and mute from some moment on, as a kill does. */
function mortal(store: Store): { store: Store; die: () => void } {
  let dead = false;
  const orNever = async <R>(work: () => Promise<R>): Promise<R> => {
    if (dead) return never;
    try {
      const result = await work();
      return dead ? await never : result;
    } catch (error) {
      if (dead) return never;
      throw error;
    }
  };
  return {
    die: () => void (dead = true),
    store: {
      ...store,
      transact: (work) => orNever(() => store.transact(work)),
      claim: (family, query) => orNever(async () => store.claim(family, query)),
      release: (family, claimed) => orNever(async () => store.release(family, claimed)),
      health: () => (dead ? { writable: false } : store.health()),
      blobs: {
        ...store.blobs,
        create: (id) =>
          orNever(async () => {
            const writer = await store.blobs.create(id);
            return {
              write: (chunk) => orNever(() => writer.write(chunk)),
              finish: () => orNever(() => writer.finish()),
              abandon: () => orNever(() => writer.abandon()),
            };
          }),
        remove: (id) => orNever(() => store.blobs.remove(id)),
      },
    },
  };
}

/** Reports on a store that outlives the processes that make them, under a clock that is moved. */
export async function startProcesses() {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-reports-test-'));
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  const clock = { now: () => now, monotonic: () => now };
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  const secrets = createSecretBox(random(32), random);
  const ids = createIds(clock, random);
  let isOpen = true;
  let waiting: (() => void)[] = [];

  const passGate = async (signal: AbortSignal): Promise<void> => {
    if (isOpen) return;
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };

  async function start(): Promise<Process> {
    const opened = await openLowdbStore({ dir: path.join(folder, 'data'), collections, lanes });
    const { store, die } = mortal(opened);
    const deps: Deps = { store, clock, ids, random, log, secrets, version: '1.2.3' };
    const work = createReportWork(deps, {
      evaluation: testEvaluation(deps),
      async compose(given, evaluation, order, options) {
        await passGate(options.signal);
        return composeTiny(given, evaluation, order, options);
      },
      async render(job) {
        await passGate(job.signal);
        return renderText(job);
      },
      signer: () => Promise.reject(new Error('nothing is signed here')),
      createRunner: createLaneRunner,
      // Counted as what it is: a part of the transaction.
      ended: async (tx, { id }) => void (await tx.next(`ended ${id}`)),
    });
    return { work, store: opened, deps, die };
  }
  let current = await start();

  return {
    async create(fields: Partial<Parameters<typeof createReport>[3]> = {}): Promise<string> {
      const order = { name: 'r', type: 'audit', scope: {}, ...fields } as const;
      const { deps } = current;
      return (await deps.store.transact((tx) => createReport(deps, tx, actor, order))).doc.id;
    },
    async remove(id: string): Promise<void> {
      const { deps, work } = current;
      const gone = await deps.store.transact((tx) =>
        deleteReport(deps, tx, { actor, checkMatch: () => undefined }, id),
      );
      await work.forget(gone);
    },
    /** As a kill, and the next start. */
    async crash(): Promise<void> {
      current.die();
      await current.store.close();
      current = await start();
    },
    async restart(): Promise<void> {
      await current.work.stop(0);
      await current.store.close();
      current = await start();
    },
    /** Lets what is made go on, or holds it from now on. */
    setGate(open: boolean): void {
      isOpen = open;
      if (!open) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    advance(ms: number): void {
      now += ms;
      current.work.poke();
    },
    now: () => now,
    /** Of this process. */
    counts: () => current.work.counts,
    idle: () => current.work.idle(),
    /** Resolves after what is under way has had some turns. */
    async someTurns(): Promise<void> {
      for (let turn = 0; turn < 20; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    },
    async all(): Promise<readonly StoredReport[]> {
      const found: StoredReport[] = [];
      for await (const { doc } of allRows(current.store, reports, {})) found.push(doc);
      return found;
    },
    /** `type id` of each event. */
    async told(): Promise<readonly string[]> {
      const found: string[] = [];
      for await (const { doc } of allRows(current.store, events, {})) {
        const data = JSON.parse(doc.data) as Record<string, { id: string }>;
        found.push(`${doc.type} ${Object.values(data)[0]?.id ?? ''}`);
      }
      return found;
    },
    /** Times that the end of a report was told. */
    timesEnded: (id: string): Promise<number> =>
      current.store.transact(async (tx) => (await tx.next(`ended ${id}`)) - 1),
    async blobs(): Promise<readonly string[]> {
      const found: string[] = [];
      for await (const id of current.store.blobs.list()) found.push(id);
      return found;
    },
    async close(): Promise<void> {
      await current.work.stop(0);
      await current.store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
