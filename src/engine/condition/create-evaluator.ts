import { notBool } from './access.ts';
import { spend, startEvaluation } from './budget.ts';
import { startRun, toClosure } from './closures.ts';
import { nowSlot, resourceSlot } from './compile.ts';
import type { CompiledCondition } from './compile.ts';
import type { Evaluator } from './evaluate.ts';
import { mayGenerate, toEvaluatorCode } from './generate.ts';
import { attributesOf, countTerms } from './program.ts';
import type { Program } from './program.ts';
import { timestampOfMillis } from './time.ts';
import { undecided } from './undecided.ts';
import { Failure } from './values.ts';

interface ConditionEvaluator {
  /** An evaluation of this condition alone, with a budget of its own. */
  readonly holds: Evaluator;
  /**
   * A part of the evaluation under way: what it takes is taken from that. Changes as runs add up, so it is fastest when
   * asked of the evaluator each time.
   */
  readonly decides: Evaluator;
  /** Whether the condition reads `now`. */
  readonly readsNow: boolean;
  /** The attributes it reads, such as `resource.tags["team"]` and `resource.ingress[*].cidr`. */
  attributes(): ReadonlySet<string>;
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
  const build: Evaluator = (resource, now) => {
    const first = closureEvaluator(program);
    const mayChange = mayGenerate && countTerms(program.root) <= mostTermsOfCode;
    change(mayChange ? counted(first) : first);
    return evaluator.decides(resource, now);
  };
  const counted = (first: Evaluator): Evaluator => {
    let runs = 0;
    return (resource, now) => {
      if (++runs === runsBeforeCode) change(codeEvaluator(program));
      return first(resource, now);
    };
  };
  const evaluator = {
    holds(resource: unknown, now: number) {
      startEvaluation();
      return evaluator.decides(resource, now);
    },
    decides: build,
    readsNow: program.reads.has(nowSlot),
    attributes: () => attributesOf(program.root),
  };
  function change(to: Evaluator): void {
    evaluator.decides = to;
  }
  return evaluator;
}

/** Runs everywhere, and at once. */
export function closureEvaluator(program: Program): Evaluator {
  const run = toClosure(program.root);
  const { path } = program.root;
  const readsNow = program.reads.has(nowSlot);
  const { steps } = program;
  return (resource, now) => {
    const frame = startRun(program);
    frame.slots[resourceSlot] = resource;
    if (readsNow) frame.slots[nowSlot] = timestampOfMillis(now);
    try {
      spend(steps);
      const value = run(frame);
      if (typeof value === 'boolean') return value;
      return value instanceof Failure ? value : notBool(value, path);
    } catch (error) {
      return undecided(error);
    }
  };
}

/** Runs fast, where functions may be made of text. */
export const codeEvaluator = (program: Program): Evaluator =>
  toEvaluatorCode(program, nowSlot, undecided);
