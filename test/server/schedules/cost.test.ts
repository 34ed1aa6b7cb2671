import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startReports } from '../reports/report-world.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
/** Keys of who may change schedules: without and with a look at costs. */
let [plain, costly] = ['', ''];

beforeEach(async () => {
  service = await startReports();
  plain = await service.keyWith('governance:read', 'compliance:write');
  costly = await service.keyWith('governance:read', 'compliance:write', 'cost:read');
});
afterEach(() => service.close());

const template = { name: 'Weekly', type: 'risk' };
const withCost = { ...template, format_options: { include_cost: true } };
const emailTo = (who: string) => ({ email: { recipients: [`${who}@example.com`] } });

const create = (key: string, report_template: object) =>
  service.send('POST', '/v1/reports/schedules', {
    key,
    body: {
      name: 'weekly',
      schedule: { cron: '0 9 * * 1', timezone: 'UTC' },
      report_template,
      delivery: emailTo('finance'),
    },
  });

async function made(report_template: object) {
  const { json, status } = await create(costly, report_template);
  expect(status).toBe(201);
  return `/v1/reports/schedules/${String(json.id)}`;
}

const put = (path: string, key: string, body: object) => service.send('PUT', path, { key, body });

describe('a schedule of reports with costs', () => {
  it('is made only by who may see costs', async () => {
    const refused = await create(plain, withCost);
    expect([refused.status, refused.json['error']]).toEqual([403, 'insufficient_scope']);
    const path = await made(withCost);
    expect((await service.send('GET', path)).json).toMatchObject({ report_template: withCost });
  });

  it('cannot be made one by who may not see them', async () => {
    const path = await made(template);
    expect((await put(path, plain, { report_template: withCost })).status).toBe(403);
    expect((await service.send('GET', path)).json['report_template']).toEqual(template);
    expect((await put(path, costly, { report_template: withCost })).status).toBe(200);
  });

  it('is not sent elsewhere by who may not see costs, not even after it was made one without', async () => {
    const path = await made(withCost);
    for (const body of [
      { delivery: emailTo('mallory') },
      { delivery: null },
      { report_template: template },
      { report_template: { ...withCost, type: 'trend' } },
      { report_template: template, delivery: emailTo('mallory') },
    ]) {
      const { status, json } = await put(path, plain, body);
      expect([body, status, json['error']]).toEqual([body, 403, 'insufficient_scope']);
    }
    const { json } = await service.send('GET', path);
    expect(json).toMatchObject({ delivery: emailTo('finance'), report_template: withCost });
    // What does not change who gets what is free.
    const same = { report_template: json['report_template'], delivery: json['delivery'] };
    expect((await put(path, plain, { ...same, name: 'renamed', enabled: false })).status).toBe(200);
    expect((await put(path, costly, { delivery: emailTo('board') })).status).toBe(200);
  });

  it('makes reports with costs, whoever has it run', async () => {
    const path = await made(withCost);
    const run = await service.send('POST', `${path}/run`, { key: plain });
    expect(run.status).toBe(202);
    const report = `/v1/reports/${String(run.json['report_id'])}`;
    expect((await service.send('GET', report)).json).toMatchObject({
      format_options: { include_cost: true },
    });
    await service.reportWork.idle();
    expect((await service.send('GET', `${report}/download/pdf`, { key: plain })).status).toBe(403);
    expect((await service.send('GET', `${report}/download/pdf`, { key: costly })).status).toBe(200);
  });

  it('is refused for a type that says nothing of cost, and so is such a report', async () => {
    const format_options = { include_cost: true };
    const refused = await create(costly, { name: 'w', type: 'audit', format_options });
    expect(refused.json).toMatchObject({
      error: 'invalid_schedule',
      details: [
        {
          field: 'report_template.format_options.include_cost',
          message: 'is for risk and trend reports; reports of the type audit contain no cost',
        },
      ],
    });
    const body = { name: 'r', type: 'audit', scope: {}, format_options };
    const report = await service.send('POST', '/v1/reports', { key: costly, body });
    expect(report.json).toMatchObject({
      error: 'invalid_report_config',
      details: [{ field: 'format_options.include_cost' }],
    });
  });
});
