import { celEnv, CelScalar, isCelError, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../src/contract/resources.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import {
  closureEvaluator as closures,
  codeEvaluator as code,
} from '../../src/engine/condition/create-evaluator.ts';
import { closureEvaluator, codeEvaluator, stepsOf } from './back-ends.ts';
import type { Undecided } from '../../src/engine/condition/evaluate.ts';
import { explainCondition } from '../../src/engine/condition/explain.ts';

const now = Date.UTC(2026, 4, 3, 2, 1);

const names = ['a', 'b', 'list', 'constructor', 'length', 'toString', 'text'];
const texts = [
  '',
  'a',
  'ab',
  'é😀',
  'prod-1',
  '10.0.0.0/8',
  '2025-01-01T00:00:00Z',
  '90m',
  '\u2028"\\${',
];
const literal = (text: string) => JSON.stringify(text).replaceAll('\u2028', '\\u2028');

/** Expressions by type, over attributes that may be anything or missing. `it` is the variable of a macro. */
const { condition } = fc.letrec<Record<'condition' | 'number' | 'text' | 'list' | 'any', string>>(
  (tie) => {
    const attribute = fc
      .tuple(
        fc.constantFrom('resource', 'resource', 'it'),
        fc.array(fc.constantFrom(...names), { maxLength: 2 }),
      )
      .map((parts) => parts.flat().join('.'));
    const both = (
      left: 'any' | 'number' | 'text' | 'condition' | 'list',
      operators: string[],
      right = left,
    ) =>
      fc
        .tuple(tie(left), fc.constantFrom(...operators), tie(right))
        .map(([a, operator, b]) => `(${a} ${operator} ${b})`);
    const macro = (macros: string[], body: 'condition' | 'any') =>
      fc
        .tuple(tie('list'), fc.constantFrom(...macros), tie(body))
        .map(([list, name, inner]) => `${list}.${name}(it, ${inner})`);
    const pairMacro = (macros: string[], body: 'condition' | 'any' | 'number') =>
      fc
        .tuple(tie('list'), fc.constantFrom(...macros), tie(body))
        .map(([list, name, inner]) => `${list}.${name}(at, it, ${inner})`);
    return {
      condition: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'expression' },
        fc.constantFrom('true', 'false'),
        attribute,
        attribute.filter((path) => path.includes('.')).map((path) => `has(${path})`),
        both('condition', ['&&', '||', '==']),
        both('any', ['==', '!=']),
        both('number', ['<', '<=', '>', '>=', '==', '!=']),
        both('text', ['<', '>', '==', 'in'], 'text').map((one) => one.replace(' in ', ' == ')),
        fc.tuple(tie('any'), tie('list')).map(([item, list]) => `(${item} in ${list})`),
        tie('condition').map((inner) => `!${inner}`),
        fc
          .tuple(tie('condition'), tie('condition'), tie('condition'))
          .map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
        macro(['all', 'exists', 'exists_one'], 'condition'),
        pairMacro(['all', 'exists', 'existsOne'], 'condition'),
        pairMacro(['all', 'exists'], 'number').map((one) => one.replace(/\)$/, ' == at)')),
        fc
          .tuple(tie('any'), tie('condition'))
          .map(([value, body]) => `cel.bind(it, ${value}, ${body})`),
        fc
          .tuple(
            tie('text'),
            fc.constantFrom('startsWith', 'contains', 'endsWith', 'matches'),
            fc.constantFrom('a', 'ab', '^p', '[a-z]+-\\\\d$'),
          )
          .map(([text, name, part]) => `${text}.${name}("${part}")`),
        tie('text').map((text) => `(timestamp(${text}) < now)`),
        tie('text').map((text) => `(duration(${text}) > duration("1h"))`),
      ),
      number: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'expression' },
        fc.constantFrom('0', '1', '2', '-1', '9223372036854775807', '2u', '1.5'),
        attribute,
        tie('list').map((list) => `size(${list})`),
        fc
          .tuple(fc.constantFrom('least', 'greatest'), tie('number'), tie('number'))
          .map(([name, a, b]) => `math.${name}(${a}, ${b})`),
        tie('text').map((text) => `size(${text})`),
        fc
          .tuple(
            fc.constantFrom('1', '7', '9223372036854775807'),
            fc.constantFrom('+', '-', '*', '/', '%'),
            fc.constantFrom('0', '1', '3'),
          )
          .map((parts) => `(${parts.join(' ')})`),
        fc.constantFrom('now.getHours()', 'now.getMonth("Asia/Tokyo")', 'int("12")', 'int(2.9)'),
      ),
      text: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'expression' },
        fc.constantFrom(...texts).map(literal),
        attribute,
        both('text', ['+']),
        tie('text').map((text) => `${text}.lowerAscii()`),
        fc.constantFrom('string(1)', 'string(true)', 'string(1.5)'),
      ),
      list: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'expression' },
        fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
        attribute,
        macro(['filter'], 'condition'),
        macro(['map'], 'any'),
        pairMacro(['transformList', 'transformMap', 'transformMap', 'transformMapEntry'], 'any'),
      ),
      any: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'expression' },
        attribute,
        tie('number'),
        tie('text'),
        tie('condition'),
        fc
          .tuple(attribute, fc.constantFrom(...names), tie('any'))
          .map(([of, name, other]) => `${of}.?${name}.orValue(${other})`),
        fc
          .tuple(tie('any'), tie('any'))
          .map(([value, made]) => `optional.ofNonZeroValue(${value}).optMap(it, ${made}).value()`),
        fc
          .tuple(attribute, fc.constantFrom(...names), fc.constantFrom('0', '"a"'))
          .map(([of, name, key]) => `[?${of}.?${name}[${key}].or(${of}[?${key}])]`),
        fc
          .tuple(attribute, fc.constantFrom(...names), tie('any'))
          .map(([of, name, other]) => `{"k": ${other}, ?"a": ${of}.?${name}}`),
        fc.constantFrom('null', '[1]', '{"a": 1}', '{1: 2}'),
        fc
          .tuple(attribute, fc.constantFrom('0', '1', '"a"', '"constructor"'))
          .map(([path, key]) => `${path}[${key}]`),
      ),
    };
  },
);
// Outside of a macro there is no `it`.
const conditions = condition.map((text) => `[resource].exists_one(it, ${text})`);

const leaf = fc.constantFrom<unknown>(null, true, false, 0, 1, 1.5, -1, 3e20, ...texts);
const documents = fc.letrec<{ value: unknown; map: unknown }>((tie) => ({
  map: fc.dictionary(fc.constantFrom(...names), tie('value'), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('map'),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
})).map;
const unknowns = fc.constantFrom(
  new UnknownValue('Ref A'),
  new UnknownValue('Ref B', { present: false }),
);
const withUnknown = fc
  .tuple(documents, unknowns, fc.constantFrom('a', 'b', 'list'))
  .map(([map, unknown, name]) => ({ ...(map as object), [name]: unknown }));

const peerEnvironment = celEnv({
  variables: { resource: CelScalar.DYN, now: CelScalar.DYN },
  funcs: [...strings],
});

/** What `@bufbuild/cel` says: a bool, or undefined for an error. */
function peer(source: string, resource: unknown): boolean | undefined {
  const run = plan(peerEnvironment, parse(source));
  // It takes any JSON; its types ask for more than we know of a document.
  const result = run({ resource: resource as Record<string, string>, now: timestampFromMs(now) });
  return isCelError(result) || typeof result !== 'boolean' ? undefined : result;
}

/** Where the other engine is not CEL, or we are not on purpose. */
function isKnownDifference(source: string, document: string, answer: boolean | Undecided): boolean {
  const message = typeof answer === 'object' ? answer.message : '';
  return (
    // What the other engine lacks.
    /\bat, it\b|cel\.bind|math\.|\.\?|optional/.test(source) ||
    // Names that every JavaScript object inherits.
    /constructor|toString|length/.test(source + document) ||
    // There, an attribute that is null is not set, and what is no map has none.
    source.includes('has(') ||
    // Whether a key that no map can have is in a map: false as cel-go has it, an error there.
    source.includes(' in ') ||
    // Go's durations have a number.
    (message.includes('not a duration') && (source + document).includes('""'))
  );
}

describe('conditions at random', () => {
  it('never crash or hang the compiler', () => {
    const words = fc.constantFrom(
      'resource',
      '.',
      'a',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ':',
      '?',
      ',',
      '&&',
      '||',
      '!',
      '-',
      '==',
      '<',
      '+',
      '%',
      'in',
      '1',
      '9'.repeat(30),
      '1e999',
      '"x"',
      "b'é'",
      "br'\\'",
      '`a-b`',
      '.`',
      'has(',
      '.all(x,',
      '.matches("(")',
      'cel.bind(',
      'timestamp(',
      '"\\',
      '\0',
      '//',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(words, { maxLength: 30 }).map((all) => all.join(' ')),
        ),
        (source) => {
          const compiled = compileCondition(source);
          if (compiled.ok) return;
          expect(compiled.problem.offset).toBeLessThanOrEqual(source.length);
          expect(compiled.problem.message).not.toBe('');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('give one answer for one price as closures, as code and when explained, and never throw', () => {
    let decided = 0;
    fc.assert(
      fc.property(conditions, fc.oneof(documents, withUnknown), (source, resource) => {
        const compiled = compileCondition(source);
        if (!compiled.ok) return;
        const { program } = compiled.condition;
        const answer = closureEvaluator(program)(resource, now);
        if (typeof answer === 'boolean') decided++;
        expect(codeEvaluator(program)(resource, now), source).toEqual(answer);
        const [asClosures, asCode] = [closures(program), code(program)].map((run) =>
          stepsOf(run, resource, now),
        );
        expect(asCode, source).toEqual(asClosures);
        const { result } = explainCondition(compiled.condition, resource, now);
        const explained = 'value' in result ? result.value === 'true' : result.undecided;
        expect(explained, source).toEqual(answer);
      }),
      { numRuns: 2_000 },
    );
    expect(decided).toBeGreaterThan(200);
  });

  it('give the answer of the other CEL engine, or none where it has none', () => {
    let compared = 0;
    fc.assert(
      fc.property(conditions, documents, (source, resource) => {
        const compiled = compileCondition(source);
        if (!compiled.ok) return;
        const answer = closureEvaluator(compiled.condition.program)(resource, now);
        compared++;
        if (isKnownDifference(source, JSON.stringify(resource), answer)) return;
        const theirs = peer(source, resource);
        expect(
          typeof answer === 'boolean' ? answer : undefined,
          `${source} over ${JSON.stringify(resource)}: ${JSON.stringify(answer)}`,
        ).toBe(theirs);
      }),
      // A seed of its own: what the other engine does is not ours to find out in somebody's build.
      { numRuns: 3_000, seed: 20_260_503 },
    );
    expect(compared).toBeGreaterThan(300);
  });
});
