/** Where a text stops being JSON. `line` and `column` count from 1. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly found: string;
}

const blank = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;

type Expected = 'value' | 'key' | 'colon' | 'comma' | 'value-or-end' | 'key-or-end';

/**
 * Finds the place that JSON.parse refused; its own messages give one only sometimes. Iterative, so that depth can't
 * exhaust the stack.
 */
export function locateJsonError(source: string): JsonProblem {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(source)) return false;
    at = pattern.lastIndex;
    return true;
  };
  /** With a loop, as a group repeated by a pattern takes stack for each of its characters. */
  const takeText = (): boolean => {
    if (source[at] !== '"') return false;
    const start = at;
    at += 1;
    for (;;) {
      const code = source.charCodeAt(at);
      if (code === quote) {
        at += 1;
        return true;
      }
      if (code === backslash) {
        if (!take(escape)) break;
      } else if (code >= firstPrintable) at += 1;
      else break; // a control character, or NaN at the end
    }
    at = start;
    return false;
  };
  const close = (bracket: '{' | '['): boolean => {
    if (open.at(-1) !== bracket) return false;
    open.pop();
    at += 1;
    expected = 'comma';
    return true;
  };
  for (;;) {
    take(blank);
    const next = source[at];
    if (expected === 'comma') {
      if (open.length === 0) break;
      if (next === ',') {
        expected = open.at(-1) === '{' ? 'key' : 'value';
        at += 1;
      } else if (!(next === '}' && close('{')) && !(next === ']' && close('['))) break;
    } else if (expected === 'colon') {
      if (next !== ':') break;
      at += 1;
      expected = 'value';
    } else if (expected === 'key' || expected === 'key-or-end') {
      if (next === '}' && expected === 'key-or-end') close('{');
      else if (takeText()) expected = 'colon';
      else break;
    } else if (next === ']' && expected === 'value-or-end') close('[');
    else if (next === '{' || next === '[') {
      open.push(next);
      at += 1;
      expected = next === '{' ? 'key-or-end' : 'value-or-end';
    } else if (takeText() || take(scalar)) expected = 'comma';
    else break;
  }
  const before = source.slice(0, at);
  const found = source[at];
  return {
    line: before.split('\n').length,
    column: at - before.lastIndexOf('\n'),
    found:
      found === undefined
        ? 'the end'
        : JSON.stringify(String.fromCodePoint(source.codePointAt(at) ?? 0)),
  };
}
