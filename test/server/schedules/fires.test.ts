import { afterEach, describe, expect, it } from 'vitest';
import { nextFires } from '../../../src/calendar/fires.ts';
import type { ServerConfig } from '../../../src/server/config/config.ts';
import { reports } from '../../../src/server/reports/collection.ts';
import type { StoredReport } from '../../../src/server/reports/collection.ts';
import { runs } from '../../../src/server/schedules/collection.ts';
import { policy } from '../test-service.ts';
import { startSchedules } from './schedule-world.ts';
import type { Json, ScheduleWorld, ScheduleWorldOptions } from './schedule-world.ts';

let world: ScheduleWorld;
afterEach(() => world.close());
const start = async (options: ScheduleWorldOptions = {}): Promise<void> =>
  void (world = await startSchedules(options));

/** What the operator has for the channels of these tests. */
const operators: ServerConfig = {
  secrets: { PW: { value: 'x', hosts: ['sftp.example.com'], buckets: [] } },
  object_storage: { access_key_id: 'a', secret_access_key: 'b', hosts: [], buckets: ['reports'] },
};

const firesOf = async (id: string): Promise<unknown[]> =>
  (await world.runsOf(id)).map(({ fire_at: at }) => at).reverse();

const storedReports = async (id: string): Promise<StoredReport[]> => {
  const found = [];
  for (const { report_id: report } of (await world.runsOf(id)).reverse()) {
    const row = await world.service.deps.store.get(reports, String(report));
    if (row) found.push(row.doc);
  }
  return found;
};

describe('a fire', () => {
  it('asks for the report of its template, as of the fire, for who made the schedule', async () => {
    await start();
    const id = await world.create({
      schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
      report_template: {
        name: 'Week before {{date}} ({{date}})',
        type: 'risk',
        framework: 'soc2',
        description: 'every week',
        scope: { environments: ['prod'], cloud_providers: ['aws'], date_range_type: 'last_week' },
        format_options: {
          formats: ['csv', 'json'],
          include_detailed_findings: false,
          security: { password: 'open sesame', watermark: 'DRAFT' },
        },
      },
    });
    await world.goTo('2026-03-02T12:00:00.000Z');
    const [run] = await world.runsOf(id);
    expect(run).toEqual({
      id: expect.stringMatching(/^run_[0-9a-z]{26}$/) as unknown,
      schedule_id: id,
      fire_at: '2026-03-02T08:00:00.000Z',
      started_at: '2026-03-02T08:00:00.000Z',
      completed_at: '2026-03-02T08:00:00.000Z',
      cause: 'schedule',
      status: 'completed',
      report_id: expect.stringMatching(/^rpt_/) as unknown,
      report_status: 'completed',
      deliveries: [],
    });
    const schedule = await world.read(id);
    const [report] = await storedReports(id);
    expect(report).toMatchObject({
      name: 'Week before 2026-03-02 (2026-03-02)',
      type: 'risk',
      framework: 'soc2',
      description: 'every week',
      scope: {
        environments: ['prod'],
        cloud_providers: ['aws'],
        date_range: { start: '2026-02-22T23:00:00.000Z', end: '2026-03-01T23:00:00.000Z' },
        timezone: 'Europe/Berlin',
      },
      formats: ['csv', 'json'],
      include_executive_summary: true,
      include_detailed_findings: false,
      security: { watermark: 'DRAFT' },
      schedule_id: id,
      run_id: run?.id,
      created_by: schedule.created_by,
    });
    const { secrets } = world.service.deps;
    expect(secrets.open(report?.security?.password ?? '', report?.id ?? '')).toBe('open sesame');
    expect(schedule).toMatchObject({
      next_run_at: '2026-03-09T08:00:00.000Z',
      last_run_at: '2026-03-02T08:00:00.000Z',
      last_report_id: report?.id,
      last_status: 'completed',
      updated_at: '2026-03-01T12:00:00.000Z',
    });
  });

  it('comes at the time of day of its zone, over both changes of the clocks', async () => {
    await start({ withoutReports: true });
    const id = await world.create({ schedule: { cron: '30 2 * * *', timezone: 'Europe/Berlin' } });
    await world.jumpTo('2026-03-27T12:00:00.000Z');
    await world.goTo('2026-03-30T12:00:00.000Z');
    expect((await firesOf(id)).slice(1)).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    await world.jumpTo('2026-10-24T12:00:00.000Z');
    await world.goTo('2026-10-27T12:00:00.000Z');
    expect((await firesOf(id)).slice(5)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
      '2026-10-27T01:30:00.000Z',
    ]);
  });

  it('is one for each time, and one report for each fire, all through a year', async () => {
    await start({ withoutReports: true });
    const zones = [
      ['America/New_York', '30 2 */5 * *'],
      ['Australia/Lord_Howe', '15 2 1-7 4,10 *'],
    ] as const;
    const from = Date.parse(world.now());
    const ids = new Map<string, readonly number[]>();
    for (const [timezone, cron] of zones) {
      const id = await world.create({
        schedule: { cron, timezone },
        report_template: {
          name: '{{date}}',
          type: 'audit',
          scope: { date_range_type: 'last_24_hours' },
        },
      });
      ids.set(id, nextFires(cron, timezone, from, 500));
    }
    await world.goTo('2027-03-01T12:00:00.000Z');
    for (const [id, fires] of ids) {
      const due = fires.filter((at) => at <= Date.parse(world.now()));
      expect(due.length).toBeGreaterThan(10);
      const made = await storedReportsPaged(id);
      expect(made.map(({ scope }) => Date.parse(scope.date_range?.end ?? ''))).toEqual(due);
    }
  });

  async function storedReportsPaged(id: string): Promise<StoredReport[]> {
    const where = { schedule_id: { any: [id] } };
    const query = { where, orderBy: 'id', direction: 'asc', limit: 500 } as const;
    return (await world.service.deps.store.page(reports, query)).rows.map(({ doc }) => doc);
  }
});

describe('the name of a report', () => {
  it('has the day of its fire, however it is written', async () => {
    await start();
    const name = '{{date}} {{ date }} {{report}} {{toString}}';
    const id = await world.create({ report_template: { name, type: 'audit' } });
    await world.goTo('2026-03-02T12:00:00.000Z');
    expect(await storedReports(id)).toMatchObject([
      { name: '2026-03-02 2026-03-02 {{report}} {{toString}}' },
    ]);
  });

  it('is no longer than a name may be', async () => {
    await start();
    const name = `${'{{date}}'.repeat(25)}12345\u{1f4c5}${'x'.repeat(49)}`;
    const id = await world.create({ report_template: { name, type: 'audit' } });
    await world.goTo('2026-03-02T12:00:00.000Z');
    const [report] = await storedReports(id);
    expect(report?.name).toBe(`${'2026-03-02'.repeat(25)}12345`);
  });
});

describe('fires that were missed', () => {
  it('are made up for by one run, for the last of them', async () => {
    await start();
    const id = await world.create({
      report_template: {
        name: '{{date}}',
        type: 'audit',
        scope: { date_range_type: 'last_24_hours' },
      },
    });
    await world.jumpTo('2026-03-20T23:00:00.000Z');
    expect(await world.runsOf(id)).toMatchObject([
      {
        fire_at: '2026-03-20T08:00:00.000Z',
        started_at: '2026-03-20T23:00:00.000Z',
        cause: 'missed',
        status: 'completed',
      },
    ]);
    expect(await storedReports(id)).toMatchObject([
      { name: '2026-03-20', scope: { date_range: { end: '2026-03-20T08:00:00.000Z' } } },
    ]);
    expect((await world.read(id)).next_run_at).toBe('2026-03-21T08:00:00.000Z');
  });

  it('count as missed when more than a minute late, and not before', async () => {
    await start({ withoutReports: true });
    const id = await world.create();
    await world.jumpTo('2026-03-02T08:00:59.000Z');
    await world.jumpTo('2026-03-03T08:01:01.000Z');
    expect((await world.runsOf(id)).map(({ cause }) => cause)).toEqual(['missed', 'schedule']);
  });

  it('are found at once among very many', async () => {
    await start({ withoutReports: true });
    const id = await world.create({ schedule: { cron: '* * * * *' } });
    await world.jumpTo('2031-03-01T12:00:30.000Z');
    expect(await firesOf(id)).toEqual(['2031-03-01T12:00:00.000Z']);
  });
});

describe('a schedule that is disabled', () => {
  it('does not fire, and makes up for nothing when it is enabled', async () => {
    await start({ withoutReports: true });
    const id = await world.create();
    await world.update(id, { enabled: false });
    await world.goTo('2026-03-05T12:00:00.000Z');
    expect(await world.runsOf(id)).toEqual([]);
    await world.update(id, { enabled: true });
    await world.goTo('2026-03-06T12:00:00.000Z');
    expect(await firesOf(id)).toEqual(['2026-03-06T08:00:00.000Z']);
  });

  it('can be run all the same', async () => {
    await start();
    const id = await world.create({ enabled: false });
    const got = await world.ok('POST', `/v1/reports/schedules/${id}/run`);
    expect(got.status).toBe(202);
    expect(got.json).toMatchObject({
      schedule_id: id,
      fire_at: '2026-03-01T12:00:00.000Z',
      cause: 'manual',
      status: 'pending',
      report_status: 'pending',
      deliveries: [],
    });
    await world.settle();
    expect(await world.runsOf(id)).toMatchObject([{ id: got.json.id, status: 'completed' }]);
    const shown = await world.read(id);
    expect(shown).toMatchObject({ last_status: 'completed', last_run_at: world.now() });
    expect(shown).not.toHaveProperty('next_run_at');
  });
});

describe('a clock', () => {
  it('that is set back makes no second report of a time', async () => {
    await start({ withoutReports: true });
    const id = await world.create({ schedule: { cron: '0 * * * *' } });
    await world.goTo('2026-03-01T18:30:00.000Z');
    await world.jumpTo('2026-03-01T14:30:00.000Z');
    await world.goTo('2026-03-01T20:30:00.000Z');
    const fires = await firesOf(id);
    expect(fires).toEqual(
      [13, 14, 15, 16, 17, 18, 19, 20].map((hour) => `2026-03-01T${hour}:00:00.000Z`),
    );
    expect(await world.reportsOf(id)).toHaveLength(fires.length);
  });

  it('that was far ahead, and is right again, leaves no schedule waiting', async () => {
    await start({ withoutReports: true });
    const id = await world.create();
    await world.jumpTo('2027-03-01T12:00:00.000Z');
    await world.jumpTo('2026-03-01T13:00:00.000Z');
    expect((await world.read(id)).next_run_at).toBe('2026-03-02T08:00:00.000Z');
    await world.goTo('2026-03-03T12:00:00.000Z');
    expect((await firesOf(id)).slice(0, 2)).toEqual([
      '2026-03-02T08:00:00.000Z',
      '2026-03-03T08:00:00.000Z',
    ]);
  });
});

describe('a run', () => {
  it('by hand leaves the times as they are, and is one of its own at the same moment', async () => {
    await start({ withoutReports: true });
    const id = await world.create();
    await world.goTo('2026-03-02T08:00:00.000Z');
    await world.ok('POST', `/v1/reports/schedules/${id}/run`);
    await world.ok('POST', `/v1/reports/schedules/${id}/run`);
    expect(await firesOf(id)).toEqual(Array(3).fill('2026-03-02T08:00:00.000Z'));
    expect((await world.read(id)).next_run_at).toBe('2026-03-03T08:00:00.000Z');
    expect(await world.reportsOf(id)).toHaveLength(3);
  });

  it('by hand happens once for each idempotency key', async () => {
    await start({ withoutReports: true });
    const id = await world.create();
    for (let times = 0; times < 2; times += 1) {
      await world.ok('POST', `/v1/reports/schedules/${id}/run`, {
        headers: { 'Idempotency-Key': 'once' },
      });
    }
    expect(await world.runsOf(id)).toHaveLength(1);
  });

  it('has failed, and says why, where its report has', async () => {
    await start({ reports: { compose: () => Promise.reject(new Error('no such luck')) } });
    const id = await world.create();
    await world.goTo('2026-03-02T12:00:00.000Z');
    const [run] = await world.runsOf(id);
    expect(run).toMatchObject({ status: 'failed', report_status: 'failed', deliveries: [] });
    expect(run?.error).toMatch(/./);
    expect((await world.read(id)).last_status).toBe('failed');
  });

  it('tells those who read its channels that its report has failed, and puts nothing into folders', async () => {
    await start({
      isLocal: true,
      config: operators,
      deliver: () => Promise.resolve({ ok: true }),
      reports: { compose: () => Promise.reject(new Error('no such luck')) },
    });
    const id = await world.create({
      delivery: {
        email: { recipients: ['a@example.com'] },
        chat: { channel: '#a' },
        team_chat: { webhook_url: 'https://chat.example.com/' },
        webhook: { url: 'https://hooks.example.com/x' },
        sftp: { host: 'sftp.example.com', username: 'u', path: '/in', password_env: 'PW' },
        object_storage: { provider: 's3', bucket: 'reports' },
      },
    });
    await world.goTo('2026-03-02T12:00:00.000Z');
    const [run] = await world.runsOf(id);
    expect(run).toMatchObject({
      status: 'failed',
      error: expect.not.stringContaining('Not delivered') as unknown,
      deliveries: ['email', 'chat', 'team_chat', 'webhook'].map((channel) => ({
        channel,
        status: 'delivered',
      })),
    });
  });

  it('has failed where its report cannot be asked for any more, and the next one is made', async () => {
    await start();
    const created = await world.ok('POST', '/v1/policies', {
      body: policy('p', { compliance_frameworks: ['HOUSE'] }),
    });
    const id = await world.create({
      report_template: { name: 'R', type: 'compliance', framework: 'house' },
    });
    await world.ok('DELETE', `/v1/policies/${String(created.json.id)}`);
    await world.goTo('2026-03-02T12:00:00.000Z');
    const [run] = await world.runsOf(id);
    expect(run).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('framework') as unknown,
    });
    expect(run).not.toHaveProperty('report_id');
    const shown = await world.read(id);
    expect(shown).toMatchObject({ last_status: 'failed', next_run_at: '2026-03-03T08:00:00.000Z' });
    await world.ok('POST', '/v1/policies', {
      body: policy('p', { compliance_frameworks: ['HOUSE'] }),
    });
    await world.goTo('2026-03-03T12:00:00.000Z');
    expect((await world.runsOf(id))[0]).toMatchObject({ status: 'completed' });
  });

  it('ends with its report where that is deleted before it was made', async () => {
    await start({ withoutReports: true });
    const id = await world.create();
    await world.goTo('2026-03-02T12:00:00.000Z');
    const [report] = await storedReports(id);
    await world.ok('DELETE', `/v1/reports/${String(report?.id)}`);
    expect(await world.runsOf(id)).toMatchObject([
      { status: 'failed', error: 'The report was deleted before it was generated' },
    ]);
    expect((await world.read(id)).last_status).toBe('failed');
  });
});

describe('the deliveries of a run', () => {
  const delivery: Json = {
    email: { recipients: ['a@example.com', 'b@example.com'] },
    webhook: { url: 'https://hooks.example.com/x' },
  };

  it('wait for its report, and it waits for them', async () => {
    await start();
    const id = await world.create({ delivery });
    await world.goTo('2026-03-02T12:00:00.000Z');
    const [run] = await world.runsOf(id);
    expect(run).toMatchObject({
      status: 'pending',
      report_status: 'completed',
      deliveries: [
        { channel: 'email', target: '2 recipients', status: 'pending', attempts: 0 },
        { channel: 'webhook', target: 'hooks.example.com', status: 'pending', attempts: 0 },
      ],
    });
    expect((await world.read(id)).last_status).toBe('pending');
  });

  it('complete it when all are delivered', async () => {
    await start({ deliver: () => Promise.resolve({ ok: true }) });
    const id = await world.create({ delivery });
    await world.goTo('2026-03-02T12:00:00.000Z');
    expect(await world.runsOf(id)).toMatchObject([
      { status: 'completed', deliveries: [{ status: 'delivered' }, { status: 'delivered' }] },
    ]);
    expect((await world.read(id)).last_status).toBe('completed');
  });

  it('fail it when any has failed for good', async () => {
    let tries = 0;
    const deliver = () =>
      Promise.resolve(
        (tries += 1) === 1
          ? ({ ok: true } as const)
          : ({ ok: false, error: 'nobody home', permanent: true } as const),
      );
    await start({ deliver });
    const id = await world.create({ delivery });
    await world.goTo('2026-03-02T12:00:00.000Z');
    const [run] = await world.runsOf(id);
    expect(run).toMatchObject({ status: 'failed' });
    expect(run?.error).toMatch(/^Not delivered to (email|webhook) \(/);
    expect((await world.read(id)).last_status).toBe('failed');
  });

  it('that are asked for now have those before them tried at once, too', async () => {
    let isUp = false;
    await start({
      deliver: () =>
        Promise.resolve(isUp ? ({ ok: true } as const) : ({ ok: false, error: 'down' } as const)),
    });
    const id = await world.create({ delivery });
    await world.goTo('2026-03-02T08:00:00.000Z');
    const [stuck] = (await world.runsOf(id))[0]?.deliveries as Json[];
    expect(Date.parse(String(stuck?.next_attempt_at))).toBeGreaterThan(Date.parse(world.now()));
    isUp = true;
    await world.ok('POST', `/v1/reports/schedules/${id}/run`);
    await world.settle();
    // What the end of the report began.
    await world.settle();
    expect((await world.runsOf(id)).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
  });

  it('of an older run do not say how the last one went', async () => {
    await start();
    const id = await world.create({ delivery });
    await world.goTo('2026-03-02T12:00:00.000Z');
    await world.update(id, { delivery: null });
    await world.goTo('2026-03-03T12:00:00.000Z');
    expect((await world.runsOf(id)).map(({ status }) => status)).toEqual(['completed', 'pending']);
    expect((await world.read(id)).last_status).toBe('completed');
  });
});

describe('deleting a schedule', () => {
  it('takes its runs and what waits to be delivered along, and leaves its reports', async () => {
    await start();
    const id = await world.create({ delivery: { email: { recipients: ['a@example.com'] } } });
    const other = await world.create({ schedule: { cron: '0 10 * * *' } });
    await world.goTo('2026-03-02T12:00:00.000Z');
    await world.ok('DELETE', `/v1/reports/schedules/${id}`);
    await world.goTo('2026-03-04T12:00:00.000Z');
    const { store } = world.service.deps;
    const left = await store.page(runs, { orderBy: 'id', direction: 'asc', limit: 100 });
    expect(new Set(left.rows.map(({ doc }) => doc.schedule_id))).toEqual(new Set([other]));
    expect(await world.reportsOf(id)).toMatchObject([{ status: 'completed' }]);
  });

  it('leaves a report to be made that was asked for', async () => {
    await start();
    const id = await world.create();
    await world.ok('POST', `/v1/reports/schedules/${id}/run`);
    await world.ok('DELETE', `/v1/reports/schedules/${id}`);
    await world.settle();
    expect(await world.reportsOf(id)).toMatchObject([{ status: 'completed' }]);
  });
});
