import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { formatYaml } from '../../../src/project/write/format.ts';
import { createSource } from '../../../src/project/read/source.ts';

function format(text: string, file = 'a.yaml'): string {
  const formatted = formatYaml(createSource(file, text));
  if (!('text' in formatted)) throw new Error(JSON.stringify(formatted.problems));
  return formatted.text;
}

const valuesOf = (text: string): unknown[] =>
  [...parseAllDocuments(text, { merge: true })].map((document): unknown => document.toJS());

describe('formatting a policy file', () => {
  it('orders the fields of a policy, at two blanks a level, and keeps every comment', () => {
    const untidy = `# storage baseline
severity:   HIGH   # agreed with security
name:   Encrypt buckets


rules:
- effect: DENY
  # see the runbook
  condition: "!has(resource.encryption)"
resource_type: AWS::S3::Bucket
# the end
`;
    expect(format(untidy)).toBe(`# storage baseline
name: Encrypt buckets
resource_type: AWS::S3::Bucket
severity: HIGH # agreed with security

rules:
  # see the runbook
  - condition: "!has(resource.encryption)"
    effect: DENY

# the end
`);
  });

  it('keeps the lines of a folded condition as their author broke them', () => {
    const text = `name: a
rules:
  - condition: >- # two tests
      resource.a == 1
      && resource.b == 2

        && indented
    effect: DENY
`;
    expect(format(text)).toBe(text);
  });

  it('turns a plain condition over several lines into a folded block', () => {
    const text = `rules:
  - condition: resource.a == 1
      && resource.b == 2
    effect: DENY
`;
    expect(format(text)).toBe(`rules:
  - condition: >-
      resource.a == 1
      && resource.b == 2
    effect: DENY
`);
  });

  it('writes a list that is too long for a line one item a line', () => {
    const labels = ['a', 'b', 'c'].map((letter) => letter.repeat(40));
    expect(format(`name: x\ntags: [ ${labels.join(',   ')} ]\n`)).toBe(
      `name: x\ntags:\n${labels.map((label) => `  - ${label}\n`).join('')}`,
    );
  });

  it('keeps anchors before their aliases, even where the order of fields would have it otherwise', () => {
    const text = `tags: &labels [a, b]
compliance_frameworks: *labels
name: x
`;
    const formatted = format(text);
    expect(valuesOf(formatted)).toEqual(valuesOf(text));
    expect(formatted.indexOf('&labels')).toBeLessThan(formatted.indexOf('*labels'));
  });

  it('keeps CRLF line ends where a file has them', () => {
    expect(format('name:   x\r\nseverity: LOW\r\n')).toBe('name: x\r\nseverity: LOW\r\n');
  });

  it.each(['', '# only a comment\n', '---\n# nothing\n---\n', 'a: 1\n---\n'])(
    'leaves %j as it is',
    (text) => {
      expect(format(text)).toBe(text);
    },
  );

  it('reports a file that is no YAML instead of touching it', () => {
    const formatted = formatYaml(createSource('a.yaml', 'name: "x\nseverity: LOW\n'));
    expect(formatted).toMatchObject({ problems: [{ level: 'error', file: 'a.yaml' }] });
  });
});

const words = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    'resource.a == 1\n  && resource.b\n',
    'two\n\nparts',
    ' leading',
    'trailing ',
    'a: b',
    '# no comment',
    "it's",
    '"quoted"',
    'yes',
    '0x1F',
    '',
    '\n',
    'tab\there',
    'x'.repeat(120),
  ),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    words,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('name', 'rules', 'condition', 'effect', 'severity', 'tags', 'x', 'a b'),
      tie('any'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).any;
const style = fc.record({
  indent: fc.constantFrom(2, 3, 4),
  lineWidth: fc.constantFrom(0, 20, 80),
  indentSeq: fc.boolean(),
  defaultStringType: fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_SINGLE' as const,
    'QUOTE_DOUBLE' as const,
    'BLOCK_LITERAL' as const,
    'BLOCK_FOLDED' as const,
  ),
  collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
});

describe('formatting any YAML', () => {
  it('never changes the data, and a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), style, (values, how) => {
        const { defaultStringType, ...layout } = how;
        const text = values
          .map(
            (one) =>
              `---\n${stringify(one, { ...layout, defaultStringType, defaultKeyType: 'PLAIN' })}`,
          )
          .join('');
        // The library writes some empty lists in a form it does not read.
        fc.pre(parseAllDocuments(text).every(({ errors }) => errors.length === 0));
        const once = format(text);
        expect(valuesOf(once)).toEqual(valuesOf(text));
        expect(format(once)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });
});
