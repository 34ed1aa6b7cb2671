import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleData } from '../../../src/server/events/samples.ts';
import { fieldsOf } from '../test-service.ts';
import { startAnomalies, usage } from './anomaly-world.ts';

let world: Awaited<ReturnType<typeof startAnomalies>>;
beforeEach(async () => {
  world = await startAnomalies();
});
afterEach(() => world.close());

/** A day within the last two weeks of the data, and one well before. */
const recent = '2026-02-24';
const old = '2026-01-20';
const spike = { raised: { [recent]: 3 } };

describe('after an import', () => {
  it('an anomaly is stored with what was expected and which parts rose, and announced once', async () => {
    const charges = [
      ...usage(),
      ...usage({ service: 'S3', resource: 'b-1' }, { base: 20 }),
      ...usage({ service: 'S3', resource: 'b-2', region: 'us-east-1' }, { base: 20, ...spike }),
    ];
    await world.spend(...charges);
    const [anomaly, ...others] = await world.list();
    expect(others).toEqual([]);
    expect(anomaly).toMatchObject({
      scope: 'group',
      provider: 'aws',
      account_id: '11',
      service: 'S3',
      currency: 'USD',
      start: recent,
      end: recent,
      days: 1,
      ongoing: false,
      expected: '40',
      actual: '80',
      impact: '40',
      impact_percent: 100,
      peak_percent: 100,
      severity: 'high',
      status: 'open',
      root_causes: [
        { field: 'resource', key: 'b-2' },
        { field: 'region', key: 'us-east-1' },
      ],
    });
    expect(await world.announced()).toEqual([
      {
        anomaly_id: anomaly?.id,
        severity: 'high',
        provider: 'aws',
        service: 'S3',
        account_id: '11',
        date: recent,
        end_date: recent,
        days: 1,
        expected_cost: 40,
        actual_cost: 80,
        impact: 40,
        impact_percent: 100,
        currency: 'USD',
        message: 'S3 cost 2.0 times the expected amount',
      },
    ]);
    await world.spend(...charges);
    await world.spend(...usage().slice(-1));
    expect(await world.announced()).toEqual([]);
  });

  it('its event has all fields of the sample', async () => {
    await world.spend(...usage({}, spike));
    const [event] = await world.announced();
    const sample = Object.keys(sampleData('cost.anomaly.detected'));
    expect(Object.keys(event ?? {})).toEqual(expect.arrayContaining(sample));
  });

  it('those that ended long before the data does are stored, but not announced', async () => {
    await world.spend(...usage({}, { raised: { [old]: 3 } }));
    expect(await world.list()).toMatchObject([
      { start: old, status: 'resolved', resolution: expect.stringContaining('14 days') },
    ]);
    expect(await world.announced()).toEqual([]);
  });

  it('changed figures update it, and what was never so is resolved with the reason; neither is announced', async () => {
    await world.spend(...usage({}, spike));
    await world.announced();
    const [before] = await world.list();
    await world.spend(...usage({}, { raised: { [recent]: 4, '2026-02-25': 4 } }));
    const [after, ...others] = await world.list();
    expect(others).toEqual([]);
    expect(after).toMatchObject({ id: before?.id, end: '2026-02-25', days: 2, status: 'open' });
    await world.spend(...usage());
    expect(await world.list()).toMatchObject([
      { id: before?.id, status: 'resolved', resolution: 'Its cost was as expected in later data' },
    ]);
    await world.spend(...usage({}, spike));
    expect(await world.list()).toMatchObject([{ id: before?.id, status: 'open' }]);
    expect(await world.announced()).toEqual([]);
  });

  it('one that becomes two is announced no second time', async () => {
    const raised = { '2026-02-20': 4, '2026-02-21': 4, '2026-02-22': 4, '2026-02-23': 4, '2026-02-24': 4 }; // prettier-ignore
    await world.spend(...usage({}, { raised }));
    expect(await world.announced()).toHaveLength(1);
    await world.spend(...usage({}, { raised: { '2026-02-20': 4, '2026-02-23': 4, '2026-02-24': 4 } })); // prettier-ignore
    expect(await world.list()).toHaveLength(2);
    expect(await world.announced()).toEqual([]);
  });

  it('the total is one where its groups do not explain it', async () => {
    const small = Array.from({ length: 40 }, (_, n) =>
      usage({ service: `S${n}` }, { base: 4, raised: { [recent]: 2 } }),
    );
    await world.spend(...small.flat());
    expect(await world.list()).toMatchObject([{ scope: 'total', currency: 'USD', impact: '160' }]);
    const [event] = await world.announced();
    expect(event).toMatchObject({ message: 'All services cost 2.0 times the expected amount' });
    expect(event).not.toHaveProperty('provider');
  });

  it('says what a new service cost as people read amounts', async () => {
    await world.spend(...usage(), { day: recent, cost: 1_234.5678, service: 'SageMaker' });
    expect(await world.announced()).toMatchObject([
      {
        actual_cost: 1_234.5678,
        message: 'SageMaker cost 1,234.57 USD; no cost was expected',
      },
    ]);
  });

  it('purchases are none, nor is the last day, which may not be complete', async () => {
    await world.spend(...usage({}, { raised: { '2026-02-27': 5 } }), {
      day: recent,
      cost: 9_999,
      category: 'Purchase',
    });
    expect(await world.list()).toEqual([]);
  });

  it('currencies are apart', async () => {
    await world.spend(...usage(), ...usage({ currency: 'EUR' }, { base: 50, ...spike }));
    expect(await world.list()).toMatchObject([{ currency: 'EUR', impact: '100' }]);
  });
});

describe('feedback', () => {
  it('expected resolves it, and later ones of the group that go no higher are none', async () => {
    const raised: Record<string, number> = { '2026-02-10': 3 };
    await world.spend(...usage({}, { raised: { '2026-02-17': 3 } }));
    const [first] = await world.list();
    const got = await world.change(String(first?.id), { feedback: 'expected', note: 'Load test' });
    expect(got.json).toMatchObject({
      status: 'resolved',
      feedback: 'expected',
      note: 'Load test',
      feedback_at: '2026-03-01T12:00:00.000Z',
    });
    await world.announced();
    Object.assign(raised, { '2026-02-17': 3, '2026-02-20': 2.5, '2026-02-24': 2.9 });
    delete raised['2026-02-10'];
    await world.spend(...usage({}, { raised }));
    expect(await world.list()).toHaveLength(1);
    await world.spend(...usage({}, { raised: { ...raised, '2026-02-24': 4 } }));
    expect(await world.announced()).toMatchObject([{ date: '2026-02-24' }]);
    await world.spend(...usage());
    const [kept] = await world.list('?sort_by=start&order=asc');
    expect(kept).toMatchObject({ id: first?.id, feedback: 'expected', note: 'Load test' });
  });

  it('unexpected acknowledges it; status and note can be set and cleared', async () => {
    await world.spend(...usage({}, spike));
    const [{ id = '' } = {}] = await world.list();
    expect((await world.change(id, { feedback: 'unexpected' })).json.status).toBe('acknowledged');
    expect((await world.change(id, { status: 'resolved', note: 'Fixed' })).json).toMatchObject({
      status: 'resolved',
      note: 'Fixed',
    });
    const cleared = (await world.change(id, { note: null, feedback: null })).json;
    expect(cleared).not.toHaveProperty('note');
    expect(cleared).not.toHaveProperty('feedback');
    const got = await world.send('GET', `/v1/cost/anomalies/${id}`);
    const stale = await world.change(id, { status: 'open' }, { headers: { 'if-match': '"0"' } });
    expect(stale.status).toBe(412);
    const body = { ...got.json, status: 'open' };
    expect(fieldsOf(await world.change(id, body))).not.toContain('id');
    expect(fieldsOf(await world.change(id, { id: 'other' }))).toEqual(['id']);
    expect(fieldsOf(await world.change(id, { status: 'closed' }))).toEqual(['status']);
  });

  it('takes cost:admin, and reading takes cost:read', async () => {
    await world.spend(...usage({}, spike));
    const [{ id = '' } = {}] = await world.list();
    const statusOf = async (method: string, scope: string) => {
      const key = await world.keyWith(scope);
      const sent = method === 'PUT' ? { key, body: { status: 'resolved' } } : { key };
      return (await world.send(method, `/v1/cost/anomalies/${id}`, sent)).status;
    };
    expect(await statusOf('GET', 'governance:read')).toBe(403);
    expect(await statusOf('GET', 'cost:read')).toBe(200);
    expect(await statusOf('PUT', 'cost:read')).toBe(403);
    expect(await statusOf('PUT', 'cost:admin')).toBe(200);
    const missing = await world.send('GET', '/v1/cost/anomalies/anm_none');
    expect([missing.status, missing.json.error]).toEqual([404, 'anomaly_not_found']);
  });
});

describe('the list', () => {
  it('is sorted, filtered and paged', async () => {
    await world.spend(
      ...usage({ service: 'A' }, { base: 50, ...spike }),
      ...usage({ service: 'B', account: '22' }, { base: 500, raised: { [old]: 2 } }),
      ...usage({ service: 'C', currency: 'EUR' }, { base: 10, raised: { '2026-02-23': 9 } }),
    );
    const named = async (search: string) =>
      (await world.list(search)).map(({ service }) => service).join('');
    expect(await named('')).toBe('ACB');
    expect(await named('?sort_by=impact')).toBe('BAC');
    expect(await named('?limit=1&offset=1')).toBe('C');
    expect(await named('?service=A,B&sort_by=start&order=asc')).toBe('BA');
    expect(await named('?account=22')).toBe('B');
    expect(await named('?provider=azure')).toBe('');
    expect(await named('?status=open')).toBe('AC');
    expect(await named('?currency=EUR')).toBe('C');
    expect(await named('?since=2026-02-24')).toBe('A');
    expect(await named('?since=2020-01-01')).toBe('ACB');
    expect(await named('?severity=low,medium')).toBe('');
  });
});
