import type { Awaitable } from '../../awaitable.ts';
import type { Document, Page, PageQuery, Versioned } from '../store.ts';
import type { Overlay, Change } from './overlay.ts';
import { compareKeys, keyOf, positionOf } from './sorted-keys.ts';
import type { Key } from './sorted-keys.ts';
import { matches, orderOf } from './spec.ts';
import type { Table } from './table.ts';

/** What a reader sees of a collection: its durable rows under overlays, the newest first. */
export interface View {
  readonly table: Table;
  readonly overlays: readonly Overlay[];
}

const changeOf = ({ overlays }: View, id: string): Change | undefined => {
  for (const overlay of overlays) {
    const change = overlay.changes.get(id);
    if (change) return change;
  }
  return undefined;
};

export const getRow = (view: View, id: string): Versioned<Document> | undefined => {
  const change = changeOf(view, id);
  if (!change) return view.table.get(id);
  return change.doc && { doc: change.doc, revision: change.revision };
};

/** The row that holds a value of a unique index. */
export const findRow = (
  view: View,
  index: string,
  value: string,
): Versioned<Document> | undefined => {
  const base = view.table.holderOf(index, value);
  const { overlays } = view;
  for (const [at, overlay] of overlays.entries()) {
    const id = overlay.holderOf(index, value);
    // A newer overlay that knows the record says what it holds now.
    if (id !== undefined && !overlays.slice(0, at).some(({ changes }) => changes.has(id))) {
      return getRow(view, id);
    }
  }
  return base === undefined || changeOf(view, base) ? undefined : view.table.get(base);
};

const NO_CHANGES: ReadonlyMap<string, Change> = new Map();

/** The changes a reader sees, newest per record. */
const visibleChanges = ({ overlays }: View): ReadonlyMap<string, Change> => {
  const [newest, ...older] = overlays;
  if (!newest) return NO_CHANGES;
  if (older.length === 0) return newest.changes;
  const visible = new Map<string, Change>();
  for (const overlay of overlays) {
    for (const [id, change] of overlay.changes) {
      if (!visible.has(id)) visible.set(id, change);
    }
  }
  return visible;
};

/** What changes add to those rows that a query finds below them. */
interface Above {
  /** By how much the number of matches differs. */
  readonly more: number;
  /** The changed rows that match, in order. */
  readonly keys: readonly Key[];
}

const matchesAbove = (
  { table }: View,
  { where, orderBy, direction }: PageQuery,
  after: Key | undefined,
  changes: ReadonlyMap<string, Change>,
): Above => {
  const read = orderOf(table.spec, orderBy);
  let more = 0;
  const keys: Key[] = [];
  for (const [id, { doc }] of changes) {
    const before = table.get(id);
    if (before && matches(table.spec, before.doc, where)) more -= 1;
    if (!doc || !matches(table.spec, doc, where)) continue;
    more += 1;
    const key = { value: read(doc), id };
    if (!after || compareKeys(direction, key, after) > 0) keys.push(key);
  }
  return { more, keys: keys.sort((a, b) => compareKeys(direction, a, b)) };
};

/** A page of the rows that a reader sees; the table must be ready for it. */
const readPage = (view: View, query: PageQuery): Page<Document> => {
  const { where, orderBy, direction, limit, offset = 0 } = query;
  const { table } = view;
  const after = query.after && keyOf(query.after);
  const changes = visibleChanges(view);
  const above = matchesAbove(view, query, after, changes);
  const selected = table.select(where);
  const total = table.count(selected) + above.more;
  if (limit === 0) return { rows: [], total, hasMore: total > offset };
  // At most so many of the rows below are not on this page because changed ones are before them.
  const skip = Math.max(0, offset - above.keys.length);
  const most = offset - skip + limit + 1;
  const below = table.scan({
    ...{ matches: selected, orderBy, direction, after },
    ...{ hidden: changes, skip, most },
  });
  const found =
    above.keys.length === 0
      ? below
      : [...below, ...above.keys].sort((a, b) => compareKeys(direction, a, b));
  const keys = found.slice(offset - skip, offset - skip + limit);
  const last = keys.at(-1);
  return {
    rows: keys.map(({ id }) => getRow(view, id) as Versioned<Document>), // its key was just found
    total,
    hasMore: found.length > offset - skip + limit,
    ...(last && { last: positionOf(last) }),
  };
};

/**
 * A page, at once or when its order has been built.
 * @param viewOf what the reader sees by then
 */
export const pageRows = (viewOf: () => View, query: PageQuery): Awaitable<Page<Document>> => {
  const view = viewOf();
  const building = query.limit === 0 ? undefined : view.table.prepare(query.where, query.orderBy);
  // What was ready may be so no longer when its turn comes.
  return building ? building.then(() => pageRows(viewOf, query)) : readPage(view, query);
};
