import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { evaluationBudget, requestBudget } from '../../src/engine/condition/budget.ts';
import { mostPatternParts } from '../../src/engine/condition/regex.ts';
import { maxConditionsLength, maxConditionsLengthOfBody } from '../../src/contract/policies.ts';
import { prices } from '../../src/engine/condition/prices.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { createEvaluator } from '../../src/engine/condition/create-evaluator.ts';

const text = readFileSync(
  path.join(import.meta.dirname, '..', '..', 'docs', 'conditions.md'),
  'utf8',
);

const resource = {
  encryption: { enabled: false },
  ingress: [{ cidrs: ['0.0.0.0/0'], from_port: 20, to_port: 25 }],
  created_at: '2025-01-01T00:00:00Z',
  owner: 'core',
  days: 5,
  tags: { 'cost-center': 'x' },
  list: [1],
  a: { b: { c: null } },
};
const holds = (source: string) => {
  const compiled = compileCondition(source);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.problem.message}`);
  return createEvaluator(compiled.condition).holds(resource, Date.UTC(2026, 0, 1));
};

const examples = /```cel\n([^]*?)```/.exec(text)?.[1]?.trim().split('\n') ?? [];

test.each([...examples, 'has(resource.owner) && resource.owner == "core"', '5 / 2 == 2'])(
  'the guide to conditions has an example that holds: %s',
  (source) => {
    expect(text).toContain(source);
    expect(holds(source)).toBe(true);
  },
);

test.each([
  ['resource.days + 1', '== 6'],
  ['resource.days / 2', '== 2.5'],
  ['resource.tags["cost-center"]', '== "x"'],
  ['resource.tags.`cost-center`', '== "x"'],
  ['resource.list[0]', '== 1'],
  ['resource.a.b', '== {"c": null}'],
  ['now.getHours("Europe/Berlin")', '== 1'],
])('the guide to conditions writes %s, which is %s', (source, is) => {
  expect(text).toContain(source);
  expect(holds(`${source} ${is}`)).toBe(true);
});

test.each([evaluationBudget, requestBudget])(
  'the guide to conditions tells of %i steps',
  (steps) => {
    expect(text).toContain(`${steps.toLocaleString('en-US')}`);
  },
);

test('the guide to conditions has the prices that the engine takes', () => {
  const table = /## What a condition may cost\n([^]*?)\n## /.exec(text)?.[1] ?? '';
  const rows = Array.from(table.matchAll(/^\| `(\w+)` \| (\d+) \|/gm), ([, name, price]) => [
    name,
    Number(price),
  ]);
  expect(Object.fromEntries(rows)).toEqual(prices);
});

test.each([maxConditionsLength, maxConditionsLengthOfBody, mostPatternParts])(
  'the guide to conditions tells of the bound %i',
  (bound) => {
    expect(text).toContain(bound.toLocaleString('en-US'));
  },
);

test('every macro, function and method that the guide names is known', () => {
  const table = /## Look up the syntax\n([^]*?)\nA macro over/.exec(text)?.[1] ?? '';
  const rows = new Map(table.split('\n').map((row) => [row.split('|')[1]?.trim(), row] as const));
  const named = (row: string) =>
    Array.from((rows.get(row) ?? '').matchAll(/`([\w.]+)(?:\(\))?`/g), ([, name = '']) => name);
  const names = [...named('conversions'), ...named('strings'), ...named('time')];
  expect(names.length).toBeGreaterThan(30);
  for (const name of names) {
    const compiled = compileCondition(`dyn(1).${name}(1, 2, 3, 4, 5) == 1`);
    const asFunction = compileCondition(`${name}(1, 2, 3, 4, 5) == 1`);
    const said = [compiled, asFunction].map((one) => (one.ok ? '' : one.problem.message)).join();
    expect(said, name).toContain('use ');
  }
});
