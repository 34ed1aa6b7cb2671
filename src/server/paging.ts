import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Pagination } from '../contract/lists.ts';
import { GovctlError } from '../contract/errors.ts';
import { toJson } from './json.ts';
import type { Json } from './json.ts';
import type { CollectionSpec, Document, Reader, Versioned, Where } from './store/store.ts';

export interface ListQuery {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly sort_by: string;
  readonly order: 'asc' | 'desc';
}

export type Filters = Readonly<Record<string, Where>>;

/** What a cursor says: for which list it was made, how many rows came before, and the last row's place. */
const Cursor = z.tuple([
  z.string(),
  z.int().min(0),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
  z.string(),
]);

/** A cursor belongs to one order and one set of filters. */
const listOf = (collection: string, query: ListQuery, filters: Filters): string =>
  hash(
    'sha256',
    JSON.stringify([collection, query.sort_by, query.order, filters]),
    'base64url',
  ).slice(0, 12);

const encode = (cursor: z.infer<typeof Cursor>): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

function decode(text: string, list: string): z.infer<typeof Cursor> {
  const refuse = (why: string): GovctlError =>
    new GovctlError('malformed_request', `The cursor ${why}; begin again without one`, {
      details: [{ field: 'cursor', message: why }],
    });
  let parsed;
  try {
    parsed = Cursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    throw refuse('is garbled');
  }
  if (!parsed.success) throw refuse('is garbled');
  if (parsed.data[0] !== list) throw refuse('was made for another list, order or filter');
  return parsed.data;
}

/** One page of a list as the contract shapes it: `{<plural>: [...], pagination}`. */
export async function listPage<T extends Document, B>(
  reader: Reader,
  collection: CollectionSpec<T>,
  query: ListQuery,
  filters: Filters,
  plural: string,
  show: (row: Versioned<T>) => string,
): Promise<Json<B>> {
  const list = listOf(collection.name, query, filters);
  const cursor = query.cursor === undefined ? undefined : decode(query.cursor, list);
  const offset = cursor ? cursor[1] : (query.offset ?? 0);
  const page = await reader.page(collection, {
    where: filters,
    orderBy: query.sort_by,
    direction: query.order,
    limit: query.limit,
    ...(cursor ? { after: { value: cursor[2], id: cursor[3] } } : { offset }),
  });
  const seen = offset + page.rows.length;
  const pagination: Pagination = {
    total: page.total,
    limit: query.limit,
    offset,
    has_more: page.hasMore,
    ...(page.hasMore && page.last
      ? { next_cursor: encode([list, seen, page.last.value, page.last.id]) }
      : {}),
  };
  const rows = page.rows.map(show).join(',');
  return `{${toJson(plural)}:[${rows}],"pagination":${toJson(pagination)}}` as Json<B>; // of the parts' JSON
}
