import type { ArchivePage, ArchivedRecord } from '../../contract/archive.ts';
import { GovctlError } from '../../contract/errors.ts';
import { defined } from '../../contract/defined.ts';
import { timestamp } from '../deps.ts';
import { allRows } from '../store/all-rows.ts';
import type { Document, Position, Reader } from '../store/store.ts';
import type { Archivable } from './archivable.ts';

/** Times are milliseconds since the epoch; those before `since` and from `until` on are left out. */
export interface Asked {
  readonly since: number;
  readonly until: number;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Documents that are read at once. */
const atOnce = 200;

/** Records in the order of their time, each with all its parts: a page may have some more than it should. */
export async function readArchive(
  reader: Reader,
  { spec, orderBy, partsOf, filesOf, shown, pick }: Archivable,
  { since, until, after, limit }: Asked,
): Promise<ArchivePage> {
  const timeOf = (doc: Document): number | undefined => {
    const at = spec.order?.[orderBy]?.(doc);
    return typeof at === 'string' ? Date.parse(at) : typeof at === 'number' ? at : undefined;
  };
  const records: ArchivedRecord[] = [];
  const oldest = { orderBy, direction: 'asc', limit: atOnce } as const;
  let place = after === undefined ? await begin() : readPlace(after);
  for (;;) {
    const page = await reader.page(spec, { ...oldest, ...(place ? { after: place } : {}) });
    for (const { doc } of page.rows) {
      const at = timeOf(doc);
      if (at === undefined || at >= until) return { records };
      place = { value: spec.order?.[orderBy]?.(doc) ?? null, id: doc.id };
      const record = pick ? pick(doc, since, until) : (shown?.(doc) ?? doc);
      if (!record) continue;
      records.push({
        collection: spec.name,
        id: doc.id,
        record: { ...record },
        ...filesIn(filesOf(doc)),
      });
      for (const part of partsOf(doc)) {
        for await (const row of allRows(reader, part.spec, part.where)) {
          records.push({ collection: part.spec.name, id: row.doc.id, record: { ...row.doc } });
        }
      }
      if (records.length >= limit) return { records, next: writePlace(place) };
    }
    if (!page.hasMore || !place) return { records };
  }

  async function begin(): Promise<Position | undefined> {
    // What has times within begins before those it is asked for.
    if (pick) return undefined;
    const [first] = (await reader.page(spec, { ...oldest, limit: 1 })).rows;
    const at = first && spec.order?.[orderBy]?.(first.doc);
    return { value: typeof at === 'number' ? since : timestamp(since), id: '' };
  }
}

/** But for those that only the server reads. */
function filesIn(files: ReturnType<Archivable['filesOf']>): Pick<ArchivedRecord, 'files'> {
  const found = files.flatMap(({ blob, size, sha256 }) =>
    size === undefined ? [] : [{ blob, size, ...defined({ sha256 }) }],
  );
  return found.length > 0 ? { files: found } : {};
}

const writePlace = ({ value, id }: Position): string =>
  Buffer.from(JSON.stringify([value, id])).toString('base64url');

/** @throws GovctlError malformed_request */
function readPlace(text: string): Position {
  try {
    const [value, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    if ((typeof value === 'string' || typeof value === 'number') && typeof id === 'string') {
      return { value, id };
    }
  } catch {
    // The same as one that says something else.
  }
  throw new GovctlError('malformed_request', 'Invalid value for after', {
    details: [{ field: 'after', message: 'must be the value of next from the previous page' }],
  });
}
