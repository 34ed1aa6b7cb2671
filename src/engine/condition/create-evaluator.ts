import { notBool } from './access.ts';
import { frameOf, toClosure } from './closures.ts';
import { nowSlot, resourceSlot } from './compile.ts';
import type { CompiledCondition } from './compile.ts';
import type { Evaluator, Undecided } from './evaluate.ts';
import { mayGenerate, toCode } from './generate.ts';
import { countTerms } from './program.ts';
import type { Program } from './program.ts';
import { timestampOfMillis } from './time.ts';
import { Failure } from './values.ts';

export interface ConditionEvaluator {
  readonly holds: Evaluator;
  /** Whether the condition reads `now`. */
  readonly readsNow: boolean;
}

/** Runs over one condition after which the time to generate its code is won back. */
const runsBeforeCode = 200;

/** Engines don't optimise longer functions, and generating them takes long. */
const mostTermsOfCode = 2_000;

/**
 * Makes a compiled condition ready to run. Total: what goes wrong while it runs is an `Undecided`.
 * Nothing is built before the first run.
 */
export function createEvaluator({ program }: CompiledCondition): ConditionEvaluator {
  const readsNow = program.reads.has(nowSlot);
  let runs = 0;
  let run: Evaluator = (resource, now) => {
    run = closureEvaluator(program);
    return run(resource, now);
  };
  const holds: Evaluator = (resource, now) => {
    if (++runs === runsBeforeCode && mayGenerate && countTerms(program.root) <= mostTermsOfCode) {
      run = codeEvaluator(program);
    }
    return run(resource, now);
  };
  return { holds, readsNow };
}

/** Runs everywhere, and at once. */
export function closureEvaluator(program: Program): Evaluator {
  const run = toClosure(program.root);
  return evaluator(program, (resource, now) => {
    const frame = frameOf(program);
    frame.slots[resourceSlot] = resource;
    frame.slots[nowSlot] = now;
    return run(frame);
  });
}

/** Runs fast, where functions may be made of text. */
export const codeEvaluator = (program: Program): Evaluator => evaluator(program, toCode(program));

function evaluator(program: Program, run: (resource: unknown, now: unknown) => unknown): Evaluator {
  const { path } = program.root;
  const readsNow = program.reads.has(nowSlot);
  return (resource, now) => {
    try {
      const value = run(resource, readsNow ? timestampOfMillis(now) : undefined);
      if (typeof value === 'boolean') return value;
      return value instanceof Failure ? value : notBool(value, path);
    } catch (error) {
      return undecided(error);
    }
  };
}

/** Nothing throws by itself; a document nested too deep, or a text too long, ends the machine's means. */
const undecided = (error: unknown): Undecided =>
  new Failure('budget', `the resource is too deep or too long to be looked at: ${String(error)}`);
