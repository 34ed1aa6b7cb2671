/** What a scan comes across, as offsets into the text; `end` is exclusive. All are optional. */
interface JsonEvents {
  /** A key of the innermost open object; with its quotes. */
  readonly key?: (start: number, end: number) => void;
  /** A value begins: an object, a list or a scalar. */
  readonly value?: (start: number) => void;
  readonly open?: (isObject: boolean) => void;
  readonly close?: () => void;
}

/** `relaxed` is what Azure's tools accept: comments, commas before a closing bracket, line breaks in texts. */
export type JsonDialect = 'strict' | 'relaxed';

type Expected = 'value' | 'key' | 'colon' | 'comma' | 'value-or-end' | 'key-or-end';

const quote = 0x22;
const backslash = 0x5c;
const slash = 0x2f;
const star = 0x2a;
const newline = 0x0a;
const firstPrintable = 0x20;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Goes once through a JSON text. Returns the offset where it stops being JSON, or undefined where it never does.
 * Iterative, so that no depth can exhaust the stack.
 */
export function scanJson(
  text: string,
  events: JsonEvents,
  dialect: JsonDialect = 'strict',
): number | undefined {
  const relaxed = dialect === 'relaxed';
  const open: boolean[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const afterOpening = (): Expected => (open.at(-1) ? 'key-or-end' : 'value-or-end');
  const afterComma = (): Expected => {
    if (relaxed) return afterOpening();
    return open.at(-1) ? 'key' : 'value';
  };
  for (;;) {
    at = skipBlank(text, at, relaxed);
    const next = text[at];
    const closes =
      open.length > 0 &&
      next === (open.at(-1) ? '}' : ']') &&
      (expected === 'comma' || expected === afterOpening());
    if (closes) {
      open.pop();
      events.close?.();
      at += 1;
      expected = 'comma';
    } else if (expected === 'comma') {
      if (open.length === 0) return next === undefined ? undefined : at;
      if (next !== ',') return at;
      at += 1;
      expected = afterComma();
    } else if (expected === 'colon') {
      if (next !== ':') return at;
      at += 1;
      expected = 'value';
    } else if (expected === 'key' || expected === 'key-or-end') {
      const end = endOfText(text, at, relaxed);
      if (end === undefined) return at;
      events.key?.(at, end);
      at = end;
      expected = 'colon';
    } else if (next === '{' || next === '[') {
      events.value?.(at);
      open.push(next === '{');
      events.open?.(next === '{');
      at += 1;
      expected = afterOpening();
    } else {
      const end = endOfText(text, at, relaxed) ?? endOfScalar(text, at);
      if (end === undefined) return at;
      events.value?.(at);
      at = end;
      expected = 'comma';
    }
  }
}

/** A key's text, from its quotes. */
export function keyText(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  // A relaxed key with a line break in it is no JSON; it stands for itself.
  return inner.includes('\\') && !inner.includes('\n')
    ? (JSON.parse(text.slice(start, end)) as string)
    : inner;
}

function skipBlank(text: string, from: number, comments: boolean): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || code === newline || code === 0x0d || code === 0x09) at += 1;
    else {
      const end = comments ? endOfComment(text, at) : undefined;
      if (end === undefined) return at;
      at = end;
    }
  }
}

/** After the comment that begins here, which is the end where it is never closed; undefined where none begins. */
export function endOfComment(text: string, at: number): number | undefined {
  if (text.charCodeAt(at) !== slash) return undefined;
  const next = text.charCodeAt(at + 1);
  if (next === slash) {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end;
  }
  if (next !== star) return undefined;
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? text.length : end + 2;
}

/** With a loop, as a group repeated by a pattern takes stack for each of its characters. */
function endOfText(text: string, start: number, lineBreaks: boolean): number | undefined {
  if (text.charCodeAt(start) !== quote) return undefined;
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) {
      escape.lastIndex = at;
      if (!escape.test(text)) return undefined;
      at = escape.lastIndex;
    } else if (code >= firstPrintable || (lineBreaks && isLineBreak(code))) at += 1;
    else return undefined; // a control character, or NaN at the end
  }
}

const isLineBreak = (code: number): boolean => code === newline || code === 0x0d || code === 0x09;

function endOfScalar(text: string, at: number): number | undefined {
  scalar.lastIndex = at;
  return scalar.test(text) ? scalar.lastIndex : undefined;
}
