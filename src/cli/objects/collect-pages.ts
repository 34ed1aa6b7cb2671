import type { AnyServersPagination } from '../../client/list-all.ts';
import { createListBound } from '../../client/list-all.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { PendingEvaluation } from '../../contract/pending-evaluation.ts';
import type { Context } from '../context.ts';
import { inThrees } from '../terminal/printable.ts';

const pageSize = 100;

/** The maximum number of rows, from the flags of a list. @throws GovctlError usage_error */
export function howMany({
  limit,
  all,
}: {
  readonly limit: string;
  readonly all?: boolean;
}): number {
  if (all) return Infinity;
  const most = Number(limit);
  if (/^\d+$/.test(limit) && most >= 1 && Number.isSafeInteger(most)) return most;
  throw new GovctlError('usage_error', `--limit ${limit}: must be a whole number of at least 1`);
}

/** The part of a query that selects a page. */
export type PageQuery = { readonly limit: number } & (
  { readonly cursor: string } | { readonly offset: number }
);

/** A page from any server: each part may be missing. */
export interface PageOf<Row> {
  readonly rows: readonly Row[];
  readonly pagination?: AnyServersPagination | undefined;
  readonly pending?: PendingEvaluation | undefined;
  /** Of the answer. */
  readonly characters: number;
}

/** What all pages together say. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly pagination: Collected;
  /** Before the first page that tells it. */
  readonly pending?: PendingEvaluation;
}

/** The API's `pagination`, for all collected rows. */
export interface Collected {
  readonly total?: number;
  readonly limit: number;
  readonly offset: number;
  readonly has_more: boolean;
}

/**
 * The first `most` rows of a list, without duplicates, from as many pages as needed.
 * @throws GovctlError bad_answer for a list of `plural` that does not end
 */
export async function collectPages<Row extends { readonly id: string }>(
  most: number,
  plural: string,
  fetchPage: (place: PageQuery) => Promise<PageOf<Row>>,
): Promise<Pages<Row>> {
  const found = new Map<string, Row>();
  const bound = createListBound(plural);
  let cursor: string | undefined;
  let total: number | undefined;
  let firstPending: PendingEvaluation | undefined;
  let hasMore = true;
  for (let offset = 0; hasMore && found.size < most;) {
    const limit = Math.min(pageSize, most - found.size);
    const place = cursor === undefined ? { offset } : { cursor };
    const { rows, pagination, pending, characters } = await fetchPage({ limit, ...place });
    firstPending ??= pending;
    const before = found.size;
    for (const row of rows) if (found.size < most) found.set(row.id, row);
    bound(characters, found.size);
    offset += rows.length;
    total = pagination?.total ?? total;
    cursor = pagination?.next_cursor ?? undefined;
    // A page without new rows is the last, even if the server says otherwise.
    hasMore =
      found.size > before && (pagination?.has_more ?? (total === undefined || offset < total));
  }
  return {
    rows: [...found.values()],
    pagination: {
      ...defined({ total }),
      limit: found.size,
      offset: 0,
      has_more: hasMore,
    },
    ...defined({ pending: firstPending }),
  };
}

/** Prints a message beside a list that is empty (with or without filters) or incomplete. */
export async function sayHowMany(
  context: Context,
  plural: string,
  shown: number,
  { total, has_more: hasMore }: Collected,
  isFiltered = true,
): Promise<void> {
  if (shown === 0) await context.say(isFiltered ? `No ${plural} match.` : `No ${plural}.`);
  else if (hasMore) {
    const of = total === undefined ? '' : ` of ${inThrees(total)}`;
    await context.say(`Showing ${inThrees(shown)}${of}. Use --limit N or --all for more.`);
  }
}
