import type { AuditSortField } from '../../contract/audit-log.ts';
import type { Actor } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { CollectionSpec, Scalar, Tx } from '../store/store.ts';

export interface StoredAuditEntry {
  readonly id: string;
  readonly sequence: number;
  readonly at: string;
  readonly actor: string;
  readonly via: string;
  readonly action: string;
  readonly subject: string;
  /** Names of the fields that changed; never their values. */
  readonly changes?: readonly string[];
  readonly request_id: string;
}

const auditOrder: Record<AuditSortField, (entry: StoredAuditEntry) => Scalar> = {
  sequence: (entry) => entry.sequence,
  id: (entry) => entry.id,
  at: (entry) => entry.at,
  actor: (entry) => entry.actor,
  via: (entry) => entry.via,
  action: (entry) => entry.action,
  subject: (entry) => entry.subject,
  request_id: (entry) => entry.request_id,
};

export const auditLog: CollectionSpec<StoredAuditEntry> = {
  name: 'audit_log',
  index: {
    actor: (entry) => entry.actor,
    action: (entry) => entry.action,
    subject: (entry) => entry.subject,
  },
  order: auditOrder,
};

/** Writes down who did what, in the transaction that does it. */
export async function recordAudit(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  action: string,
  subject: string,
  changes?: readonly string[],
): Promise<void> {
  await tx.insert(auditLog, {
    id: deps.ids.next('aud'),
    sequence: await tx.next(auditLog.name),
    at: timestamp(deps.clock.now()),
    actor: actor.userId,
    via: actor.via,
    action,
    subject,
    ...(changes ? { changes } : {}),
    request_id: actor.requestId,
  });
}
