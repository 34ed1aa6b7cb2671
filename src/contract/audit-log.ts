import * as z from 'zod';
import { AnsweredSource } from './apply-source.ts';
import { canonicalJson } from './canonical-json.ts';
import { endpoint } from './endpoint.ts';
import { Timestamp, listEndpoint, listQuery } from './lists.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** One entry for each change and each sign-in. `sequence` is commit order. */
export const AuditEntry = z.looseObject({
  id: z.string(),
  sequence: z.int(),
  at: Timestamp,
  actor: z.string(),
  via: z.string(),
  action: z.string(),
  subject: z.string(),
  changes: z.array(z.string()).optional(),
  /** The commit that was applied. */
  source: AnsweredSource.optional(),
  request_id: z.string(),
  /** `hash` of the entry before it. */
  prev: Sha256.optional(),
  /** Of all the other fields, see `auditText`. */
  hash: Sha256.optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** `prev` of the first entry of all. */
export const chainStart = '0'.repeat(64);

/** The text whose SHA-256, in lower-case hex, is the `hash` of an entry. */
export const auditText = (entry: object): string =>
  `govctl-audit-v1\n${canonicalJson({ ...entry, hash: undefined })}`;

/** The text that the server signs of a head or an anchor: its Ed25519 signature covers all fields but the signature. */
export const signedText = (end: object): string =>
  `govctl-audit-head-v1\n${canonicalJson({ ...end, signature: undefined })}`;

/** Where the chain of hashes ends, or up to where its beginning was removed. */
const signed = {
  sequence: z.int(),
  hash: Sha256,
  at: Timestamp,
  /** SHA-256 of the public key, see `key`. */
  key_id: Sha256,
  /** Base64 of Ed25519 over `signedText`. */
  signature: z.string(),
};
export const AuditHead = z.looseObject({
  head: z.looseObject(signed),
  /** The entries up to this one were removed, as they were too old or the server was reset. */
  anchor: z.looseObject({ ...signed, reason: z.enum(['retention', 'reset']) }).optional(),
  key: z.looseObject({ id: Sha256, public_key: z.string() }),
});
export type AuditHead = z.infer<typeof AuditHead>;

export const auditSortFields = [
  'sequence',
  'id',
  'at',
  'actor',
  'via',
  'action',
  'subject',
  'request_id',
  'prev',
  'hash',
] as const;
export type AuditSortField = (typeof auditSortFields)[number];

const AuditQuery = listQuery(auditSortFields, {
  /** By ID; a user by email address, too. */
  actor: z.string().max(256).optional(),
  action: z.string().max(256).optional(),
  subject: z.string().max(256).optional(),
  /** From the first entry on that was made then or later. */
  since: Timestamp.optional(),
  /** Up to, and without, the first entry that was made then or later. */
  until: Timestamp.optional(),
})
  .refine((query) => !isOfRange(query) || query.sort_by === 'sequence', {
    message: 'must be sequence to use since and until',
    path: ['sort_by'],
  })
  .refine((query) => !isOfRange(query) || (query.offset ?? 0) === 0, {
    message: 'cannot be used with since and until; use cursor',
    path: ['offset'],
  });

const isOfRange = (query: { since?: unknown; until?: unknown }): boolean =>
  query.since !== undefined || query.until !== undefined;

export const auditLog = {
  list: listEndpoint({
    path: '/v1/audit-log',
    summary: 'List audit log entries: who changed what, and when',
    scope: 'audit:read',
    ext: true,
    query: AuditQuery,
    rows: {
      audit_log: z.array(AuditEntry),
      /** Email addresses of users, and names of keys and clients, by `actor`. */
      actors: z.record(z.string(), z.string()).optional(),
    },
  }),
  head: endpoint({
    method: 'GET',
    path: '/v1/audit-log/head',
    summary: 'Get the signed head of the hash chain of the audit log',
    scope: 'audit:read',
    ext: true,
    response: { status: 200, body: AuditHead },
    errors: [],
  }),
};
