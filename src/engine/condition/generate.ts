import { UnknownValue } from '../../contract/resources.ts';
import { doubt, has, index, itemsOf, locate, merge, notBool, select } from './access.ts';
import { spend } from './budget.ts';
import { addEntry, badKey } from './closures.ts';
import { timestampOfMillis } from './time.ts';
import type { Evaluator, Undecided } from './evaluate.ts';
import { opened, some } from './optionals.ts';
import type { Program } from './program.ts';
import { quoted } from './js-operators.ts';
import { CelMap, Failure } from './values.ts';
import { Writer } from './writer.ts';

/** What generated code can name: its own temporaries, these, and the constants of the program. */
const runtime = {
  UnknownValue,
  Failure,
  CelMap,
  spend,
  has,
  index,
  locate,
  notBool,
  merge,
  opened,
  some,
  doubt,
  itemsOf,
  select,
  addEntry,
  badKey,
  timestampOfMillis,
};

/** Whether this process may make functions of text; `--disallow-code-generation-from-strings` forbids it. */
export const mayGenerate: boolean = (() => {
  try {
    return new Function('return true')() === true;
  } catch {
    // An EvalError is the runtime's way to say no.
    return false;
  }
})();

/**
 * A program as a JavaScript function of its variables that gives a value or a Failure, as its closure does.
 * Every text of the expression gets into the code as a quoted literal; every name in it is the generator's own.
 */
export function toCode(program: Program): (...variables: unknown[]) => unknown {
  const writer = new Writer();
  const result = writer.value(program.root, returned);
  return link(writer, variablesOf(program), [...writer.lines, returned(result.code)]);
}

/** A condition as a function: as `toCode`, and total. `undecided` makes an answer of what the engine throws. */
export function toEvaluatorCode(
  program: Program,
  nowSlot: number,
  undecided: (error: unknown) => Undecided,
): Evaluator {
  const writer = new Writer();
  const { code, type } = writer.value(program.root, returned);
  const guard = writer.constant(undecided);
  const path = program.root.path === undefined ? 'undefined' : quoted(program.root.path);
  const run = link(writer, variablesOf(program), [
    'try {',
    `spend(${program.steps});`,
    ...(program.reads.has(nowSlot) ? [`v${nowSlot} = timestampOfMillis(v${nowSlot});`] : []),
    ...writer.lines,
    returned(
      type === 'bool' ? code : `typeof ${code} === "boolean" ? ${code} : notBool(${code}, ${path})`,
    ),
    '} catch (error) {',
    returned(`${guard}(error)`),
    '}',
  ]);
  return run as Evaluator; // it gives a bool or a Failure
}

const returned = (code: string): string => `return ${code};`;

/** Those of loops are the loops' own. */
const variablesOf = (program: Program): readonly string[] =>
  Array.from({ length: program.variables }, (_, slot) => `v${slot}`);

function link(
  { constants }: Writer,
  variables: readonly string[],
  lines: readonly string[],
): (...variables: unknown[]) => unknown {
  const source = `"use strict";
const { ${Object.keys(runtime).join(', ')} } = R;
const [${constants.map((_, i) => `k${i}`).join(', ')}] = K;
return function condition(${variables.join(', ')}) {
${lines.join('\n')}
};`;
  // The text is the generator's own: see above.
  return new Function('R', 'K', source)(runtime, constants) as (...variables: unknown[]) => unknown;
}
