import { oneOf } from '../support/pick.ts';
import type { Pick } from '../support/pick.ts';

const nested = (depth: number): unknown =>
  Array.from({ length: depth }).reduce<unknown>(
    (inner, _, at) => (at % 2 ? [inner] : { a: inner }),
    1,
  );

const values: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1e308,
    0.1,
    '',
    '*',
    'x',
    '${',
    '${!a}',
    '[[',
    '[concat(',
    '{"a":',
    'true',
  ],
  ...[
    '__proto__',
    'a'.repeat(10_000),
    '\u0000',
    '\ud800',
    '[parameters(variables(copyIndex()))]',
    '::',
  ],
  ...[[], {}, [null], [[]], [{}], { a: null }, { '': {} }, JSON.parse('{"__proto__":{"a":1}}')],
  ...[
    { Ref: 'AWS::NoValue' },
    { Ref: {} },
    { 'Fn::If': [] },
    { 'Fn::GetAtt': 1 },
    { 'Fn::Sub': ['${a}', 1] },
  ],
  ...[{ references: [1, 'a', 'each.value', 'module.a.b', 'a[', 'a["'] }, { constant_value: {} }],
  ...[{ toString: 1, valueOf: 1 }, nested(50), nested(99)],
];

const keys = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'Ref',
  'Fn::If',
  'Fn::ForEach::a',
  'copy',
  'a.b',
  '[concat(',
];

/** A copy of a document with something in it taken away, replaced, put there twice or called something else. */
export function mutateDocument(document: unknown, pick: Pick): unknown {
  const goal = pick(countNodes(document));
  let seen = 0;
  const change = (value: unknown): unknown =>
    pick(4) === 0 ? [value, value] : oneOf(pick, values);
  const visit = (value: unknown): unknown => {
    if (seen++ === goal) return change(value);
    if (Array.isArray(value)) {
      return value.flatMap((item: unknown) => {
        const isHere = seen === goal;
        const kept = visit(item);
        return isHere && pick(3) === 0 ? (pick(2) === 0 ? [] : [item, item]) : [kept];
      });
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
        const isHere = seen === goal;
        const kept = visit(inner);
        if (!isHere) return [[key, kept]];
        const kind = pick(4);
        if (kind === 0) return [];
        return [[kind === 1 ? oneOf(pick, keys) : key, kind === 1 ? inner : kept]];
      }),
    );
  };
  return visit(document);
}

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countNodes(inner), 1);
}

/** A text cut, with a piece of it taken away, moved or repeated, or with something put in. */
export function mutateText(text: string, pick: Pick): string {
  const at = pick(text.length + 1);
  const end = Math.min(text.length, at + pick(200));
  const [before, piece, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
  switch (pick(5)) {
    case 0:
      return before;
    case 1:
      return before + after;
    case 2:
      return before + piece.repeat(1 + pick(50)) + after;
    case 3:
      return after + piece + before;
    default:
      return before + oneOf(pick, inserts) + piece + after;
  }
}

const inserts = [
  '\0',
  '\ufeff',
  '\r',
  '\t',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  ':',
  ',',
  '\n',
  '- ',
  '&a ',
  '*a',
  '<<: *a',
  '!Sub ',
  '!Ref ',
  '---\n',
  '...\n',
  '|',
  '>',
  '#',
  '/*',
  '//',
  '%',
  '\\',
  '\ud800',
  '? ',
  '1e999',
  '? [a]: b',
];

/** The bytes of a text in one of the encodings that files come in; or damaged. */
export function encode(text: string, pick: Pick): Uint8Array {
  const utf8 = Buffer.from(text, 'utf8');
  const utf16 = Buffer.from(text, 'utf16le');
  switch (pick(8)) {
    case 0:
      return Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]);
    case 1:
      return utf16;
    case 2:
      return Buffer.concat([Buffer.from([0xfe, 0xff]), utf16.swap16()]);
    case 3:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), utf8]);
    case 4:
      return Buffer.concat([utf8.subarray(0, pick(utf8.length + 1)), Buffer.from([0xc3]), utf8]);
    default:
      return utf8;
  }
}
