import type { CompiledCondition } from './compile.ts';
import type { Evaluator } from './evaluate.ts';

export interface ConditionEvaluator {
  readonly holds: Evaluator;
  /** Whether the condition reads `now`. */
  readonly readsNow: boolean;
}

/** Makes a compiled condition ready to run. Total: what goes wrong while it runs is an `Undecided`. */
export function createEvaluator(condition: CompiledCondition): ConditionEvaluator {
  throw new Error(`in work: ${condition.source}`);
}
