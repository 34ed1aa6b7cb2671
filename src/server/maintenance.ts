import { accessTokens } from './auth/collections.ts';
import type { Authenticator } from './auth/service.ts';
import type { Deps } from './deps.ts';
import { areMany, removeOldEvents } from './events/retention.ts';
import { idempotencyKeys } from './idempotency/service.ts';
import type { CollectionSpec, Document } from './store/store.ts';
import type { Deliveries } from './webhooks/delivery/deliveries.ts';
import { eventOf } from './webhooks/delivery/work.ts';

/** An expired token is told apart from one that never was for so long, in milliseconds. */
const expiredTokensKept = 24 * 3_600_000;
/** Rows removed in one transaction. */
const batch = 500;

/** What is done beside the requests, once a minute: what is too old goes, key uses are written down. */
export async function maintain(
  deps: Deps,
  authenticator: Authenticator,
  deliveries: Pick<Deliveries, 'maintain'> | undefined,
): Promise<void> {
  if (!deps.store.health().writable) return;
  const now = deps.clock.now();
  await authenticator.saveLastUses();
  await removeExpired(deps, accessTokens, now - expiredTokensKept);
  await removeExpired(deps, idempotencyKeys, now);
  await removeOldEvents(deps, eventOf);
  await deliveries?.maintain();
}

/** To be called every second: an import brings events so fast that the oldest can't wait for the minute. */
export async function trimEvents(deps: Deps): Promise<void> {
  if (deps.store.health().writable && (await areMany(deps.store))) {
    await removeOldEvents(deps, eventOf);
  }
}

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
