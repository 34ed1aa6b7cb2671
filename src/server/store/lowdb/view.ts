import type { Document, Page, PageQuery, Versioned } from '../store.ts';
import type { Overlay, Change } from './overlay.ts';
import { compareKeys, keyOf, positionOf } from './sorted-keys.ts';
import type { Key } from './sorted-keys.ts';
import { matches, orderOf } from './spec.ts';
import type { Scan, Table } from './table.ts';

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

/** The changes a reader sees, newest per record. */
const visibleChanges = ({ overlays }: View): Map<string, Change> => {
  const visible = new Map<string, Change>();
  for (const overlay of overlays) {
    for (const [id, change] of overlay.changes) {
      if (!visible.has(id)) visible.set(id, change);
    }
  }
  return visible;
};

/** Two ordered runs of keys as one. */
function* merge(scan: Scan, left: Iterator<Key>, right: readonly Key[]): Generator<Key> {
  let next = left.next();
  for (const key of right) {
    for (; !next.done && compareKeys(scan.direction, next.value, key) < 0; next = left.next()) {
      yield next.value;
    }
    yield key;
  }
  for (; !next.done; next = left.next()) yield next.value;
}

function* without(keys: Iterable<Key>, hidden: ReadonlyMap<string, unknown>): Generator<Key> {
  for (const key of keys) if (!hidden.has(key.id)) yield key;
}

/** Keys under overlays: the table's, without the changed ones, merged with the changed that match. */
const scanChanged = (
  { table }: View,
  scan: Scan,
  changes: ReadonlyMap<string, Change>,
): { keys: Iterable<Key>; total: number } => {
  const { where, orderBy, direction, after } = scan;
  const read = orderOf(table.spec, orderBy);
  let total = table.count(where);
  const changed: Key[] = [];
  for (const [id, { doc }] of changes) {
    const before = table.get(id);
    if (before && matches(table.spec, before.doc, where)) total -= 1;
    if (!doc || !matches(table.spec, doc, where)) continue;
    total += 1;
    const key = { value: read(doc), id };
    if (!after || compareKeys(direction, key, after) > 0) changed.push(key);
  }
  changed.sort((a, b) => compareKeys(direction, a, b));
  return { keys: merge(scan, without(table.scan(scan), changes), changed), total };
};

export const pageRows = (view: View, query: PageQuery): Page<Document> => {
  const { where, orderBy, direction, limit, offset = 0 } = query;
  const after = query.after && keyOf(query.after);
  const scan: Scan = { where, orderBy, direction, after };
  const changes = visibleChanges(view);
  const { keys, total } =
    changes.size === 0
      ? { keys: view.table.scan({ ...scan, skip: offset }), total: view.table.count(where) }
      : scanChanged(view, scan, changes);

  let left = changes.size === 0 ? 0 : offset;
  const found: Key[] = [];
  for (const key of keys) {
    if (left > 0) left -= 1;
    else found.push(key);
    if (found.length > limit) break;
  }
  const hasMore = found.length > limit;
  if (hasMore) found.pop();
  const last = found.at(-1);
  return {
    rows: found.map(({ id }) => getRow(view, id) as Versioned<Document>), // its key was just found
    total,
    hasMore,
    ...(last && { last: positionOf(last) }),
  };
};
