import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { Timestamp, digits } from './lists.ts';

/**
 * Requests in a minute with the same credential, from the same address, to the same endpoint, with the same outcome. A
 * restart within a minute makes a second one of it.
 */
const Use = z.looseObject({
  /** Its place in the record. */
  id: z.string(),
  /** When its minute began. */
  at: Timestamp,
  /** ID of the API key, access token or session; absent: none was sent, or an unknown one. */
  credential: z.string().optional(),
  /** As in the audit log. */
  actor: z.string().optional(),
  /** An IP address, or what a trusted proxy says instead. */
  address: z.string().optional(),
  /** Method and path template, such as `GET /v1/policies/:id`; absent: no endpoint, or of an unknown credential. */
  endpoint: z.string().optional(),
  /** The class of the status, such as `2xx`, or the name of the error. */
  outcome: z.string(),
  count: z.int(),
  /** Of requests that were too many to tell apart: credentials and addresses are not known. */
  others: z.literal(true).optional(),
});
export type Use = z.infer<typeof Use>;

const text = z.string().min(1).max(256);

const UsesQuery = z.strictObject({
  limit: digits(z.int().min(1).max(100)).prefault(20),
  /** The place of a use in the record: those before it. */
  cursor: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d\.\d{1,15}$/, 'is not valid; start again without a cursor')
    .optional(),
  since: Timestamp.optional(),
  /** Excluded. */
  until: Timestamp.optional(),
  credential: text.optional(),
  /** By ID; a user by email address, too. */
  actor: text.optional(),
  address: text.optional(),
  /** With or without the method. */
  endpoint: text.optional(),
  outcome: text.optional(),
});
export type UsesQuery = z.infer<typeof UsesQuery>;

export const uses = {
  list: endpoint({
    method: 'GET',
    path: '/v1/uses',
    summary:
      'List uses of credentials by minute, latest first; a minute is listed once it has ended',
    scope: 'audit:read',
    ext: true,
    query: UsesQuery,
    response: {
      status: 200,
      body: z.looseObject({
        uses: z.array(Use),
        /** Email addresses of users, and names of keys and clients, by `actor`. */
        actors: z.record(z.string(), z.string()),
        /** A page may have fewer uses than `limit`, even none, and be followed by more. */
        pagination: z.looseObject({
          limit: z.int(),
          has_more: z.boolean(),
          next_cursor: z.string().optional(),
        }),
      }),
    },
    errors: [],
  }),
};
