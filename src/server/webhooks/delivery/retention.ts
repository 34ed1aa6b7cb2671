import { defaultRetention } from '../../config/retention.ts';
import { nextTurn } from '../../next-turn.ts';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import { allRows } from '../../store/all-rows.ts';
import type { CollectionSpec, Tx, Where } from '../../store/store.ts';
import { webhooks } from '../collection.ts';
import { answerId, answers, deliveries, ofWebhook } from './collection.ts';
import type { StoredAnswer, StoredDelivery } from './collection.ts';
import { forgetDeliveries } from './service.ts';

/** Ended deliveries that are kept of each webhook, and the failed ones of all. */
interface Kept {
  readonly succeeded: number;
  readonly failed: number;
  readonly failedInAll?: number;
  /** Characters of all together, as `sizeOf` counts them. */
  readonly characters?: number;
  /** Milliseconds that any is kept. */
  readonly keptMs?: number;
}
const defaultKept = {
  succeeded: 1_000,
  failed: 10_000,
  failedInAll: 100_000,
  characters: 256 << 20,
  keptMs: defaultRetention.deliveries,
};
/** Tests that are kept of each webhook. */
const keptTests = 100;
/** Rows removed in one transaction. */
const batch = 500;

export interface Retention {
  /** A delivery has ended. */
  ended(delivery: StoredDelivery): void;
  /** Forgets what is too much or too old, a batch in a transaction. */
  run(): Promise<void>;
}

/** Keeps what was sent within bounds, beside the sending. */
export function createRetention(
  deps: Pick<Deps, 'store' | 'clock' | 'log'>,
  kept: Partial<Kept> = {},
): Retention {
  const most = { ...defaultKept, ...kept };
  const { failedInAll, characters, keptMs } = most;
  /** By webhook, how many ended since it was looked at. */
  const grown = new Map<string, number>();
  /** How many ended since all were looked at. */
  let grownInAll = 0;
  /** By webhook, what its ended deliveries take, or some more: those that were sent again count twice until it is weighed. */
  const sizes = new Map<string, number>();
  /** Any may have too many. */
  let isFirstLook = true;
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    if (!deps.store.health().writable) return;
    const ids = isFirstLook ? await allIds() : [...grown.keys()];
    for (const id of ids) await trim(id);
    if (isFirstLook) await forgetGone(new Set(ids));
    isFirstLook = false;
    const before = timestamp(Math.max(0, deps.clock.now() - keptMs));
    await removeOldest(allEnded, ({ rows }) => rows.filter(({ updated_at: at }) => at < before));
    await trimAll();
  }

  /** Each of hundreds of webhooks may have few enough, and all of them too many. */
  async function trimAll(): Promise<void> {
    grownInAll = 0;
    await removeOldest(allFailed, tooMany(failedInAll));
    await trimSizes();
  }

  /** Takes from the webhook that has most: one whose receiver answers much takes the room of no other. */
  async function trimSizes(): Promise<void> {
    for (;;) {
      const surplus = [...sizes.values()].reduce((sum, size) => sum + size, -characters);
      if (surplus <= 0) return;
      const [heaviest, counted] = [...sizes].reduce((a, b) => (b[1] > a[1] ? b : a));
      const size = await weigh(heaviest);
      // Others may be heavier.
      if (size < counted) continue;
      let left = surplus;
      const where = ofWebhook(heaviest, ended);
      const oldest = { where, orderBy: 'updated_at', direction: 'asc', limit: batch } as const;
      const { rows } = await deps.store.page(deliveries, oldest);
      const chosen = rows.flatMap(({ doc }) => {
        if (left <= 0) return [];
        left -= sizeOf(doc);
        return [doc];
      });
      if (chosen.length === 0) return;
      await forgetAll(chosen);
      await weigh(heaviest);
    }
  }

  async function weigh(webhookId: string): Promise<number> {
    let size = 0;
    for await (const { doc } of allRows(deps.store, deliveries, ofWebhook(webhookId, ended))) {
      size += sizeOf(doc);
    }
    if (size > 0) sizes.set(webhookId, size);
    else sizes.delete(webhookId);
    return size;
  }

  async function allIds(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { doc } of allRows(deps.store, webhooks, {})) ids.push(doc.id);
    return ids;
  }

  /** The last process may have ended before it had forgotten all that was sent to a webhook that was deleted. */
  async function forgetGone(known: ReadonlySet<string>): Promise<void> {
    const gone = new Set<string>();
    const look = async <T extends StoredDelivery | StoredAnswer>(spec: CollectionSpec<T>) => {
      for await (const { doc } of allRows(deps.store, spec, {})) {
        if (!known.has(doc.webhook_id)) gone.add(doc.webhook_id);
      }
    };
    await look(deliveries);
    await look(answers);
    for (const id of gone) {
      // It may have been created meanwhile.
      if (!(await deps.store.get(webhooks, id))) await forgetDeliveries(deps.store, id);
    }
  }

  async function trim(webhookId: string): Promise<void> {
    grown.delete(webhookId);
    for (const status of ended) {
      await removeOldest(ofWebhook(webhookId, [status]), tooMany(most[status]));
    }
    await weigh(webhookId);
    // Requests get their turn.
    await nextTurn();
  }

  async function removeOldest(
    where: Readonly<Record<string, Where>>,
    choose: (oldest: Oldest) => readonly StoredDelivery[],
  ): Promise<void> {
    const oldest = { where, orderBy: 'updated_at', direction: 'asc', limit: batch } as const;
    for (let chosen; chosen === undefined || chosen.length === batch;) {
      // Outside the transaction, as it takes a while.
      const { rows, total } = await deps.store.page(deliveries, oldest);
      chosen = choose({ rows: rows.map(({ doc }) => doc), total });
      if (chosen.length > 0) await forgetAll(chosen);
    }
  }

  const forgetAll = (chosen: readonly StoredDelivery[]): Promise<void> =>
    deps.store.transact(async (tx) => {
      for (const delivery of chosen) {
        const now = (await tx.get(deliveries, delivery.id))?.doc;
        // It may be sent again, or be gone, by now.
        if (now?.status === delivery.status && now.updated_at === delivery.updated_at) {
          await forget(tx, now);
        }
      }
    });

  const once = (work: () => Promise<void>): Promise<void> =>
    (running ??= work().finally(() => (running = undefined)));

  return {
    ended(delivery) {
      const { webhook_id: webhookId } = delivery;
      const count = (grown.get(webhookId) ?? 0) + 1;
      grown.set(webhookId, count);
      sizes.set(webhookId, (sizes.get(webhookId) ?? 0) + sizeOf(delivery));
      grownInAll += 1;
      if (running || (count < batch && grownInAll < batch)) return;
      once(async () => {
        if (count >= batch) await trim(webhookId);
        if (grownInAll >= batch) await trimAll();
      }).catch((error: unknown) =>
        deps.log.error({ err: error }, 'deleting old deliveries failed'),
      );
    },
    run: () => once(look),
  };
}

const ended = ['succeeded', 'failed'] as const;

/** Characters, about, that a delivery takes in memory: what receivers answered, and the rest of it. */
function sizeOf({ attempts, request_body: sent = '' }: StoredDelivery): number {
  let size = 600 + sent.length;
  for (const { response_body: body = '', response_headers: headers = {}, error = '' } of attempts) {
    size += 200 + body.length + error.length;
    for (const name in headers) size += name.length + (headers[name]?.length ?? 0);
  }
  return size;
}

const allEnded = { kept: { any: ['ended'] } } as const;
const allFailed = { kept: { any: ['failed'] } } as const;

interface Oldest {
  readonly rows: readonly StoredDelivery[];
  readonly total: number;
}

/** Of the oldest, those beyond the number that is kept. */
const tooMany =
  (most: number) =>
  ({ rows, total }: Oldest): readonly StoredDelivery[] =>
    rows.slice(0, Math.max(0, total - most));

/** Stores a test's delivery, and forgets the oldest of its webhook's. */
export async function keepTest(tx: Tx, test: StoredDelivery, most = keptTests): Promise<void> {
  await tx.insert(deliveries, test);
  const where = { kept: { any: [test.webhook_id] } };
  const oldest = { where, orderBy: 'updated_at', direction: 'asc', limit: 10 } as const;
  const { rows, total } = await tx.page(deliveries, oldest);
  for (const { doc } of rows.slice(0, Math.max(0, total - most))) await forget(tx, doc);
}

async function forget(tx: Tx, { id, attempts }: StoredDelivery): Promise<void> {
  await tx.remove(deliveries, id);
  for (const { number, response_truncated: isCut } of attempts) {
    const answer = answerId(id, number);
    if (isCut && (await tx.get(answers, answer))) await tx.remove(answers, answer);
  }
}
