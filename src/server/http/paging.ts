import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Pagination } from '../../contract/lists.ts';
import { GovctlError } from '../../contract/errors.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Answer, ByteBody } from './call.ts';
import { toJson } from '../json.ts';
import type { Json } from '../json.ts';
import type {
  CollectionSpec,
  Document,
  Page,
  PageQuery,
  Reader,
  Scalar,
  Versioned,
  Where,
} from '../store/store.ts';

interface ListQuery {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly sort_by: string;
  readonly order: 'asc' | 'desc';
}

export type Filters = Readonly<Record<string, Where>>;

/** Any of the values that a query gives for each of these fields, which have an index of their name; that of providers is in lower case. */
export const anyOf = <F extends string>(
  query: { readonly [Field in F]?: string | readonly string[] | undefined },
  fields: readonly F[],
): Filters =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const given = query[field];
      if (given === undefined) return [];
      const any = [given].flat();
      return [[field, { any: field === 'provider' ? any.map((one) => one.toLowerCase()) : any }]];
    }),
  );

/** What a cursor says: for which list it was made, how many rows came before, the last row's place, and its own sum. */
const Cursor = z.tuple([
  z.string(),
  z.int().min(0),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
  z.string(),
  z.string(),
]);
type Cursor = readonly [list: string, seen: number, value: Scalar | null, id: string];

/** Parsed queries are kept by their parser, and so is what they ask for. */
const lists = new WeakMap<ListQuery, string>();

/** A cursor belongs to one order and one set of filters. */
function listOf(collection: string, query: ListQuery, filters: Filters): string {
  const known = lists.get(query);
  if (known !== undefined) return known;
  // Values are a set: their order makes no other list.
  const sets = Object.entries(filters).map(([field, where]) => [
    field,
    Object.keys(where),
    [...new Set(Object.values(where).flat())].sort(),
  ]);
  const asked = JSON.stringify([collection, query.sort_by, query.order, sets]);
  const list = sumOf(asked);
  lists.set(query, list);
  return list;
}

const sumOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 12);

const encode = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify([...cursor, sumOf(JSON.stringify(cursor))])).toString('base64url');

function decode(text: string, list: string): Cursor {
  const refuse = (why: string): GovctlError =>
    new GovctlError('malformed_request', `The cursor ${why}; start again without a cursor`, {
      details: [{ field: 'cursor', message: why }],
    });
  let parsed;
  try {
    parsed = Cursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    throw refuse('is not valid');
  }
  if (!parsed.success) throw refuse('is not valid');
  const [madeFor, seen, value, id] = parsed.data;
  const cursor: Cursor = [madeFor, seen, value, id];
  // Decoding skips what isn't base64, and a value may have been changed: only what was handed out will do.
  if (encode(cursor) !== text) throw refuse('is not valid');
  if (madeFor !== list) throw refuse('belongs to another list, order or filter');
  return cursor;
}

export interface ListOptions<T, Shown> {
  readonly query: ListQuery;
  readonly filters: Filters;
  /** Further filters, which the reader applies itself: a cursor belongs to them, too. */
  readonly sifted?: Filters;
  /** The field that the rows are in. */
  readonly plural: string;
  /** Further fields of the answer. */
  readonly beside?: object;
  readonly show: (row: Versioned<T>) => Shown;
}

interface LookedUpOptions<T> extends Omit<ListOptions<T, Awaitable<string>>, 'beside'> {
  readonly beside?: object | ((rows: readonly Versioned<T>[]) => Awaitable<object>);
}

/** Characters of a page that is made in one turn, and kept. */
const shortPage = 1 << 18;

/**
 * Answers one page of a list as the contract shapes it: `{<plural>: [...], pagination}`. A long one is made as it is sent,
 * so that it neither holds up others nor lies in memory for a reader who does not take it.
 */
export function listPage<T extends Document, B>(
  reader: Pick<Reader, 'page'>,
  collection: CollectionSpec<T>,
  { query, filters, sifted = {}, plural, beside = {}, show }: ListOptions<T, string>,
): Awaitable<Answer<Json<B> | ByteBody>> {
  const { asked, place } = placeOf(collection, query, filters, sifted);
  return whenKnown(reader.page(collection, asked), (page) => {
    const kept = answers.get(query);
    if (kept && kept.beside === fieldsOf(beside) && isSame(kept.page, page))
      return { body: kept.text as Json<B> }; // of the parts' JSON
    const rows: string[] = [];
    let length = 0;
    for (const row of page.rows) {
      const text = show(row);
      if ((length += text.length) > shortPage) {
        answers.delete(query);
        return { body: longPage(page, place, plural, show, beside) };
      }
      rows.push(text);
    }
    const text = pageText(page, place, plural, rows, beside);
    answers.set(query, { page, beside: fieldsOf(beside), text });
    return { body: text as Json<B> }; // of the parts' JSON
  });
}

/** The same JSON as of `pageText`, some rows in each turn. */
const longPage = <T extends Document>(
  page: Page<T>,
  place: Place,
  plural: string,
  show: (row: Versioned<T>) => Awaitable<string>,
  beside: object = {},
): ByteBody => ({
  type: 'application/json',
  async *open() {
    yield Buffer.from(`{${fieldsOf(beside)}${toJson(plural)}:[`);
    let waiting = '';
    for (const [at, row] of page.rows.entries()) {
      waiting += `${at > 0 ? ',' : ''}${await show(row)}`;
      if (waiting.length <= shortPage) continue;
      yield Buffer.from(waiting);
      waiting = '';
    }
    yield Buffer.from(`${waiting}],"pagination":${toJson(paginationOf(page, place))}}`);
  },
});

/** As `listPage`, for documents that are shown with what has to be looked up, and may be another thing each time. */
export async function listLookedUp<T extends Document, B>(
  reader: Pick<Reader, 'page'>,
  collection: CollectionSpec<T>,
  { query, filters, sifted = {}, plural, beside: given = {}, show }: LookedUpOptions<T>,
): Promise<Answer<Json<B> | ByteBody>> {
  const { asked, place } = placeOf(collection, query, filters, sifted);
  const page = await reader.page(collection, asked);
  const beside: object = typeof given === 'function' ? await given(page.rows) : given;
  const rows: string[] = [];
  let length = 0;
  for (const row of page.rows) {
    const text = await show(row);
    if ((length += text.length) > shortPage) {
      return { body: longPage(page, place, plural, show, beside) };
    }
    rows.push(text);
  }
  return { body: pageText(page, place, plural, rows, beside) as Json<B> }; // of the parts' JSON
}

/** Where a page begins, and in which list. */
interface Place {
  readonly list: string;
  readonly limit: number;
  readonly offset: number;
}

function placeOf(
  collection: { readonly name: string },
  query: ListQuery,
  filters: Filters,
  sifted: Filters = {},
): { asked: PageQuery; place: Place } {
  const list = listOf(collection.name, query, { ...filters, ...sifted });
  const cursor = query.cursor === undefined ? undefined : decode(query.cursor, list);
  const offset = cursor ? cursor[1] : (query.offset ?? 0);
  const { limit } = query;
  const asked = {
    where: filters,
    orderBy: query.sort_by,
    direction: query.order,
    limit,
    ...(cursor ? { after: { value: cursor[2], id: cursor[3] } } : { offset }),
  };
  return { asked, place: { list, limit, offset } };
}

function paginationOf(page: Page<Document>, { list, limit, offset }: Place): Pagination {
  const seen = offset + page.rows.length;
  return {
    total: page.total,
    limit,
    offset,
    has_more: page.hasMore,
    ...(page.hasMore && page.last
      ? { next_cursor: encode([list, seen, page.last.value, page.last.id]) }
      : {}),
  };
}

/** The fields of an object in JSON, each with a comma behind it. */
const fieldsOf = (beside: object): string =>
  Object.entries(beside)
    .map(([name, value]) => `${toJson(name)}:${toJson(value)},`)
    .join('');

const pageText = (
  page: Page<Document>,
  place: Place,
  plural: string,
  rows: readonly string[],
  beside: object = {},
): string =>
  `{${fieldsOf(beside)}${toJson(plural)}:[${rows.join(',')}],"pagination":${toJson(paginationOf(page, place))}}`;

/**
 * The last short answer to each query that its parser keeps; right as long as the page has the very same documents, and the
 * same fields beside them.
 */
const answers = new WeakMap<
  ListQuery,
  { readonly page: Page<Document>; readonly beside: string; readonly text: string }
>();

const isSame = (a: Page<Document>, b: Page<Document>): boolean =>
  a.total === b.total &&
  a.hasMore === b.hasMore &&
  a.rows.length === b.rows.length &&
  a.rows.every(({ doc }, at) => doc === b.rows[at]?.doc);
