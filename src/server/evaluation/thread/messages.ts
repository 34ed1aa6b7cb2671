import type { Rule } from '../../../contract/policies.ts';
import type { KnownResource } from '../../../contract/resources.ts';
import type { ConditionProblem } from '../../../engine/condition/compile.ts';
import type { Verdict } from '../../../engine/decide.ts';

/** The rules of one policy or several; `key` stands for what they say. */
export interface RuleSet {
  readonly key: string;
  readonly rules: readonly Rule[];
}

/** A resource, and the keys of what is to be evaluated over it. */
export interface Subject {
  readonly resource: KnownResource;
  readonly keys: readonly string[];
}

export interface DecideQuestion {
  readonly kind: 'decide';
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What was sent before is forgotten. */
  readonly forget: boolean;
  /** Rules that were not sent before. */
  readonly given: readonly RuleSet[];
  readonly subjects: readonly Subject[];
  /** Steps that a request has left for all of its evaluations; absent: there is no request. */
  readonly left?: number;
  /** Steps after which no further evaluation is begun. */
  readonly turn: number;
}

interface ReadsNowQuestion {
  readonly kind: 'reads-now';
  readonly rules: readonly Rule[];
}

interface CheckQuestion {
  readonly kind: 'check';
  readonly conditions: readonly string[];
}

export type Question = DecideQuestion | ReadsNowQuestion | CheckQuestion;

/** What answers a question; `steps` are priced as in engine/condition/budget.ts. */
export type Answer =
  | {
      readonly kind: 'decided';
      /** Subject by subject, key by key, as far as the turn went; null is a PASS. */
      readonly verdicts: readonly (Verdict | null)[];
      readonly steps: number;
      /** Rules of `given` that are ready now, the first ones: the turn may have had no room for more. */
      readonly ready: number;
      /** So much is ready to run that it is to be forgotten. */
      readonly isFull: boolean;
      /** Rules of `given` that do not compile, and why. */
      readonly broken: readonly { readonly key: string; readonly why: string }[];
    }
  | { readonly kind: 'read'; readonly readsNow: boolean }
  /** In the order of the conditions; null: it compiles. */
  | { readonly kind: 'checked'; readonly problems: readonly (ConditionProblem | null)[] };
