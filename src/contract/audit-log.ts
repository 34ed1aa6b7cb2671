import * as z from 'zod';
import { Timestamp, listEndpoint, listQuery } from './lists.ts';

/** One entry for each change and each sign-in. `sequence` is commit order. */
const AuditEntry = z.looseObject({
  id: z.string(),
  sequence: z.int(),
  at: Timestamp,
  actor: z.string(),
  via: z.string(),
  action: z.string(),
  subject: z.string(),
  changes: z.array(z.string()).optional(),
  request_id: z.string(),
});

const auditSortFields = [
  'sequence',
  'id',
  'at',
  'actor',
  'via',
  'action',
  'subject',
  'request_id',
] as const;
export type AuditSortField = (typeof auditSortFields)[number];

export const auditLog = {
  list: listEndpoint({
    path: '/v1/audit-log',
    summary: 'List who changed what and when',
    scope: 'admin',
    ext: true,
    query: listQuery(auditSortFields, {
      actor: z.string().max(256).optional(),
      action: z.string().max(256).optional(),
      subject: z.string().max(256).optional(),
    }),
    rows: { audit_log: z.array(AuditEntry) },
  }),
};
