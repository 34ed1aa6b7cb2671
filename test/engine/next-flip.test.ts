import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/contract/policies.ts';
import { prepareRules } from '../../src/engine/evaluate.ts';
import { createFlipFinder } from '../../src/engine/next-flip.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-03-20T10:07:13Z');

const denies = (condition: string): Rule[] => [{ condition, effect: 'DENY', message: 'no' }];
const at = (days: number) => new Date(start + days * day).toISOString();

/** When the condition's verdict changes first, as a text. */
function flipOf(condition: string, resource: unknown = {}, days = 365): string {
  const flip = createFlipFinder(denies(condition))(resource, start, start + days * day);
  return typeof flip === 'string' ? flip : `${flip.to.status} ${new Date(flip.at).toISOString()}`;
}

describe('the next moment at which a verdict changes', () => {
  const resource = { created: at(-80), ends: at(12), keys: [{ made: at(-10) }, { made: at(-89) }] };

  it.each([
    ['an age', 'now - timestamp(resource.created) > duration("2160h")', 'FAIL', 10, 1],
    [
      'an age by its own hours',
      '(now - timestamp(resource.created)).getHours() >= 2160',
      'FAIL',
      10,
      0,
    ],
    ['an end that comes near', 'timestamp(resource.ends) - now < duration("240h")', 'FAIL', 2, 1],
    ['an end', 'timestamp(resource.ends) <= now', 'FAIL', 12, 0],
    [
      'the first of several',
      'resource.keys.exists(k, now - timestamp(k.made) > duration("2160h"))',
      'FAIL',
      1,
      1,
    ],
    [
      'a count',
      'size(resource.keys.filter(k, now - timestamp(k.made) >= duration("2160h"))) == 2',
      'FAIL',
      80,
      0,
    ],
    [
      'a name',
      'cel.bind(age, now - timestamp(resource.created), age >= duration("2160h"))',
      'FAIL',
      10,
      0,
    ],
    ['numbers', 'int(now) - int(timestamp(resource.created)) >= 90 * 86400', 'FAIL', 10, 0],
    [
      'what it is multiplied with',
      '(int(timestamp(resource.ends)) - int(now)) * 2 <= 0',
      'FAIL',
      12,
      0,
    ],
    [
      'what an attribute chooses',
      '(has(resource.used) ? now : timestamp(resource.ends)) < now + duration("24h")',
      'FAIL',
      11,
      1,
    ],
  ])('is found for %s', (_, condition, to, days, later) => {
    expect(flipOf(condition, resource)).toBe(
      `${to} ${new Date(start + days * day + later).toISOString()}`,
    );
  });

  it('is found for a window that opens and closes', () => {
    const condition = 'now > timestamp(resource.from) && now < timestamp(resource.until)';
    const find = createFlipFinder(denies(condition));
    const window = { from: at(3), until: at(5) };
    expect(find(window, start, start + day * 30)).toMatchObject({
      at: start + 3 * day + 1,
      from: 'PASS',
      to: { status: 'FAIL' },
      because: [{ rule: 0, text: 'now > timestamp(resource.from)' }],
    });
    expect(find(window, start + 4 * day, start + day * 30)).toMatchObject({
      at: start + 5 * day,
      from: 'FAIL',
      to: { status: 'PASS' },
    });
    expect(find(window, start + 6 * day, start + day * 30)).toBe('none');
  });

  it.each([
    ['now.getDayOfWeek() in [0, 6]', 'FAIL 2026-03-21T00:00:00.000Z'],
    ['now.getDayOfWeek("America/New_York") in [0, 6]', 'FAIL 2026-03-21T04:00:00.000Z'],
    ['now.getHours("Europe/Berlin") >= 18', 'FAIL 2026-03-20T17:00:00.000Z'],
    // Summer time begins on 29 March.
    [
      'now > timestamp("2026-03-29T12:00:00Z") && now.getHours("Europe/Berlin") == 18',
      'FAIL 2026-03-29T16:00:00.000Z',
    ],
    ['now.getMonth() == 11 && now.getDate() == 24', 'FAIL 2026-12-24T00:00:00.000Z'],
    ['now.getHours() * 60 + now.getMinutes() >= 615', 'FAIL 2026-03-20T10:15:00.000Z'],
    ['now.getDate("Asia/Tokyo") != now.getDate("UTC")', 'FAIL 2026-03-20T15:00:00.000Z'],
    ['(now - duration("36h")).getFullYear() == 2027', 'FAIL 2027-01-02T12:00:00.000Z'],
  ])('is found for a clock: %s', (condition, expected) => {
    expect(flipOf(condition)).toBe(expected);
  });

  it.each([
    ['string(now).startsWith("2026-04")'],
    ['[now].exists(t, t > timestamp("2026-04-01T00:00:00Z"))'],
    ['{"now": now}["now"] > timestamp("2026-04-01T00:00:00Z")'],
    ['now.getMilliseconds() < 1'],
    ['(int(now) % 7200) > 3600'],
    // Whole hours of both: goes to and fro.
    [
      '(now - timestamp("2026-03-01T00:20:00Z")).getHours() + (timestamp("2026-04-01T00:00:00Z") - now).getHours() > 742',
    ],
  ])('is unknown where time cannot be followed: %s', (condition) => {
    expect(flipOf(condition)).toBe('unknown');
  });

  it('is unknown where it takes too many steps', () => {
    expect(flipOf('now.getMinutes("Asia/Kolkata") > 60')).toBe('unknown');
  });

  it('never comes where what is not evaluated would change, or nothing reads the time', () => {
    expect(flipOf('false && now > timestamp("2026-04-01T00:00:00Z")')).toBe('none');
    expect(flipOf('resource.a == 1', { a: 1 })).toBe('none');
    expect(flipOf('now > timestamp("2027-12-01T00:00:00Z")')).toBe('none');
  });

  it('is one from what cannot be decided, too', () => {
    const condition = 'now < timestamp("2026-03-25T00:00:00Z") || resource.missing == 1';
    expect(flipOf(`!(${condition})`)).toBe('ERROR 2026-03-25T00:00:00.000Z');
  });

  it('says little of many comparisons that change at once', () => {
    const dates = Array.from({ length: 1_000 }, () => at(5));
    const condition = `!resource.dates.all(x, timestamp(x) > now || "${'x'.repeat(5_000)}" == x)`;
    const flip = createFlipFinder(denies(condition))({ dates }, start, start + 30 * day);
    expect(flip).toMatchObject({ at: start + 5 * day, because: [{ text: 'timestamp(x) > now' }] });
  });

  it('counts all rules of a policy', () => {
    const rules = [
      ...denies('now > timestamp("2026-05-01T00:00:00Z")'),
      { condition: 'now < timestamp("2026-04-01T00:00:00Z")', effect: 'ALLOW' as const },
    ];
    const flip = createFlipFinder(rules)({}, start, start + 365 * day);
    expect(flip).toMatchObject({
      at: Date.parse('2026-04-01T00:00:00Z'),
      from: 'PASS',
      to: { status: 'FAIL' },
    });
  });
});

describe('for any condition', () => {
  const days = 12;
  const moment = fc.integer({ min: -days * 24 * 4, max: days * 24 * 4 }).map((quarters) => start + quarters * 15 * minute); // prettier-ignore
  const literal = moment.map((ms) => `timestamp("${new Date(ms).toISOString()}")`);
  const length = fc.integer({ min: 0, max: 10 * 24 }).map((hours) => `duration("${hours}h")`);
  const zone = fc.constantFrom('', '"Europe/Berlin"', '"America/St_Johns"', '"Asia/Kathmandu"');
  const field = fc.constantFrom('getDayOfWeek', 'getDate', 'getHours', 'getDayOfYear');
  const compare = fc.constantFrom('<', '<=', '>', '>=', '==', '!=');
  const attribute = fc.constantFrom('resource.a', 'resource.b').map((path) => `timestamp(${path})`);
  const date = fc.oneof(literal, attribute);
  const comparison = fc.oneof(
    fc.tuple(date, compare).map(([when, op]) => `now ${op} ${when}`),
    fc.tuple(date, compare, length).map(([when, op, age]) => `now - ${when} ${op} ${age}`),
    fc.tuple(date, compare, length).map(([when, op, age]) => `${when} - now ${op} ${age}`),
    fc.tuple(date, length, compare, date).map(([when, age, op, b]) => `${when} - (now + ${age}) ${op} now - ${b}`), // prettier-ignore
    fc.tuple(field, zone, compare, fc.integer({ min: 0, max: 31 })).map(([name, of, op, n]) => `now.${name}(${of}) ${op} ${n}`), // prettier-ignore
    fc.tuple(date, compare, fc.integer({ min: -200, max: 200 })).map(([when, op, n]) => `(now - ${when}).getHours() ${op} ${n}`), // prettier-ignore
    fc.tuple(compare, length).map(([op, age]) => `cel.bind(age, now - timestamp(resource.a), age ${op} ${age})`), // prettier-ignore
    fc.tuple(compare, length).map(([op, age]) => `resource.all.exists(x, now - timestamp(x) ${op} ${age})`), // prettier-ignore
    fc.tuple(compare, length, compare).map(([op, age, by]) => `size(resource.all.filter(x, now - timestamp(x) ${op} ${age})) ${by} 1`), // prettier-ignore
    fc.constantFrom('resource.flag', 'resource.missing'),
  );
  const { condition } = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      comparison,
      fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map(([a, op, b]) => `(${a} ${op} ${b})`), // prettier-ignore
      tie('condition').map((a) => `!(${a})`),
      fc.tuple(tie('condition'), tie('condition'), tie('condition')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`), // prettier-ignore
    ),
  }));
  const resources = fc.record({
    a: moment.map((ms) => new Date(ms).toISOString()),
    b: moment.map((ms) => new Date(ms).toISOString()),
    all: fc.array(moment.map((ms) => new Date(ms).toISOString()), { maxLength: 3 }), // prettier-ignore
    flag: fc.boolean(),
  });

  it('no verdict changes unannounced, and every change that is announced comes at its moment', () => {
    const end = start + days * day;
    fc.assert(
      fc.property(condition, resources, (text, resource) => {
        const { decide } = prepareRules(denies(text));
        const room = { left: Number.MAX_SAFE_INTEGER };
        const flip = createFlipFinder(denies(text))(resource, start, end, room);
        const statusAt = (ms: number) => decide(resource, ms).status;
        const from = statusAt(start);
        const until = typeof flip === 'string' ? end : flip.at - 1;
        expect(flip, text).not.toBe('unknown');
        for (let ms = start; ms < until; ms += 7 * minute) expect(statusAt(ms), text).toBe(from);
        expect(statusAt(until), text).toBe(from);
        if (typeof flip === 'string') return;
        expect(flip.from).toBe(from);
        expect(flip.to.status).toBe(statusAt(flip.at));
        expect(flip.to.status).not.toBe(from);
        expect(flip.because.every(({ text: part }) => text.includes(part))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
