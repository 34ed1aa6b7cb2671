import type { UndecidedReason } from '../../contract/findings.ts';

/** Why a condition has no answer over a resource. A value, never a throw: a missing attribute is common. */
export interface Undecided {
  readonly reason: UndecidedReason;
  /** The attribute, such as `resource.encryption.enabled`; absent where no single one is to blame. */
  readonly path?: string;
  /** One sentence: what is wrong with it. */
  readonly message: string;
}

/**
 * Whether a condition holds over a resource.
 * @param now of the evaluation, in milliseconds since the epoch
 */
export type Evaluator = (resource: unknown, now: number) => boolean | Undecided;
