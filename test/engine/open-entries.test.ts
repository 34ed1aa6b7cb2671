import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../src/contract/resources.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { closureEvaluator, codeEvaluator, stepsOf } from './back-ends.ts';
import {
  closureEvaluator as closures,
  codeEvaluator as code,
} from '../../src/engine/condition/create-evaluator.ts';

const open = new UnknownValue('Fn::If Cond', { present: false });

/** The answer of both back ends, at one price. */
function answerOf(source: string, resource: unknown): unknown {
  const compiled = compileCondition(source);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.problem.message}`);
  const { program } = compiled.condition;
  const answer = closureEvaluator(program)(resource, 0);
  expect(codeEvaluator(program)(resource, 0), source).toEqual(answer);
  const [asClosures, asCode] = [closures(program), code(program)].map((run) =>
    stepsOf(run, resource, 0),
  );
  expect(asCode, source).toEqual(asClosures);
  return answer;
}

const other = new UnknownValue('Fn::If Other', { present: false });
const maybe = {
  moved: [
    [open, 1, 2],
    [1, 2, other],
    [1, 3, 2],
  ],
  map: { owner: open, team: 'core' },
  list: ['a', open, 'b'],
  none: [open],
  no: {},
  unset: new UnknownValue('Ref X'),
};

describe('an entry of which it is open whether it is there', () => {
  it.each([
    'size(resource.map) == 2',
    'resource.map.size() > 1',
    'size(resource.map) < 2',
    '1 != resource.map.size()',
    'size(resource.unset) >= 0',
    'size(resource.list) == 3',
    'size(resource.none) == 0',
    'resource.none == []',
    'resource.moved[0] == resource.moved[1]',
    'resource.list == ["a", "b"]',
    'resource.map == {"team": "core"}',
    '{"team": "core"} == resource.map',
    'resource.map != resource.no',
    'resource.map.exists(k, k == "owner")',
    'resource.map.all(k, k != "owner")',
    'resource.map.exists(k, v, k == "owner")',
    'resource.map.exists_one(k, k == "team")',
    'resource.map.filter(k, k == "team") == ["team"]',
    'resource.map.map(k, 1) == [1, 1]',
    'resource.map.transformMap(k, v, 1) == {"owner": 1, "team": 1}',
    'resource.none.exists(x, true)',
    'resource.none.all(x, false)',
    'resource.none.map(x, 1) == [1]',
    'resource.list.exists(i, x, i == 2)',
    'resource.list[1] == "a"',
    'resource.list[2] == "b"',
    'resource.list[?2].hasValue()',
    'optional.ofNonZeroValue(resource.none).hasValue()',
  ])('leaves open what depends on that: %s', (source) => {
    expect(answerOf(source, maybe)).toMatchObject({ reason: 'unknown_value' });
  });

  it.each([
    'resource.map.exists(k, k == "team")',
    'resource.map.exists(k, v, v == "core")',
    '!resource.map.all(k, k == "owner")',
    '!resource.map.exists(k, k == "other")',
    'resource.map.all(k, k.size() < 9)',
    'resource.list.exists(x, x == "b")',
    'resource.list[0] == "a"',
    'resource.no == {}',
    'resource.moved[0] != resource.moved[2]',
    'resource.map.size() > 0',
    '!(0 == size(resource.map))',
    'size(resource.list) >= 2 && 1 < size(resource.list) && size(resource.list) != 1',
    '!(size(resource.list) < 2) && !(1 >= size(resource.list)) && !(size(resource.list) <= 1.5)',
    'resource.none.size() >= 0',
  ])('does not matter beside what is certain: %s', (source) => {
    expect(answerOf(source, maybe)).toBe(true);
  });
});

const part = fc.constantFrom('a', 'b', 1, true);
const conditions = fc.constantFrom(
  ...['resource.m', 'resource.l'].flatMap((of) => [
    ...['==', '!='].flatMap((is) => [`${of} ${is} resource.n`, `resource.n ${is} ${of}`]),
    ...['==', '!=', '<', '<=', '>', '>='].flatMap((is) =>
      ['0', '1', '2'].flatMap((n) => [`size(${of}) ${is} ${n}`, `${n} ${is} ${of}.size()`]),
    ),
    ...['exists', 'all', 'exists_one'].flatMap((macro) => [
      ...['x == "a"', 'x != "a"', 'true', 'false', 'dyn(x) == resource.p'].map(
        (body) => `${of}.${macro}(x, ${body})`,
      ),
      ...['k == "a"', 'v == "a"', 'dyn(k) == 1', 'true', 'v != k'].map(
        (body) => `${of}.${macro}(k, v, ${body})`,
      ),
    ]),
    ...['map(x, 1)', 'filter(x, x == "a")', 'filter(x, true)', 'transformList(k, v, k)'].map(
      (macro) => `${of}.${macro} == resource.n`,
    ),
    `${of}.transformMap(k, v, v != "a", 1).size() == 1`,
    `"a" in ${of}`,
    `optional.ofNonZeroValue(${of}).hasValue()`,
  ]),
  'resource.l[0] == "a"',
  'resource.l[1] == resource.p',
  'resource.l[?1].hasValue()',
  'resource.m.?a.hasValue()',
  'has(resource.m.a)',
  'resource.m.a == "a"',
);

describe('a verdict', () => {
  it('about a resource with an entry that may be there holds without it, and with it, whatever its value', () => {
    let decided = 0;
    fc.assert(
      fc.property(
        conditions,
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), part, { noNullPrototype: true }),
        fc.array(part, { maxLength: 3 }),
        fc.oneof(fc.array(part, { maxLength: 2 }), fc.constant({}), fc.constant({ a: 'a' })),
        part,
        fc.constantFrom('a', 'b', 'c'),
        fc.nat(3),
        (source, map, list, other, value, key, at) => {
          const given = (entry: readonly unknown[]) => {
            const [held] = entry;
            const rest = Object.fromEntries(Object.entries(map).filter(([name]) => name !== key));
            const m = entry.length > 0 ? { ...rest, [key]: held } : rest;
            return { m, l: list.toSpliced(at, 0, ...(entry as typeof list)), n: other, p: value };
          };
          const answer = answerOf(source, given([open]));
          if (typeof answer !== 'boolean') return;
          decided++;
          for (const entry of [[], ['a'], ['b'], [1], [value]]) {
            const known = answerOf(source, given(entry));
            // What it is without can be an error of its own: there is nothing at that place.
            if (typeof known === 'boolean') expect(known, source).toBe(answer);
          }
        },
      ),
      { numRuns: 3_000 },
    );
    expect(decided).toBeGreaterThan(200);
  });
});
