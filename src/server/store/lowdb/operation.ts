import type { Document } from '../store.ts';

/** A change of one lane of a family. */
export type LaneOperation =
  | readonly [op: 'add', lanes: string, lane: string, position: number, work: string]
  /** All work up to the position is gone. */
  | readonly [op: 'done', lanes: string, lane: string, position: number]
  /** In milliseconds since the epoch; 0 is at once. */
  | readonly [op: 'due', lanes: string, lane: string, at: number]
  | readonly [op: 'hold', lanes: string, lane: string, held: boolean];

/** One step of a commit, as it stands in the journal. All steps are absolute, so a repeat does no harm. */
export type Operation =
  | readonly [op: 'put', collection: string, doc: Document]
  | readonly [op: 'del', collection: string, id: string]
  | readonly [op: 'seq', sequence: string, value: number]
  | LaneOperation;

export interface Commit {
  /** 1, 2, 3 … without gaps; the revision of every record it writes. */
  readonly commit: number;
  readonly ops: readonly Operation[];
}

export const isLaneOperation = (operation: Operation): operation is LaneOperation => {
  const [op] = operation;
  return op === 'add' || op === 'done' || op === 'due' || op === 'hold';
};
