/** Where a text stops being JSON. `line` and `column` count from 1. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly found: string;
}

const blank = /[ \t\n\r]*/y;
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const text = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

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
      else if (take(text)) expected = 'colon';
      else break;
    } else if (next === ']' && expected === 'value-or-end') close('[');
    else if (next === '{' || next === '[') {
      open.push(next);
      at += 1;
      expected = next === '{' ? 'key-or-end' : 'value-or-end';
    } else if (take(scalar)) expected = 'comma';
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
