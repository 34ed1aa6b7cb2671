import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../src/contract/resources.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { createEvaluator } from '../../src/engine/condition/create-evaluator.ts';
import { explainCondition } from '../../src/engine/condition/explain.ts';
import type { Explained } from '../../src/engine/condition/explain.ts';

function compile(source: string) {
  const compiled = compileCondition(source);
  if (!compiled.ok) throw new Error(compiled.problem.message);
  return compiled.condition;
}

/** One line for each part: its text, for which item, and what it came to. */
function lines(explained: Explained, indent = ''): string[] {
  const { text, item, result, parts } = explained;
  const came = 'value' in result ? result.value : `? ${result.undecided.reason}`;
  const line = `${indent}${text}${item === undefined ? '' : ` @ ${item}`} → ${came}`;
  return [line, ...parts.flatMap((part) => lines(part, `${indent}  `))];
}

const explain = (source: string, resource: unknown): string[] =>
  lines(explainCondition(compile(source), resource, Date.UTC(2026, 0, 1)));

describe('an explanation', () => {
  it('shows the value of each part, and leaves out what was not evaluated', () => {
    const source = 'resource.port == 22 && (resource.open || resource.missing)';
    expect(explain(source, { port: 22, open: true })).toEqual([
      `${source} → true`,
      '  resource.port == 22 → true',
      '    resource.port → 22',
      '      resource → {"port": 22, "open": true}',
      '  resource.open || resource.missing → true',
      '    resource.open → true',
      '      resource → {"port": 22, "open": true}',
    ]);
  });

  it('says of the body of a macro for which item it was', () => {
    const all = explain('resource.l.exists(x, x.p > 1)', { l: [{ p: 1 }, { p: 2 }, { p: 3 }] });
    expect(all.filter((line) => line.includes('@'))).toEqual([
      '  x.p > 1 @ {"p": 1} → false',
      '  x.p > 1 @ {"p": 2} → true',
    ]);
  });

  it('says why a part has no value', () => {
    const resource = { kms: new UnknownValue('aws_kms_key.main.arn') };
    expect(explain('resource.kms == "x" || resource.a.b', resource)).toEqual(
      expect.arrayContaining([
        'resource.kms == "x" || resource.a.b → ? unknown_value',
        '    resource.kms → unknown (aws_kms_key.main.arn)',
        '    resource.a → ? missing_attribute',
      ]),
    );
  });

  it('has short values and an end, however large the resource is', () => {
    const resource = { text: 'x'.repeat(1_000_000), l: Array.from({ length: 100_000 }, () => 1) };
    const all = explain('resource.l.all(i, i > 0) && resource.text != ""', resource);
    expect(all.length).toBeLessThan(1_100);
    expect(Math.max(...all.map((line) => line.length))).toBeLessThan(250);
  });

  it('comes to what the evaluation comes to', () => {
    for (const source of ['resource.a', 'resource.a.b', '1 == 1', 'resource.a > "x"']) {
      const condition = compile(source);
      const held = createEvaluator(condition).holds({ a: true }, 0);
      const { result } = explainCondition(condition, { a: true }, 0);
      if (typeof held === 'boolean') expect(result).toEqual({ value: String(held) });
      else expect(result).toEqual({ undecided: held });
    }
  });
});

describe('an evaluator', () => {
  it('knows whether it reads the time, and what else', () => {
    const source =
      'now > timestamp(resource.t) && resource.l.exists(i, i.c == resource.tags["a-b"])';
    const evaluator = createEvaluator(compile(source));
    expect(evaluator.readsNow).toBe(true);
    expect([...evaluator.attributes()].sort()).toEqual([
      'now',
      'resource.l',
      'resource.l[*].c',
      'resource.t',
      'resource.tags["a-b"]',
    ]);
    const optional = createEvaluator(compile('resource.?a.?b.orValue(1) == 1'));
    expect([...optional.attributes()]).toEqual(['resource.a.b']);
    expect(createEvaluator(compile('resource.now == 1')).readsNow).toBe(false);
  });
});
