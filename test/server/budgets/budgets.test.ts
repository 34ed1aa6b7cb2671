import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../inventory-service.ts';
import { fieldsOf } from '../test-service.ts';
import { importFiles } from '../cost-imports/import-files.ts';
import { focusOf, inBrief, startBudgets } from './budget-world.ts';
import type { BudgetWorld } from './budget-world.ts';

let world: BudgetWorld;
beforeEach(async () => {
  world = await startBudgets();
});
afterEach(() => world.close());

const day = 86_400_000;

describe('a budget', () => {
  it('is monthly, counts what is billed, and has thresholds of 80 and 100% unless it says otherwise', async () => {
    const { json } = await world.ok('POST', '/v1/budgets', {
      name: 'platform',
      amount: 1000.5,
      currency: 'USD',
    });
    expect(json).toMatchObject({
      name: 'platform',
      amount: '1000.5',
      period: 'month',
      metric: 'billed',
      thresholds: [
        { percent: 80, on: 'actual' },
        { percent: 100, on: 'actual' },
        { percent: 100, on: 'forecast' },
      ],
    });
    expect(json.status).toBeUndefined();
  });

  it('says what was spent, exactly: purchases, taxes and credits count', async () => {
    await world.spend(
      { day: '2026-03-01', billed: '0.1' },
      { day: '2026-03-02', billed: '0.2', effective: '9' },
      { day: '2026-03-03', billed: '-0.05' },
      { day: '2026-02-28', billed: '70' },
      { day: '2026-04-01', billed: '70', month: '2026-03' },
    );
    const id = await world.budget({ amount: '10' });
    expect(await world.status(id)).toMatchObject({
      period: '2026-03',
      start: '2026-03-01',
      end: '2026-04-01',
      spent: '0.25',
      spent_percent: 2.5,
      remaining: '9.75',
      data_until: '2026-03-31',
      incomplete: [],
      other_currencies: [],
    });
    await world.change(id, { metric: 'effective' });
    expect(await world.status(id)).toMatchObject({ spent: '9.05' });
  });

  it.each([
    ['quarter', '2026-Q1', '2026-01-01', '2026-04-01', '111'],
    ['year', '2026', '2026-01-01', '2027-01-01', '1111'],
  ])('of a %s counts its calendar period', async (period, label, start, end, spent) => {
    await world.spend(
      { day: '2025-12-31', billed: '10000' },
      { day: '2026-01-01', billed: '1' },
      { day: '2026-02-01', billed: '10' },
      { day: '2026-03-31', billed: '100' },
      { day: '2026-04-01', billed: '1000' },
    );
    const id = await world.budget({ period });
    expect(await world.status(id)).toMatchObject({ period: label, start, end, spent });
  });

  it.each([
    ['provider', { provider: 'azure' }, '1000'],
    ['accounts', { account: ['1', '2'] }, '11'],
    ['service', { service: 'S3' }, '100'],
    ['tags, all of them', { tags: { Team: ['a', 'b'], environment: 'prod' } }, '10'],
    ['owner and service', { owner: 'ann', service: 'S3' }, '100'],
    ['a tag that no charge has', { tags: { nobody: 'x' } }, '0'],
  ])('counts only charges of its %s', async (_, filter, spent) => {
    await world.spend(
      { day: '2026-03-01', billed: '1', tags: { team: 'a' } },
      { day: '2026-03-01', billed: '10', account: '2', tags: { team: 'b', environment: 'prod' } },
      { day: '2026-03-01', billed: '100', account: '3', service: 'S3', tags: { owner: 'ann' } },
      { day: '2026-03-01', billed: '1000', account: '4', provider: 'Azure' },
    );
    const id = await world.budget({ filter });
    expect(await world.status(id)).toMatchObject({ spent });
  });

  it('counts charges by the environment and owner that their resources have in the inventory', async () => {
    const inventory = inventoryOf(world);
    await inventory.put('i-1', { environment: 'prod', tags: { Team: 'shop' } });
    await world.spend(
      { day: '2026-03-01', billed: '1', resource: 'i-1' },
      { day: '2026-03-01', billed: '10', resource: 'i-1', tags: { environment: 'dev' } },
      { day: '2026-03-01', billed: '100', resource: 'i-2', tags: { environment: 'prod' } },
      { day: '2026-03-01', billed: '1000', tags: { team: 'shop' } },
    );
    const prod = await world.budget({ filter: { environment: 'prod' } });
    expect(await world.status(prod)).toMatchObject({ spent: '101', missing_tags: [] });
    await world.change(prod, { filter: { owner: 'shop' } });
    expect(await world.status(prod)).toMatchObject({ spent: '1011' });
    // What the inventory says may change between two evaluations.
    await inventory.put('i-1', { environment: 'prod', tags: { Team: 'other' } });
    await world.spend({ day: '2026-02-01', billed: '1' });
    expect(await world.status(prod)).toMatchObject({ spent: '1000' });
  });

  it('says which tags of its filter no charges are stored with', async () => {
    await world.spend({ day: '2026-03-01', billed: '1', tags: { nobody: 'x' } });
    const id = await world.budget({ filter: { owner: 'ann', tags: { team: 'a', Nobody: 'x' } } });
    expect(await world.status(id)).toMatchObject({ spent: '0', missing_tags: ['nobody'] });
  });

  it('neither counts nor converts charges in another currency, and says so', async () => {
    await world.spend(
      { day: '2026-03-01', billed: '5' },
      { day: '2026-03-01', billed: '7.5', currency: 'EUR', account: '2' },
    );
    const id = await world.budget({});
    expect(await world.status(id)).toMatchObject({
      spent: '5',
      other_currencies: [{ currency: 'EUR', spent: '7.5' }],
    });
    await world.change(id, { currency: 'EUR' });
    expect(await world.status(id)).toMatchObject({ spent: '7.5' });
  });

  it('adds charges whose sum is longer than any of them', async () => {
    await world.spend(
      { day: '2026-03-01', billed: '999999999999.000000000000000001' },
      { day: '2026-03-02', billed: '999999999999' },
    );
    const id = await world.budget({ amount: '999999999999' });
    expect(await world.status(id)).toMatchObject({
      spent: '1999999999998.000000000000000001',
      spent_percent: 200,
      remaining: '-999999999999.000000000000000001',
    });
  });

  it('is deleted with what was found', async () => {
    await world.spend({ day: '2026-03-01', billed: '900' });
    const id = await world.budget({});
    await world.ok('DELETE', `/v1/budgets/${id}`);
    expect((await world.send('GET', `/v1/budgets/${id}`)).json.error).toBe('budget_not_found');
    const again = await world.budget({});
    expect(inBrief(await world.announced())).toEqual(['2026-03 80% actual', '2026-03 80% actual']);
    expect(again).not.toBe(id);
  });

  it('has a name of its own', async () => {
    await world.budget({});
    const got = await world.send('POST', '/v1/budgets', {
      body: { name: 'platform', amount: '1', currency: 'USD' },
    });
    expect([got.status, got.json.error]).toEqual([409, 'budget_name_taken']);
    const other = await world.budget({ name: 'other' });
    const renamed = await world.send('PUT', `/v1/budgets/${other}`, { body: { name: 'platform' } });
    expect(renamed.json.error).toBe('budget_name_taken');
  });

  it.each([
    [{ amount: '0' }, 'amount'],
    [{ amount: '-1' }, 'amount'],
    [{ amount: 1e308 }, 'amount'],
    [{ amount: '1e3' }, 'amount'],
    [{ amount: '1,000' }, 'amount'],
    [{ amount: 'NaN' }, 'amount'],
    [{ amount: '0.0000000000000000001' }, 'amount'],
    [{ amount: true }, 'amount'],
    [{ currency: 'usd' }, 'currency'],
    [{ period: 'week' }, 'period'],
    [{ metric: 'list' }, 'metric'],
    [{ name: ' ' }, 'name'],
    [{ filter: { colour: 'red' } }, 'filter.colour'],
    [{ filter: { provider: [] } }, 'filter.provider'],
    [{ thresholds: [{ percent: 0 }] }, 'thresholds[0].percent'],
    [{ thresholds: [{ percent: 80.005 }] }, 'thresholds[0].percent'],
    [{ thresholds: [{ percent: 80, on: 'hope' }] }, 'thresholds[0].on'],
    [{ thresholds: Array.from({ length: 21 }, (_, at) => ({ percent: at + 1 })) }, 'thresholds'],
  ])('refuses %j', async (fields, field) => {
    const body = { name: 'platform', amount: '1', currency: 'USD', ...fields };
    const got = await world.send('POST', '/v1/budgets', { body });
    expect([got.status, got.json.error, fieldsOf(got)[0]]).toEqual([400, 'invalid_budget', field]);
  });

  it('is read with cost:read and changed with cost:admin', async () => {
    const id = await world.budget({});
    const asked = async (method: string, scope: string): Promise<number> => {
      const path = method === 'GET' ? '/v1/budgets' : `/v1/budgets/${id}`;
      const key = await world.keyWith(scope);
      const body = method === 'PUT' ? { body: { amount: 5 } } : {};
      return (await world.send(method, path, { ...body, key })).status;
    };
    expect(await asked('GET', 'governance:read')).toBe(403);
    expect(await asked('GET', 'cost:read')).toBe(200);
    expect(await asked('PUT', 'cost:read')).toBe(403);
    expect(await asked('PUT', 'compliance:write')).toBe(403);
    expect(await asked('GET', 'cost:admin')).toBe(200);
    expect(await asked('PUT', 'cost:admin')).toBe(200);
    expect(await asked('DELETE', 'cost:admin')).toBe(204);
  });

  it('is sent back as it was read without a change', async () => {
    const id = await world.budget({ filter: { provider: 'aws' }, tags: ['a'], owner: 'ann' });
    const before = await world.ok('GET', `/v1/budgets/${id}`);
    const after = await world.ok('PUT', `/v1/budgets/${id}`, before.json);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    await world.change(id, { filter: null, owner: null, thresholds: null, tags: null });
    const { json } = await world.ok('GET', `/v1/budgets/${id}`);
    expect([json.filter, json.owner, json.tags]).toEqual([undefined, undefined, undefined]);
  });

  it('leaves entries in the audit log, each with the fields that changed', async () => {
    const id = await world.budget({});
    await world.change(id, { amount: '5', owner: 'ann' });
    await world.ok('DELETE', `/v1/budgets/${id}`);
    const { json } = await world.ok('GET', '/v1/audit-log?limit=3');
    expect(json.audit_log).toMatchObject([
      { action: 'budget.delete', subject: id },
      { action: 'budget.update', subject: id, changes: ['owner', 'amount'] },
      { action: 'budget.create', subject: id },
    ]);
  });
});

describe('a threshold', () => {
  it('is announced once per period, with what its receivers need', async () => {
    const id = await world.budget({});
    await world.spend({ day: '2026-03-01', billed: '799.99' });
    expect(await world.announced()).toEqual([]);
    expect(await world.status(id)).toMatchObject({ spent_percent: 79.9 });
    await world.spend({ day: '2026-03-01', billed: '812.54' });
    expect(await world.announced()).toEqual([
      {
        budget_id: id,
        severity: 'medium',
        name: 'platform',
        threshold_percent: 80,
        threshold_on: 'actual',
        budget: 1000,
        spent: 812.54,
        currency: 'USD',
        period: '2026-03',
        message: 'platform has spent 81% of its budget (threshold: 80%)',
      },
    ]);
    await world.spend({ day: '2026-03-01', billed: '900' });
    expect(await world.announced()).toEqual([]);
    expect(await world.status(id)).toMatchObject({
      thresholds: [
        { percent: 80, amount: '800', exceeded: true, exceeded_at: '2026-03-01T12:00:00.000Z' },
        { percent: 100, amount: '1000', exceeded: false },
        { percent: 100, on: 'forecast', exceeded: false },
      ],
    });
  });

  it('is announced after an import of charges', async () => {
    await world.budget({});
    await importFiles(world, [
      { name: 'march.csv', bytes: focusOf([{ day: '2026-03-01', billed: '850' }]) },
    ]);
    await world.settle();
    expect(inBrief(await world.announced())).toEqual(['2026-03 80% actual']);
  });

  it('is not announced again when credits bring spending down and it rises again', async () => {
    const id = await world.budget({});
    await world.spend({ day: '2026-03-01', billed: '1000' });
    expect(inBrief(await world.announced())).toEqual(['2026-03 80% actual', '2026-03 100% actual']);
    await world.spend({ day: '2026-03-01', billed: '1000' }, { day: '2026-03-02', billed: '-900' });
    expect(await world.status(id)).toMatchObject({
      spent: '100',
      thresholds: [{ exceeded: false, exceeded_at: '2026-03-01T12:00:00.000Z' }, {}, {}],
    });
    await world.spend({ day: '2026-03-01', billed: '1000' });
    expect(await world.announced()).toEqual([]);
  });

  it('is announced when the budget changes, and not again when the amount does', async () => {
    await world.spend({ day: '2026-03-01', billed: '850' });
    const id = await world.budget({});
    expect(inBrief(await world.announced())).toEqual(['2026-03 80% actual']);
    await world.change(id, { amount: '2000' });
    await world.change(id, { amount: '1000' });
    expect(await world.announced()).toEqual([]);
    await world.change(id, { thresholds: [{ percent: 50 }, { percent: 80 }] });
    expect(inBrief(await world.announced())).toEqual(['2026-03 50% actual']);
    await world.change(id, { amount: '840', thresholds: null });
    expect(inBrief(await world.announced())).toEqual(['2026-03 100% actual']);
  });

  it('is announced anew in the next period, which begins by itself', async () => {
    const id = await world.budget({});
    await world.spend({ day: '2026-03-01', billed: '850' });
    expect(inBrief(await world.announced())).toEqual(['2026-03 80% actual']);
    await world.spend({ day: '2026-03-01', billed: '850' }, { day: '2026-04-01', billed: '801' });
    expect(await world.announced()).toEqual([]);
    world.advance(30 * day + day / 2);
    expect(await world.status(id)).toBeUndefined();
    await world.settle();
    expect(inBrief(await world.announced())).toEqual(['2026-04 80% actual']);
    expect(await world.status(id)).toMatchObject({ period: '2026-04', spent: '801' });
  });

  it('of the period before is announced when its charges come late; of earlier ones, or of one before the budget, it is not', async () => {
    await world.budget({});
    world.advance(31 * day);
    await world.spend(
      { day: '2026-02-01', billed: '5000' },
      { day: '2026-03-05', billed: '850' },
      { day: '2026-04-01', billed: '1' },
    );
    expect(inBrief(await world.announced())).toEqual(['2026-03 80% actual']);
    world.advance(31 * day);
    await world.spend(
      { day: '2026-03-05', billed: '5000' },
      { day: '2026-04-01', billed: '1' },
      { day: '2026-05-01', billed: '1' },
    );
    expect(await world.announced()).toEqual([]);
  });
});

describe('the forecast for a period', () => {
  const daily = (days: number, billed = '10') =>
    Array.from({ length: days }, (_, at) => ({
      day: new Date(Date.parse('2026-01-01') + at * day).toISOString().slice(0, 10),
      billed,
    }));

  it('is compared with thresholds of its own, and announced once', async () => {
    world.advance(14 * day);
    const id = await world.budget({ amount: '250' });
    // Until 14 March.
    await world.spend(...daily(73));
    expect(await world.announced()).toEqual([
      {
        budget_id: id,
        severity: 'medium',
        name: 'platform',
        threshold_percent: 100,
        threshold_on: 'forecast',
        budget: 250,
        spent: 140,
        forecast: 310,
        currency: 'USD',
        period: '2026-03',
        message: 'platform is forecast to spend 124% of its budget (threshold: 100%)',
      },
    ]);
    const status = await world.status(id);
    expect(status).toMatchObject({
      spent: '140',
      forecast: { amount: '310', percent: 124 },
      thresholds: [
        { percent: 80, on: 'actual', exceeded: false },
        { percent: 100, on: 'actual', exceeded: false },
        { percent: 100, on: 'forecast', exceeded: true },
      ],
    });
    await world.change(id, { amount: '240' });
    expect(await world.announced()).toEqual([]);
  });

  it('is absent with less than 7 days of data, and says why', async () => {
    world.advance(5 * day);
    const id = await world.budget({ amount: '250' });
    await world.spend({ day: '2026-03-03', billed: '10' }, { day: '2026-03-05', billed: '10' });
    const status = await world.status(id);
    expect(status.forecast).toBeUndefined();
    expect(status.forecast_note).toContain('a forecast requires 7');
  });

  it('is absent where data ended long ago, and says when', async () => {
    world.advance(8 * day);
    const id = await world.budget({ amount: '250' });
    await world.spend(...daily(31));
    const status = await world.status(id);
    expect([status.forecast, status.forecast_note]).toEqual([
      undefined,
      'cost data ends on 2026-01-31, more than 35 days ago',
    ]);
  });
});

describe('budgets of a snapshot', () => {
  it('are restored with what was announced, which is not announced again', async () => {
    const id = await world.budget({});
    await world.spend({ day: '2026-03-01', billed: '850' });
    await world.announced();
    const { text } = await world.ok('GET', '/v1/local/snapshot');
    await world.ok('DELETE', `/v1/budgets/${id}`);
    const headers = { 'content-type': 'application/x-ndjson' };
    const restored = await world.send('POST', '/v1/local/restore', { text, headers });
    expect(restored.status).toBe(200);
    await world.change(id, { amount: '900' });
    expect(inBrief(await world.announced())).toEqual([]);
    expect(await world.status(id)).toMatchObject({ spent: '850', spent_percent: 94.4 });
  });
});
