import { notBool } from './access.ts';
import { frameOf, toClosure } from './closures.ts';
import { nowSlot, resourceSlot } from './compile.ts';
import type { CompiledCondition } from './compile.ts';
import type { Evaluator, Undecided } from './evaluate.ts';
import { mayGenerate, toEvaluatorCode } from './generate.ts';
import { attributesOf, countTerms } from './program.ts';
import type { Program } from './program.ts';
import { timestampOfMillis } from './time.ts';
import { Failure } from './values.ts';

export interface ConditionEvaluator {
  readonly holds: Evaluator;
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
  let run: Evaluator = (resource, now) => {
    run = mayGenerate && countTerms(program.root) <= mostTermsOfCode ? counting() : closure();
    return run(resource, now);
  };
  const closure = () => closureEvaluator(program);
  const counting = (): Evaluator => {
    const first = closure();
    let runs = 0;
    return (resource, now) => {
      if (++runs === runsBeforeCode) run = codeEvaluator(program);
      return first(resource, now);
    };
  };
  return {
    holds: (resource, now) => run(resource, now),
    readsNow: program.reads.has(nowSlot),
    attributes: () => attributesOf(program.root),
  };
}

/** Runs everywhere, and at once. */
export function closureEvaluator(program: Program): Evaluator {
  const run = toClosure(program.root);
  const { path } = program.root;
  const readsNow = program.reads.has(nowSlot);
  return (resource, now) => {
    const frame = frameOf(program);
    frame.slots[resourceSlot] = resource;
    if (readsNow) frame.slots[nowSlot] = timestampOfMillis(now);
    try {
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

/** Nothing throws by itself; a document nested too deep, or a text too long, ends the machine's means. */
export const undecided = (error: unknown): Undecided =>
  new Failure('budget', `the resource is too deep or too long to be looked at: ${String(error)}`);
