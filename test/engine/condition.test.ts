import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCondition, showCaret } from '../../src/engine/condition/compile.ts';
import { createEvaluator } from '../../src/engine/condition/create-evaluator.ts';

function problemOf(source: string) {
  const compiled = compileCondition(source);
  if (compiled.ok) throw new Error(`compiles: ${source}`);
  return compiled.problem;
}

describe('a condition', () => {
  it.each([
    'resource.encryption.enabled == false',
    'resource.port == 22',
    '"team" in resource.tags && resource.tags["cost-center"] != ""',
    'has(resource.ingress) && resource.ingress.exists(r, r.cidrs.exists(c, c == "0.0.0.0/0") && r.from_port <= 22)',
    'now - timestamp(resource.created_at) > duration("720h")',
    'resource.name.matches("^prod-[a-z]+$")',
    'cidr_contains("10.0.0.0/8", resource.cidr)',
    'resource.type in ["a", "b"] ? resource.x : resource.y',
    'resource.flag',
    '[].all(x, x == 1)',
    'true',
  ])('compiles: %s', (source) => {
    expect(compileCondition(source)).toMatchObject({ ok: true, condition: { source } });
  });

  it.each([
    'resource.a.`b-c` == br"x" || resource.port in [22, 3389]',
    'has(resource.tags.team) && resource.tags.all(t, t.matches("^[a-z]+$"))',
    Array.from({ length: 200 }, (_, n) => `resource.port == ${n}`).join(' || '),
    'now - timestamp(resource.created_at) > duration("720h")',
  ])('runs the same when its tree was handed over before: %.40s', (source) => {
    const [kept, taken] = [compileCondition(source), compileCondition(source)];
    if (!kept.ok || !taken.ok) throw new Error('does not compile');
    expect(taken.condition.takeTree()).toBeDefined();
    expect(taken.condition.takeTree()).toBeUndefined();
    const now = Date.parse('2026-03-01T00:00:00Z');
    for (const created_at of ['2026-01-01T00:00:00Z', '2026-02-28T00:00:00Z', 'never']) {
      const resource = { port: 22, tags: { team: 'a', other: 'b' }, created_at };
      const answer = createEvaluator(kept.condition).holds(resource, now);
      expect(createEvaluator(taken.condition).holds(resource, now)).toEqual(answer);
    }
    expect(kept.condition.takeTree()).toBeUndefined();
  });

  it('names the nearest variable for one that does not exist, and where it stands', () => {
    const source = 'resource.a == 1 &&\n  resurce.b == 2';
    const problem = problemOf(source);
    expect(problem).toMatchObject({
      line: 2,
      column: 3,
      offset: 21,
      end: 28,
      suggestion: 'resource',
    });
    expect(showCaret(source, problem)).toBe('  resurce.b == 2\n  ^^^^^^^');
  });

  it('names the nearest function, with the caret under its name and not under the whole call', () => {
    expect(problemOf('resource.name.startWith("a")')).toMatchObject({
      column: 15,
      suggestion: 'startsWith',
    });
  });

  it('says what a function takes that was given something else', () => {
    const { message, suggestion } = problemOf('cidr_contains(1, 2)');
    expect(message).toContain('cidr_contains(string, string): bool');
    expect(suggestion).toBeUndefined();
  });

  it('of a long line shows the part around the place', () => {
    const source = `${'true || '.repeat(200)}resurce.b${' || true'.repeat(200)}`;
    const [line = '', caret = ''] = showCaret(source, problemOf(source)).split('\n');
    expect(line.length).toBeLessThan(130);
    expect(line).toMatch(/^….*…$/);
    const at = caret.indexOf('^');
    expect(line.slice(at, at + caret.trim().length)).toBe('resurce');
    const end = `${'true || '.repeat(200)}x`;
    expect(showCaret(end, problemOf(end))).toMatch(/x\n +\^$/);
    const name = 'x'.repeat(5_000);
    expect(showCaret(name, problemOf(name)).length).toBeLessThan(250);
    expect(problemOf(name).message.length).toBeLessThan(310);
  });

  it('says where an unfinished expression ends', () => {
    expect(problemOf('resource.x ==')).toMatchObject({ line: 1, column: 14 });
  });

  it.each([
    ['resource.port + 1 > 2 ? 1 : 2', 'int'],
    ['"yes"', 'string'],
    ['resource.tags.map(t, t)', 'list'],
  ])('has to yield bool: %s', (source, type) => {
    expect(problemOf(source).message).toContain(`yields ${type}`);
  });

  it.each([
    ['resource.name.matches("(")', 23, 'regular expression'],
    ['resource.x == {"a": 1, "a": 2}', 24, 'key'],
    ['resource.x == 9223372036854775808', 15, '64 bit'],
    ['has(resource)', 5, 'attribute'],
    ['resource.x == resource.bind(a, 1, a)', 15, 'not supported'],
    ['resource.x == [1].transformMapEntry(i, v, v)', 43, 'must return a map, not int'],
    ['[?1] == []', 3, 'not int'],
    ['size(resource.a, ?resource.b) == 1', 18, '?'],
    ['"a".?b.hasValue()', 6, 'no attributes'],
    ['[1].all(i, i, true)', 12, 'two different variable names'],
    ['"a".exists(i, c, true)', 1, 'a list or a map, not string'],
    ['bytes(resource.x).hex() == "00"', 1, 'not supported'],
  ])('points at what could not run: %s', (source, column, message) => {
    const problem = problemOf(source);
    expect(problem).toMatchObject({ line: 1, column });
    expect(problem.message).toContain(message);
  });

  it('reaches nothing but resource and now', () => {
    for (const name of [
      'process',
      'globalThis',
      'constructor',
      '__proto__',
      'toString',
      'require',
      'Math',
    ]) {
      expect(compileCondition(`${name} == 1`).ok, name).toBe(false);
      expect(compileCondition(`${name}.x == 1`).ok, name).toBe(false);
      expect(compileCondition(`${name}() == 1`).ok, name).toBe(false);
    }
  });

  it('may be long, but not without end', () => {
    const terms = (count: number): string =>
      Array.from({ length: count }, (_, n) => `resource.a == ${n % 10}`).join(' || ');
    expect(compileCondition(terms(3_000)).ok).toBe(true);
    expect(compileCondition(Array.from({ length: 10_000 }, () => 'true').join('||')).ok).toBe(true);
    expect(compileCondition(`${'1+'.repeat(10_000)}1 > 2`).ok).toBe(true);
    expect(compileCondition(`resource.l.all(i, ${'i||'.repeat(10_000)}i)`).ok).toBe(true);
    expect(problemOf('x'.repeat(65_537)).message).toContain('at most 65,536');
  });

  it('refuses nesting deep enough to be a bomb, without overflowing the stack', () => {
    for (const [open, close] of [
      ['(', ')'],
      ['[', ']'],
      ['!', ''],
      ['-', ''],
      ['resource.x ? resource.y : ', ''],
    ] as const) {
      const source = `${open.repeat(2_400)}true${close.repeat(2_400)}`;
      const compiled = compileCondition(source);
      if (!compiled.ok) expect(compiled.problem.message).not.toMatch(/stack|recursion/i);
    }
  });

  it('never throws, whatever it is given, and points inside the text', () => {
    const words = fc.constantFrom(
      'resource',
      '.',
      'x',
      '(',
      ')',
      '[',
      ']',
      '"',
      "'",
      '==',
      '&&',
      '!',
      '1',
      '\n',
      ' ',
      '?',
      ':',
      'has',
      'all',
      ',',
      '\\',
      '\u0000',
      '日',
      '{',
      '}',
    );
    const source = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(source, (text) => {
        const compiled = compileCondition(text);
        if (compiled.ok) return;
        const { offset, end, line, column, message } = compiled.problem;
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(text.length);
        expect(offset).toBeLessThanOrEqual(end);
        expect(line).toBe(text.slice(0, offset).split('\n').length);
        expect(column).toBeGreaterThan(0);
        expect(message).not.toBe('');
      }),
      { numRuns: 2_000 },
    );
  });
});
