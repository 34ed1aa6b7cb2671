import { afterEach, describe, expect, it } from 'vitest';
import type { CostForecasts } from '../../../src/contract/cost-forecast.ts';
import { completeDays, expectedTotal, withCharges } from '../../../src/server/cost/service.ts';
import { inventoryOf } from '../inventory-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const dayAt = (n: number): string => new Date(Date.UTC(2025, 10, 1 + n)).toISOString().slice(0, 10);
const heads =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,ChargeCategory,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId,Tags\n';

interface Line {
  readonly day: string;
  readonly cost: number;
  readonly service?: string;
  readonly currency?: string;
  readonly category?: string;
  readonly resource?: string;
  readonly tags?: string;
}
const focus = (lines: readonly Line[]): string =>
  heads +
  lines
    .map(
      ({
        day,
        cost,
        service: name = 'EC2',
        currency = 'USD',
        category = 'Usage',
        resource = '',
        tags = '',
      }) =>
        [
          'AWS',
          '1',
          '11',
          name,
          currency,
          category,
          cost,
          day,
          `${day.slice(0, 7)}-01`,
          resource,
          tags,
        ].join(),
    )
    .join('\n');

/** Usage of each day from 2025-11-01 to 2026-02-27: more on weekdays. */
const days = Array.from({ length: 119 }, (_, n) => dayAt(n));
const costOn = (n: number, cost = 100): number => (n % 7 < 5 ? cost : cost / 2);
const usage = (of: Partial<Line> = {}, cost = 100): Line[] =>
  days.map((day, n) => ({ day, cost: costOn(n, cost), ...of }));

/** What usage is in a span, one day after the other. */
function usageOf(start: string, end: string): number {
  let sum = 0;
  for (let n = days.indexOf('2025-11-01'); dayAt(n) < end; n++) {
    if (dayAt(n) >= start) sum += costOn(n);
  }
  return sum;
}

/** A service whose clock says 2026-03-01 12:00. */
async function serviceWith(...lines: Line[]): Promise<TestService> {
  service = await startTestService();
  await putFocus(service, focus(lines));
  return service;
}

async function forecasts(its: TestService, search = ''): Promise<CostForecasts> {
  const got = await its.send('GET', `/v1/cost/forecast${search}`);
  expect([got.status, got.text]).toEqual([200, expect.any(String)]);
  return got.json as CostForecasts;
}

describe('GET /v1/cost/forecast', () => {
  it('forecasts daily cost with intervals, their sum, the month, and how good such forecasts were', async () => {
    const its = await serviceWith(...usage());
    const { history, forecasts: all } = await forecasts(its, '?horizon_days=35');
    // 2026-02-27 is the last day with charges: it may not be all there.
    expect(history).toEqual({ start: '2025-11-01', end: '2026-02-27' });
    expect(all).toHaveLength(1);
    const [total] = all;
    expect(total).toMatchObject({ currency: 'USD', part: 'total', method: 'median_of_three' });
    expect(total?.points).toHaveLength(35);
    expect(total?.points[0]).toEqual({
      date: '2026-02-27',
      mean: '50',
      interval_80: [expect.any(String), expect.any(String)],
      interval_95: [expect.any(String), expect.any(String)],
    });
    expect(total?.total).toMatchObject({
      start: '2026-02-27',
      end: '2026-04-03',
      mean: String(usageOf('2026-02-27', '2026-04-03')),
    });
    expect(total?.months).toMatchObject([
      {
        month: '2026-02',
        so_far: String(usageOf('2026-02-01', '2026-02-27')),
        mean: String(usageOf('2026-02-01', '2026-03-01')),
      },
      { month: '2026-03', so_far: '0', mean: String(usageOf('2026-03-01', '2026-04-01')) },
    ]);
    expect(total?.backtest).toMatchObject({ forecasts: 13, mae: '0', seasonal_naive_mae: '0' });
    expect(total?.backtest?.coverage).toBeGreaterThanOrEqual(0);
    expect(total?.history.at(-1)).toEqual({ date: '2026-02-26', cost: '50' });
  });

  it('has a forecast for each currency, and for each of the largest groups; the rest is one', async () => {
    const small = Array.from({ length: 11 }, (_, n) => usage({ service: `S${n}` }, 2 ** n));
    const its = await serviceWith(...usage({ currency: 'EUR' }), ...small.flat());
    const { forecasts: all } = await forecasts(its, '?group_by=service&horizon_days=7');
    expect(all.map(({ currency, part, key = '' }) => `${currency} ${part} ${key}`.trim())).toEqual([
      'EUR total',
      'EUR group EC2',
      'USD total',
      ...Array.from({ length: 10 }, (_, n) => `USD group S${10 - n}`),
      'USD other',
    ]);
    expect(all.at(-1)?.total?.mean).toBe('6');
  });

  it('counts usage only, by the filters and the metric that are asked for', async () => {
    const its = await serviceWith(
      ...usage({ tags: '"{""team"":""a""}"' }),
      ...usage({ service: 'S3' }, 10),
      { day: '2026-02-10', cost: 9_999, category: 'Purchase' },
      { day: '2026-02-11', cost: -50, category: 'Credit' },
    );
    const meanOf = async (search: string) =>
      (await forecasts(its, `?horizon_days=1${search}`)).forecasts.map(({ total }) => total?.mean);
    expect(await meanOf('')).toEqual(['55']);
    expect(await meanOf('&service=S3')).toEqual(['5']);
    expect(await meanOf('&service=S3,EC2&metric=billed')).toEqual(['55']);
    expect(await meanOf('&tag=team=a')).toEqual(['50']);
    expect(await meanOf('&currency=EUR')).toEqual([]);
    expect(await meanOf('&provider=azure')).toEqual([]);
  });

  it('takes owners from the tags of a charge, else from the inventory, as an analysis does', async () => {
    const its = await serviceWith(
      ...usage({ tags: '"{""team"":""shop""}"' }),
      ...usage({ resource: 'i-1' }, 10),
      ...usage({ resource: 'i-2' }, 4),
    );
    const meanBy = async (search: string) =>
      (await forecasts(its, `?horizon_days=1&${search}`)).forecasts.map(
        ({ part, key, total }) => [key ?? part, total?.mean], // prettier-ignore
      );
    expect(await meanBy('owner=shop')).toEqual([['total', '50']]);
    const inventory = inventoryOf(its);
    await inventory.put('i-1', { tags: { Owner: 'ann' }, environment: 'prod' });
    expect(await meanBy('group_by=owner')).toEqual([
      ['total', '57'],
      ['shop', '50'],
      ['ann', '5'],
      ['', '2'],
    ]);
    expect(await meanBy('environment=prod')).toEqual([['total', '5']]);
    await inventory.put('i-2', { tags: { Owner: 'ann' } });
    expect(await meanBy('owner=ann')).toEqual([['total', '7']]);
  });

  it('says why there is none under 7 days, and that the mean is wide under 28', async () => {
    const its = await serviceWith(...usage().slice(-6));
    const { forecasts: few } = await forecasts(its);
    expect(few).toMatchObject([
      { method: 'none', reason: '5 days of data; a forecast requires 7', points: [], months: [] },
    ]);
    await putFocus(its, focus(usage().slice(-20)));
    const { forecasts: some } = await forecasts(its);
    expect(some).toMatchObject([{ method: 'mean', note: expect.stringContaining('19 days') }]);
  });

  it('begins after the last month without any charges', async () => {
    const its = await serviceWith(...usage().filter(({ day }) => !day.startsWith('2025-12')));
    expect((await forecasts(its)).history?.start).toBe('2026-01-01');
  });

  it.each(['0', '366', '10000', 'x'])('refuses a horizon of %s days with the limits', async (n) => {
    service = await startTestService();
    const got = await service.send('GET', `/v1/cost/forecast?horizon_days=${n}`);
    expect(got.status).toBe(400);
    expect(fieldsOf(got)).toEqual(['horizon_days']);
    if (n !== 'x') expect(got.text).toMatch(n === '0' ? />=1|at least 1/ : /<=365|at most 365/);
  });

  it('refuses to group by what no charge has, and those who may not see cost', async () => {
    service = await startTestService();
    const got = await service.send('GET', '/v1/cost/forecast?group_by=colour');
    expect([got.status, got.text]).toEqual([400, expect.stringContaining('tag:KEY')]);
    const reader = await service.keyWith('governance:read');
    expect((await service.send('GET', '/v1/cost/forecast', { key: reader })).status).toBe(403);
    const costReader = await service.keyWith('cost:read');
    const none = await service.send('GET', '/v1/cost/forecast', { key: costReader });
    expect(none.json).toMatchObject({ history: null, forecasts: [] });
  });
});

describe('the days that are complete', () => {
  const period = (of: object) => ({
    provider: 'aws',
    billing_account: '1',
    period: '2026-02',
    first_day: '2026-02-01',
    last_day: '2026-02-10',
    imported_at: '2026-03-01T00:00:00.000Z',
    ...of,
  });

  it('are those with later charges, and the last of a month', () => {
    expect(completeDays([])).toBeUndefined();
    expect(completeDays([period({})])).toEqual({ start: '2026-02-01', end: '2026-02-10' });
    const whole = period({ last_day: '2026-02-28', imported_at: '2026-03-02T00:00:00.000Z' });
    expect(completeDays([whole])).toEqual({ start: '2026-02-01', end: '2026-03-01' });
  });

  it('were imported 24 hours after they ended', () => {
    const at = (imported_at: string) => completeDays([period({ imported_at })])?.end;
    expect(at('2026-02-10T06:00:00.000Z')).toBe('2026-02-09');
    expect(at('2026-02-11T06:00:00.000Z')).toBe('2026-02-10');
    expect(at('2026-02-02T06:00:00.000Z')).toBeUndefined();
  });

  it('are those of the latest account, unless it has had no charges for a week', () => {
    const other = (last_day: string) => period({ billing_account: '2', last_day });
    expect(completeDays([period({}), other('2026-02-07')])?.end).toBe('2026-02-07');
    expect(completeDays([period({}), other('2026-02-03')])?.end).toBe('2026-02-10');
  });
});

describe('the expected total of a period', () => {
  const february = { start: '2026-02-01', end: '2026-03-01', currency: 'USD' } as const;

  it('is what was spent, whatever its category, and the forecast of the remaining usage', async () => {
    const { deps } = await serviceWith(
      ...usage(),
      { day: '2026-02-10', cost: 1_000, category: 'Purchase' },
      { day: '2026-02-27', cost: 500, category: 'Tax' },
    );
    const signal = new AbortController().signal;
    const expected = (days: object = {}, filters: object = {}) =>
      withCharges(deps.store, { filters, measure: 'effective', ownerTags: [], signal }, (charges) =>
        expectedTotal(charges, { ...february, ...days }, signal),
      );
    expect(await expected()).toMatchObject({
      mean: usageOf('2026-02-01', '2026-03-01') + 1_500,
      from: '2026-02-27',
      method: 'median_of_three',
    });
    expect(await expected({ start: '2026-03-01', end: '2026-04-01' })).toMatchObject({
      mean: usageOf('2026-03-01', '2026-04-01'),
      from: '2026-03-01',
    });
    const january = usageOf('2026-01-01', '2026-02-01');
    expect(await expected({ start: '2026-01-01', end: '2026-02-01' })).toMatchObject({
      mean: january,
      interval80: [january, january],
      from: '2026-02-01',
    });
    expect(await expected({}, { service: ['none'] })).toEqual({
      reason: '0 days of data; a forecast requires 7',
    });
  });
});
