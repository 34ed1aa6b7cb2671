import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  addBlockAfter,
  setArgument,
} from '../../../../src/inventory/formats/terraform/edit-hcl.ts';
import type { HclValue } from '../../../../src/inventory/formats/terraform/edit-hcl.ts';

const labels = ['resource', 'aws_x', 'main'];
const source = `# of the shop
resource "aws_x" "main" {
  name   = "shop" # its name
  number = 2
  text   = <<-EOF
    on = false }
  EOF

  block {
    on = false
  }
}

resource "aws_x" "bare" {}
`;

const edit = (text: string, path: string, value: HclValue, of = labels) =>
  setArgument(text, of, { path: path.split('.'), value });

test.each<readonly [string, string, HclValue, string, string]>([
  ['a literal is replaced where it stands', 'block.on', true, 'on = false\n', 'on = true\n'],
  [
    'a new argument has its = where the others have it',
    'on',
    true,
    'number = 2\n',
    'number = 2\n  on     = true\n',
  ],
  [
    'a new block stands last',
    'other.on',
    'a',
    '  }\n}\n',
    '  }\n\n  other {\n    on = "a"\n  }\n}\n',
  ],
  ['a template in a text is none', 'name', '${a}%{b}', '"shop"', '"$${a}%%{b}"'],
])('%s, and all else stays', (_what, path, value, before, after) => {
  expect(edit(source, path, value)).toEqual({
    ok: true,
    text: source.replace(before, () => after),
  });
});

it('opens a block that is written in one line', () => {
  expect(edit(source, 'on', true, ['resource', 'aws_x', 'bare'])).toEqual({
    ok: true,
    text: source.replace('{}', '{\n  on = true\n}'),
  });
});

it('adds a block behind another one, in the line breaks of the file', () => {
  const windows = source.replaceAll('\n', '\r\n');
  const added = addBlockAfter(
    windows,
    labels,
    ['resource', 'aws_y', 'main'],
    [
      { path: ['x'], value: { expression: 'aws_x.main.id' } },
      { path: ['b', 'on'], value: true },
    ],
  );
  expect(added).toEqual({
    ok: true,
    text: windows.replace(
      '}\r\n\r\nresource "aws_x" "bare"',
      (rest) =>
        `}\r\n\r\n${['resource "aws_y" "main" {', '  x = aws_x.main.id', '', '  b {', '    on = true', '  }', '}'].join('\r\n')}${rest.slice(1)}`,
    ),
  });
});

test.each([
  ['an expression', 'on = var.on', 'on', 'the value of on is an expression'],
  ['a template', 'on = "${var.on}"', 'on', 'the value of on is an expression'],
  ['a dynamic block', 'dynamic "b" {\n content {}\n }', 'b.on', 'b is a dynamic block'],
  ['several blocks', 'b {}\n  b {}', 'b.on', 'there are several blocks b'],
  ['a map where a block is meant', 'b = { on = false }', 'b.on', 'the value of b is an expression'],
  ['brackets without their other half', 'on = (', 'on', 'the file has an unsupported form'],
])('refuses %s', (_what, body, path, refused) => {
  const text = `resource "aws_x" "main" {\n  ${body}\n}\n`;
  expect(edit(text, path, true)).toEqual({ ok: false, refused });
});

it('refuses a resource that is declared twice, or not', () => {
  expect(edit(source + source, 'on', true)).toMatchObject({ ok: false });
  expect(edit(source, 'on', true, ['resource', 'aws_x', 'none'])).toMatchObject({ ok: false });
});

test('any text keeps its lines but those that change', () => {
  const unit = fc.constantFrom(
    'a = 1',
    'on = false',
    'on = x',
    'b {',
    '}',
    '# on {',
    '',
    'c = [',
    ']',
    '<<E',
    'E',
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (body) => {
      const text = `resource "aws_x" "main" {\n${body.join('\n')}\n}\n`;
      const edited = edit(text, 'on', true);
      if (!edited.ok) return;
      const left = edited.text.split('\n');
      const lost = text.split('\n').filter((line) => {
        const at = left.indexOf(line);
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      });
      expect(lost.length).toBeLessThanOrEqual(1);
      expect(edit(edited.text, 'on', true)).toEqual({ ok: true, text: edited.text });
    }),
    { numRuns: 500 },
  );
});
