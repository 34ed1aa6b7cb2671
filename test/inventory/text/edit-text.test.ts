import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import { editText } from '../../../src/inventory/text/edit-text.ts';
import type { EditValue } from '../../../src/inventory/text/edit-text.ts';
import { parseText } from '../../../src/inventory/text/parse.ts';

const set = (text: string, path: string, value: EditValue): string => {
  const edit = editText(text, [{ path: path.split('.'), value }]);
  return edit.ok ? edit.text : `refused: ${edit.refused}`;
};

describe('in YAML', () => {
  it('adds a key after the last of its map, and keeps comments and blank lines', () => {
    const text = 'a: # first\n    b: 1 # one\n\n    # last\nc: 2\n';
    expect(set(text, 'a.d.e', 'On it')).toBe(
      'a: # first\n    b: 1 # one\n    d:\n        e: "On it"\n\n    # last\nc: 2\n',
    );
  });

  it('replaces a value in its quotes', () => {
    expect(set("a: 'x' # why\n", 'a', 'Enabled')).toBe("a: 'Enabled' # why\n");
    expect(set('a: "x"\n', 'a', 'Enabled')).toBe('a: "Enabled"\n');
    expect(set('a: x', 'a', true)).toBe('a: true');
  });

  it('writes into maps on one line, and into empty ones', () => {
    expect(set('a: {b: 1}\n', 'a.c.d', 'x')).toBe('a: {b: 1, c: {d: x}}\n');
    expect(set('a: {}\n', 'a.c', [{ d: 1 }])).toBe('a: {c: [{d: 1}]}\n');
  });

  it('writes lists of maps', () => {
    expect(set('a:\n  b: 1\n', 'a.c', [{ d: { e: 1, f: 2 } }])).toBe(
      'a:\n  b: 1\n  c:\n    - d:\n        e: 1\n        f: 2\n',
    );
  });

  it('goes on after texts of several lines and lists', () => {
    expect(set('a:\n  b: |\n    x\n    y\n', 'a.c', 1)).toBe('a:\n  b: |\n    x\n    y\n  c: 1\n');
    expect(set('a:\n  b:\n  - x\n  - y: 1\n', 'a.c', 1)).toBe(
      'a:\n  b:\n  - x\n  - y: 1\n  c: 1\n',
    );
  });

  it('keeps how lines end, the mark at the beginning, and the missing line break at the end', () => {
    expect(set('\ufeffa:\r\n  b: 1\r\n', 'a.c.d', 1)).toBe(
      '\ufeffa:\r\n  b: 1\r\n  c:\r\n    d: 1\r\n',
    );
    expect(set('a:\n  b: 1', 'a.c', 1)).toBe('a:\n  b: 1\n  c: 1');
  });

  test.each([
    ['an anchor', 'a: &x\n  b: 1\nc: *x\n', 'a.d'],
    ['an alias', 'a: &x\n  b: 1\nc: *x\n', 'c.d'],
    ['a merge', 'a: &x\n  b: 1\nc:\n  <<: *x\n', 'c.d'],
    ['a short tag', 'a: !If [x, y, z]\n', 'a'],
    ['a function', 'a:\n  Fn::If: [x, y, z]\n', 'a.b'],
    ['a key that stands twice', 'a: 1\na: 2\n', 'b'],
    ['a key without a value', 'a:\n', 'a.b'],
    ['several documents', 'a: 1\n---\nb: 2\n', 'a'],
    ['a text of several lines', 'a: |\n  x\n', 'a'],
    ['no YAML', 'a: [\n', 'a'],
    ['nothing', '', 'a'],
    ['a list', '- a\n', 'a'],
  ])('refuses %s', (_what, text, path) => {
    expect(set(text, path, 1)).toMatch(/^refused: /);
  });

  it('refuses what is nested without end, and takes __proto__ as a key', () => {
    expect(set('['.repeat(100_000), 'a', 1)).toMatch(/^refused: /);
    expect(set('__proto__:\n  a: 1\n', '__proto__.b', 1)).toBe('__proto__:\n  a: 1\n  b: 1\n');
  });
});

describe('in JSON', () => {
  it('writes as its neighbours are written', () => {
    expect(set('{\n  "a": {\n    "b": 1\n  }\n}\n', 'a.c.d', true)).toBe(
      '{\n  "a": {\n    "b": 1,\n    "c": {\n      "d": true\n    }\n  }\n}\n',
    );
    expect(set('{\n\t"a": 1\n}', 'c.d', 'x')).toBe('{\n\t"a": 1,\n\t"c": {\n\t\t"d": "x"\n\t}\n}');
    expect(set('{"a":{"b":1}}', 'a.c', 'x')).toBe('{"a":{"b":1, "c": "x"}}');
    expect(set('{"a": false}', 'a', 'Enabled')).toBe('{"a": "Enabled"}');
  });
});

const name = fc.constantFrom('a', 'b', 'c', 'Yes', 'Name');
const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.string({ minLength: 1 }));
const inner = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }));
const mapOf = <T>(value: fc.Arbitrary<T>) => fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 });
const tree = mapOf(fc.oneof(inner, mapOf(fc.oneof(inner, mapOf(inner)))));

/** Where the path leads, every step but the last through maps. */
const isFree = (document: unknown, [step = '', ...rest]: readonly string[]): boolean => {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return false;
  if (!Object.hasOwn(document, step)) return true;
  const inner = (document as Record<string, unknown>)[step];
  return rest.length === 0 ? typeof inner !== 'object' : isFree(inner, rest);
};

const forms: Readonly<Record<string, (document: unknown) => string>> = {
  'YAML in blocks': (document) => stringify(document),
  'YAML in lines of CRLF': (document) =>
    stringify(document, { lineWidth: 0 }).replaceAll('\n', '\r\n'),
  'JSON in lines': (document) => JSON.stringify(document, null, 2),
  'JSON with tabs': (document) => JSON.stringify(document, null, '\t'),
  'JSON in one line': (document) => JSON.stringify(document),
};

test.each(Object.entries(forms))(
  '%s: sets the value, and no other line is another',
  (_form, write) => {
    fc.assert(
      fc.property(tree, fc.array(name, { minLength: 1, maxLength: 3 }), (document, path) => {
        fc.pre(isFree(document, path));
        const text = write(document);
        const edit = editText(text, [{ path, value: 'Enabled' }]);
        if (!edit.ok) {
          expect(edit.refused).toMatch(/several lines|no single|syntax/);
          return;
        }
        const parse = parseText(edit.text);
        let here: unknown = parse.ok && parse.parsed.document;
        for (const step of path) here = (here as Record<string, unknown>)[step];
        expect(here).toBe('Enabled');
        const kept = new Set(edit.text.split('\n'));
        const lost = text.split('\n').filter((line) => !kept.has(line));
        expect(lost.length).toBeLessThanOrEqual(1);
      }),
    );
  },
);
