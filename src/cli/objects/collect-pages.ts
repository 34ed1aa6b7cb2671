import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';

const pageSize = 100;

/** How many rows a list shows, as its flags say. @throws GovctlError usage_error */
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
  throw new GovctlError('usage_error', `--limit ${limit}: give a whole number from 1 on, or --all`);
}

/** The part of a query that says which page. */
export type PageQuery = { readonly limit: number } & (
  { readonly cursor: string } | { readonly offset: number }
);

/** Of any server: each part may be missing. */
export interface PageOf<Row> {
  readonly rows: readonly Row[];
  readonly pagination?:
    | {
        readonly total?: number | undefined;
        readonly has_more?: boolean | undefined;
        readonly next_cursor?: string | null | undefined;
      }
    | undefined;
}

/** As the API says it of a page, for all that were collected. */
export interface Collected {
  readonly total?: number;
  readonly limit: number;
  readonly offset: number;
  readonly has_more: boolean;
}

/** The first `most` rows of a list, each once, over as many pages as that takes. */
export async function collectPages<Row extends { readonly id: string }>(
  most: number,
  fetchPage: (place: PageQuery) => Promise<PageOf<Row>>,
): Promise<{ readonly rows: readonly Row[]; readonly pagination: Collected }> {
  const found = new Map<string, Row>();
  let cursor: string | undefined;
  let total: number | undefined;
  let hasMore = true;
  for (let offset = 0; hasMore && found.size < most;) {
    const limit = Math.min(pageSize, most - found.size);
    const place = cursor === undefined ? { offset } : { cursor };
    const { rows, pagination } = await fetchPage({ limit, ...place });
    const before = found.size;
    for (const row of rows) if (found.size < most) found.set(row.id, row);
    offset += rows.length;
    total = pagination?.total ?? total;
    cursor = pagination?.next_cursor ?? undefined;
    // A page that brings nothing new is the last, whatever its server says.
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
  };
}

/** Says beside a list when it is empty, as nothing matches or as there is nothing at all, or not all there is. */
export async function sayHowMany(
  context: Context,
  plural: string,
  shown: number,
  { total, has_more: hasMore }: Collected,
  isFiltered = true,
): Promise<void> {
  if (shown === 0)
    await context.say(isFiltered ? `No ${plural} match.` : `There are no ${plural}.`);
  else if (hasMore) {
    const of = total === undefined ? 'more' : `${shown} of ${total}`;
    await context.say(`Shown: ${of}. --limit N shows so many, --all every one.`);
  }
}
