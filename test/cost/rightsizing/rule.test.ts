import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, compare, parseAmount, showAmount, toNumber, zero } from '../../../src/cost/amount.ts';
import type { Amount } from '../../../src/cost/amount.ts';
import { families, findSize } from '../../../src/cost/rightsizing/catalog.ts';
import { totalOfClaims } from '../../../src/cost/rightsizing/claims.ts';
import { assess } from '../../../src/cost/rightsizing/rule.ts';
import type { Machine } from '../../../src/cost/rightsizing/rule.ts';
import { savingOf } from '../../../src/cost/rightsizing/saving.ts';
import { Utilization, codeOf, slotsOf } from '../../../src/cost/rightsizing/series.ts';
import type { Measured } from '../../../src/cost/rightsizing/series.ts';

/** 20 days, all of them measured. */
const measured = (p99_5: number, max = p99_5, more: Partial<Measured> = {}): Measured => ({
  hours: 480,
  from: 0,
  to: 20 * 96,
  p50: 1,
  p95: 2,
  p99_5,
  max,
  ...more,
});

const machine = (size: string, cpu: number, memory: number | undefined): Machine => ({
  provider: 'aws',
  size,
  cpu: measured(cpu),
  memory: memory === undefined ? undefined : measured(memory),
});

const amount = (text: string): Amount => {
  const parsed = parseAmount(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

const suggested = (given: Machine): string => {
  const found = assess(given);
  if (found.kind === 'withheld') return found.reason;
  if (found.kind === 'fits') return found.kind;
  const others = found.others.map(({ size }) => size.name).join(' ');
  return `${found.best.size.name} (${others}) ${found.risk}`;
};

describe('the size that is suggested', () => {
  it('is the smallest whose CPU and memory keep a fifth free', () => {
    // m5.4xlarge: 16 vCPUs, 64 GiB. 20 % of 16 = 3.2 vCPUs = 0.80 of the 4 of m5.xlarge: fits, just so.
    // 20 % of 64 = 12.8 GiB = 0.80 of its 16 GiB. m5.large: 3.2 of 2 vCPUs: does not fit.
    expect(suggested(machine('m5.4xlarge', 20, 20))).toBe('m5.xlarge (m5.2xlarge) high');
    // 20.5 % of 16 = 3.28 vCPUs = 0.82 of 4: too much; 0.41 of the 8 of m5.2xlarge.
    expect(suggested(machine('m5.4xlarge', 20.5, 20))).toBe('m5.2xlarge () low');
    // 20.5 % of 64 GiB = 13.12 GiB = 0.82 of 16: the same by memory.
    expect(suggested(machine('m5.4xlarge', 20, 20.5))).toBe('m5.2xlarge () low');
    // 40.5 % of 16 = 6.48 vCPUs = 0.81 of 8: nothing smaller fits.
    expect(suggested(machine('m5.4xlarge', 40.5, 1))).toBe('fits');
    expect(suggested(machine('m5.large', 1, 1))).toBe('fits');
  });

  it('has a risk by what would be in use of what is scarcer', () => {
    // m5.2xlarge: 8 vCPUs. m5.xlarge has 4: 25 % → 2 of 4 = 0.5; 32.5 % → 2.6 of 4 = 0.65; 33 % → 0.66. m5.large: too small.
    expect(suggested(machine('m5.2xlarge', 25, 1))).toBe('m5.xlarge () low');
    expect(suggested(machine('m5.2xlarge', 32.5, 1))).toBe('m5.xlarge () medium');
    expect(suggested(machine('m5.2xlarge', 33, 1))).toBe('m5.xlarge () high');
    // 5 % of 8 vCPUs = 0.4 of the 2 of m5.large = 0.2, but 160 of 480 hours, a third, were measured.
    const thin = measured(5, 5, { hours: 160 });
    expect(suggested({ ...machine('m5.2xlarge', 5, 5), cpu: thin })).toMatch(
      /^m5.large .* medium$/,
    );
  });

  it('counts of a burstable size only what it gives always, not its credits', () => {
    // t3.2xlarge: 8 vCPUs, 32 GiB. 10 % = 0.8 vCPUs. t3.xlarge: 4 × 0.4 = 1.6 → 0.5. t3.large: 2 × 0.3 = 0.6: too few.
    expect(suggested(machine('t3.2xlarge', 10, 5))).toBe('t3.xlarge () medium');
    // 2 % = 0.16 vCPUs. t3.small: 2 × 0.2 = 0.4 → 0.4; memory 5 % of 32 = 1.6 GiB = 0.8 of its 2. t3.micro: 1 GiB, too little.
    expect(suggested(machine('t3.2xlarge', 2, 5))).toMatch(
      /^t3.small \(t3.medium t3.large t3.xlarge\) high$/,
    );
  });

  it('is withheld, with the reason, where too little is known', () => {
    const whole = machine('m5.4xlarge', 5, 5);
    expect(suggested(machine('m5.4xlarge', 5, undefined))).toBe('memory_not_measured');
    expect(suggested({ ...whole, cpu: undefined })).toBe('cpu_not_measured');
    expect(suggested({ ...whole, cpu: undefined, memory: undefined })).toBe('not_measured');
    expect(suggested({ ...whole, size: undefined })).toBe('size_unknown');
    expect(suggested({ ...whole, size: 'x9.large' })).toBe('size_not_in_catalog');
    expect(suggested({ ...whole, provider: 'gcp' })).toBe('size_not_in_catalog');
    const short = measured(5, 5, { to: 14 * 96 - 1, hours: 335 });
    expect(suggested({ ...whole, cpu: short })).toBe('too_few_days');
    expect(suggested({ ...whole, memory: short })).toBe('too_few_days');
    const just = measured(5, 5, { to: 14 * 96, hours: 30 });
    expect(suggested({ ...whole, cpu: just, memory: just })).toMatch(/^m5.large/);
    expect(suggested({ ...whole, memory: measured(5, 5, { hours: 29.75 }) })).toBe('too_few_hours');
  });

  it('takes an assumed peak of memory where it is told one, at a high risk', () => {
    // 30 % of 64 GiB = 19.2 GiB = 0.6 of the 32 of m5.2xlarge.
    expect(suggested({ ...machine('m5.4xlarge', 5, undefined), assumedMemory: 30 })).toBe(
      'm5.2xlarge () high',
    );
    // What was measured counts.
    expect(suggested({ ...machine('m5.4xlarge', 5, 5), assumedMemory: 100 })).toMatch(/^m5.large/);
  });

  it('always keeps a fifth free, is cheaper and of the same family, and comes from enough hours, whatever was measured', () => {
    const sizes = Object.entries(families).flatMap(([provider, own]) =>
      own.flatMap((family) => family.sizes.map(([name]) => ({ provider, name }))),
    );
    const series = fc.record({
      hours: fc.integer({ min: 0, max: 720 }),
      days: fc.integer({ min: 1, max: 30 }),
      p99_5: fc.integer({ min: 0, max: 254 }).map((half) => half / 2),
      above: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...sizes),
        series,
        fc.option(series, { nil: undefined }),
        fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
        ({ provider, name }, cpu, memory, assumedMemory) => {
          const of = (one: typeof cpu): Measured =>
            measured(one.p99_5, one.p99_5 + one.above, { hours: one.hours, to: one.days * 96 });
          const found = assess({
            provider,
            size: name,
            cpu: of(cpu),
            memory: memory && of(memory),
            assumedMemory,
          });
          if (found.kind !== 'recommended') return;
          const { current, best, others } = found;
          const peak = memory ? of(memory).max : (assumedMemory ?? NaN);
          for (const { size } of [best, ...others]) {
            expect(size.price).toBeLessThan(current.price);
            expect(size.family).toBe(current.family);
            expect((cpu.p99_5 / 100) * current.vcpus).toBeLessThanOrEqual(size.vcpus * 0.8 + 1e-9);
            expect((peak / 100) * current.memory_gib).toBeLessThanOrEqual(
              size.memory_gib * 0.8 + 1e-9,
            );
          }
          for (const one of memory ? [cpu, memory] : [cpu]) {
            expect(one.days).toBeGreaterThanOrEqual(14);
            expect(one.hours).toBeGreaterThanOrEqual(30);
          }
          expect(memory !== undefined || assumedMemory !== undefined).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('the saving', () => {
  const [xlarge] = findSize('aws', 'm5.xlarge') ?? [];
  const [large] = findSize('aws', 'm5.large') ?? [];
  if (!xlarge || !large) throw new Error('the catalog lacks m5');

  it('is what was paid per hour, for 730 hours, times the share of the price that falls away', () => {
    // 64.512 USD in 14 days = 336 hours: 0.192 an hour, 140.16 a month; half the vCPUs, half the price: 70.08.
    const saving = savingOf(amount('64.512'), 336, xlarge, large);
    expect(saving && showAmount(saving.cost_per_hour)).toBe('0.192');
    expect(saving && showAmount(saving.monthly_cost)).toBe('140.16');
    expect(saving && showAmount(saving.monthly_saving)).toBe('70.08');
    // 1 / 336 = 0.00297619047…, cut off at six digits; 730 / 336 / 2 = 1.086309523…
    const third = savingOf(amount('1'), 336, xlarge, large);
    expect(third && showAmount(third.cost_per_hour)).toBe('0.002976');
    expect(third && showAmount(third.monthly_saving)).toBe('1.086309');
  });

  it('does not exist where nothing was paid', () => {
    expect(savingOf(amount('0'), 336, xlarge, large)).toBeUndefined();
    expect(savingOf(amount('-5'), 336, xlarge, large)).toBeUndefined();
    expect(savingOf(amount('5'), 0, xlarge, large)).toBeUndefined();
  });

  it('of several recommendations on one resource counts once, the largest, and is never more than the cost', () => {
    const claim = (resource_id: string, text: string, currency = 'USD') => ({
      resource_id,
      currency,
      amount: amount(text),
    });
    const totals = totalOfClaims([
      claim('a', '10'),
      claim('a', '25.5'),
      claim('b', '1.25'),
      claim('a', '20'),
      claim('a', '7', 'EUR'),
    ]);
    expect([...totals].map(([currency, total]) => `${currency} ${showAmount(total)}`)).toEqual([
      'USD 26.75',
      'EUR 7',
    ]);
    const machines = fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'd'),
        cents: fc.integer({ min: -100, max: 10_000_000 }),
        hours: fc.integer({ min: 1, max: 720 }),
        price: fc.integer({ min: 1, max: 64 }),
        smaller: fc.integer({ min: 1, max: 64 }),
      }),
    );
    fc.assert(
      fc.property(machines, (given) => {
        const all = given.flatMap(({ id, cents, hours, price, smaller }) => {
          const saving = savingOf(
            amount(String(cents / 100)),
            hours,
            { price },
            { price: smaller },
          );
          return saving ? [{ id, ...saving }] : [];
        });
        const cost = all.reduce((sum, one) => add(sum, one.monthly_cost), zero);
        for (const one of all)
          expect(compare(one.monthly_saving, one.monthly_cost)).toBeLessThanOrEqual(0);
        const total = totalOfClaims(
          all.map(({ id, monthly_saving }) => ({
            resource_id: id,
            currency: 'USD',
            amount: monthly_saving,
          })),
        ).get('USD');
        expect(compare(total ?? zero, cost)).toBeLessThanOrEqual(0);
        expect(toNumber(total ?? zero)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('utilization over time', () => {
  it('keeps of each quarter of an hour the highest, in half percents rounded up', () => {
    expect([0, 0.1, 0.5, 40, 0.3 * 100, 99.9, 100, 1_000].map(codeOf)).toEqual([
      1, 2, 2, 81, 61, 201, 201, 255,
    ]);
    expect(slotsOf(0, 300)).toEqual([0, 1]);
    expect(slotsOf(600, 300)).toEqual([0, 1]);
    expect(slotsOf(600, 600)).toEqual([0, 2]);
    expect(slotsOf(3_600, 3_600)).toEqual([4, 8]);
  });

  it('has percentiles by nearest rank', () => {
    const series = new Utilization();
    // 400 slots: 398 of 10 %, one of 50 %, one of 90 %. Rank 0.995 × 400 = 398: 10 %.
    series.add(
      Uint8Array.from({ length: 398 }, () => codeOf(10)),
      0,
      0,
      Infinity,
    );
    series.add(Uint8Array.of(codeOf(50), 0, codeOf(90)), 1_000, 0, Infinity);
    expect(series.measured()).toEqual({
      hours: 100,
      from: 0,
      to: 1_003,
      p50: 10,
      p95: 10,
      p99_5: 10,
      max: 90,
    });
    // One more of 50 %: 401 slots, rank ⌈398.995⌉ = 399: 50 %.
    series.add(Uint8Array.of(codeOf(50)), 900, 0, Infinity);
    expect(series.measured()?.p99_5).toBe(50);
  });

  it('leaves out what is before or after the time that is asked for', () => {
    const series = new Utilization();
    series.add(
      Uint8Array.from({ length: 10 }, (_, at) => codeOf(at)),
      100,
      103,
      106,
    );
    expect(series.measured()).toMatchObject({ from: 103, to: 106, hours: 0.75, max: 5 });
    expect(new Utilization().measured()).toBeUndefined();
  });
});
