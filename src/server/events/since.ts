import { nextTurn } from '../next-turn.ts';
import type { EventType } from '../../contract/events.ts';
import { timestamp } from '../deps.ts';
import type {
  CollectionSpec,
  Document,
  Page,
  PageQuery,
  Position,
  Reader,
} from '../store/store.ts';
import { events } from './collection.ts';
import type { StoredEvent } from './collection.ts';

/** Events looked at in one go. */
const looked = 1_000;

/** In the order of sequences: behind it stand those from this one on. */
const placeBefore = (sequence: number): Position => ({ value: sequence - 1, id: '~' });

const bySequence = { orderBy: 'sequence', direction: 'asc' } as const;

const byTime = { orderBy: 'created', direction: 'asc' } as const;

/** In the order of time: behind it stand those of this time and later. */
const placeOfTime = (since: string): Position => ({ value: timestamp(Date.parse(since)), id: '' });

/** The sequence of the first event created then or later; undefined where there is none. */
async function sequenceSince(reader: Reader, since: string): Promise<number | undefined> {
  const { rows } = await reader.page(events, { ...byTime, limit: 1, after: placeOfTime(since) });
  return rows[0]?.doc.sequence;
}

/** An event's place in the order of all. */
export type SequencedEvent = Pick<StoredEvent, 'id' | 'sequence'>;

interface Range {
  /** ISO 8601. */
  readonly since: string;
  /** Excluded. Absent: all since. */
  readonly until?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
}

/**
 * The events that were stamped in a range of time, in the order in which they came: another one than that of their
 * times where the clock was set back. None that come meanwhile. Others get their turn, as there may be very many.
 */
export async function eventsBetween(
  reader: Reader,
  { since, until, types }: Range,
): Promise<readonly SequencedEvent[]> {
  const newest = await newestSequence(reader);
  // In milliseconds, as times may be given with fewer or more digits.
  const end = until === undefined ? undefined : timestamp(Date.parse(until));
  const found: SequencedEvent[] = [];
  const where = types ? { type: { any: types } } : {};
  for (let after: Position = placeOfTime(since); ;) {
    const page = await reader.page(events, { where, ...byTime, limit: looked, after });
    for (const { doc } of page.rows) {
      if (end !== undefined && doc.created >= end) return found.sort(inSequence);
      if (doc.sequence <= newest) found.push({ id: doc.id, sequence: doc.sequence });
    }
    if (!page.hasMore || !page.last) return found.sort(inSequence);
    after = page.last;
    await nextTurn();
  }
}

export const inSequence = (a: SequencedEvent, b: SequencedEvent): number => a.sequence - b.sequence;

/** The sequence of the newest event; 0 where there is none. */
async function newestSequence(reader: Reader): Promise<number> {
  const { rows } = await reader.page(events, { ...bySequence, direction: 'desc', limit: 1 });
  return rows[0]?.doc.sequence ?? 0;
}

/**
 * A reader for which events begin where `where.since` says, in commit order: a time is nothing that an index finds.
 * Other collections, and queries without it, are as they are.
 */
export const sinceReader = (reader: Reader): Reader => ({
  ...reader,
  async page<T extends Document>(collection: CollectionSpec<T>, query: PageQuery) {
    const { since, ...where } = query.where ?? {};
    if (!since || !('any' in since)) return reader.page(collection, query);
    // `since` is a condition on events only.
    return (await pageSince(reader, { ...query, where }, since.any[0] ?? '')) as unknown as Page<T>;
  },
});

async function pageSince(
  reader: Reader,
  query: PageQuery,
  since: string,
): Promise<Page<StoredEvent>> {
  const from = await sequenceSince(reader, since);
  if (from === undefined) return { rows: [], total: 0, hasMore: false };
  const count = await countFrom(reader, query, from);
  const page = await reader.page(events, await begin(reader, query, from, count));
  if (query.direction === 'asc') return { ...page, total: count };
  const rows = page.rows.filter(({ doc }) => doc.sequence >= from);
  const last = rows.at(-1)?.doc;
  return {
    rows,
    total: count,
    hasMore:
      rows.length === page.rows.length && page.hasMore && (await isMore(reader, query, last, from)),
    ...(last ? { last: { value: last.sequence, id: last.id } } : {}),
  };
}

/** The query, from the first one on that is not too old. */
async function begin(
  reader: Reader,
  query: PageQuery,
  from: number,
  count: number,
): Promise<PageQuery> {
  const { offset = 0, ...rest } = query;
  if (query.after || query.direction === 'desc') return query;
  if (offset === 0) return { ...rest, after: placeBefore(from) };
  const { total } = await reader.page(events, { ...rest, limit: 0 });
  return { ...rest, offset: offset + total - count };
}

/** Whether an older one follows that is not too old. */
async function isMore(
  reader: Reader,
  query: PageQuery,
  last: StoredEvent | undefined,
  from: number,
): Promise<boolean> {
  if (!last) return false;
  const { rows } = await reader.page(events, {
    where: query.where ?? {},
    ...bySequence,
    direction: 'desc',
    limit: 1,
    after: { value: last.sequence, id: last.id },
  });
  return rows.some(({ doc }) => doc.sequence >= from);
}

/** How many match from a sequence on. Others get their turn, as there may be very many. */
async function countFrom(reader: Reader, { where = {} }: PageQuery, from: number): Promise<number> {
  let count = 0;
  for (let after = placeBefore(from); ;) {
    const page = await reader.page(events, { where, ...bySequence, limit: looked, after });
    count += page.rows.length;
    if (!page.hasMore || !page.last) return count;
    after = page.last;
    await nextTurn();
  }
}
