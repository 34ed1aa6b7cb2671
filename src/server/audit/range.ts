import { timestamp } from '../deps.ts';
import { nextTurn } from '../next-turn.ts';
import type { CollectionSpec, Document, Page, PageQuery, Reader } from '../store/store.ts';
import { auditLog } from './collection.ts';
import type { StoredAuditEntry } from './collection.ts';

/** Entries that are counted in one go. */
const counted = 1_000;

/** Sequences; `to` is excluded. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * A reader for which the audit log has only the entries from the first one of a time on, up to the first one of another, in
 * commit order; `where.range` has the two, empty where there is none.
 */
export const rangeReader = (reader: Reader): Pick<Reader, 'page'> => ({
  async page<T extends Document>(collection: CollectionSpec<T>, query: PageQuery) {
    const { range, ...where } = query.where ?? {};
    if (!range || !('any' in range)) return reader.page(collection, query);
    const [since = '', until = ''] = range.any;
    // `range` is a condition on the audit log only.
    return (await pageOf(reader, { ...query, where }, since, until)) as unknown as Page<T>;
  },
});

async function pageOf(
  reader: Reader,
  query: PageQuery,
  since: string,
  until: string,
): Promise<Page<StoredAuditEntry>> {
  const range = {
    from: since === '' ? 0 : await sequenceAt(reader, since),
    to: until === '' ? Infinity : await sequenceAt(reader, until),
  };
  const { where = {}, orderBy, direction, limit } = query;
  const before = direction === 'asc' ? { value: range.from - 1, id: '~' } : { value: range.to, id: '' }; // prettier-ignore
  const after = query.after ?? (Number.isFinite(before.value) ? before : undefined);
  const page = await reader.page(auditLog, {
    where,
    orderBy,
    direction,
    limit: limit + 1,
    ...(after ? { after } : {}),
  });
  const found = page.rows.filter(
    ({ doc }) => doc.sequence >= range.from && doc.sequence < range.to,
  );
  const rows = found.slice(0, limit);
  const last = rows.at(-1)?.doc;
  return {
    rows,
    total: await count(reader, where, range),
    hasMore: found.length > limit,
    ...(last ? { last: { value: last.sequence, id: last.id } } : {}),
  };
}

/** The sequence of the first entry of a time or later; behind all where there is none. */
async function sequenceAt(reader: Reader, time: string): Promise<number> {
  const after = { value: timestamp(Date.parse(time)), id: '' };
  const { rows } = await reader.page(auditLog, {
    orderBy: 'at',
    direction: 'asc',
    limit: 1,
    after,
  });
  return rows[0]?.doc.sequence ?? Infinity;
}

/** How many entries match. Others get their turn, as there may be very many. */
async function count(
  reader: Reader,
  where: PageQuery['where'] & object,
  { from, to }: Range,
): Promise<number> {
  if (!Number.isFinite(from)) return 0;
  let found = 0;
  for (let after = { value: (from - 1) as string | number | boolean | null, id: '~' }; ;) {
    const page = await reader.page(auditLog, {
      where,
      orderBy: 'sequence',
      direction: 'asc',
      limit: counted,
      after,
    });
    const inside = page.rows.filter(({ doc }) => doc.sequence < to).length;
    found += inside;
    if (inside < page.rows.length || !page.hasMore || !page.last) return found;
    after = page.last;
    await nextTurn();
  }
}
