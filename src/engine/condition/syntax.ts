import type { ASTNode, Environment, TypeCheckResult } from '@marcbachmann/cel-js';
import {
  checkEquality,
  checkField,
  checkHas,
  checkIndex,
  checkOptionalAccess,
  checkOptionals,
  checkSum,
  checkWith,
  boundType,
} from './checks.ts';
import { resolveNames } from './names.ts';
import type { Names } from './names.ts';
import { addChildren, childrenOf, LoweringProblem } from './nodes.ts';

/** Past this, parsing, checking and running could end the stack, at a place that depends on who calls. */
export const maxTreeDepth = 1_000;

/** An expression with too many levels. */
export class TooDeep extends Error {}

/** An expression as it is written, name by name. */
export type SyntaxTree = ASTNode;

export interface Parsed {
  readonly ast: SyntaxTree;
  /** All of its nodes, each before its operands. */
  readonly nodes: readonly ASTNode[];
  check(): TypeCheckResult;
}

/**
 * Parses with what the package's parser lacks: `` a.`b-c` ``, `br'…'`, bytes literals as UTF-8, `.5`; and with long chains of
 * operators made so that its checker, which recurses, can walk them.
 * @throws what the parser throws; TooDeep
 */
export function parse(environment: Environment, source: string, names: Names): Parsed {
  const spelled = spell(source);
  const { text } = spelled;
  const parsed = environment.parse(text);
  const { ast } = parsed;
  const nodes = nodesOf(ast);
  const mayHaveOptionals = /\?|\boptional\b/.test(source);
  const makers = nodes.filter(makesType);
  for (const node of nodes) {
    if (spelled.names.size > 0) restoreName(node, spelled.names);
    if (isEmpty(node)) giveType(environment, node);
    if (node.op === 'call' && node.args[0] === 'has') checkWith(node, checkHas);
    if (node.op === '[]') checkWith(node, checkIndex);
    if (node.op === '+') checkWith(node, checkSum);
    if (mayHaveOptionals) checkOptionalParts(node, spelled.optionals);
    if (node.op === 'value') restoreLiteral(node, source, spelled);
    else if (node.op === '||' || node.op === '&&') balance(node);
  }
  if (spelled.rooted.size > 0 || hasLongNames(names)) resolveNames(ast, names, spelled.rooted);
  if (makers.length > mostMakers) for (const node of makers) boundType(node);
  for (const start of spelled.optionals) {
    throw new LoweringProblem('? is allowed only before a list item or a map key', {
      start,
      end: start + 1,
    });
  }
  // A level takes a character at least and a part of a chain two, so a short expression needs no measuring.
  const spines = source.length < 2 * checkedAtOnce ? [] : measure(ast);
  return {
    ast,
    nodes,
    check() {
      for (const node of spines) {
        const checked = checkApart(environment, node);
        if (!checked.valid) return checked;
      }
      return parsed.check();
    },
  };
}

// ---- what is spelled in a way the package can't read ----

/**
 * A literal or a comment, a name in backticks, a double without a whole part, a dot before a name, or the `?` of an item; what
 * is between them is code. Its time is proportional to the source: a literal without an end goes to the end, and only a `?` is looked behind.
 */
const lexeme =
  /\/\/[^\n]*|[bBrR]{0,2}(?:"""(?:[^\\]|\\[^]?)*?(?:"""|$)|'''(?:[^\\]|\\[^]?)*?(?:'''|$)|"(?:[^"\\\n]|\\[^]?)*"?|'(?:[^'\\\n]|\\[^]?)*'?)|`[\w.\-/ ]+`|(?<![\w.])\.\d+(?:[eE][+-]?\d+)?|\.(?=\s*[A-Za-z_])|\?(?<=(?:[{,]|(?:(?<![\w)\]}"'`]\s*)|\bin\s*)\[)\s*\?)/g;

interface Spelling {
  /** As long as the source, so that places stay where they are. */
  readonly text: string;
  /** Names that stood in backticks, by the place of the opening one. */
  readonly names: ReadonlyMap<number, string>;
  /** Places of raw bytes literals. */
  readonly rawBytes: ReadonlySet<number>;
  /** Places of the `?` of `[?item]` and `{?key: value}`. */
  readonly optionals: Set<number>;
  /** Doubles without a whole part, such as `.5`, by their place. */
  readonly fractions: ReadonlyMap<number, number>;
  /** Places of names with a dot in front, such as `.resource`. */
  readonly rooted: ReadonlySet<number>;
}

/** Whether a source may have what is spelled in such a way: most have not. */
const isUnusual = /`|[bB][rR]["']|[rR][bB]["']|\.\d|\?|\/\/|(?:^|[^\s\w.)\]}"'])\s*\.|\bin\s*\./;

/** Whether a dot stands where a term begins, and not after one. @param comments where each begins, by its end */
function startsTerm(source: string, dot: number, comments: ReadonlyMap<number, number>): boolean {
  let at = dot;
  for (let before = -1; before !== at;) {
    before = at;
    at = comments.get(at) ?? at;
    while (/\s/.test(source[at - 1] ?? '')) at--;
  }
  return /(?:^|[^\w.)\]}"'`]|\bin)$/.test(source.slice(Math.max(0, at - 3), at));
}

function spell(source: string): Spelling {
  const names = new Map<number, string>();
  const rawBytes = new Set<number>();
  const fractions = new Map<number, number>();
  const optionals = new Set<number>();
  const rooted = new Set<number>();
  if (!isUnusual.test(source)) {
    return { text: source, names, rawBytes, fractions, optionals, rooted };
  }
  const comments = new Map<number, number>();
  const text = source.replace(lexeme, (found, at: number) => {
    if (found.startsWith('`')) {
      names.set(at, found.slice(1, -1));
      return '_'.repeat(found.length);
    }
    if (found === '?') {
      optionals.add(at);
      return ' ';
    }
    if (found === '.') {
      if (!startsTerm(source, at, comments)) return found;
      rooted.add(at + 1 + source.slice(at + 1).search(/\S/));
      return ' ';
    }
    if (found.startsWith('//')) comments.set(at + found.length, at);
    if (found.startsWith('.')) {
      fractions.set(at, Number(found));
      return '1'.repeat(found.length);
    }
    if (!/^(?:[bB][rR]|[rR][bB])["']/.test(found)) return found;
    rawBytes.add(at + 1);
    return ` r${found.slice(2)}`;
  });
  return { text, names, rawBytes, fractions, optionals, rooted };
}

const hasLongNames = ({ variables, container }: Names): boolean =>
  container !== '' || variables.some((name) => name.includes('.'));

/** The nodes are the package's own; it reads these again when it checks, so what is put there counts. */
interface Writable {
  args: unknown;
  start: number;
  end: number;
}
const writable = (node: ASTNode): Writable => node;

function restoreName(node: ASTNode, names: ReadonlyMap<number, string>): void {
  const name = node.op === '.' || node.op === '.?' ? names.get(node.pos) : undefined;
  if (name !== undefined) writable(node).args = [(node.args as [ASTNode, string])[0], name];
}

const encoder = new TextEncoder();

function restoreLiteral(node: ASTNode, source: string, { rawBytes, fractions }: Spelling): void {
  const fraction = fractions.get(node.start);
  if (fraction === undefined) restoreBytes(node, source, rawBytes);
  else writable(node).args = fraction;
}

/** The parser takes the low byte of each character; CEL takes its UTF-8, and `\x` and octal escapes as bytes. */
function restoreBytes(node: ASTNode, source: string, rawBytes: ReadonlySet<number>): void {
  if (rawBytes.has(node.start)) {
    writable(node).args = encoder.encode(String(node.args));
    return;
  }
  if (!(node.args instanceof Uint8Array)) return;
  const literal = source.slice(node.start, node.end);
  if (/^[\0-\x7f]*$/.test(literal)) return;
  // Whatever is beyond ASCII stands for itself: each of its characters was read as one byte.
  const bytes: number[] = [];
  let read = 0;
  for (const part of bodyOf(literal).match(/\\x..|\\X..|\\[0-7]{3}|\\.|[^\\]/gsu) ?? []) {
    if ((part.codePointAt(0) ?? 0) > 0x7f) bytes.push(...encoder.encode(part));
    else bytes.push(node.args[read] ?? 0);
    read += part.startsWith('\\') ? 1 : part.length;
  }
  writable(node).args = Uint8Array.from(bytes);
}

function bodyOf(literal: string): string {
  const quote = /^[bB]("""|'''|"|')/.exec(literal)?.[1] ?? '"';
  return literal.slice(1 + quote.length, -quote.length);
}

// ---- optionals ----

function checkOptionalParts(node: ASTNode, optionals: Set<number>): void {
  if (node.op === '.') checkWith(node, checkField);
  else if (node.op === '.?' || node.op === '[?]') checkWith(node, checkOptionalAccess);
  else if (node.op === '==' || node.op === '!=') checkWith(node, checkEquality);
  else if ((node.op === 'list' || node.op === 'map') && optionals.size > 0) {
    const marked = claimed(node, optionals);
    if (marked.size === 0) return;
    Object.assign(node, { optionals: marked });
    checkWith(node, checkOptionals);
  }
}

/** Which items of a list or map have a `?` before them: those are taken out of `optionals`. */
function claimed(
  node: Extract<ASTNode, { readonly op: 'list' | 'map' }>,
  optionals: Set<number>,
): ReadonlySet<number> {
  const marked = new Set<number>();
  let from = node.start;
  for (const [i, item] of node.args.entries()) {
    const [first, last = first] = Array.isArray(item) ? item : [item];
    for (let at = from; at < first.start; at++) if (optionals.delete(at)) marked.add(i);
    from = last.end;
  }
  return marked;
}

// ---- what the checker takes for less than it is ----

const isEmpty = (node: ASTNode): boolean =>
  (node.op === 'list' || node.op === 'map') && node.args.length === 0;

/** What an empty list holds is open to the checker, and then any operator on it has two meanings: it holds `dyn`. */
function giveType(environment: Environment, node: ASTNode): void {
  const { ast, check } = environment.parse(node.op === 'list' ? '[dyn(0)]' : '{dyn(0): dyn(0)}');
  check();
  (node as Checked).checkedType = (ast as Checked).checkedType;
}

/** The checker leaves on each node what it found. */
type Checked = ASTNode & { checkedType?: unknown };

/** Whether its type may have a longer name than those of its operands. */
const makesType = ({ op }: ASTNode): boolean =>
  op === 'list' || op === 'map' || op === 'rcall' || op === '.?' || op === '[?]';

/** So many make no name that is very long. */
const mostMakers = 8;

// ---- what is too long for a recursive checker ----

/** All nodes, each before its operands. */
function nodesOf(root: ASTNode): ASTNode[] {
  const nodes = [root];
  // What is put at the end meanwhile is gone through as well.
  for (const { args } of nodes) addChildren(args, nodes);
  return nodes;
}

/** Shorter chains are left as they are. */
const longChain = 50;

/** Makes `((a || b) || c) || d` into `(a || b) || (c || d)`: the same to CEL, and flat. */
function balance(root: Extract<ASTNode, { readonly op: '||' | '&&' }>): void {
  const chain: (typeof root)[] = [];
  const operands: ASTNode[] = [];
  let left: ASTNode = root;
  while (left.op === root.op) {
    chain.push(left);
    operands.push(left.args[1]);
    left = left.args[0];
  }
  operands.push(left);
  if (operands.length <= longChain) return;
  operands.reverse();
  const build = (from: number, until: number): ASTNode => {
    const first = operands[from];
    const last = operands[until - 1];
    const node = until - from > 1 ? chain.shift() : undefined;
    if (!first || !last || !node) return first ?? root;
    const middle = (from + until) >> 1;
    const inner = writable(node);
    inner.args = [build(from, middle), build(middle, until)];
    inner.start = first.start;
    inner.end = last.end;
    return node;
  };
  build(0, operands.length);
}

const isBinary = (node: ASTNode): boolean =>
  Array.isArray(node.args) && node.args.length === 2 && /^(?:[!=<>]=|[-+*/%<>]|in)$/.test(node.op);

/** Levels of a long chain that are checked at once. */
const checkedAtOnce = 200;

/**
 * Refuses what nests too deep. A long chain such as `a + b + c …` does not nest: its parts to be checked on their own
 * are given, innermost first. In a macro they can't be, as its variable is known inside only.
 */
function measure(root: ASTNode): ASTNode[] {
  const spines: ASTNode[] = [];
  const waiting: [node: ASTNode, depth: number, chained: number, inMacro: boolean][] = [
    [root, 1, 0, false],
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, depth, chained, inMacro] = next;
    if (depth > maxTreeDepth) throw new TooDeep();
    if (chained > 0 && chained % checkedAtOnce === 0) spines.push(node);
    const isInside = inMacro || node.op === 'rcall' || node.op === 'call';
    const isChain = isBinary(node) && !isInside;
    for (const [i, child] of childrenOf(node.args).entries()) {
      if (isChain && i === 0) waiting.push([child, depth, chained + 1, isInside]);
      else waiting.push([child, depth + 1, 0, isInside]);
    }
  }
  return spines.reverse();
}

/** The checker keeps what it found on each node, so that checking the whole later stops there. */
function checkApart(environment: Environment, node: ASTNode): TypeCheckResult {
  const probe = environment.parse('[0]');
  writable(probe.ast).args = [node];
  return probe.check();
}
