import { z } from 'zod';

/** Query parameters of every list. `offset` and `cursor` exclude each other. */
export const listQuery = (defaultLimit: number) => ({
  limit: z.coerce.number().int().min(1).max(100).default(defaultLimit),
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  cursor: z.string().min(1).max(4096).optional(),
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
export const commaList = (name: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine((parts) => parts.every((part) => part !== ''), `${name} has an empty entry`);

/** ISO 8601 UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ offset: false });
