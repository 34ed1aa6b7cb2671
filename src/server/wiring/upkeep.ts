import { accessTokens } from '../auth/collections.ts';
import type { Authenticator } from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import { areMany, mostKept, removeOldEvents } from '../events/retention.ts';
import { idempotencyKeys } from '../http/idempotency.ts';
import { reportLinks } from '../reports/download/collection.ts';
import { removeOldDownloads } from '../reports/download/retention.ts';
import type { CollectionSpec, Document } from '../store/store.ts';
import type { Deliveries } from '../webhooks/delivery/deliveries.ts';
import { eventOf } from '../webhooks/delivery/work.ts';

/** An expired token is told apart from one that never was for so long, in milliseconds. */
const expiredTokensKept = 24 * 3_600_000;
/** Rows removed in one transaction. */
const batch = 500;

/** What is done beside the requests. One thing at a time, and each once: what is called again meanwhile is the same run. */
export interface Upkeep {
  /** To be called every minute: what is too old goes, key uses are written down. */
  maintain(): Promise<void>;
  /** To be called every second: an import brings events so fast that the oldest can't wait for the minute. */
  trim(): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export interface UpkeepOptions {
  readonly authenticator: Pick<Authenticator, 'saveLastUses'>;
  readonly deliveries: Pick<Deliveries, 'maintain'> | undefined;
  /** Events that are kept, however new. */
  readonly mostEvents?: number;
}

export function createUpkeep(
  deps: Deps,
  { authenticator, deliveries, mostEvents = mostKept }: UpkeepOptions,
): Upkeep {
  const { store, clock } = deps;
  /** Events beyond those that are kept, at the last look: they wait for a webhook. */
  let surplus = 0;
  let maintaining: Promise<void> | undefined;
  let trimming: Promise<void> | undefined;

  async function maintainNow(): Promise<void> {
    if (!store.health().writable) return;
    const now = clock.now();
    await authenticator.saveLastUses();
    await removeExpired(deps, accessTokens, now - expiredTokensKept);
    await removeExpired(deps, idempotencyKeys, now);
    await removeExpired(deps, reportLinks, now);
    await removeOldDownloads(deps);
    surplus = await removeOldEvents(deps, eventOf, mostEvents);
    await deliveries?.maintain();
  }

  async function trimNow(): Promise<void> {
    if (!store.health().writable || !(await areMany(store, surplus, mostEvents))) return;
    surplus = await removeOldEvents(deps, eventOf, mostEvents);
  }

  return {
    maintain: () =>
      (maintaining ??= ended(trimming)
        .then(maintainNow)
        .finally(() => (maintaining = undefined))),
    trim: () =>
      (trimming ??= ended(maintaining)
        .then(trimNow)
        .finally(() => (trimming = undefined))),
    async idle() {
      await ended(maintaining);
      await ended(trimming);
    },
  };
}

/** However it ends: whoever began it hears of that. */
const ended = async (work: Promise<void> | undefined): Promise<void> =>
  work?.catch(() => undefined);

async function removeExpired<T extends Document & { readonly expires_at: number }>(
  deps: Deps,
  collection: CollectionSpec<T>,
  before: number,
): Promise<void> {
  const oldest = { orderBy: 'expires_at', direction: 'asc', limit: batch } as const;
  for (;;) {
    // Looked at outside a transaction first: usually nothing has expired.
    const seen = await deps.store.page(collection, { ...oldest, limit: 1 });
    if (!seen.rows.some(({ doc }) => doc.expires_at <= before)) return;
    await deps.store.transact(async (tx) => {
      const { rows } = await tx.page(collection, oldest);
      for (const { doc } of rows) if (doc.expires_at <= before) await tx.remove(collection, doc.id);
    });
  }
}
