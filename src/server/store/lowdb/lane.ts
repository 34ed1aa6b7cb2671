import { isLaneOperation } from './operation.ts';
import type { Commit, LaneOperation } from './operation.ts';
import { WorkQueue } from './work-queue.ts';

/**
 * A lane, or changes of it that lie above what is durable: those of a running transaction, or of committed ones whose
 * journal lines are not yet on disk. What is undefined is as it was below.
 */
export class Lane {
  readonly queue = new WorkQueue();
  /** Work up to this position is gone, here and below. */
  gone = 0;
  held: boolean | undefined;
  /** 0: at once. */
  dueAt: number | undefined;
  /** The latest that changed it. */
  commit = 0;

  apply(operation: LaneOperation): void {
    switch (operation[0]) {
      case 'add':
        if (operation[3] > this.gone) this.queue.push(operation[3], operation[4]);
        return;
      case 'done':
        this.gone = Math.max(this.gone, operation[3]);
        this.queue.dropThrough(this.gone);
        return;
      case 'due':
        this.dueAt = operation[3];
        return;
      case 'hold':
        this.held = operation[3];
    }
  }
}

/** The lanes of a family by name. */
export type Lanes = Map<string, Lane>;

/** Lanes by family. */
export type LaneFamilies = ReadonlyMap<string, Lanes>;

export const noLanes = (families: Iterable<string>): LaneFamilies =>
  new Map(Array.from(families, (name) => [name, new Map()]));

export const applyToLane = (lanes: Lanes, commit: number, operation: LaneOperation): void => {
  const [, , name] = operation;
  let lane = lanes.get(name);
  if (!lane) lanes.set(name, (lane = new Lane()));
  lane.apply(operation);
  lane.commit = commit;
};

/** Applies an operation to what is durable, where a lane that says nothing is forgotten. */
export const settleLane = (lanes: Lanes, commit: number, operation: LaneOperation): void => {
  applyToLane(lanes, commit, operation);
  const [, , name] = operation;
  const lane = lanes.get(name);
  if (lane?.queue.size === 0 && !lane.held) lanes.delete(name);
};

/** Keeps the lane changes of a commit above what is durable. */
export const keepLanes = (pending: LaneFamilies, { commit, ops }: Commit): void => {
  for (const operation of ops) {
    if (!isLaneOperation(operation)) continue;
    const lanes = pending.get(operation[1]);
    if (lanes) applyToLane(lanes, commit, operation);
  }
};

/** Drops the lane changes of a commit that has become durable; later ones of the same lanes stay. */
export const dropLanes = (pending: LaneFamilies, { commit, ops }: Commit): void => {
  for (const operation of ops) {
    if (!isLaneOperation(operation)) continue;
    const [op, family, name, value] = operation;
    const lanes = pending.get(family);
    const lane = lanes?.get(name);
    if (lane?.commit === commit) lanes?.delete(name);
    else if (op === 'add') lane?.queue.dropThrough(value);
  }
};
