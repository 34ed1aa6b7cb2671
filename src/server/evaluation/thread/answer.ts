import type { FindingRule } from '../../../contract/findings.ts';
import type { Rule } from '../../../contract/policies.ts';
import { compileCondition } from '../../../engine/condition/compile.ts';
import { mostPatternParts } from '../../../engine/condition/regex.ts';
import type { Verdict } from '../../../engine/decide.ts';
import { prepareRules } from '../../../engine/evaluate.ts';
import type { PreparedRules } from '../../../engine/evaluate.ts';
import { restoreUnknown } from '../../../engine/restore-unknown.ts';
import { flipBudget } from '../../../engine/next-flip.ts';
import { limitsOf } from '../../../engine/predict/limits.ts';
import type { KnownResource } from '../../../contract/resources.ts';
import { fitAttributes } from '../../../inventory/attributes/fit.ts';
import type { Awaitable } from '../../awaitable.ts';
import { answerAction } from './check-action.ts';
import type {
  Answer,
  DecideQuestion,
  Description,
  FoundFlip,
  PromptQuestion,
  Question,
  RuleSet,
} from './messages.ts';

/** Estimated characters of a rule in a verdict, without its message. */
const perRule = 40;
/** Steps of a turn per unit of weight of rules that are compiled. */
const stepsPerCharacter = 10;
/**
 * The weight of compiled rules, in characters. Compiled, a character takes about 350 bytes, and a part of a pattern a
 * fourth of that. Parts must count, as a short pattern can have ten thousand.
 */
const partsOfCharacter = 4;
const charactersOfRule = 100;
/** Maximum weight of rules compiled per turn, and of rules cached; beyond that the whole cache is dropped. */
const weightOfTurn = 1 << 17;
const keptWeight = 1 << 20;

/** Compiled rules by key. */
interface Ready {
  readonly rules: Map<string, PreparedRules>;
  weight: number;
}

/** Characters of messages after which a turn ends, because they are copied to the main thread. */
const charactersOfTurn = 1 << 20;

/** Answers questions one at a time, and caches the rules that it was given. */
export function createAnswers(): (question: PromptQuestion) => Answer {
  const known: Ready = { rules: new Map(), weight: 0 };
  return (question) => {
    switch (question.kind) {
      case 'decide':
        return decide(known, question);
      case 'describe':
        return { kind: 'described', ...describe(question.rules) };
      case 'check':
        return { kind: 'checked', problems: problemsOf(question.conditions) };
    }
  };
}

/** Attributes of one policy that are told, and characters of each. */
const mostAttributes = 100;
const longestAttribute = 256;

function describe(rules: readonly Rule[]): Description {
  const { prepared, why } = prepareOrRefuse(rules);
  const short = prepared.attributes().filter(({ length }) => length <= longestAttribute);
  return {
    readsNow: prepared.readsNow,
    attributes: short.slice(0, mostAttributes),
    limits: why === undefined ? limitsOf(rules) : [],
  };
}

/** Answers any question. @param answer one of `createAnswers` */
export const answerTo = (
  answer: ReturnType<typeof createAnswers>,
  question: Question,
): Awaitable<Answer> => (question.kind === 'action' ? answerAction(question) : answer(question));

/** Compiles the conditions of one body; all their patterns share one limit. */
function problemsOf(conditions: readonly string[]) {
  const room = { left: mostPatternParts };
  return conditions.map((condition) => {
    const compiled = compileCondition(condition, room);
    return compiled.ok ? null : compiled.problem;
  });
}

function decide(
  known: Ready,
  { now, forget, given, subjects, left, turn, flips: flipsLeft }: DecideQuestion,
): Answer {
  if (forget) {
    known.rules.clear();
    known.weight = 0;
  }
  const verdicts: (Verdict | null)[] = [];
  const broken: { key: string; why: string }[] = [];
  const flips: { at: number; flip: FoundFlip }[] = [];
  let flipSteps = 0;
  let steps = 0;
  let room = turn;
  let said = 0;
  let ready = 0;
  for (let made = 0; ready < given.length && made < weightOfTurn; ready += 1) {
    const { key, rules } = given[ready] as RuleSet; // in bounds
    const { prepared, weight, why } = prepareOrRefuse(rules);
    known.rules.set(key, prepared);
    known.weight += weight;
    made += weight;
    room -= stepsPerCharacter * weight;
    if (why !== undefined) broken.push({ key, why });
  }
  const isFull = known.weight > keptWeight;
  const decided = { kind: 'decided', verdicts, flips, ready, isFull, broken } as const;
  const told = new Map<string, Verdict>();
  /** The same object for equal verdicts: a policy says the same of most resources, and objects in memory are shared. */
  const tell = (verdict: Verdict & { readonly rules: readonly FindingRule[] }): Verdict => {
    const text = JSON.stringify(verdict);
    const before = told.get(text);
    if (before) return before;
    told.set(text, verdict);
    for (const { message = '' } of verdict.rules) said += message.length + perRule;
    return verdict;
  };
  for (const { resource: stored, keys } of subjects) {
    const resource = fitAttributes(restoreUnknown(stored));
    for (const key of keys) {
      // At least one evaluation per turn, or the question would never be completed.
      if (steps > 0 && (steps >= room || said >= charactersOfTurn)) {
        return { ...decided, steps, flipSteps };
      }
      const rules = known.rules.get(key);
      if (!rules) {
        if (ready === given.length) throw new Error('unknown rules requested');
        // These rules did not fit in the turn.
        return { ...decided, steps, flipSteps };
      }
      const before = (left ?? Number.MAX_SAFE_INTEGER) - steps;
      const allowance = { left: before };
      const verdict = rules.decide(resource, now, allowance);
      // Count at least one step, so that the turn ends.
      steps += Math.max(1, before - allowance.left);
      verdicts.push('rules' in verdict ? tell(verdict) : null);
      if (flipsLeft !== undefined && rules.readsNow) {
        const found = findFlip(rules, { resource, now, left: flipsLeft - flipSteps });
        flips.push({ at: verdicts.length - 1, flip: found.flip });
        flipSteps += found.steps;
        said += charactersOfFlip(found.flip);
        room -= found.steps;
      }
    }
  }
  return { ...decided, steps, flipSteps };
}

function charactersOfFlip(flip: FoundFlip): number {
  if (typeof flip === 'string') return 0;
  const rules = 'rules' in flip.to ? flip.to.rules : [];
  return [
    ...rules.map(({ message = '' }) => message),
    ...flip.because.map(({ text }) => text),
  ].reduce((sum, { length }) => sum + length + perRule, 0);
}

/** Milliseconds: predictions look no further. */
const horizon = 366 * 86_400_000;

function findFlip(
  rules: PreparedRules,
  { resource, now, left }: { resource: KnownResource; now: number; left: number },
): { readonly flip: FoundFlip; readonly steps: number } {
  const given = Math.min(left, flipBudget);
  if (given <= 0) return { flip: 'unknown', steps: 0 };
  const allowance = { left: given };
  const flip = rules.findFlip(resource, now, now + horizon, allowance);
  return { flip, steps: given - allowance.left };
}

/** Stored conditions were checked on creation, so one that does not compile is from another version: ERROR, never PASS. */
function prepareOrRefuse(rules: readonly Rule[]): {
  readonly prepared: PreparedRules;
  readonly weight: number;
  readonly why?: string;
} {
  const characters = rules.reduce((sum, { condition }) => sum + condition.length, 0);
  const patterns = { left: Number.MAX_SAFE_INTEGER };
  const weigh = (): number =>
    characters +
    charactersOfRule * rules.length +
    Math.ceil((Number.MAX_SAFE_INTEGER - patterns.left) / partsOfCharacter);
  try {
    const prepared = prepareRules(rules, patterns);
    return { prepared, weight: weigh() };
  } catch (error) {
    const message = 'the stored condition does not compile with this version of the service';
    const undecided = rules.map(({ effect }, index) => ({ index, effect, message }));
    const verdict: Verdict = { status: 'ERROR', rules: undecided, reason: 'type_error' };
    const why = error instanceof Error ? error.message : String(error);
    const prepared: PreparedRules = {
      readsNow: false,
      attributes: () => [],
      decide: () => verdict,
      findFlip: () => 'none',
    };
    return { prepared, weight: weigh(), why };
  }
}
