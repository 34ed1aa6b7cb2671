import { defined } from '../../contract/defined.ts';
import { nextTurn } from '../next-turn.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { countRows } from '../store/all-rows.ts';
import type { LaneWork, Reader, Store } from '../store/store.ts';
import { webhookLanes } from '../webhooks/collection.ts';
import { events } from './collection.ts';

/** Beyond so many the older ones go before their time. */
export const mostKept = 100_000;

/** Events removed in one transaction: more than one of an import brings, which takes turns with these. */
const batch = 2_000;
const worksRead = 1_000;

/** The event that a piece of work in a webhook's lane needs. */
export type EventOfWork = (reader: Reader, work: LaneWork) => Awaitable<string | undefined>;

/**
 * Whether there are a tenth more than are kept: `removeOldEvents` is due before its time.
 * @param surplus that it left the last time: it reads all that waits, for which a few new events are no reason
 */
export async function areMany(store: Store, surplus: number, most = mostKept): Promise<boolean> {
  const total = await countRows(store, events);
  return 10 * (total - surplus) >= 11 * most;
}

export interface EventsKept {
  /** Default: 100,000. */
  readonly most?: number;
  readonly keptMs: number;
}

/**
 * Removes events that are too old, and beyond the newest 100,000. What waits for a webhook stays, however
 * old: it goes once it is delivered.
 * @returns how many are left beyond those 100,000
 */
export async function removeOldEvents(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  eventOf: EventOfWork,
  { most = mostKept, keptMs }: EventsKept,
): Promise<number> {
  const oldest = { orderBy: 'sequence', direction: 'asc', limit: batch } as const;
  const before = timestamp(Math.max(0, clock.now() - keptMs));
  const first = await store.page(events, { ...oldest, limit: 1 });
  let surplus = first.total - most;
  if (surplus <= 0 && !first.rows.some(({ doc }) => doc.created < before)) return 0;
  let removed = 0;
  const left = (): number => Math.max(0, first.total - removed - most);
  const waiting = await readWaiting(store, eventOf);
  for (let page = await store.page(events, oldest); ;) {
    const old = page.rows.filter(({ doc }, at) => at < surplus || doc.created < before);
    const free = old.map(({ doc }) => doc.id).filter((id) => !waiting.ids.has(id));
    if (free.length > 0) removed += await remove(store, eventOf, free, waiting.last);
    surplus -= page.rows.length;
    if (!page.hasMore || !page.last || old.length < page.rows.length) return left();
    if (!store.health().writable) return left();
    page = await store.page(events, { ...oldest, after: page.last });
    await nextTurn();
  }
}

interface Waiting {
  /** Of events. */
  readonly ids: ReadonlySet<string>;
  /** The place of the last piece of work that was read. */
  readonly last: number | undefined;
}

/** What waits in any lane, read beside the changes that go on: work that comes meanwhile has a later place. */
async function readWaiting(reader: Reader, eventOf: EventOfWork, after?: number): Promise<Waiting> {
  const ids = new Set<string>();
  let last = after;
  for (;;) {
    const works = await reader.laneWork(webhookLanes, {
      limit: worksRead,
      ...defined({ after: last }),
    });
    for (const work of works) {
      const id = await eventOf(reader, work);
      if (id !== undefined) ids.add(id);
    }
    last = works.at(-1)?.position ?? last;
    if (works.length < worksRead) return { ids, last };
    await nextTurn();
  }
}

/** Removes events, but for those that were queued since lanes were read. @returns how many */
async function remove(
  store: Store,
  eventOf: EventOfWork,
  ids: readonly string[],
  readUpTo: number | undefined,
): Promise<number> {
  return store.transact(async (tx) => {
    const waiting = await readWaiting(tx, eventOf, readUpTo);
    let removed = 0;
    for (const id of ids) {
      if (waiting.ids.has(id) || !(await tx.get(events, id))) continue;
      await tx.remove(events, id);
      removed += 1;
    }
    return removed;
  });
}
