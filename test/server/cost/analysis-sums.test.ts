import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CostAnalysis } from '../../../src/contract/cost.ts';
import { AmountSum, parseAmount, showAmount } from '../../../src/cost/amount.ts';
import { analyzeCost } from '../../../src/server/cost/analysis.ts';
import { costPeriods } from '../../../src/server/cost/collection.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { createAssessor } from '../../../src/server/rightsizing/assess-all.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

let service: TestService;
let onRead: () => Promise<void>;
/** Awaits `onRead` before each blob is read. */
const watched = (store: Store): Store =>
  new Proxy(store, {
    get(target, name) {
      if (name !== 'blobs') {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      }
      return {
        ...target.blobs,
        create: target.blobs.create.bind(target.blobs),
        stat: target.blobs.stat.bind(target.blobs),
        remove: target.blobs.remove.bind(target.blobs),
        list: target.blobs.list.bind(target.blobs),
        async *read(id: string, range?: { start: number; end: number }) {
          await onRead();
          yield* target.blobs.read(id, range);
        },
      };
    },
  });
beforeEach(async () => {
  onRead = async () => {};
  service = await startTestService({ wrapStore: watched });
});
afterEach(() => service.close());

interface Charge {
  readonly provider: string;
  readonly billing_account: string;
  readonly account: string;
  readonly service: string;
  readonly resource: string;
  readonly category: string;
  readonly currency: string;
  readonly cost: string;
  readonly day: string;
  readonly period: string;
  readonly team: string;
}

const charge: fc.Arbitrary<Charge> = fc.record({
  provider: fc.constantFrom('aws', 'gcp'),
  billing_account: fc.constantFrom('1', '2'),
  account: fc.constantFrom('a', 'b', ''),
  service: fc.constantFrom('S3', 'EC2', 'RDS, of "quotes"'),
  resource: fc.constantFrom('', 'r1', 'r2'),
  category: fc.constantFrom('Usage', 'Credit', 'Tax'),
  currency: fc.constantFrom('USD', 'EUR'),
  cost: fc
    .tuple(fc.boolean(), fc.nat(9_999), fc.bigInt({ min: 0n, max: 10n ** 11n - 1n }))
    .map(([minus, whole, rest]) => `${minus ? '-' : ''}${whole}.${String(rest).padStart(11, '0')}`),
  day: fc.constantFrom('2025-12-31', '2026-01-01', '2026-01-15', '2026-01-31', '2026-02-01', '2026-02-07', '2026-02-28', '2026-03-01'), // prettier-ignore
  // A correction may be billed in a later month.
  period: fc.constantFrom('2025-12', '2026-01', '2026-02', '2026-03'),
  team: fc.constantFrom('', 'x', 'y'),
});

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const csvOf = (charges: readonly Charge[]): string =>
  [
    'ProviderName,BillingAccountId,SubAccountId,ServiceName,ResourceId,ChargeCategory,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Tags', // prettier-ignore
    ...charges.map((one) =>
      [one.provider, one.billing_account, one.account, one.service, one.resource, one.category, one.currency, one.cost, one.day, `${one.period}-01`, one.team === '' ? '' : JSON.stringify({ Team: one.team })] // prettier-ignore
        .map(cell)
        .join(','),
    ),
    '',
  ].join('\n');

async function forget(): Promise<void> {
  await service.deps.store.transact(async (tx) => {
    const page = await tx.page(costPeriods, { where: {}, orderBy: 'id', direction: 'asc', limit: 1_000 }); // prettier-ignore
    for (const { doc } of page.rows) await tx.remove(costPeriods, doc.id);
  });
}

const sumOf = (charges: readonly Charge[]): string => {
  const sum = new AmountSum();
  for (const { cost } of charges) {
    const parsed = parseAmount(cost);
    if (typeof parsed === 'string') throw new Error(parsed);
    sum.add(parsed);
  }
  return showAmount(sum.total);
};

const fields = {
  provider: (one: Charge) => one.provider,
  billing_account: (one: Charge) => one.billing_account,
  account: (one: Charge) => one.account,
  service: (one: Charge) => one.service,
  resource: (one: Charge) => one.resource,
  category: (one: Charge) => one.category,
  'tag:team': (one: Charge) => one.team,
  owner: (one: Charge) => one.team,
} as const;
type Field = keyof typeof fields;

const ask = (query: Record<string, unknown>): Promise<CostAnalysis> =>
  analyzeCost(
    service.deps,
    { metric: 'effective', limit: 100, offset: 0, ...query } as Parameters<typeof analyzeCost>[1],
    {
      signal: new AbortController().signal,
      ownerTags: ['owner', 'team'],
      assessor: createAssessor(service.deps),
    },
  );

const blocksOf = (found: CostAnalysis) => [found, ...found.other_currencies];

describe('the sums of an analysis', () => {
  it('equal those of adding all charges, by any grouping and filter, from roll-ups or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(charge, { minLength: 1, maxLength: 40 }),
        fc.subarray(Object.keys(fields) as Field[], { maxLength: 3 }),
        fc.record(
          {
            category: fc.constantFrom<string[]>(['Usage'], ['Usage', 'Tax']),
            provider: fc.constant<string[]>(['aws']),
          },
          { requiredKeys: [] },
        ),
        fc.constantFrom('day', 'week', 'month'),
        async (charges, groupBy, filters, granularity) => {
          await putFocus(service, csvOf(charges));
          const found = await ask({ start: '2026-01-01', end: '2026-03-01', compare_start: '2025-12-31', compare_end: '2026-01-01', group_by: groupBy, granularity, ...filters }); // prettier-ignore
          const counted = charges.filter(
            (one) =>
              (filters.category?.includes(one.category) ?? true) &&
              (filters.provider?.includes(one.provider) ?? true),
          );
          const inRange = counted.filter(({ day }) => day >= '2026-01-01' && day < '2026-03-01');
          const before = counted.filter(({ day }) => day === '2025-12-31');
          for (const { currency, amount, previous } of found.totals) {
            const isOwn = (one: Charge) => one.currency === currency;
            expect([amount, previous]).toEqual([sumOf(inRange.filter(isOwn)), sumOf(before.filter(isOwn))]); // prettier-ignore
          }
          expect(found.totals.map(({ currency }) => currency).sort()).toEqual(
            [...new Set([...inRange, ...before].map(({ currency }) => currency))].sort(),
          );
          for (const block of blocksOf(found)) {
            const own = inRange.filter(({ currency }) => currency === block.currency);
            for (const { start, end, amount } of block.series) {
              expect(amount).toBe(sumOf(own.filter(({ day }) => day >= start && day < end)));
            }
            for (const { key, amount, series } of block.groups) {
              const inGroup = own.filter((one) =>
                groupBy.every((field) => fields[field](one) === (key[field] ?? '')),
              );
              expect(amount).toBe(sumOf(inGroup));
              for (const [at, part] of series.entries()) {
                const { start = '', end = '' } = block.series[at] ?? {};
                expect(part).toBe(sumOf(inGroup.filter(({ day }) => day >= start && day < end)));
              }
            }
            const team = block.untagged.find(({ tag }) => tag === 'team');
            expect(team?.amount ?? '0').toBe(sumOf(own.filter((one) => one.team === '')));
          }
          await forget();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are those of before or after an import that replaces periods meanwhile, never of both', async () => {
    const all = (cost: string) =>
      ['2026-01', '2026-02'].map((period): Charge => ({ provider: 'aws', billing_account: '1', account: 'a', service: 'S3', resource: 'r', category: 'Usage', currency: 'USD', cost, day: `${period}-05`, period, team: '' })); // prettier-ignore
    await putFocus(service, csvOf(all('1')));
    let cost = 1;
    let reads = 0;
    let isReplacing = false;
    onRead = async () => {
      reads += 1;
      if (isReplacing || cost === 4 || reads % 2 === 0) return;
      isReplacing = true;
      const old = await service.deps.store.page(costPeriods, { where: {}, orderBy: 'id', direction: 'asc', limit: 10 }); // prettier-ignore
      cost += 1;
      await putFocus(service, csvOf(all(String(cost))));
      for (const { doc } of old.rows) await service.deps.store.blobs.remove(doc.charges.blob);
      isReplacing = false;
    };
    const found = await ask({ start: '2026-01-01', end: '2026-03-01', group_by: ['service', 'resource'], granularity: 'month' }); // prettier-ignore
    const [january, february] = found.series.map(({ amount }) => amount);
    expect(january).toBe(february);
    expect(cost).toBeGreaterThan(1);
  });
});
