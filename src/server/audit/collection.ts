import type { ApplySource } from '../../contract/apply-source.ts';
import type { AuditSortField } from '../../contract/audit-log.ts';
import type { CollectionSpec, Scalar } from '../store/store.ts';

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
  /** The commit that was applied. */
  readonly source?: ApplySource;
  readonly request_id: string;
  /** Absent in what an earlier version wrote, until the next start. */
  readonly prev?: string;
  readonly hash?: string;
}

const auditOrder: Record<AuditSortField, (entry: StoredAuditEntry) => Scalar | undefined> = {
  sequence: (entry) => entry.sequence,
  id: (entry) => entry.id,
  at: (entry) => entry.at,
  actor: (entry) => entry.actor,
  via: (entry) => entry.via,
  action: (entry) => entry.action,
  subject: (entry) => entry.subject,
  request_id: (entry) => entry.request_id,
  prev: (entry) => entry.prev,
  hash: (entry) => entry.hash,
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

/** An entry at an end of the chain. */
export interface ChainEnd {
  readonly sequence: number;
  readonly hash: string;
}

/** `head`: the newest entry. `anchor`: the newest that was removed. `told`: the head that was last sent out. */
export interface StoredEnd extends ChainEnd {
  readonly id: 'head' | 'anchor' | 'told';
  readonly at: string;
  readonly reason?: 'retention' | 'reset';
  readonly key_id?: string;
  readonly signature?: string;
}

export const auditEnds: CollectionSpec<StoredEnd> = {
  name: 'audit_ends',
  order: { id: ({ id }) => id },
};
