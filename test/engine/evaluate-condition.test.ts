import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../src/contract/resources.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { closureEvaluator, codeEvaluator } from './back-ends.ts';
import type { Undecided } from '../../src/engine/condition/evaluate.ts';

const now = Date.UTC(2026, 0, 31, 12);

const unset = new UnknownValue('aws_kms_key.main.arn');
const maybe = new UnknownValue('Fn::If Cond', { present: false });

/** As a document is read: `__proto__` is an own key of what `JSON.parse` gives. */
const document = JSON.parse(`{
  "name": "prod-web",
  "port": 22,
  "days": 5,
  "flag": true,
  "nothing": null,
  "created_at": "2025-10-01T00:00:00Z",
  "empty": [],
  "owner": {"team": "core", "constructor": "x", "__proto__": "y"},
  "tags": {"constructor": "a", "__proto__": "b", "toString": "c", "hasOwnProperty": "d"},
  "ingress": [
    {"cidr": "10.0.0.0/8", "from_port": 22, "to_port": 22},
    {"cidr": "0.0.0.0/0", "from_port": 80, "to_port": 443}
  ],
  "mixed": [{"a": 1}, {}, {"a": 3}],
  "emoji": "a😀b"
}`) as Record<string, unknown>;
const resource = { ...document, unset, maybe, known: { inner: unset }, part: ['a', unset] };

/** The answer of both back ends, which has to be one. */
function decide(source: string, over: unknown = resource): boolean | Undecided {
  const compiled = compileCondition(source);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.problem.message}`);
  const { program } = compiled.condition;
  const answer = closureEvaluator(program)(over, now);
  expect(codeEvaluator(program)(over, now)).toEqual(answer);
  return answer;
}

describe('a condition over a resource', () => {
  it.each([
    ['resource.port == 22', true],
    ['resource.port != 22', false],
    ['resource.port == 22.0 && resource.port == 22u', true],
    ['resource.port == "22"', false],
    ['resource.port < 23 && 21 < resource.port && resource.port <= resource.days + 17', true],
    ['resource.days + 1 == 6 && 1 + resource.days == 6 && resource.days - 1 == 4', true],
    ['resource.days / 2 == 2.5 && resource.days * 2 > 9 && resource.days % 2 == 1', true],
    ['-resource.days == -5', true],
    ['resource.name.matches("^prod-[a-z]+$")', true],
    ['resource.name.startsWith("prod") && resource.name.endsWith("web")', true],
    ['resource.flag', true],
    ['!resource.flag', false],
    ['resource.flag ? resource.port == 22 : resource.missing', true],
    ['resource.name in ["prod-web", "x"] && !(resource.port in [1, 2])', true],
    [
      'resource.ingress.exists(r, r.cidr == "0.0.0.0/0" && r.from_port <= 80 && r.to_port >= 80)',
      true,
    ],
    ['resource.ingress.all(r, r.from_port <= r.to_port)', true],
    ['resource.ingress.exists_one(r, r.from_port == 22)', true],
    ['resource.ingress.filter(r, r.from_port > 22).map(r, r.cidr) == ["0.0.0.0/0"]', true],
    ['resource.ingress.map(r, r.from_port > 22, r.to_port) == [443]', true],
    [
      'size(resource.ingress) == 2 && resource.ingress.size() > 1 && 2 <= size(resource.ingress)',
      true,
    ],
    [
      'resource.ingress[1].cidr == "0.0.0.0/0" && resource.ingress[resource.days - 5].to_port == 22',
      true,
    ],
    ['resource.?owner.?team.orValue("none") == "core"', true],
    ['resource.?encryption.?kms.orValue("none") == "none"', true],
    ['resource.?encryption.kms["x"].orValue(false) == false', true],
    ['!resource.?encryption.hasValue() && resource.?owner.hasValue()', true],
    ['resource.?nothing.hasValue() && resource.?nothing.value() == null', true],
    ['resource.?unset.hasValue()', true],
    ['resource.?missing.or(resource.?name).value() == "prod-web"', true],
    ['resource.?name.orValue(resource.missing) == "prod-web"', true],
    ['resource[?"port"].optMap(p, p + 1).orValue(0) == 23', true],
    ['resource.?ingress[?5].optMap(r, r.cidr).orValue("") == ""', true],
    ['resource.?owner.optFlatMap(o, o.?name).orValue("x") == "x"', true],
    ['[?resource.?name, ?resource.?missing, 1] == ["prod-web", 1]', true],
    ['{"a": 1, ?"b": resource.?missing, ?"c": resource.?port} == {"a": 1, "c": 22}', true],
    ['1 in [?optional.of(1)] && resource.flag ? true : false', true],
    ['optional.ofNonZeroValue("") == optional.none() && optional.of(1) != optional.none()', true],
    ['has(resource.?owner.team) && !has(resource.?missing.team)', true],
    ['resource.tags.?constructor.orValue("") == "a" && !resource.owner.?toString.hasValue()', true],
    ['resource.ingress.exists(i, r, i == 1 && r.to_port == 443)', true],
    ['resource.tags.all(key, value, value in ["a", "b", "c", "d"] && key != value)', true],
    ['resource.owner.existsOne(key, value, value == "y") && [7].existsOne(x, x == 7)', true],
    ['resource.ingress.transformList(i, r, i > 0, r.to_port + i) == [444]', true],
    ['{"a": 1, "b": 2}.transformMap(k, v, k != "a", k + string(v)) == {"b": "b2"}', true],
    ['["x", "y"].transformMapEntry(i, v, {v: i}) == {"x": 0, "y": 1}', true],
    ['cel.bind(r, resource.ingress[1], r.from_port == 80 && r.to_port == 443)', true],
    ['cel.bind(x, resource.missing, !has(resource.missing) || x == 1)', true],
    ['math.greatest(resource.port, 3, 7u) == 22 && math.least([resource.days, 9.5]) == 5', true],
    ['math.round(-2.5) == -3.0 && math.ceil(1.2) == 2.0 && math.abs(-7) == 7', true],
    ['math.bitAnd(6, 3) == 2 && math.bitShiftRight(-1, 63) == 1 && math.sqrt(9) == 3.0', true],
    ['base64.encode(b"hello") == "aGVsbG8=" && base64.decode("aGVsbG8") == b"hello"', true],
    ['[].all(x, x == 1) && resource.empty.all(x, x.y) && !resource.empty.exists(x, x.y)', true],
    ['now - timestamp(resource.created_at) > duration("2160h")', true],
    ['now.getFullYear() == 2026 && now.getHours("America/New_York") == 7', true],
    ['now.getDayOfWeek("Asia/Tokyo") == 6 && now.getHours("+05:30") == 17', true],
    ['timestamp("2026-01-31T12:00:00.000000001Z") > now', true],
    ['duration("24h") + timestamp(resource.created_at) < now', true],
    ['.5 + resource.days == 5.5 && [.25, -.5e1] == [0.25, -5.0]', true],
    [
      '[1, 2][0u] == 1 && resource.ingress[1.0].to_port == 443 && [7][resource.days - 5] == 7',
      true,
    ],
    [
      '"%.0f %.0f %.1f %.0e %.2f".format([2.5, -0.5, 0.25, 2.5, 1.005]) == "2 -0 0.2 2e+00 1.00"',
      true,
    ],
    ['"%.0f %.1f %.0e %.0f".format([3.5, 0.75, 35.0, 2.51]) == "4 0.8 4e+01 3"', true],
    ['duration("1h30m").getMinutes() == 90 && duration("1.5s") > duration("1400ms")', true],
    ['cidr_contains("10.0.0.0/8", resource.ingress[0].cidr)', true],
    ['cidr_contains("::/0", "fe80::1") && !cidr_contains("10.0.0.0/8", "10.0.0.0/7")', true],
    [
      'cidr_contains("::ffff:0:0/96", "::ffff:1.2.3.4") && !cidr_contains("0.0.0.0/0", "::1")',
      true,
    ],
    [
      'size(resource.emoji) == 3 && resource.emoji.charAt(1) == "😀" && resource.emoji.indexOf("b") == 2',
      true,
    ],
    ['resource.emoji.substring(1, 2) == "😀" && resource.emoji.reverse() == "b😀a"', true],
    ['"%s has %d ports".format([resource.name, resource.port]) == "prod-web has 22 ports"', true],
    ['strings.quote("a\\"b") == "\\"a\\\\\\"b\\""', true],
    [
      'type(resource.port) == double && type(1) == int && type(now) == google.protobuf.Timestamp',
      true,
    ],
    ['resource.owner == {"team": "core", "constructor": "x", "__proto__": "y"}', true],
    ['{1: "a", true: "b"}[1] == "a" && dyn(1u) in {1: 2} && b"a" + b"\\xff" == b"a\\377"', true],
    ['b"é" == bytes("é") && br"\\n" == b"\\\\n"', true],
    ['resource.`name` == "prod-web" && has(resource.tags.`toString`)', true],
    ['"a" + "b" == "ab" && [1] + [2] == dyn([1.0, 2.0])', true],
    [
      '0.0 == -0.0 && double("NaN") != double("NaN") && 9007199254740993 != 9007199254740992.0',
      true,
    ],
    ['"\\U0001f600" > "\\uffff" && "a" < "ab"', true],
  ])('decides %s', (source, expected) => {
    expect(decide(source)).toBe(expected);
  });

  it.each([
    ['resource.owner.name == "x"', 'missing_attribute', 'resource.owner.name'],
    ['resource.encryption.enabled == false', 'missing_attribute', 'resource.encryption'],
    ['resource.tags["cost-center"] == "x"', 'missing_attribute', 'resource.tags["cost-center"]'],
    ['resource.ingress[7].cidr == "x"', 'missing_attribute', 'resource.ingress[7]'],
    ['resource.mixed.all(m, m.a > 0)', 'missing_attribute', 'resource.mixed[*].a'],
    ['has(resource.encryption.enabled)', 'missing_attribute', 'resource.encryption'],
    ['resource.name.first == "x"', 'type_error', 'resource.name.first'],
    ['resource.name > 3', 'type_error', 'resource.name'],
    ['resource.name && true', 'type_error', 'resource.name'],
    ['resource.name', 'type_error', 'resource.name'],
    ['resource.port.matches("x")', 'type_error', 'resource.port'],
    ['resource.name.matches(resource.owner.team + "(")', 'type_error', 'resource.name'],
    ['timestamp(resource.name) > now', 'type_error', 'resource.name'],
    ['cidr_contains("10.0.0.0/8", resource.name)', 'type_error', 'resource.name'],
    ['now.getHours(resource.name) == 1', 'type_error', 'now'],
    [
      'resource.ingress.exists(r, r.from_port > "a")',
      'type_error',
      'resource.ingress[*].from_port',
    ],
    ['9223372036854775807 + 1 > 0', 'type_error', undefined],
    ['1 / 0 == 1', 'type_error', undefined],
    ['resource.?unset.orValue("x") == "x"', 'unknown_value', 'resource.unset'],
    ['resource.?maybe.orValue("x") == "x"', 'unknown_value', 'resource.maybe'],
    ['resource.?maybe.hasValue()', 'unknown_value', 'resource.maybe'],
    ['resource.?unset.?inner.orValue("x") == "x"', 'unknown_value', 'resource.unset.inner'],
    ['resource.unset.?inner.hasValue()', 'unknown_value', 'resource.unset.inner'],
    ['resource.?unset.optMap(u, u == 1).orValue(false)', 'unknown_value', 'resource.unset'],
    ['[?resource.?maybe] == []', 'unknown_value', 'resource.maybe'],
    ['optional.ofNonZeroValue(resource.unset).hasValue()', 'unknown_value', 'resource.unset'],
    ['resource.?missing.value() == 1', 'missing_attribute', 'resource.missing'],
    ['resource.encryption.?kms.hasValue()', 'missing_attribute', 'resource.encryption'],
    ['resource.?missing.orValue(resource.other) == 1', 'missing_attribute', 'resource.other'],
    ['resource.?name.?first.hasValue()', 'type_error', 'resource.name.first'],
    ['resource.?nothing.?inner.hasValue()', 'type_error', 'resource.nothing.inner'],
    ['resource.name.orValue("x") == "x"', 'type_error', 'resource.name'],
    ['[?resource.port] == []', 'type_error', undefined],
    ['["x", "x"].transformMapEntry(i, v, {v: i}) == {}', 'type_error', undefined],
    ['resource.mixed.all(i, m, m.a > 0)', 'missing_attribute', 'resource.mixed[*].a'],
    ['resource.exists(k, v, k == "maybe")', 'unknown_value', 'resource[*]'],
    ['resource.unset.transformList(i, v, v).size() == 0', 'unknown_value', 'resource.unset'],
    ['cel.bind(u, resource.unset, u == 1)', 'unknown_value', 'resource.unset'],
    ['cel.bind(o, resource.owner, o.name == "x")', 'missing_attribute', 'resource.owner.name'],
    ['math.greatest(1, resource.unset) > 2', 'unknown_value', 'resource.unset'],
    ['math.least(resource.name, 2) > 2', 'type_error', 'resource.name'],
    ['math.greatest(0.0 / 0.0, 1) > 0', 'type_error', undefined],
    ['math.abs(-9223372036854775808) > 0', 'type_error', undefined],
    ['math.bitShiftLeft(1, -1) > 0', 'type_error', undefined],
    ['base64.decode(resource.name) == b""', 'type_error', 'resource.name'],
    ['resource.ingress[0.5].cidr == ""', 'type_error', undefined],
    ['now.seconds == 1', 'type_error', 'now.seconds'],
    ['resource.unset == "x"', 'unknown_value', 'resource.unset'],
    ['resource.unset != "x"', 'unknown_value', 'resource.unset'],
    ['resource.unset > 3', 'unknown_value', 'resource.unset'],
    ['resource.unset.inner == 1', 'unknown_value', 'resource.unset.inner'],
    ['resource.unset.startsWith("a")', 'unknown_value', 'resource.unset'],
    ['resource.unset', 'unknown_value', 'resource.unset'],
    ['resource.unset.exists(x, x)', 'unknown_value', 'resource.unset'],
    ['"a" in resource.unset', 'unknown_value', 'resource.unset'],
    ['size(resource.unset) > 0', 'unknown_value', 'resource.unset'],
    ['has(resource.maybe)', 'unknown_value', 'resource.maybe'],
    ['"maybe" in resource', 'unknown_value', 'resource'],
    ['"b" in resource.part', 'unknown_value', 'resource.part'],
    ['resource.part == ["a", "b"]', 'unknown_value', 'resource.part'],
    ['"%s".format([resource.unset]) == "x"', 'unknown_value', undefined],
  ])('cannot decide %s: %s', (source, reason, path) => {
    const answer = decide(source);
    expect(answer).toMatchObject({ reason, ...(path === undefined ? {} : { path }) });
    expect(typeof answer === 'object' && answer.message.length).toBeGreaterThan(10);
  });

  it.each([
    ['false && resource.missing.x'],
    ['resource.missing.x && false'],
    ['!(true || resource.missing.x)'],
    ['!(resource.missing.x || true)'],
    ['resource.unset == 1 && resource.port == 1'],
    ['resource.mixed.all(m, m.a == 7)'],
    ['!resource.mixed.exists(m, m.a == 3)'],
    ['resource.part == ["b", "b"]'],
    ['!("a" in resource.part)'],
    ['resource.name && resource.missing && false'],
  ])('is false, whatever else is open: %s', (source) => {
    expect(decide(source)).toBe(false);
  });

  it('knows that an unknown value is set', () => {
    expect(decide('has(resource.unset) && has(resource.known.inner)')).toBe(true);
    expect(decide('"unset" in resource')).toBe(true);
  });

  it('knows that a value is equal to itself before it knows the value', () => {
    expect(decide('resource.unset == resource.known.inner')).toBe(true);
    expect(decide('resource.unset != resource.known.inner')).toBe(false);
  });

  it('takes null for a value', () => {
    expect(decide('has(resource.nothing) && resource.nothing == null')).toBe(true);
    expect(decide('resource.nothing.x == 1')).toMatchObject({ reason: 'type_error' });
  });

  const inheritedNames = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

  it.each(inheritedNames)('takes a key %s for any other', (name) => {
    const withKey: unknown = JSON.parse(`{"tags": {${JSON.stringify(name)}: "mine"}}`);
    const without = { tags: {} };
    const key = JSON.stringify(name);
    for (const [source, present] of [
      [`resource.tags[${key}] == "mine"`, true],
      [`has(resource.tags.\`${name}\`)`, true],
      [`${key} in resource.tags`, true],
      [`resource.tags.exists(k, k == ${key})`, true],
      [`resource.tags == {${key}: "mine"}`, true],
      [`size(resource.tags) == 1`, true],
    ] as const) {
      expect(decide(source, withKey), source).toBe(present);
      const missing = decide(source, without);
      if (source.startsWith('resource.tags[')) {
        expect(missing, source).toMatchObject({ reason: 'missing_attribute' });
      } else {
        expect(missing, source).toBe(false);
      }
    }
  });

  it.each(['length', 'at', 'target', 'text', 'present', 'seconds', 'typeName'])(
    'finds no attribute %s where there is no map',
    (name) => {
      for (const value of ['text', [1, 2], 7, true, null, unset]) {
        expect(decide(`resource.x.${name} == 1`, { x: value })).toMatchObject({
          reason: value === unset ? 'unknown_value' : 'type_error',
        });
      }
      expect(decide(`resource.x.${name} == 1`, { x: { [name]: 1 } })).toBe(true);
    },
  );

  it('stops after a budget of steps, in nested macros over long lists', () => {
    const list = Array.from({ length: 3_000 }, (_, n) => n);
    const source = 'resource.l.all(a, resource.l.all(b, resource.l.all(c, a + b + c >= 0)))';
    expect(decide(source, { l: list })).toMatchObject({ reason: 'budget' });
    const short = { l: list.slice(0, 1_000) };
    expect(decide('resource.l.all(a, resource.l.exists(b, a == b))', short)).toBe(true);
  });

  it('reads long text and deep documents, or says that it cannot', () => {
    const long = 'a'.repeat(10_000_000);
    expect(decide('size(resource.t) == 10000000 && !resource.t.contains("b")', { t: long })).toBe(
      true,
    );
    expect(decide('resource.t.matches("(a|aa)+$b")', { t: 'a'.repeat(100_000) })).toBe(false);
    expect(decide('resource.t.replace("a", resource.t) == ""', { t: long })).toMatchObject({
      reason: 'budget',
    });
    const deep = (levels: number): unknown => {
      let inner: unknown = 1;
      for (let i = 0; i < levels; i++) inner = [inner];
      return inner;
    };
    const over = { a: deep(100_000), b: deep(100_000) };
    expect(decide('resource.a == resource.b', over)).toMatchObject({ reason: 'budget' });
  });

  it('runs ten thousand terms', () => {
    expect(decide(`${'true&&'.repeat(10_000)}resource.port == 22`)).toBe(true);
    expect(decide(`${'1+'.repeat(10_000)}1 == 10001`)).toBe(true);
    expect(decide(`resource.ingress.all(i, ${'i==i&&'.repeat(10_000)}true)`)).toBe(true);
  });
});
