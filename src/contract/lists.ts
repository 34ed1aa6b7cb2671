import * as z from 'zod';

/** A number in a query: digits only, whatever else a language may read as one. */
export const digits = <S extends z.ZodType>(number: S) =>
  z.preprocess((given: unknown, context) => {
    if (typeof given !== 'string') return given;
    if (/^\d{1,16}$/.test(given)) return Number(given);
    context.addIssue('must be a whole number in digits, such as 20');
    return z.NEVER;
  }, number);

/** Query parameters of every list. `offset` and `cursor` exclude each other. */
export const listQuery = (defaultLimit: number) => ({
  limit: digits(z.int().min(1).max(100)).prefault(defaultLimit),
  offset: digits(z.int().min(0)).optional(),
  cursor: z.string().min(1).max(12_288).optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
});

export const offsetOrCursor = (query: { offset?: unknown; cursor?: unknown }): boolean =>
  query.offset === undefined || query.cursor === undefined;
export const offsetOrCursorMessage = {
  message: 'give either offset or cursor, not both',
  path: ['cursor'],
};

export const Pagination = z.looseObject({
  total: z.int().min(0),
  limit: z.int(),
  offset: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
});
export type Pagination = z.infer<typeof Pagination>;

/** `a,b,c` in a query: any, or all, of them. */
export const commaList = () =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine((parts) => parts.every((part) => part !== ''), 'has an empty entry');

/** ISO 8601 UTC; ours have milliseconds. */
export const Timestamp = z
  .string()
  .max(40, { abort: true })
  .check(z.iso.datetime({ error: 'must be a time in UTC, such as 2026-01-31T09:30:00Z' }));

/** The path parameter of everything that has an id. */
export const ById = z.strictObject({ id: z.string() });
