import type { Rule } from '../../../contract/policies.ts';
import { compileCondition } from '../../../engine/condition/compile.ts';
import { mostPatternParts } from '../../../engine/condition/regex.ts';
import type { Verdict } from '../../../engine/decide.ts';
import { prepareRules } from '../../../engine/evaluate.ts';
import type { PreparedRules } from '../../../engine/evaluate.ts';
import type { Answer, DecideQuestion, Question } from './messages.ts';

/** Characters that a rule of a verdict takes beside its message, in thought. */
const perRule = 40;
/** Steps of a turn for each character of rules that are made ready to run. */
const stepsPerCharacter = 10;

/** Characters of what verdicts say after which a turn ends: each is copied for its caller. */
const charactersOfTurn = 1 << 20;

/** Answers questions, one after the other, and remembers the rules that it was given. */
export function createAnswers(): (question: Question) => Answer {
  const known = new Map<string, PreparedRules>();
  return (question) => {
    switch (question.kind) {
      case 'decide':
        return decide(known, question);
      case 'reads-now':
        return { kind: 'read', readsNow: prepareOrRefuse(question.rules).prepared.readsNow };
      case 'check':
        return { kind: 'checked', problems: problemsOf(question.conditions) };
    }
  };
}

/** What is wrong with the conditions of one body; what making their patterns takes is bounded for all of them together. */
function problemsOf(conditions: readonly string[]) {
  const room = { left: mostPatternParts };
  return conditions.map((condition) => {
    const compiled = compileCondition(condition, room);
    return compiled.ok ? null : compiled.problem;
  });
}

function decide(
  known: Map<string, PreparedRules>,
  { now, forget, given, subjects, left, turn }: DecideQuestion,
): Answer {
  if (forget) known.clear();
  const rulesOf = new Map(given.map(({ key, rules }) => [key, rules]));
  const verdicts: (Verdict | null)[] = [];
  const broken: { key: string; why: string }[] = [];
  let steps = 0;
  let room = turn;
  let said = 0;
  // All of them, as none is sent again.
  for (const [key, rules] of rulesOf) {
    const { prepared, why } = prepareOrRefuse(rules);
    known.set(key, prepared);
    room -= stepsPerCharacter * rules.reduce((sum, { condition }) => sum + condition.length, 0);
    if (why !== undefined) broken.push({ key, why });
  }
  for (const { resource, keys } of subjects) {
    for (const key of keys) {
      // One at least, or it would never end.
      if (steps > 0 && (steps >= room || said >= charactersOfTurn)) {
        return { kind: 'decided', verdicts, steps, broken };
      }
      const before = (left ?? Number.MAX_SAFE_INTEGER) - steps;
      const allowance = { left: before };
      const verdict = known.get(key)?.decide(resource, now, allowance);
      if (!verdict) throw new Error('rules were asked for that were not given');
      // Each counts, so that a turn ends.
      steps += Math.max(1, before - allowance.left);
      verdicts.push(verdict.status === 'PASS' ? null : verdict);
      if ('rules' in verdict) {
        for (const { message = '' } of verdict.rules) said += message.length + perRule;
      }
    }
  }
  return { kind: 'decided', verdicts, steps, broken };
}

/** Conditions are checked when they come in, so one that does not compile is of another version: no verdict is no pass. */
function prepareOrRefuse(rules: readonly Rule[]): {
  readonly prepared: PreparedRules;
  readonly why?: string;
} {
  try {
    return { prepared: prepareRules(rules) };
  } catch (error) {
    const message = 'the stored condition does not compile with this version of the service';
    const undecided = rules.map(({ effect }, index) => ({ index, effect, message }));
    const verdict: Verdict = { status: 'ERROR', rules: undecided, reason: 'type_error' };
    const why = error instanceof Error ? error.message : String(error);
    return { prepared: { readsNow: false, decide: () => verdict }, why };
  }
}
