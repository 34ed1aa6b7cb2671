/** An expression of a template: what stands in `"[...]"`. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly text: string;
    }
  | {
      readonly kind: 'member';
      readonly of: Expression;
      readonly key: Expression;
      readonly text: string;
    };

/** Azure refuses expressions longer than this. */
const maxLength = 24_576;
/** Calls inside calls; people write a few. */
const maxDepth = 64;

/** Whether a text of a template is an expression: `[[` begins a plain text that starts with a bracket. */
export const isExpressionText = (text: string): boolean =>
  text.startsWith('[') && text.endsWith(']') && !text.startsWith('[[');

/** Parses a text of a template, brackets included; undefined where it is no expression that Azure would take. */
export function parseExpression(text: string): Expression | undefined {
  if (text.length > maxLength) return undefined;
  const source = text.slice(1, -1);
  const tokens = tokenise(source);
  if (!tokens) return undefined;
  const parser = { source, tokens, at: 0 };
  const parsed = parseValue(parser, 0);
  return parser.at === tokens.length ? parsed : undefined;
}

interface Token {
  readonly kind: 'name' | 'string' | 'number' | 'mark';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Parser {
  readonly source: string;
  readonly tokens: readonly Token[];
  at: number;
}

const pattern = /\s+|[A-Za-z_][\w]*|'(?:[^']|'')*'|-?\d+(?:\.\d+)?|[()[\],.]/y;

function tokenise(source: string): Token[] | undefined {
  const tokens: Token[] = [];
  let start = 0;
  while (start < source.length) {
    pattern.lastIndex = start;
    const text = pattern.exec(source)?.[0];
    if (text === undefined) return undefined;
    const end = start + text.length;
    const first = text[0] ?? '';
    if (first === "'")
      tokens.push({ kind: 'string', text: text.slice(1, -1).replaceAll("''", "'"), start, end });
    else if (/[A-Za-z_]/.test(first)) tokens.push({ kind: 'name', text, start, end });
    else if (/[-\d]/.test(first)) tokens.push({ kind: 'number', text, start, end });
    else if (!/\s/.test(first)) tokens.push({ kind: 'mark', text, start, end });
    start = end;
  }
  return tokens;
}

function parseValue(parser: Parser, depth: number): Expression | undefined {
  const token = parser.tokens[parser.at];
  if (!token || depth > maxDepth) return undefined;
  parser.at++;
  const value =
    token.kind === 'string'
      ? ({ kind: 'literal', value: token.text } as const)
      : token.kind === 'number'
        ? ({ kind: 'literal', value: Number(token.text) } as const)
        : token.kind === 'name'
          ? parseCall(parser, token, depth)
          : undefined;
  return value && parseMembers(parser, value, token.start, depth);
}

function parseCall(parser: Parser, name: Token, depth: number): Expression | undefined {
  let token = name;
  let full = name.text;
  // A function of the template's own has its namespace before it: `contoso.uniqueName(…)`.
  while (isMark(parser, '.') && parser.tokens[parser.at + 1]?.kind === 'name') {
    token = parser.tokens[parser.at + 1] ?? token;
    full = `${full}.${token.text}`;
    parser.at += 2;
  }
  if (!take(parser, '(')) return undefined;
  const args: Expression[] = [];
  while (!isMark(parser, ')')) {
    if (args.length > 0 && !take(parser, ',')) return undefined;
    const arg = parseValue(parser, depth + 1);
    if (!arg) return undefined;
    args.push(arg);
  }
  parser.at++;
  return { kind: 'call', name: full.toLowerCase(), args, text: textTo(parser, name.start) };
}

/** `.name` and `[key]` after a value, as many as there are. */
function parseMembers(
  parser: Parser,
  first: Expression,
  start: number,
  depth: number,
): Expression | undefined {
  let value = first;
  for (;;) {
    if (take(parser, '.')) {
      const name = parser.tokens[parser.at++];
      if (name?.kind !== 'name') return undefined;
      const key: Expression = { kind: 'literal', value: name.text };
      value = { kind: 'member', of: value, key, text: textTo(parser, start) };
    } else if (take(parser, '[')) {
      const key = parseValue(parser, depth + 1);
      if (!key || !take(parser, ']')) return undefined;
      value = { kind: 'member', of: value, key, text: textTo(parser, start) };
    } else {
      return value;
    }
  }
}

const isMark = (parser: Parser, mark: string): boolean => {
  const token = parser.tokens[parser.at];
  return token?.kind === 'mark' && token.text === mark;
};

const take = (parser: Parser, mark: string): boolean => {
  const found = isMark(parser, mark);
  if (found) parser.at++;
  return found;
};

const textTo = (parser: Parser, start: number): string =>
  parser.source.slice(start, parser.tokens[parser.at - 1]?.end);
