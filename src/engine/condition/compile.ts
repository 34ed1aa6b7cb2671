import { nearestWord } from '../../contract/nearest.ts';
import { maxConditionLength } from '../../contract/policies.ts';
import { createLanguage } from './language.ts';
import type { Language } from './language.ts';
import { lower } from './lower.ts';
import { LoweringProblem } from './nodes.ts';
import { surelyLowers } from './surely-lowers.ts';
import { translate } from './other-languages.ts';
import type { Program } from './program.ts';
import type { PatternRoom } from './regex.ts';
import { maxTreeDepth, parse, TooDeep } from './syntax.ts';
import type { SyntaxTree } from './syntax.ts';
import { inThrees } from '../../contract/in-threes.ts';

export interface CompiledCondition {
  readonly source: string;
  /** Made when it is first asked for: most conditions are only validated. */
  readonly program: Program;
  /**
   * Hands over the tree of a condition that has no program yet. Trees are large: one that is looked at once need not be
   * kept, as a program can be made of the source again.
   */
  takeTree(): SyntaxTree | undefined;
}

/** Where and why an expression does not compile. `line` and `column` count from 1, `offset` and `end` from 0. */
export interface ConditionProblem {
  readonly message: string;
  readonly offset: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  /** The nearest valid word, if a name was not known. */
  readonly suggestion?: string;
}

interface Failed {
  readonly ok: false;
  readonly problem: ConditionProblem;
}

export type Compilation = { readonly ok: true; readonly condition: CompiledCondition } | Failed;

/** What a condition can see. Nothing else is reachable. */
const conditions = createLanguage([
  ['resource', 'map'],
  ['now', 'google.protobuf.Timestamp'],
]);
export const resourceSlot = 0;
export const nowSlot = 1;

const tooDeep = (source: string): Failed =>
  failed(source, 0, 0, `has more than ${maxTreeDepth} levels of nesting`);

/**
 * Parses and type-checks a condition: CEL over `resource` (a map) and `now` (a timestamp) that yields bool.
 * Pure and total: a bad expression is a value, never a throw.
 * @param room what the patterns of this condition and others may take together; what they take is subtracted
 */
export function compileCondition(source: string, room?: PatternRoom): Compilation {
  if (source.length > maxConditionLength) {
    return failed(
      source,
      0,
      0,
      `is ${inThrees(source.length)} characters long; at most ${inThrees(maxConditionLength)} are allowed`,
    );
  }
  const compiled = compileExpression(source, conditions, { room });
  if (!compiled.ok) return compiled;
  const { type } = compiled;
  if (type !== 'bool' && type !== 'dyn') {
    return failed(source, 0, source.length, `yields ${type}, but a condition must yield bool`);
  }
  return { ok: true, condition: compiled };
}

/**
 * Compiles an expression of any type in any language.
 * @param options `check: false` leaves types to be found out when it runs
 */
export function compileExpression(
  source: string,
  language: Language,
  {
    check = true,
    room,
  }: { readonly check?: boolean; readonly room?: PatternRoom | undefined } = {},
): (CompiledCondition & { readonly ok: true; readonly type: string }) | Failed {
  try {
    const {
      ast,
      nodes,
      check: checkTypes,
    } = parse(language.environmentFor(source), source, language);
    const checked = check ? checkTypes() : { valid: true, type: 'dyn' };
    if (!checked.valid) return fromError(source, checked.error, language);
    const canWait = check && nodes.every((node) => surelyLowers(node, language));
    const made = canWait ? undefined : lower(ast, language.variables, check, room);
    return compiledFrom(source, language, made ?? ast, checked.type ?? 'dyn');
  } catch (error) {
    // The parser counts levels of brackets and members, not those of operators before a term: `!!!!…` ends its stack.
    if (error instanceof RangeError || error instanceof TooDeep) return tooDeep(source);
    if (error instanceof LoweringProblem) {
      return failed(source, error.start, error.end, error.message);
    }
    return fromError(source, error, language);
  }
}

/** @param given a program, or a tree that surely has one */
function compiledFrom(
  source: string,
  language: Language,
  given: Program | SyntaxTree,
  type: string,
) {
  let held: Program | SyntaxTree | undefined = given;
  return {
    ok: true as const,
    source,
    type,
    get program() {
      const whole = held ?? parse(language.environmentFor(source), source, language).ast;
      const program = 'op' in whole ? lower(whole, language.variables) : whole;
      held = program;
      return program;
    },
    takeTree() {
      if (!held || !('op' in held)) return undefined;
      const tree = held;
      held = undefined;
      return tree;
    },
  };
}

/** Characters; the package puts whole names and literals into its messages. */
const longestMessage = 300;

interface CelError {
  readonly summary?: string;
  readonly message?: string;
  readonly code?: string;
  readonly range?: { readonly start: number; readonly end: number };
}

function fromError(source: string, thrown: unknown, { variables, functions }: Language): Failed {
  // Anything thrown is reported by shape: the package's errors carry code, summary and range.
  const error = (thrown ?? {}) as CelError;
  const start = Math.min(error.range?.start ?? 0, source.length);
  const end = Math.min(Math.max(error.range?.end ?? start, start), source.length);
  const summary = withoutNamespace(error.summary ?? error.message ?? 'does not compile');
  const written = unknownName(error.code, summary);
  const nearest =
    written &&
    nearestWord(
      written,
      error.code === 'unknown_variable'
        ? variables
        : [...new Set(functions.map(({ name }) => name))],
    );
  // A function that is there doesn't take what it was given: what it takes helps, not its name.
  const isKnown = written !== undefined && nearest === written;
  const forms = functions.filter(({ name }) => isKnown && name === written);
  const usage =
    written === 'has'
      ? 'to test whether a field is present, use has(resource.tags.owner)'
      : `use ${forms.map(({ signature }) => withoutNamespace(signature)).join(', ')}`;
  const said = isKnown ? `${summary}; ${usage}` : summary;
  // The package marks the whole call for an unknown function; the caret belongs under the name.
  const named = written ? source.indexOf(written, start) : -1;
  const offset = named >= 0 ? named : start;
  const translation = nearest === undefined ? translate(source, offset) : undefined;
  if (translation) {
    return failed(source, translation.offset, translation.end, summary, translation.suggestion);
  }
  return failed(
    source,
    offset,
    named >= 0 && written ? named + written.length : end,
    said.length > longestMessage ? `${said.slice(0, longestMessage)}…` : said,
    isKnown ? undefined : nearest,
  );
}

/** `math` is a value of a type of its own to the package. */
const withoutNamespace = (text: string): string =>
  text.replace(/\b([a-z]\w*)Namespace\./gi, (_, name: string) => `${name.toLowerCase()}.`);

function unknownName(code: string | undefined, summary: string): string | undefined {
  if (code === 'unknown_variable') return /: (\w+)$/.exec(summary)?.[1];
  return /'(?:.*\.)?(\w+)\([^']*\)'/.exec(summary)?.[1];
}

function failed(
  source: string,
  offset: number,
  end: number,
  message: string,
  suggestion?: string,
): Failed {
  const before = source.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - (before.lastIndexOf('\n') + 1) + 1;
  return {
    ok: false,
    problem: { message, offset, end, line, column, ...(suggestion ? { suggestion } : {}) },
  };
}

/** Characters of a line that are shown around a place in it. */
const shownAround = 120;

/** The offending line with a caret under the place, as `details` of POL_003 and the CLI show it; a part of a long one. */
export function showCaret(source: string, problem: ConditionProblem): string {
  const line = source.split('\n')[problem.line - 1] ?? '';
  const at = problem.column - 1;
  const from = Math.max(0, Math.min(at - shownAround / 2, line.length - shownAround));
  const until = Math.min(line.length, from + shownAround);
  const text = `${from > 0 ? '…' : ''}${line.slice(from, until)}${until < line.length ? '…' : ''}`;
  const before = at - from + (from > 0 ? 1 : 0);
  const width = Math.max(1, Math.min(problem.end - problem.offset, until - at));
  return `${text}\n${' '.repeat(before)}${'^'.repeat(width)}`;
}
