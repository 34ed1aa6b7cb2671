import { describe, expect, it } from 'vitest';
import { runClosure } from '../../src/engine/condition/closures.ts';
import { compileCondition, compileExpression } from '../../src/engine/condition/compile.ts';
import { createEvaluator } from '../../src/engine/condition/create-evaluator.ts';
import { toCode } from '../../src/engine/condition/generate.ts';
import { createLanguage } from '../../src/engine/condition/language.ts';

/** What an expression yields over variables, on both back ends. */
function valueOf(
  source: string,
  given: Readonly<Record<string, unknown>>,
  container = '',
): unknown {
  const names = Object.keys(given);
  const language = createLanguage(
    names.map((name) => [name, 'dyn']),
    container,
  );
  const compiled = compileExpression(source, language);
  if (!compiled.ok) return compiled.problem.message;
  const values = Object.values(given);
  const value = runClosure(compiled.program, values);
  expect(toCode(compiled.program)(...values)).toEqual(value);
  return value;
}

describe('a name with dots', () => {
  it.each([
    ['a.b.c', { 'a.b.c': 1, 'a.b': { c: 2 }, a: { b: { c: 3 } } }, 1],
    ['a.b.c', { 'a.b': { c: 2 }, a: { b: { c: 3 } } }, 2],
    ['a.b.c', { a: { b: { c: 3 } } }, 3],
    ['a . b', { 'a.b': 1 }, 1],
    ['a.b.exists(x, x == a.c)', { 'a.b': ['u', 'v'], 'a.c': 'v' }, true],
    ['has(a.b.c)', { 'a.b': {}, 'a.b.c': 1 }, false],
    ['cel.bind(x, a.b, x + x)', { 'a.b': 'u' }, 'uu'],
  ])('is the variable with the longest name: %s of %j', (source, given, value) => {
    expect(valueOf(source, given)).toBe(value);
  });

  it('is looked for in the container first, from the inside to the outside', () => {
    const given = { 'p.q.y': 'inner', 'p.y': 'outer', y: 'none', z: 'root', 'p.z.u': 'part' };
    expect(valueOf('y', given, 'p.q')).toBe('inner');
    expect(valueOf('y', given, 'p.r')).toBe('outer');
    expect(valueOf('y', given)).toBe('none');
    expect(valueOf('z.u', given, 'p')).toBe('part');
    expect(valueOf('z', given, 'p')).toBe('root');
  });

  it('is the variable of the macro around it, where that has its first name', () => {
    const given = { 'a.b': 'variable', items: [{ b: 'item' }] };
    expect(valueOf('items.map(a, a.b)[0]', given)).toBe('item');
    expect(valueOf('items.map(a, items.transformList(k, a, a.b)[0])[0]', given)).toBe('item');
    expect(valueOf('cel.bind(a, items[0], a.b)', given)).toBe('item');
    expect(valueOf('cel.bind(a, a.b, a)', given)).toBe('variable');
    expect(valueOf('optional.of(items[0]).optMap(a, a.b).value()', given)).toBe('item');
    expect(valueOf('items.transformList(k, a, a.b)[0] + a.b', given)).toBe('itemvariable');
  });
});

describe('a name with a dot in front', () => {
  const given = { y: 'variable', 'p.y': 'contained', items: ['item'] };

  it('is a variable, whatever the macros around it call theirs', () => {
    expect(valueOf('items.map(y, y)[0]', given)).toBe('item');
    expect(valueOf('items.map(y, .y)[0]', given)).toBe('variable');
    expect(valueOf('items.map(y, // y\n . y + y)[0]', given)).toBe('variableitem');
    expect(valueOf('"x" in [.y] || "variable" in[ .y]', given)).toBe(true);
    expect(valueOf('y + .y', given, 'p')).toBe('containedvariable');
    expect(valueOf('.p.y', given, 'p')).toBe('contained');
    expect(valueOf('.size(.items)', given)).toBe(1n);
  });

  it.each([
    ['items.exists(x, .x == 1)', 'there is no .x'],
    ['items.exists(.x, true)', 'only a name may start with a dot'],
    ['.true', 'only a name may start with a dot'],
    ['.nothing', 'Unknown variable: nothing'],
  ])('is refused where it is none: %s', (source, message) => {
    expect(valueOf(source, given)).toBe(message);
  });

  it.each(['y..z', 'y //\n ..z', 'y.', '. .y', '.'])('is no other dot: %s', (source) => {
    expect(compileCondition(source)).toMatchObject({ ok: false });
  });

  it('is an attribute after a comment or a line break', () => {
    const compiled = compileCondition('resource // the bucket (\n  .name == .resource.name');
    if (!compiled.ok) throw new Error(compiled.problem.message);
    expect(createEvaluator(compiled.condition).holds({ name: 'a' }, 0)).toBe(true);
  });
});
