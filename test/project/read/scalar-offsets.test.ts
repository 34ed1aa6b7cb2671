import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMap, isScalar, isSeq, parseDocument, stringify, visit } from 'yaml';
import type { Scalar } from 'yaml';
import { scalarOffsets } from '../../../src/project/read/scalar-offsets.ts';

function scalarsOf(text: string): Scalar[] {
  const found: Scalar[] = [];
  visit(parseDocument(text), {
    Scalar: (key, node) => void (key === 'value' || typeof key === 'number' ? found.push(node) : 0),
  });
  return found;
}

/** What stands in the text at each mapped offset: the character itself, or the escape or line break that made it. */
function expectMapped(text: string, node: Scalar): void {
  const value = String(node.value);
  const offsets = scalarOffsets(text, node);
  expect(offsets, JSON.stringify(text)).toBeDefined();
  if (!offsets) return;
  expect(offsets).toHaveLength(value.length + 1);
  for (const [index, offset] of offsets.slice(0, -1).entries()) {
    const written = text[offset] ?? '';
    const wanted = value[index] ?? '';
    const isBreak = /\s/.test(wanted) && /\s/.test(written || '\n');
    const isEscape = node.type === 'QUOTE_DOUBLE' && written === '\\';
    expect(written === wanted || isBreak || isEscape, `${JSON.stringify(text)} at ${index}`).toBe(
      true,
    );
  }
  expect([...offsets]).toEqual([...offsets].sort((a, b) => a - b));
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        'resource.a',
        ' == ',
        '"x"',
        "'y'",
        '\n',
        ' ',
        '&&',
        '\t',
        'é',
        '€',
        '😀',
        '\\',
        '#',
        ': ',
        '  ',
        'long words of a condition that goes on ',
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join('')),
);
const style = fc.record({
  defaultStringType: fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_SINGLE' as const,
    'QUOTE_DOUBLE' as const,
    'BLOCK_LITERAL' as const,
    'BLOCK_FOLDED' as const,
  ),
  lineWidth: fc.constantFrom(0, 10, 20, 80),
  indent: fc.constantFrom(2, 4),
});

describe('where the characters of a scalar stand in its file', () => {
  it('is exact for any text in any style', () => {
    fc.assert(
      fc.property(text, style, fc.boolean(), (value, { defaultStringType, ...layout }, crlf) => {
        const document = { rules: [{ condition: value }] };
        const lf = stringify(document, { ...layout, defaultStringType, defaultKeyType: 'PLAIN' });
        const written = crlf ? lf.replaceAll('\n', '\r\n') : lf;
        const parsed = parseDocument(written);
        // The library writes some blank texts in a form it does not read.
        fc.pre(parsed.errors.length === 0);
        const rules = isMap(parsed.contents) ? parsed.contents.get('rules') : undefined;
        const rule = isSeq(rules) ? rules.get(0) : undefined;
        const node = isMap(rule) ? rule.get('condition', true) : undefined;
        if (!isScalar(node) || typeof node.value !== 'string') return;
        expectMapped(written, node);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['an indentation indicator', 'a: |2\n    two more\n   one more\n'],
    ['kept line breaks at the end', 'a: |+\n  x\n\n\nb: 1\n'],
    [
      'folded text with indented lines and blank ones',
      'a: >-\n\n  one\n  two\n\n    three\n\n  four\n',
    ],
    ['leading blank lines', 'a: |\n\n\n  x\n'],
    ['a comment in the header', 'a: > # why\n  x\n  y\n'],
    ['single quotes over lines', "a: 'it''s\n\n  over\n  lines '\n"],
    ['double quotes with escaped breaks', 'a: "x\\\n  y \\x41 \\u20ac \\U0001F600\\t\n\n   z"\n'],
    ['plain text over lines', 'a: one\n  two\n\n  three # no\n'],
    ['a root scalar', 'just text'],
    ['an anchor and a tag', '- &x !!str "abc"\n- !!str plain\n'],
  ])('is exact for %s', (_what, written) => {
    const scalars = scalarsOf(written).filter(({ value }) => typeof value === 'string');
    for (const node of scalars) expectMapped(written, node);
  });
});
