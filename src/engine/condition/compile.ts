import { Environment } from '@marcbachmann/cel-js';
import type { ASTNode } from '@marcbachmann/cel-js';
import { nearestWord } from '../../contract/nearest.ts';
import { maxConditionLength } from '../../contract/policies.ts';
import { lower, LoweringProblem } from './lower.ts';
import type { Program } from './program.ts';

export interface CompiledCondition {
  readonly source: string;
  readonly program: Program;
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

export type Compilation =
  | { readonly ok: true; readonly condition: CompiledCondition }
  | { readonly ok: false; readonly problem: ConditionProblem };

/** What a condition can see. Nothing else is reachable. */
const variables = ['resource', 'now'] as const;
export const resourceSlot = 0;
export const nowSlot = 1;

/** Parser and checker recurse; past this their stack could end, at a place that depends on who calls. */
const maxTreeDepth = 1_000;

const tooDeep = (source: string): Compilation =>
  failed(source, 0, 0, `has too many levels or chained terms; at most ${maxTreeDepth} are allowed`);

// Deeper nesting than this is a bomb, not a policy; it also keeps the recursive checker off the stack's end.
const limits = { maxAstNodes: 100_000, maxDepth: 200 };

/** What the package's library lacks; what they do is in `functions.ts`. */
const signatures = [
  'cidr_contains(string, string): bool',
  'string.charAt(int): string',
  'string.replace(string, string): string',
  'string.replace(string, string, int): string',
  'string.reverse(): string',
  'duration(google.protobuf.Duration): google.protobuf.Duration',
  'timestamp(google.protobuf.Timestamp): google.protobuf.Timestamp',
  'int(google.protobuf.Timestamp): int',
  'string(google.protobuf.Timestamp): string',
  'string(google.protobuf.Duration): string',
];

/** A JSON number is a double, and people write `resource.days / 2 > 1.5`. The package adds `int == double` and `!=`. */
const mixedOperators = ['+', '-', '*', '/'].flatMap((operator) => [
  `double ${operator} int: double`,
  `int ${operator} double: double`,
]);
const neverRuns = (): never => {
  throw new Error('conditions are compiled here, not evaluated');
};

const environment = new Environment({ homogeneousAggregateLiterals: false, limits })
  .registerVariable('resource', 'map')
  .registerVariable('now', 'google.protobuf.Timestamp');
for (const signature of signatures) environment.registerFunction(signature, neverRuns);
for (const signature of mixedOperators) {
  environment.registerOperator(signature, neverRuns);
}

const { functions } = environment.getDefinitions();
const functionNames = [...new Set(functions.map(({ name }) => name))];

/**
 * Parses and type-checks a condition: CEL over `resource` (a map) and `now` (a timestamp) that yields bool.
 * Pure and total: a bad expression is a value, never a throw.
 */
export function compileCondition(source: string): Compilation {
  if (source.length > maxConditionLength) {
    return failed(
      source,
      0,
      0,
      `is ${source.length} characters long; at most ${maxConditionLength} are allowed`,
    );
  }
  try {
    const parsed = environment.parse(source);
    // Every level takes a character at least, so a short condition needs no walk.
    if (source.length > maxTreeDepth && isDeeperThan(parsed.ast, maxTreeDepth)) {
      return tooDeep(source);
    }
    const checked = parsed.check();
    if (!checked.valid) return fromError(source, checked.error);
    if (checked.type !== 'bool' && checked.type !== 'dyn') {
      return failed(
        source,
        0,
        source.length,
        `yields ${checked.type}, but a condition must yield bool`,
      );
    }
    return { ok: true, condition: { source, program: lower(parsed.ast, variables) } };
  } catch (error) {
    // The parser counts levels of brackets and members, not those of operators before a term: `!!!!…` ends its stack.
    if (error instanceof RangeError) return tooDeep(source);
    if (error instanceof LoweringProblem)
      return failed(source, error.start, error.end, error.message);
    return fromError(source, error);
  }
}

/** Walks with a stack of its own, as the tree may be deeper than the machine's. */
function isDeeperThan(root: ASTNode, limit: number): boolean {
  const waiting: [node: ASTNode, depth: number][] = [[root, 1]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, depth] = next;
    if (depth > limit) return true;
    for (const child of childrenOf(node.args)) waiting.push([child, depth + 1]);
  }
  return false;
}

/** Operands are nodes, lists of nodes (call arguments, list items) or lists of pairs (map entries). */
function childrenOf(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}

/** Characters; the package puts whole names and literals into its messages. */
const longestMessage = 300;

interface CelError {
  readonly summary?: string;
  readonly message?: string;
  readonly code?: string;
  readonly range?: { readonly start: number; readonly end: number };
}

function fromError(source: string, thrown: unknown): Compilation {
  // Anything thrown is reported by shape: the package's errors carry code, summary and range.
  const error = (thrown ?? {}) as CelError;
  const start = Math.min(error.range?.start ?? 0, source.length);
  const end = Math.min(Math.max(error.range?.end ?? start, start), source.length);
  const summary = error.summary ?? error.message ?? 'does not compile';
  const written = unknownName(error.code, summary);
  const nearest =
    written && nearestWord(written, error.code === 'unknown_variable' ? variables : functionNames);
  // A function that is there doesn't take what it was given: what it takes helps, not its name.
  const isKnown = written !== undefined && nearest === written;
  const forms = functions.filter(({ name }) => isKnown && name === written);
  const said = isKnown
    ? `${summary}; there is ${forms.map(({ signature }) => signature).join(', ')}`
    : summary;
  // The package marks the whole call for an unknown function; the caret belongs under the name.
  const named = written ? source.indexOf(written, start) : -1;
  const offset = named >= 0 ? named : start;
  return failed(
    source,
    offset,
    named >= 0 && written ? named + written.length : end,
    said.length > longestMessage ? `${said.slice(0, longestMessage)}…` : said,
    isKnown ? undefined : nearest,
  );
}

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
): Compilation {
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
