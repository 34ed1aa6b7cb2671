import { timestamp } from '../deps.ts';
import type { CollectionSpec, Document, Page, PageQuery, Reader } from '../store/store.ts';
import { events } from './collection.ts';
import type { StoredEvent } from './collection.ts';

const bySequence = { orderBy: 'sequence', direction: 'asc' } as const;

/** The sequence of the first event created then or later; undefined where there is none. */
export async function sequenceSince(reader: Reader, since: string): Promise<number | undefined> {
  const value = timestamp(Date.parse(since));
  const { rows } = await reader.page(events, {
    orderBy: 'created',
    direction: 'asc',
    limit: 1,
    after: { value, id: '' },
  });
  return rows[0]?.doc.sequence;
}

/** The sequence of the newest event; 0 where there is none. */
export async function newestSequence(reader: Reader): Promise<number> {
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
  const { count, all } = await countFrom(reader, query, from ?? Infinity);
  if (count === 0) return { rows: [], total: 0, hasMore: false };
  const { offset = 0, after, ...rest } = query;
  const before = query.direction === 'asc' ? all - count : 0;
  const place = after ? { after } : { offset: offset + before };
  const page = await reader.page(events, { ...rest, ...place });
  if (query.direction === 'asc') return { ...page, total: count };
  const rows = page.rows.filter(({ doc }) => doc.sequence >= (from ?? 0));
  const last = rows.at(-1)?.doc;
  return {
    rows,
    total: count,
    hasMore:
      rows.length === page.rows.length && page.hasMore && (await isMore(reader, query, last, from)),
    ...(last ? { last: { value: last.sequence, id: last.id } } : {}),
  };
}

/** Whether an older one follows that is not too old. */
async function isMore(
  reader: Reader,
  query: PageQuery,
  last: StoredEvent | undefined,
  from = 0,
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

/** How many match in all, and how many of them from a sequence on: looked for from the newest, in growing steps. */
async function countFrom(
  reader: Reader,
  { where = {} }: PageQuery,
  from: number,
): Promise<{ readonly count: number; readonly all: number }> {
  let all = 0;
  /** Whether the n-th newest is among them. */
  const isIn = async (offset: number): Promise<boolean> => {
    const newest = { where, ...bySequence, direction: 'desc', limit: 1, offset } as const;
    const { rows, total } = await reader.page(events, newest);
    all = total;
    return rows.some(({ doc }) => doc.sequence >= from);
  };
  let high = 0;
  for (let step = 64; await isIn(high); step *= 2) high += step;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (await isIn(middle)) low = middle + 1;
    else high = middle;
  }
  return { count: low, all };
}
