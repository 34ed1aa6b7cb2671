import type { Deps } from '../deps.ts';
import type { LaneSpec, LaneWork } from '../store/store.ts';

export interface LaneRunner {
  /** Looks for due work, now. */
  poke(): void;
  /** Resolves when nothing is due and nothing is under way. */
  idle(): Promise<void>;
  /** Claims nothing more, waits for what is under way, but so many milliseconds at most, then has it aborted. */
  stop(withinMs: number): Promise<void>;
}

export interface LaneRunnerOptions {
  readonly lanes: LaneSpec;
  /** Pieces of work under way at once. */
  readonly most: number;
  /**
   * Does a piece of work, and completes it or puts its lane off in a transaction of its own. Where it fails, or is
   * aborted, without having done so, the lane is tried again a little later.
   */
  readonly perform: (claimed: LaneWork, signal: AbortSignal) => Promise<void>;
}

export type CreateLaneRunner = (
  deps: Pick<Deps, 'store' | 'clock' | 'log'>,
  options: LaneRunnerOptions,
) => LaneRunner;
