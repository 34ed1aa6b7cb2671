import { compileCondition } from '../../src/engine/condition/compile.ts';
import { createEvaluator } from '../../src/engine/condition/create-evaluator.ts';
import { mayGenerate } from '../../src/engine/condition/generate.ts';

/** Runs conditions given as JSON, each often enough for code to be made of it, and prints what they said last. */
const { conditions, resource, now } = JSON.parse(process.argv[2] ?? '') as {
  conditions: string[];
  resource: unknown;
  now: number;
};
const answers = conditions.map((source) => {
  const compiled = compileCondition(source);
  if (!compiled.ok) throw new Error(compiled.problem.message);
  const evaluator = createEvaluator(compiled.condition);
  for (let run = 0; run < 300; run++) evaluator.holds(resource, now);
  return evaluator.holds(resource, now);
});
process.stdout.write(JSON.stringify({ mayGenerate, answers }));
