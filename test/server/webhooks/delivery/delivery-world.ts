import { rm } from 'node:fs/promises';
import type { EventType } from '../../../../src/contract/events.ts';
import { auditEnds, auditLog } from '../../../../src/server/audit/collection.ts';
import type { Deps, Log } from '../../../../src/server/deps.ts';
import { timestamp } from '../../../../src/server/deps.ts';
import { events } from '../../../../src/server/events/collection.ts';
import { emit } from '../../../../src/server/events/emit.ts';
import { createIds } from '../../../../src/server/ids.ts';
import { createLaneRunner } from '../../../../src/server/lanes/runner.ts';
import { allRows } from '../../../../src/server/store/all-rows.ts';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import { webhookLanes, webhooks } from '../../../../src/server/webhooks/collection.ts';
import type { StoredWebhook } from '../../../../src/server/webhooks/collection.ts';
import {
  answers,
  deliveries,
  ofWebhook,
} from '../../../../src/server/webhooks/delivery/collection.ts';
import type { StoredDelivery } from '../../../../src/server/webhooks/delivery/collection.ts';
import { createDeliveries } from '../../../../src/server/webhooks/delivery/deliveries.ts';
import type { Deliveries } from '../../../../src/server/webhooks/delivery/deliveries.ts';
import type { SlotLimits } from '../../../../src/server/outbound/slots.ts';
import type { Outcome, Outgoing } from '../../../../src/server/outbound/send.ts';
import { tempFolder } from '../../store/lowdb/temp-folder.ts';

export const hour = 3_600_000;
export const start = Date.parse('2026-03-01T12:00:00.000Z');

/** What a receiver does with a request; `at` is the time since the start, in milliseconds. */
export type Answers = (request: Request, signal: AbortSignal) => Outcome | Promise<Outcome>;
interface Request extends Outgoing {
  readonly at: number;
  readonly webhook: string;
  readonly event: string;
  readonly attempt: number;
}

export const ok: Outcome = { durationMs: 1, status: 200 };
export const answered = (status: number, headers: Record<string, string> = {}): Outcome => ({
  durationMs: 1,
  status,
  headers,
});

export type DeliveryWorld = Awaited<ReturnType<typeof openWorld>>;

/** The delivery engine on a real store, with receivers that are functions and a clock that stands still. */
export async function openWorld(options: { limits?: SlotLimits } = {}) {
  const folder = await tempFolder();
  const store = await openLowdbStore({
    dir: folder.path,
    collections: [webhooks, events, deliveries, answers, auditEnds, auditLog],
    lanes: [webhookLanes],
  });
  let now = start;
  let drawn = 0;
  const clock = { now: () => now, monotonic: () => now };
  const logged: { fields: Readonly<Record<string, unknown>>; message: string }[] = [];
  const note: Log['info'] = (fields, message) => void logged.push({ fields, message });
  const log: Log = { debug: note, info: note, warn: note, error: note };
  // The middle of every spread.
  const random = (bytes: number) => Buffer.alloc(bytes, 0).fill(0x80, bytes - 1);
  const deps: Deps = {
    store,
    clock,
    ids: createIds(clock, (bytes) => Buffer.alloc(bytes, (drawn += 1))),
    random,
    log,
    secrets: {
      seal: (secret) => `sealed ${secret}`,
      open: (text) => text.replace('sealed ', ''),
      fingerprint: (text) => text,
    },
    version: '1.2.3',
  };
  const requests: Request[] = [];
  let answer: Answers = () => ok;
  let engine: Deliveries | undefined;
  let made = 0;

  const startEngine = (): Deliveries =>
    (engine ??= createDeliveries(deps, {
      createRunner: createLaneRunner,
      ...(options.limits ? { limits: options.limits } : {}),
      async send(outgoing, signal) {
        const header = (name: string): string => outgoing.headers[name] ?? '';
        const request: Request = {
          ...outgoing,
          at: now - start,
          webhook: header('X-Service-Webhook-ID'),
          event: header('X-Service-Event-ID'),
          attempt: Number(header('X-Service-Delivery-Attempt')),
        };
        requests.push(request);
        return answer(request, signal);
      },
    }));

  return {
    deps,
    store,
    logged,
    requests,
    get now() {
      return now;
    },
    startEngine,
    /** As a server's stop and next start. */
    async restart(withinMs = 0): Promise<void> {
      await engine?.stop(withinMs);
      engine = undefined;
      startEngine();
    },
    answerWith: (answers: Answers) => void (answer = answers),
    /** Until nothing is due. */
    idle: () => startEngine().idle(),
    /** Time goes by, and what falls due meanwhile is done at its time. */
    async pass(ms: number): Promise<void> {
      const until = now + ms;
      for (;;) {
        await startEngine().idle();
        const due = await store.nextDue(webhookLanes);
        if (due === undefined || due > until) break;
        now = Math.max(now, due);
      }
      now = until;
    },
    /** The clock alone moves. */
    setClock: (ms: number) => void (now = ms),
    async addWebhook(fields: Partial<StoredWebhook> = {}): Promise<string> {
      made += 1;
      const id = deps.ids.next('wh');
      const created = timestamp(now);
      const doc: StoredWebhook = {
        id,
        url: `https://receiver-${made}.example:8443/hook?token=s3cret`,
        events: ['policy.violation.created'],
        active: true,
        secret: `sealed secret of ${made}`,
        secret_hint: 'f xy',
        created_at: created,
        updated_at: created,
        created_by: 'user_x',
        ...fields,
      };
      await store.transact((tx) => tx.insert(webhooks, doc));
      return id;
    },
    /** @returns the ids of the events */
    emit: (count = 1, type: EventType = 'policy.violation.created'): Promise<string[]> =>
      store.transact(async (tx) => {
        const ids: string[] = [];
        for (let at = 0; at < count; at++) {
          ids.push((await emit(deps, tx, type, { violation: { id: `viol_${at}` } })).id);
        }
        return ids;
      }),
    async webhook(id: string): Promise<StoredWebhook> {
      const found = await store.get(webhooks, id);
      if (!found) throw new Error(`no webhook ${id}`);
      return found.doc;
    },
    waiting: async (id: string) => (await store.laneState(webhookLanes, id)).waiting,
    /** Of a webhook, in the order of their ids. */
    async deliveries(id: string): Promise<StoredDelivery[]> {
      const found: StoredDelivery[] = [];
      for await (const { doc } of allRows(store, deliveries, ofWebhook(id))) {
        found.push(doc);
      }
      return found;
    },
    sentTo: (id: string) => requests.filter(({ webhook }) => webhook === id),
    async close(): Promise<void> {
      await engine?.stop(0);
      await store.close();
      await rm(folder.path, { recursive: true, force: true });
    },
  };
}
