import * as z from 'zod';
import { GovctlError } from '../contract/errors.ts';
import { parseToFirstIssue } from '../contract/parse-to-first-issue.ts';
import { badAnswer, parseJson, readText } from './answer.ts';
import type { Client } from './client.ts';
import { queryString } from './client.ts';
import type { ObjectsOf } from './objects.ts';

/** The `pagination` of a list from any server: each field may be missing. */
export interface AnyServersPagination {
  readonly total?: number | undefined;
  readonly has_more?: boolean | undefined;
  readonly next_cursor?: string | null | undefined;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly pagination?: AnyServersPagination | undefined;
  /** Of the answer. */
  readonly characters: number;
}

const AnyPagination = z
  .looseObject({
    total: z.number().optional(),
    has_more: z.boolean().optional(),
    next_cursor: z.string().nullish(),
  })
  .optional();

/** One page, from any server. @throws GovctlError bad_answer for what is not a list of these */
export async function fetchPage<T extends { readonly id: string }>(
  client: Client,
  of: ObjectsOf<T>,
  query: Readonly<Record<string, unknown>>,
): Promise<Page<T>> {
  const path = `${of.path}${queryString(query)}`;
  const response = await client.transport.send('GET', path);
  const text = await readText(response, `GET ${path}`);
  const body = parseJson(text, response, `GET ${path}`);
  const list = z.array(of.item);
  const parsed = Array.isArray(body)
    ? parseToFirstIssue(
        list.transform((items) => ({ items, pagination: undefined })),
        body,
      )
    : parseToFirstIssue(
        z
          .looseObject({ [of.many]: list, pagination: AnyPagination })
          // Both are what the line above says of the two names.
          .transform(
            (found) =>
              ({ items: found[of.many], pagination: found.pagination }) as Omit<
                Page<T>,
                'characters'
              >,
          ),
        body,
      );
  if (parsed.success) return { ...parsed.data, characters: text.length };
  const [issue] = parsed.error.issues;
  throw badAnswer(
    response,
    `GET ${path}`,
    `the response is not a list of ${of.many}: ${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`,
  );
}

const pageSize = 100;
/** Characters of a list's pages, and objects in them: who serves more than that serves a list without an end. */
const longestList = { characters: 256 * 1024 * 1024, objects: 1_000_000 };

/**
 * Gives a function to call after each page of a list, with the page's characters and the objects of all pages so far.
 * @throws GovctlError bad_answer, from the function it returns, for a list that does not end
 */
export function createListBound(
  many: string,
  longest = longestList,
): (characters: number, objects: number) => void {
  let read = 0;
  return (characters, objects) => {
    read += characters;
    if (read <= longest.characters && objects <= longest.objects) return;
    throw new GovctlError(
      'bad_answer',
      `Too many ${many}: the server still returned more after ${objects}`,
      {
        hint: 'Incomplete lists are not used. Check that the base URL points to the governance service and that its paging (limit, offset, cursor) works.',
      },
    );
  };
}

/** How often a list that came out short is read before it counts as broken. */
const mostPasses = 3;

/**
 * Every object, over all pages, each once; oldest first where the description lets one ask for an order. Goes by
 * cursor where the server gives one, else by offset until a page says it is the last, is empty, or brings nothing new.
 * @throws GovctlError bad_answer for a page that is not a list of these, for a list that stays short or does not end
 */
export async function* listAll<T extends { readonly id: string }>(
  client: Client,
  of: ObjectsOf<T>,
  filter: Readonly<Record<string, string>> = {},
  longest = longestList,
): AsyncGenerator<T> {
  const seen = new Set<string>();
  const order = of.paged === true ? { sort_by: 'created_at', order: 'asc' } : {};
  const asked = of.paged ? { ...order, limit: pageSize } : {};
  let cursor: string | undefined;
  let total: number | undefined;
  let passes = 1;
  const bound = createListBound(of.many, longest);
  for (let offset = 0; ;) {
    const isFirst = cursor === undefined && offset === 0;
    const place = cursor !== undefined ? { cursor } : isFirst && !of.paged ? {} : { offset };
    const page = await fetchPage(client, of, { ...filter, ...asked, ...place });
    const known = seen.size;
    for (const item of page.items) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      yield item;
    }
    bound(page.characters, seen.size);
    offset += page.items.length;
    total = page.pagination?.total ?? total;
    const hasMore = page.pagination?.has_more;
    const mayGoOn =
      of.paged !== false || hasMore === true || (total !== undefined && seen.size < total);
    if (mayGoOn && hasMore !== false && seen.size > known) {
      cursor = page.pagination?.next_cursor ?? undefined;
      continue;
    }
    const missing = Math.max(total === undefined ? 0 : total - seen.size, hasMore ? 1 : 0);
    if (missing === 0) return;
    // Rows moved between the pages while we read: what slipped through shows in another pass.
    if (passes++ === mostPasses) throw incomplete(of.many, seen.size, total);
    [offset, cursor] = [0, undefined];
  }
}

function incomplete(many: string, seen: number, total: number | undefined): GovctlError {
  const said = total === undefined ? 'more' : `${total} in total`;
  return new GovctlError(
    'bad_answer',
    `The list of ${many} is incomplete: the server reports ${said}, but its pages contain ${seen}`,
    {
      hint: "Incomplete lists are not used. Try again; if the error persists, the server's paging (limit, offset, cursor) is broken.",
    },
  );
}
