import type {
  CollectionSpec,
  Document,
  Page,
  PageQuery,
  Position,
  Reader,
  Scalar,
} from './store.ts';

/**
 * Pages of rows that are in memory, selected already.
 * @param valueOf what a row has in a field that pages are sorted by
 */
export const readerOfRows = <Row extends Document>(
  rows: readonly Row[],
  valueOf: (row: Row, field: string) => Scalar | null,
): Pick<Reader, 'page'> => ({
  page: <T extends Document>(_: CollectionSpec<T>, query: PageQuery) =>
    // Its pages are of these rows only.
    pageOf(rows, valueOf, query) as Page<Document> as Page<T>,
});

function pageOf<Row extends Document>(
  rows: readonly Row[],
  valueOf: (row: Row, field: string) => Scalar | null,
  { orderBy, direction, limit, after, offset = 0 }: PageQuery,
): Page<Row> {
  const sign = direction === 'asc' ? 1 : -1;
  const sorted = rows
    .map((doc) => ({ doc, value: valueOf(doc, orderBy), id: doc.id }))
    .sort((a, b) => comparePlaces(a, b, sign));
  const start = after
    ? sorted.findIndex((one) => comparePlaces(one, after, sign) > 0)
    : Math.min(offset, sorted.length);
  const shown = start < 0 ? [] : sorted.slice(start, start + limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(({ doc }) => ({ doc, revision: 0 })),
    total: rows.length,
    hasMore: start >= 0 && start + limit < sorted.length,
    ...(last ? { last: { value: last.value, id: last.id } } : {}),
  };
}

/** Those without a value are last in both directions; of equal ones the ID decides. */
function comparePlaces(a: Position, b: Position, sign: number): number {
  if (a.value === null || b.value === null) {
    if (a.value !== b.value) return a.value === null ? 1 : -1;
  } else if (a.value !== b.value) return a.value < b.value ? -sign : sign;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -sign : sign;
}
