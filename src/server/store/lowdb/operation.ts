import type { Document } from '../store.ts';

/** One step of a commit, as it stands in the journal. All steps are absolute, so a repeat does no harm. */
export type Operation =
  | readonly [op: 'put', collection: string, doc: Document]
  | readonly [op: 'del', collection: string, id: string]
  | readonly [op: 'seq', sequence: string, value: number];

export interface Commit {
  /** 1, 2, 3 … without gaps; the revision of every record it writes. */
  readonly commit: number;
  readonly ops: readonly Operation[];
}
