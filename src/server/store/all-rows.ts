import { nextTurn } from '../next-turn.ts';
import type { CollectionSpec, Document, PageQuery, Reader, Versioned, Where } from './store.ts';

const pageSize = 200;
/** Pages between two turns of others: some milliseconds, with what is done for each row. */
const pagesPerTurn = 5;

/** How many rows a collection has, or has under a condition. It must have the order `id`. */
export async function countRows<T extends Document>(
  reader: Reader,
  collection: CollectionSpec<T>,
  where: Readonly<Record<string, Where>> = {},
): Promise<number> {
  const none = { where, orderBy: 'id', direction: 'asc', limit: 0 } as const;
  return (await reader.page(collection, none)).total;
}

/** Whether a collection has a row, or one under a condition. It must have the order `id`. */
export async function hasAny<T extends Document>(
  reader: Reader,
  collection: CollectionSpec<T>,
  where: Readonly<Record<string, Where>> = {},
): Promise<boolean> {
  return (await countRows(reader, collection, where)) > 0;
}

/**
 * All rows of a query, page by page; others have their turn in between, so it is no snapshot: each row is as it is when its
 * page is read, and rows that come and go meanwhile may be seen or not. None is seen twice, and none that stays is left out,
 * where the order is by a field that does not change.
 */
export async function* allPages<T extends Document>(
  reader: Pick<Reader, 'page'>,
  collection: CollectionSpec<T>,
  query: Pick<PageQuery, 'where' | 'orderBy' | 'direction' | 'after'>,
): AsyncGenerator<readonly Versioned<T>[]> {
  let read = 0;
  for (let page = await reader.page(collection, { ...query, limit: pageSize }); ;) {
    yield page.rows;
    if (!page.hasMore || !page.last) return;
    if ((read += 1) % pagesPerTurn === 0) await nextTurn();
    page = await reader.page(collection, { ...query, limit: pageSize, after: page.last });
  }
}

/** Rows under a condition, page by page, in the order of their ids; others have their turn in between. For sets that are known to be small. */
export async function* allRows<T extends Document>(
  reader: Reader,
  collection: CollectionSpec<T>,
  where: Readonly<Record<string, Where>>,
): AsyncGenerator<Versioned<T>> {
  const query = { where, orderBy: 'id', direction: 'asc' } as const;
  for await (const rows of allPages(reader, collection, query)) yield* rows;
}
