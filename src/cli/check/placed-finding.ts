import type { CheckedFinding } from '../../project/check/checker.ts';

/** A finding and where its resource stands. */
export interface PlacedFinding extends CheckedFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** With --explain. */
  readonly explanation?: readonly ExplainedRule[];
}

/** What a part of a condition came to, for people and programs. */
export interface ExplainedPart {
  readonly expression: string;
  /** As CEL writes it. */
  readonly value?: string;
  /** Why there is no value. */
  readonly undecided?: string;
  /** The item of the list that a part of a macro was for. */
  readonly item?: string;
  readonly parts: readonly ExplainedPart[];
}

export interface ExplainedRule {
  readonly index: number;
  readonly effect: string;
  readonly condition: ExplainedPart;
}
