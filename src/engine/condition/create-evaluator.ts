import { notBool } from './access.ts';
import { frameOf, toClosure } from './closures.ts';
import { resourceSlot, nowSlot } from './compile.ts';
import type { CompiledCondition } from './compile.ts';
import type { Evaluator, Undecided } from './evaluate.ts';
import { timestampOfMillis } from './time.ts';
import { Failure } from './values.ts';

export interface ConditionEvaluator {
  readonly holds: Evaluator;
  /** Whether the condition reads `now`. */
  readonly readsNow: boolean;
}

/** Makes a compiled condition ready to run. Total: what goes wrong while it runs is an `Undecided`. */
export function createEvaluator({ program }: CompiledCondition): ConditionEvaluator {
  const run = toClosure(program.root);
  const { path } = program.root;
  const readsNow = program.reads.has(nowSlot);
  const holds: Evaluator = (resource, now) => {
    try {
      const frame = frameOf(program, []);
      frame.slots[resourceSlot] = resource;
      if (readsNow) frame.slots[nowSlot] = timestampOfMillis(now);
      const value = run(frame);
      if (typeof value === 'boolean') return value;
      return value instanceof Failure ? value : notBool(value, path);
    } catch (error) {
      return thrown(error);
    }
  };
  return { holds, readsNow };
}

/** Nothing throws by itself; a document nested too deep, or a text too long, can end the machine's means. */
export const thrown = (error: unknown): Undecided =>
  new Failure('budget', `the resource is too deep or too long: ${String(error)}`);
