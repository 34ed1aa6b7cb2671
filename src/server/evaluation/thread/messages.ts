import type { Rule } from '../../../contract/policies.ts';
import type { KnownResource } from '../../../contract/resources.ts';
import type { ConditionProblem } from '../../../engine/condition/compile.ts';
import type { Verdict } from '../../../engine/decide.ts';
import type { FindFlip } from '../../../engine/next-flip.ts';
import type { Limit } from '../../../engine/predict/limits.ts';

/** Rules of one or more policies; equal rules have the same `key`. */
export interface RuleSet {
  readonly key: string;
  readonly rules: readonly Rule[];
}

/** A resource, and the keys of the rules to evaluate on it. */
export interface Subject {
  readonly resource: KnownResource;
  readonly keys: readonly string[];
}

export interface DecideQuestion {
  readonly kind: 'decide';
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether to forget all rules sent before. */
  readonly forget: boolean;
  /** Rules that were not sent to this thread before. */
  readonly given: readonly RuleSet[];
  readonly subjects: readonly Subject[];
  /** Steps that the request has left for all its evaluations; absent for the background. */
  readonly left?: number;
  /** Steps after which no further evaluation starts. */
  readonly turn: number;
  /** Steps for finding when verdicts change by themselves; absent: they are not looked for. */
  readonly flips?: number;
}

interface DescribeQuestion {
  readonly kind: 'describe';
  readonly rules: readonly Rule[];
}

interface CheckQuestion {
  readonly kind: 'check';
  readonly conditions: readonly string[];
}

/** Whether a policy's `remediation_action` can be right. */
export interface ActionQuestion {
  readonly kind: 'action';
  readonly text: string;
  readonly type: string;
  readonly rules: readonly Rule[];
}

/** A question that is answered at once. */
export type PromptQuestion = DecideQuestion | DescribeQuestion | CheckQuestion;

export type Question = PromptQuestion | ActionQuestion;

/** What rules read. */
export interface Description {
  /** Whether any of them reads `now`. */
  readonly readsNow: boolean;
  /** Attributes of the resource, as far as a message may be long. */
  readonly attributes: readonly string[];
  /** The numbers that they compare attributes with. */
  readonly limits: readonly Limit[];
}

/** When a verdict changes because time goes on. */
export type FoundFlip = ReturnType<FindFlip>;

/** The answer to a question; `steps` are those of engine/condition/budget.ts. */
export type Answer =
  | {
      readonly kind: 'decided';
      /** Ordered by subject, then key, up to the end of the turn; null means PASS. */
      readonly verdicts: readonly (Verdict | null)[];
      readonly steps: number;
      /** For each verdict of rules that read `now`, if asked for. `at` counts in `verdicts`. */
      readonly flips: readonly { readonly at: number; readonly flip: FoundFlip }[];
      /** The steps for finding them, which no verdict depends on. */
      readonly flipSteps: number;
      /** Rules of `given` that are ready now, the first ones: the turn may have had no room for more. */
      readonly ready: number;
      /** So much is ready to run that it is to be forgotten. */
      readonly isFull: boolean;
      /** Rules of `given` that do not compile, with the reason. */
      readonly broken: readonly { readonly key: string; readonly why: string }[];
    }
  | ({ readonly kind: 'described' } & Description)
  | { readonly kind: 'action'; readonly problem: string | null }
  /** In the order of the conditions; null if the condition compiles. */
  | { readonly kind: 'checked'; readonly problems: readonly (ConditionProblem | null)[] };
