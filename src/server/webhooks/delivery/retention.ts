import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeliveryStatus } from '../../../contract/webhooks.ts';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import { allRows } from '../../store/all-rows.ts';
import type { PageQuery, Tx } from '../../store/store.ts';
import { webhooks } from '../collection.ts';
import { answerId, answers, deliveries, within } from './collection.ts';
import type { StoredDelivery } from './collection.ts';
import { day } from './retry.ts';

/** Ended deliveries that are kept of each webhook. */
export interface Kept {
  readonly succeeded: number;
  readonly failed: number;
}
const defaultKept: Kept = { succeeded: 1_000, failed: 10_000 };
/** Milliseconds that failed ones are kept. */
const failedFor = 30 * day;
/** Rows removed in one transaction. */
const batch = 200;
/** Deliveries that end between two looks. */
const lookAfter = 1_000;

export interface Retention {
  /** A delivery of this webhook has ended. */
  ended(webhookId: string): void;
  /** Forgets what is too much or too old, a batch in a transaction. */
  run(): Promise<void>;
}

/** Keeps what was sent within bounds, beside the sending. */
export function createRetention(
  deps: Pick<Deps, 'store' | 'clock' | 'log'>,
  kept = defaultKept,
): Retention {
  /** Webhooks that may have too many; undefined: any, as nobody has looked since the start. */
  let grown: Set<string> | undefined;
  let sinceLook = 0;
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    if (!deps.store.health().writable) return;
    const ids = grown ?? (await allIds());
    grown = new Set();
    sinceLook = 0;
    for (const id of ids) {
      await trim(id, 'succeeded', kept.succeeded);
      await trim(id, 'failed', kept.failed);
      // Requests get their turn.
      await nextTurn();
    }
    const before = timestamp(deps.clock.now() - failedFor);
    await removeOldest({ failed: { any: ['failed'] } }, ({ rows }) =>
      rows.filter(({ updated_at: at }) => at < before),
    );
  }

  async function allIds(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { doc } of allRows(deps.store, webhooks, {})) ids.push(doc.id);
    return ids;
  }

  const trim = (webhookId: string, status: DeliveryStatus, most: number): Promise<void> =>
    removeOldest({ status: { any: [within(webhookId, status)] } }, ({ rows, total }) =>
      rows.slice(0, Math.max(0, total - most)),
    );

  type Oldest = { readonly rows: readonly StoredDelivery[]; readonly total: number };

  async function removeOldest(
    where: PageQuery['where'],
    choose: (oldest: Oldest) => readonly StoredDelivery[],
  ): Promise<void> {
    const query = { where: where ?? {}, orderBy: 'updated_at', direction: 'asc' } as const;
    const chosenIn = async (reader: Pick<Tx, 'page'>, limit: number) => {
      const { rows, total } = await reader.page(deliveries, { ...query, limit });
      return choose({ rows: rows.map(({ doc }) => doc), total });
    };
    // Looked at outside a transaction first: mostly there is nothing to do.
    while ((await chosenIn(deps.store, 1)).length > 0) {
      await deps.store.transact(async (tx) => {
        for (const delivery of await chosenIn(tx, batch)) await forget(tx, delivery);
      });
    }
  }

  const run = (): Promise<void> => (running ??= look().finally(() => (running = undefined)));

  return {
    ended(webhookId) {
      grown?.add(webhookId);
      sinceLook += 1;
      if (sinceLook < lookAfter || running) return;
      run().catch((error: unknown) =>
        deps.log.error({ err: error }, 'forgetting deliveries failed'),
      );
    },
    run,
  };
}

async function forget(tx: Tx, { id, attempts }: StoredDelivery): Promise<void> {
  await tx.remove(deliveries, id);
  for (const { number, response_truncated: isCut } of attempts) {
    const answer = answerId(id, number);
    if (isCut && (await tx.get(answers, answer))) await tx.remove(answers, answer);
  }
}
