import { runClosure } from '../../src/engine/condition/closures.ts';
import { compileExpression } from '../../src/engine/condition/compile.ts';
import { toCode } from '../../src/engine/condition/generate.ts';
import { createLanguage } from '../../src/engine/condition/language.ts';
import type { Program } from '../../src/engine/condition/program.ts';
import { Failure } from '../../src/engine/condition/values.ts';
import { fromCase, isSame, needsProtobuf, typeOfCase } from './cel-cases.ts';
import type { Case, CaseFile } from './cel-cases.ts';

type Run = (program: Program, values: readonly unknown[]) => unknown;

/** The two ways in which a program runs. */
export const backEnds: readonly [name: string, run: Run][] = [
  ['closures', runClosure],
  ['generated code', (program, values) => toCode(program)(...values)],
];

/** Why a case is not passed; undefined when it is. */
function failing(one: Case, run: Run): string | undefined {
  const variables = (one.typeEnv ?? []).map(({ name, ident }): [string, string] => [
    name,
    typeOfCase(ident?.type),
  ]);
  const language = createLanguage(variables, one.container);
  const compiled = compileExpression(one.expr, language, { check: !one.disableCheck });
  if (!compiled.ok) {
    return one.evalError === undefined ? `refused: ${compiled.problem.message}` : undefined;
  }
  const deduced = one.typedResult?.deducedType;
  if (deduced && compiled.type !== typeOfCase(deduced)) return `deduced ${compiled.type}`;
  if (one.checkOnly) return undefined;
  const values = variables.map(([name]) => {
    const bound = one.bindings?.[name]?.value;
    return bound === undefined ? unbound : fromCase(bound);
  });
  const result = run(compiled.program, values);
  if (one.evalError !== undefined) return result instanceof Failure ? undefined : 'gives a value';
  const expected = fromCase(one.value ?? one.typedResult?.result ?? { boolValue: true });
  if (isSame(expected, result)) return undefined;
  return result instanceof Failure ? result.message : `gives ${String(result)}`;
}

/** A variable that is declared and has no value: reading it is an error. */
const unbound = new Failure('missing_attribute', 'is not bound');

export interface Score {
  readonly name: string;
  readonly passed: number;
  readonly total: number;
  readonly excluded: number;
  readonly failures: readonly string[];
}

export function score({ name, cases }: CaseFile, run: Run): Score {
  const judged = cases.filter((one) => !needsProtobuf(one));
  const failures = judged.flatMap((one) => {
    const why = failing(one, run);
    return why === undefined ? [] : [`${name}/${one.name}: ${one.expr.slice(0, 80)} — ${why}`];
  });
  const { length: total } = judged;
  return { name, passed: total - failures.length, total, excluded: cases.length - total, failures };
}
