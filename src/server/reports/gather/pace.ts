import { nextTurn } from '../../next-turn.ts';
import type { CollectionSpec, Document, Page, PageQuery, Reader } from '../../store/store.ts';

/** Evaluations between two turns of others: some milliseconds. */
const perTurn = 2_000;
const rowsPerPage = 500;

/** Lets others have their turn. */
export interface Pace {
  /** @throws the reason of the signal once it is aborted */
  spend(cost: number): Promise<void>;
}

export function createPace(signal: AbortSignal): Pace {
  let spent = 0;
  return {
    async spend(cost) {
      signal.throwIfAborted();
      spent += cost;
      if (spent < perTurn) return;
      spent = 0;
      await nextTurn();
      signal.throwIfAborted();
    },
  };
}

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
