import type { CollectionSpec, Document, Reader, Versioned, Where } from './store.ts';

const pageSize = 200;

/** Rows under a condition, page by page, in the order of their ids. For sets that are known to be small. */
export async function* allRows<T extends Document>(
  reader: Reader,
  collection: CollectionSpec<T>,
  where: Readonly<Record<string, Where>>,
): AsyncGenerator<Versioned<T>> {
  const query = { where, orderBy: 'id', direction: 'asc', limit: pageSize } as const;
  for (let page = await reader.page(collection, query); ;) {
    yield* page.rows;
    if (!page.hasMore || !page.last) return;
    page = await reader.page(collection, { ...query, after: page.last });
  }
}
