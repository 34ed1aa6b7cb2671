import type { CollectionSpec, Store } from '../store/store.ts';
import type { RateLimiter, RequestCount } from './limits.ts';

export const requestCounts: CollectionSpec<RequestCount> = {
  name: 'request_counts',
  order: { ends_at: ({ ends_at }) => ends_at },
};

/**
 * Requests of a key that a kill may forget: counts are saved once a minute, and of keys only those that make a difference
 * to their limits, so that neither a request nor a key costs a commit.
 */
const leastSaved = 20;

export interface RequestCounts {
  /** Goes on from the counts of before the start. */
  load(): Promise<void>;
  /** Call every minute. */
  save(): Promise<void>;
  /** Call when no more requests come: a restart then forgets none. */
  saveAll(): Promise<void>;
}

/** Keeps the counts of requests over restarts. */
export function createRequestCounts(
  store: Store,
  limiter: Pick<RateLimiter, 'unsaved' | 'restore'>,
): RequestCounts {
  const save = async (least: number): Promise<void> => {
    const unsaved = limiter.unsaved(least);
    if (unsaved.length === 0) return;
    await store.transact(async (tx) => {
      for (const { count } of unsaved) {
        const isKnown = (await tx.get(requestCounts, count.id)) !== undefined;
        await (isKnown ? tx.replace(requestCounts, count) : tx.insert(requestCounts, count));
      }
    });
    for (const { done } of unsaved) done();
  };
  return {
    async load() {
      const { rows } = await store.page(requestCounts, {
        orderBy: 'ends_at',
        direction: 'asc',
        limit: Number.MAX_SAFE_INTEGER,
      });
      limiter.restore(rows.map(({ doc }) => doc));
    },
    save: () => save(leastSaved),
    saveAll: () => save(1),
  };
}
