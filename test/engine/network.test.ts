import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../src/contract/resources.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { closureEvaluator, codeEvaluator } from './back-ends.ts';

const conditions = new Map(
  ['is_internet', 'is_private'].map((name) => {
    const compiled = compileCondition(`${name}(resource.cidrs)`);
    if (!compiled.ok) throw new Error(compiled.problem.message);
    const { program } = compiled.condition;
    return [name, [closureEvaluator(program), codeEvaluator(program)] as const];
  }),
);

/** The answer of both back ends, or the reason why there is none. */
function ask(name: string, cidrs: readonly unknown[]): unknown {
  const [closures, code] = (conditions.get(name) ?? []).map((run) => run({ cidrs }, 0));
  expect(code).toEqual(closures);
  return typeof closures === 'object' ? closures.reason : closures;
}

const isInternet = (...cidrs: unknown[]): unknown => ask('is_internet', cidrs);
const isPrivate = (...cidrs: unknown[]): unknown => ask('is_private', cidrs);

const unknown = new UnknownValue('Ref Office');

describe('a list of ranges lets in the internet', () => {
  it.each([
    [['0.0.0.0/0']],
    [['::/0']],
    [['0:0:0:0:0:0:0:0/0']],
    [['0000::0/0']],
    [['::0.0.0.0/0']],
    [['1.2.3.4/0']],
    [['2001:db8::1/0']],
    [['0.0.0.0/1']],
    [['0.0.0.0/1', '128.0.0.0/1']],
    [['::/1', '8000::/1']],
    [['2000::/3']],
    [['2A00::/12']],
    [['2620::/31']],
    [['2620::/32', '2620:1::/32']],
    [['8.0.0.0/7']],
    [['8.0.0.0/8', '9.0.0.0/8']],
    [['8.0.0.0/8', '60.0.0.0/8']],
    [['10.0.0.0/7']],
    [Array.from({ length: 512 }, (_, n) => `${n % 2 === 0 ? 20 + n / 2 : 20}.${n % 256}.0.0/9`)],
    [['10.0.0.0/8', '0.0.0.0/0']],
    [['::ffff:0:0/96']],
    [['::ffff:0.0.0.0/97', '::ffff:128.0.0.0/97']],
    [['64:ff9b::/96']],
    [['::/64']],
    [['::ffff:8.0.0.0/104', '9.0.0.0/8']],
  ])('%j', (cidrs) => {
    expect(isInternet(...cidrs)).toBe(true);
    expect(isPrivate(...cidrs)).toBe(false);
  });
});

describe('a list of ranges lets in somebody outside, but not the internet', () => {
  it.each([
    [['203.0.113.7']],
    [['203.0.113.7/32', '198.51.100.0/24']],
    [['17.0.0.0/8']],
    [['2001:db8::/32']],
    [['2001:db8::1']],
    [['2606:4700::/32', '2803:f800::/32', '2a06:98c0::/32']],
    [['10.0.0.0/8', '203.0.113.7/32']],
    [['::ffff:203.0.113.7']],
    [['64:ff9b::cb00:7107/128']],
    [['64:ff9b::17.0.0.0/104']],
  ])('%j', (cidrs) => {
    expect(isInternet(...cidrs)).toBe(false);
    expect(isPrivate(...cidrs)).toBe(false);
  });
});

describe('a list of ranges contains no address of the internet', () => {
  it.each([
    [[]],
    [['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '127.0.0.1']],
    [['fc00::/7', '::1', 'fe80::/10']],
    [['::ffff:10.0.0.0/104', '64:ff9b::c0a8:0/112', '::ffff:127.0.0.1']],
    [['10.0.0.0/9', '10.128.0.0/9']],
    [['0.0.0.0/32', '255.255.255.255/32', '224.0.0.0/3']],
  ])('%j', (cidrs) => {
    expect(isInternet(...cidrs)).toBe(false);
    expect(isPrivate(...cidrs)).toBe(true);
  });
});

describe('of a list of ranges that is not known as a whole', () => {
  it('is known what the others decide', () => {
    expect(isInternet(unknown, '0.0.0.0/0')).toBe(true);
    expect(isInternet('203.0.113.7/32', unknown)).toBe('unknown_value');
    expect(isPrivate(unknown, '203.0.113.7/32')).toBe(false);
    expect(isPrivate('10.0.0.0/8', unknown)).toBe('unknown_value');
  });

  it.each(['Internet', '0.0.0.0/33', '010.0.0.0/8', '', '1.2.3.4-1.2.3.9', '1:2/3', 7])(
    'nothing is decided by %j, which is no range',
    (odd) => {
      expect(isInternet(odd)).toBe('type_error');
      expect(isPrivate(odd)).toBe('type_error');
      expect(isInternet(odd, '::/0')).toBe(true);
      expect(isPrivate(odd, '203.0.113.7/32')).toBe(false);
    },
  );

  it('nor by what is no list', () => {
    expect(ask('is_internet', unknown as never)).toBe('unknown_value');
    expect(ask('is_private', '10.0.0.0/8' as never)).toBe('type_error');
  });
});

describe('the verdict on a list of ranges', () => {
  const v4 = fc
    .tuple(
      fc.integer({ min: 0, max: 255 }),
      fc.integer({ min: 0, max: 255 }),
      fc.integer({ min: 0, max: 31 }),
    )
    .map(([a, b, bits]) => ({ address: [a, b, 0, 0], bits }));
  const show = ({ address, bits }: { address: number[]; bits: number }): string =>
    `${address.join('.')}/${bits}`;
  /** Both halves of a range. */
  const halves = ({ address, bits }: { address: number[]; bits: number }) => {
    const number = address.reduce((all, byte) => all * 256 + byte, 0);
    const size = 2 ** (32 - bits);
    const first = Math.floor(number / size) * size;
    return [first, first + size / 2].map((start) => ({
      address: [24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256),
      bits: bits + 1,
    }));
  };

  it('is the same for a range and for its halves, in any order', () => {
    fc.assert(
      fc.property(fc.array(v4, { minLength: 1, maxLength: 5 }), ([first, ...others]) => {
        if (!first) return;
        const whole = [first, ...others].map(show);
        const split = [...others, ...halves(first).toReversed()].map(show);
        expect(isPrivate(...split)).toBe(isPrivate(...whole));
        // A range that is wider than any organization's counts also where half of it is private.
        if (first.bits >= 8) expect(isInternet(...split)).toBe(isInternet(...whole));
      }),
    );
  });

  it('only ever gets wider with a further range', () => {
    fc.assert(
      fc.property(fc.array(v4, { maxLength: 5 }), v4, (ranges, further) => {
        const [fewer, more] = [ranges.map(show), [...ranges, further].map(show)];
        if (isInternet(...fewer) === true) expect(isInternet(...more)).toBe(true);
        if (isPrivate(...fewer) === false) expect(isPrivate(...more)).toBe(false);
        if (isInternet(...more) === true) expect(isPrivate(...more)).toBe(false);
      }),
    );
  });
});
