import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { reportSortFields } from '../../../src/contract/reports.ts';
import { runSortFields, scheduleSortFields } from '../../../src/contract/schedules.ts';
import { schedules } from '../../../src/server/schedules/collection.ts';
import type { Got } from '../test-service.ts';
import { aSchedule, startSchedules } from './schedule-world.ts';
import type { Json, ScheduleWorld } from './schedule-world.ts';

let world: ScheduleWorld;
beforeEach(async () => void (world = await startSchedules({ withoutReports: true })));
afterEach(() => world.close());

const path = '/v1/reports/schedules';
const post = (body: unknown): Promise<Got> => world.service.send('POST', path, { body });
const put = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<Got> =>
  world.service.send('PUT', `${path}/${id}`, { body, headers });

const stored = async (id: string) => (await world.service.deps.store.get(schedules, id))?.doc;

describe('a schedule', () => {
  it('is created enabled, with its next fire', async () => {
    const got = await post(aSchedule());
    expect(got.status).toBe(201);
    expect(got.headers.get('location')).toBe(`${path}/${String(got.json.id)}`);
    expect(got.headers.get('etag')).toMatch(/^"\d+"$/);
    expect(got.json).toEqual({
      id: expect.stringMatching(/^sch_[0-9a-z]{26}$/) as unknown,
      name: 'Weekly',
      schedule: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
      report_template: { name: 'Compliance {{date}}', type: 'compliance' },
      enabled: true,
      next_run_at: '2026-03-02T08:00:00.000Z',
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
      created_by: expect.stringMatching(/^user_/) as unknown,
    });
    expect(await world.read(String(got.json.id))).toEqual(got.json);
  });

  it('keeps all that it was given, and is in UTC without a zone', async () => {
    const fields = {
      description: 'For the auditors',
      schedule: { cron: '0 9 * * 1' },
      report_template: {
        name: 'R',
        type: 'risk',
        framework: 'soc2',
        description: 'x',
        scope: {
          environments: ['prod'],
          cloud_providers: ['aws'],
          date_range_type: 'last_month',
        },
        format_options: { formats: ['pdf', 'csv'], include_executive_summary: false },
      },
      delivery: { email: { recipients: ['a@example.com'], subject: 'Report {{date}}' } },
      enabled: false,
      tags: ['team:web'],
    };
    const shown = await world.read(await world.create(fields));
    expect(shown).toMatchObject(fields);
    expect(shown).not.toHaveProperty('next_run_at');
    const enabled = await world.read(await world.create({ ...fields, enabled: true }));
    expect(enabled.next_run_at).toBe('2026-03-02T09:00:00.000Z');
  });

  it('answers no secret and stores none that can be read', async () => {
    const fields = {
      delivery: {
        webhook: { url: 'https://hooks.example.com/x', secret: 'a-long-enough-secret' },
      },
      report_template: {
        name: 'R',
        type: 'audit',
        format_options: { security: { password: 'open sesame', watermark: 'DRAFT' } },
      },
    };
    const id = await world.create(fields);
    const shown = await world.read(id);
    expect(shown).toMatchObject({
      delivery: { webhook: { url: 'https://hooks.example.com/x', secret_hint: 'cret' } },
      report_template: { format_options: { security: { watermark: 'DRAFT', protected: true } } },
    });
    const list = await world.ok('GET', path);
    const texts = [JSON.stringify(shown), list.text, JSON.stringify(await stored(id))];
    for (const text of texts) expect(text).not.toMatch(/long-enough|sesame/);
    expect(JSON.stringify(shown)).not.toContain('password');
  });

  it('stays as it is when what was read is sent back', async () => {
    const id = await world.create({
      delivery: {
        email: { recipients: ['a@example.com'] },
        webhook: { url: 'https://hooks.example.com/x', secret: 'a-long-enough-secret' },
      },
      report_template: {
        name: 'R',
        type: 'audit',
        format_options: { formats: ['pdf'], security: { password: 'open sesame', sign: true } },
      },
      tags: ['a'],
    });
    const before = await world.service.deps.store.get(schedules, id);
    const shown = await world.read(id);
    expect(await world.update(id, shown)).toEqual(shown);
    expect(await world.service.deps.store.get(schedules, id)).toEqual(before);
    // Others of its fields change, the secrets do not.
    await world.update(id, {
      ...shown,
      delivery: { webhook: { url: 'https://other.example.com/', secret_hint: 'cret' } },
      report_template: {
        name: 'R',
        type: 'audit',
        format_options: { formats: ['csv'], security: { protected: true } },
      },
    });
    const after = await stored(id);
    const secrets = world.service.deps.secrets;
    const webhook = after?.channels.find(({ kind }) => kind === 'webhook') as { secret: string };
    expect(secrets.open(webhook.secret, id)).toBe('a-long-enough-secret');
    const security = after?.report_template.format_options?.security;
    expect(secrets.open(security?.password ?? '', id)).toBe('open sesame');
    expect(security?.password_hash).toBe(
      before?.doc.report_template.format_options?.security?.password_hash,
    );
    expect(security).not.toHaveProperty('sign');
  });

  it('loses a secret that is neither given nor hinted at, and takes another', async () => {
    const url = 'https://hooks.example.com/x';
    const id = await world.create({
      delivery: { webhook: { url, secret: 'a-long-enough-secret' } },
    });
    const change = async (webhook: Json) =>
      (await world.update(id, { delivery: { webhook } })).delivery;
    expect(await change({ url, secret: 'quite-another-one' })).toEqual({
      webhook: { url, secret_hint: '-one' },
    });
    expect(await change({ url })).toEqual({ webhook: { url } });
  });

  it('changes some fields, and null clears', async () => {
    const id = await world.create({
      description: 'd',
      tags: ['a'],
      delivery: { email: { recipients: ['a@example.com'] } },
      enabled: false,
    });
    world.service.advance(1_000);
    const changed = await world.update(id, {
      name: 'Other',
      description: null,
      tags: null,
      delivery: null,
      enabled: null,
    });
    expect(changed).toMatchObject({
      name: 'Other',
      enabled: true,
      updated_at: '2026-03-01T12:00:01.000Z',
    });
    for (const field of ['description', 'tags', 'delivery']) {
      expect(changed).not.toHaveProperty(field);
    }
  });

  it('counts anew from now when its times change or it is enabled', async () => {
    const id = await world.create();
    const next = async (body: Json) => (await world.update(id, body)).next_run_at;
    expect(await next({ schedule: { cron: '0 18 * * *', timezone: 'Asia/Kathmandu' } })).toBe(
      '2026-03-01T12:15:00.000Z',
    );
    expect(await next({ schedule: { cron: '0 18 * * *' } })).toBe('2026-03-01T18:00:00.000Z');
    expect(await next({ enabled: false })).toBeUndefined();
    expect(await next({ enabled: true })).toBe('2026-03-01T18:00:00.000Z');
  });

  it('is changed and deleted under a condition only', async () => {
    const created = await post(aSchedule());
    const id = String(created.json.id);
    const tag = created.headers.get('etag') ?? '';
    expect((await put(id, { name: 'B' }, { 'if-match': tag })).status).toBe(200);
    expect((await put(id, { name: 'C' }, { 'if-match': tag })).status).toBe(412);
    const gone = (match: string) =>
      world.service.send('DELETE', `${path}/${id}`, { headers: { 'if-match': match } });
    expect((await gone(tag)).status).toBe(412);
    const now = await world.ok('GET', `${path}/${id}`);
    expect((await gone(now.headers.get('etag') ?? '')).status).toBe(204);
    expect((await world.service.send('GET', `${path}/${id}`)).json).toMatchObject({
      error: 'schedule_not_found',
      error_code: 'SCH_002',
    });
  });

  it('is created once for each idempotency key', async () => {
    const sent = { body: aSchedule(), headers: { 'Idempotency-Key': 'k1' } };
    const first = await world.service.send('POST', path, sent);
    const again = await world.service.send('POST', path, sent);
    expect(again.json.id).toBe(first.json.id);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('leaves what was done in the audit log', async () => {
    const id = await world.create();
    await world.update(id, { delivery: { email: { recipients: ['a@example.com'] } } });
    await world.ok('DELETE', `${path}/${id}`);
    const log = await world.ok('GET', `/v1/audit-log?subject=${id}&order=asc`);
    expect(log.json.audit_log).toMatchObject([
      { action: 'schedule.create' },
      { action: 'schedule.update', changes: ['delivery'] },
      { action: 'schedule.delete' },
    ]);
  });
});

describe('schedules', () => {
  test('are listed, filtered and sorted', async () => {
    await world.create({ name: 'A', tags: ['x', 'y'], schedule: { cron: '0 9 1 1 *' } });
    await world.create({ name: 'B', tags: ['x'], enabled: false });
    await world.create({
      name: 'C',
      report_template: { name: 'R', type: 'risk' },
      schedule: { cron: '* * * * *' },
    });
    const names = async (query: string) =>
      ((await world.ok('GET', `${path}?${query}`)).json.schedules as Json[]).map(
        ({ name }) => name,
      );
    expect(await names('sort_by=name&order=asc')).toEqual(['A', 'B', 'C']);
    expect(await names('enabled=true&sort_by=next_run_at&order=asc')).toEqual(['C', 'A']);
    expect(await names('enabled=false')).toEqual(['B']);
    expect(await names('tags=x,y')).toEqual(['A']);
    expect(await names('type=risk')).toEqual(['C']);
    expect((await world.service.send('GET', `${path}?enabled=maybe`)).status).toBe(400);
  });

  test('are sorted by any of their fields, as their runs and their reports are', async () => {
    const ids = [await world.create({ name: 'A' }), await world.create({ name: 'B' })];
    for (const id of ids) await world.ok('POST', `${path}/${id}/run`);
    const [first = ''] = ids;
    for (const field of scheduleSortFields) await world.ok('GET', `${path}?sort_by=${field}`);
    for (const field of runSortFields)
      await world.ok('GET', `${path}/${first}/runs?sort_by=${field}`);
    for (const field of reportSortFields) await world.ok('GET', `/v1/reports?sort_by=${field}`);
    const sorted = await world.ok('GET', '/v1/reports?sort_by=schedule_id&order=asc');
    expect((sorted.json.reports as Json[]).map((one) => one.schedule_id)).toEqual(ids);
    expect([...scheduleSortFields, ...runSortFields, ...reportSortFields]).toEqual(
      expect.arrayContaining(['last_status', 'started_at', 'completed_at', 'scheduled_at']),
    );
  });

  test('that are not there are a 404 with SCH_002, whatever is asked of them', async () => {
    const asked: [string, string, unknown?][] = [
      ['GET', '/sch_none'],
      ['PUT', '/sch_none', { name: 'x' }],
      ['DELETE', '/sch_none'],
      ['POST', '/sch_none/run'],
      ['GET', '/sch_none/runs'],
    ];
    for (const [method, below, body] of asked) {
      const got = await world.service.send(method, `${path}${below}`, body ? { body } : {});
      expect([got.status, got.json.error_code]).toEqual([404, 'SCH_002']);
    }
  });

  test('are read and changed with the scopes for that', async () => {
    const reader = await world.service.keyWith('governance:read');
    const writer = await world.service.keyWith('compliance:write');
    const asReader = await world.service.send('POST', path, { body: aSchedule(), key: reader });
    const asWriter = await world.service.send('GET', path, { key: writer });
    expect([asReader.status, asWriter.status]).toEqual([403, 403]);
  });
});
