import type { Rule } from '../contract/policies.ts';
import { compileCondition } from './condition/compile.ts';
import type { Compilation } from './condition/compile.ts';
import type { PatternRoom } from './condition/regex.ts';

const compiled = new WeakMap<Pick<Rule, 'condition'>, Compilation>();

/** The condition of a rule, compiled once: reading a policy, preparing and explaining it ask for the same. */
export function compileRule(rule: Pick<Rule, 'condition'>, room?: PatternRoom): Compilation {
  let compilation = compiled.get(rule);
  if (!compilation) {
    compilation = compileCondition(rule.condition, room);
    compiled.set(rule, compilation);
  }
  return compilation;
}
