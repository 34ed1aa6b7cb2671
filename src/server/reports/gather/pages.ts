import type { CollectionSpec, Document, Page, PageQuery, Reader } from '../../store/store.ts';

const rowsPerPage = 500;

/** All pages of a collection, in an order. Rows that come and go meanwhile may be seen or not; none is seen twice. */
export async function* pagesOf<T extends Document>(
  reader: Reader,
  collection: CollectionSpec<T>,
  query: Pick<PageQuery, 'orderBy' | 'where' | 'after'>,
): AsyncGenerator<Page<T>> {
  const one = { direction: 'asc', limit: rowsPerPage, ...query } as const;
  for (let page = await reader.page(collection, one); ;) {
    yield page;
    if (!page.hasMore || !page.last) return;
    page = await reader.page(collection, { ...one, after: page.last });
  }
}
