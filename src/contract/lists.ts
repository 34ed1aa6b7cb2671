import * as z from 'zod';
import { defined } from './defined.ts';
import { endpoint } from './endpoint.ts';
import type { Scope } from './endpoint.ts';
import type { WireErrorName } from './errors.ts';

/** A number in a query: digits only, not everything that JavaScript reads as a number. */
export const digits = <S extends z.ZodType>(number: S) =>
  z.preprocess((given: unknown, context) => {
    if (typeof given !== 'string') return given;
    if (/^\d{1,16}$/.test(given)) return Number(given);
    context.addIssue('must be a whole number, such as 20');
    return z.NEVER;
  }, number);

/** `a,b,c` in a query. */
export const commaList = () =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine((parts) => parts.every((part) => part !== ''), 'has an empty entry');

/** `a,b,c` in a query, each an `item`. */
export const commaListOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  commaList().pipe(z.array(item));

/** `true` or `false` in a query. */
export const trueOrFalse = () => z.enum(['true', 'false']).transform((text) => text === 'true');

/** ISO 8601 UTC; ours have milliseconds. */
export const Timestamp = z
  .string()
  .max(40, { abort: true })
  .check(z.iso.datetime({ error: 'must be a UTC time, such as 2026-01-31T09:30:00Z' }));

/** The path parameter of every object with an ID. */
export const ById = z.strictObject({ id: z.string() });

/**
 * The query of a list: the page, sorting by one of `sortFields` (default: the first), and the noun's own filters. `offset`
 * and `cursor` exclude each other.
 */
export const listQuery = <
  const Fields extends readonly [string, ...string[]],
  Filters extends z.ZodRawShape,
>(
  sortFields: Fields,
  filters: Filters,
  defaultLimit = 20,
) =>
  z
    .strictObject({
      limit: digits(z.int().min(1).max(100)).prefault(defaultLimit),
      offset: digits(z.int().min(0)).optional(),
      cursor: z.string().min(1).max(12_288).optional(),
      order: z.enum(['asc', 'desc']).default('desc'),
      sort_by: z.enum(sortFields).default(sortFields[0]),
      ...filters,
    })
    .refine(eitherOffsetOrCursor, {
      message: 'use either offset or cursor, not both',
      path: ['cursor'],
    });

const eitherOffsetOrCursor = (query: { offset?: unknown; cursor?: unknown }): boolean =>
  query.offset === undefined || query.cursor === undefined;

export const Pagination = z.looseObject({
  total: z.int().min(0),
  limit: z.int(),
  offset: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
});
export type Pagination = z.infer<typeof Pagination>;

/** A list: one page of `rows`, such as `{ policies: z.array(Policy) }`. */
export const listEndpoint = <Query extends z.ZodType, Rows extends z.ZodRawShape>(row: {
  readonly path: string;
  readonly summary: string;
  /** Default: governance:read. */
  readonly scope?: Scope | undefined;
  readonly ext?: true;
  readonly query: Query;
  readonly rows: Rows;
  readonly errors?: readonly WireErrorName[];
}) => {
  const { path, summary, scope = 'governance:read', ext, query, rows, errors = [] } = row;
  return endpoint({
    method: 'GET',
    path,
    summary,
    scope,
    ...defined({ ext }),
    query,
    response: { status: 200, body: z.looseObject({ ...rows, pagination: Pagination }) },
    errors,
  });
};
