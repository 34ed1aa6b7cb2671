import { describe, expect, it } from 'vitest';
import { startCpuTime } from '../support/cpu-time.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { closureEvaluator, codeEvaluator } from './back-ends.ts';

const now = Date.UTC(2026, 0, 31, 12);

const backEnds = [
  ['closures', closureEvaluator],
  ['code', codeEvaluator],
] as const;

function programOf(source: string) {
  const compiled = compileCondition(source);
  if (!compiled.ok) throw new Error(`${source.slice(0, 100)}: ${compiled.problem.message}`);
  return compiled.condition.program;
}

const list = Array.from({ length: 1_000_000 }, (_, n) => n % 10);
const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]));

describe('a condition over a hostile document', () => {
  // Processor time of this process; what the budget allows takes about a second on a quiet machine.
  it.each<[source: string, resource: unknown]>([
    ['resource.l.exists(x, resource.t.lowerAscii() == "")', { t: 'aA'.repeat(5e6) }],
    ['resource.l.exists(x, resource.t.contains("qq"))', { t: 'a'.repeat(1e7) }],
    [
      'resource.t.contains(resource.u)',
      { t: 'a'.repeat(5e6), u: `${'a'.repeat(5e4)}b${'a'.repeat(5e4)}` },
    ],
    ['resource.t.lastIndexOf(resource.u) > 0', { t: 'a'.repeat(5e6), u: `${'a'.repeat(5e4)}b` }],
    [
      'resource.l.all(x, resource.t != resource.u)',
      { t: `${'a'.repeat(4e6)}b`, u: `${'a'.repeat(4e6)}c` },
    ],
    ['resource.l.all(x, size(resource.k) > 1)', { k: keys }],
    ['resource.l.all(x, resource.k.exists(k, k == "k0") || true)', { k: keys }],
    ['resource.l.all(x, !(11 in resource.l))', {}],
    ['resource.l.map(x, resource.t.split(",")).size() > 1', { t: ','.repeat(5e5) }],
    ['resource.l.map(x, "%s%.100f".format([resource.t, 1.1])).size() > 1', { t: 'a'.repeat(1e5) }],
    ['resource.l.map(x, {1: x, 2: x, 3: x, 4: x}).size() > 1', {}],
    ['resource.l.map(x, resource.l + [x]).size() > 1', {}],
    ['resource.l.all(x, cidr_contains("2001:db8::/32", "2001:db8:1::6"))', {}],
    [
      'is_internet(resource.z)',
      { z: Array.from({ length: 2e5 }, (_, n) => `10.0.0.${n % 256}/32`) },
    ],
    [
      'is_private(resource.z)',
      { z: Array.from({ length: 2e5 }, () => '2001:db8:1:2:3:4:5:6/128') },
    ],
    [
      'resource.l.all(x, !allows_everybody(resource.s))',
      {
        s: {
          effect: 'Allow',
          principals: ['*'],
          conditions: { StringLike: { 'aws:SourceArn': ['arn:aws:s3:::a'] } },
        },
      },
    ],
    [
      'resource.l.all(x, allows_everybody(resource.s))',
      { s: { effect: 'Allow', principals: [`${'${'.repeat(5e4)}*`] } },
    ],
    ['resource.l.all(x, now.getHours("Europe/Berlin") >= 0)', {}],
    [
      'resource.z.all(x, now.getHours(x) >= 0)',
      { z: Array.from({ length: 8_192 }, (_, n) => `Europe/${n}`) },
    ],
    [
      'resource.p.all(x, !"b".matches(x))',
      { p: Array.from({ length: 500 }, (_, n) => `${'a{1000}'.repeat(1_400)}${n}`) },
    ],
    [
      'resource.p.all(x, !"b".matches(x))',
      { p: Array.from({ length: 1_000 }, (_, n) => `(\\pL|c){90}${n}`) },
    ],
    ['resource.t.matches(resource.p)', { t: 'a'.repeat(1e5), p: `${'a?'.repeat(2_000)}a{900}` }],
    [`resource.t.matches("${'[a]{100}'.repeat(50)}b")`, { t: 'a'.repeat(1e6) }],
    ['resource.l.all(x, strings.quote(resource.t) != "")', { t: '"'.repeat(1e6) }],
    [`resource.l.exists(x, ${'x == 17 || '.repeat(1_900)}false)`, {}],
  ])('stops in time: %s', (source, resource) => {
    const program = programOf(source);
    for (const [name, backEnd] of backEnds) {
      const cpuTime = startCpuTime();
      const answer = backEnd(program)({ l: list, ...(resource as object) }, now);
      const taken = cpuTime();
      expect(answer, name).toMatchObject({ reason: 'budget' });
      expect(taken, name).toBeLessThan(5_000);
    }
  });

  it('is not absorbed when the budget is spent', () => {
    for (const [name, backEnd] of backEnds) {
      const run = backEnd(
        programOf('true ? resource.l.all(a, resource.l.all(b, true)) || true : false'),
      );
      expect(run({ l: list }, now), name).toMatchObject({ reason: 'budget' });
      expect(run({ l: [1] }, now), name).toBe(true);
    }
  });

  it('shows no value of the document in a message', () => {
    const secret = 'hunter2-hunter2';
    const resource = { s: secret, m: {}, l: [secret], n: 1 };
    for (const source of [
      'timestamp(resource.s) < now',
      'duration(resource.s) > duration("1h")',
      'int(resource.s) == 1 || uint(resource.s) == 1u || double(resource.s) == 1.0',
      'bool(resource.s)',
      'cidr_contains(resource.s, "10.0.0.1")',
      'cidr_contains("10.0.0.0/8", resource.s)',
      'now.getHours(resource.s) == 1',
      '"x".matches("(" + resource.s)',
      'resource.m[resource.s] == 1',
      'resource.s > 1',
      'resource.s.x == 1',
      '{resource.s: 1, resource.s: 2} == {}',
      '("%" + resource.s).format([]) == ""',
      'resource.l[0] && true',
      'resource.s',
    ]) {
      for (const [name, backEnd] of backEnds) {
        const answer = backEnd(programOf(source))(resource, now);
        expect(answer, `${name}: ${source}`).toHaveProperty('message');
        expect(JSON.stringify(answer), `${name}: ${source}`).not.toContain('hunter2');
      }
    }
  });
});

describe('generated code', () => {
  it.each([
    '"); globalThis.pwned = 1; ("',
    "'); globalThis.pwned = 1; ('",
    '`${globalThis.pwned = 1}`',
    '\u2028globalThis.pwned = 1\u2029',
    '\\"]; globalThis.pwned = 1; //',
    '*/ globalThis.pwned = 1 /*',
    '</script>\0\ud800',
    '__proto__',
  ])('holds text of a condition as text: %j', (text) => {
    const literal = JSON.stringify(text);
    const resource = { [text]: text, l: [{ [text]: text }] };
    const sources = [
      `resource[${literal}] == ${literal}`,
      `resource.l.exists(x, x[${literal}].startsWith(${literal}))`,
      `resource[${literal}] in [${literal}]`,
      `resource.missing[${literal}] == 1 || true`,
    ];
    for (const source of sources) {
      const compiled = compileCondition(source);
      if (!compiled.ok) continue;
      expect(codeEvaluator(compiled.condition.program)(resource, now), source).toBe(true);
      expect(codeEvaluator(compiled.condition.program)({}, now), source).toEqual(
        closureEvaluator(compiled.condition.program)({}, now),
      );
    }
    expect(globalThis).not.toHaveProperty('pwned');
  });

  it('has names of its own for thousands of constants', () => {
    const source = `resource.x in [${Array.from({ length: 5_000 }, (_, n) => n).join(', ')}]`;
    const terms = Array.from({ length: 1_500 }, (_, n) => `resource.a${n} == 9007199254740993`);
    expect(codeEvaluator(programOf(source))({ x: 4_999 }, now)).toBe(true);
    expect(codeEvaluator(programOf(`!(${terms.join(' || ')})`))({}, now)).toMatchObject({
      reason: 'missing_attribute',
    });
  });
});
