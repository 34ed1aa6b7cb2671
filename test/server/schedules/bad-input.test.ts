import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Got } from '../test-service.ts';
import { fieldsOf } from '../test-service.ts';
import { aSchedule, startSchedules } from './schedule-world.ts';
import type { Json, ScheduleWorld } from './schedule-world.ts';

// Nothing that is refused leaves anything behind, so one service will do.
let world: ScheduleWorld;
beforeAll(async () => void (world = await startSchedules({ withoutReports: true })));
afterAll(() => world.close());

const path = '/v1/reports/schedules';
const post = (body: unknown): Promise<Got> => world.service.send('POST', path, { body });
const put = (id: string, body: unknown): Promise<Got> =>
  world.service.send('PUT', `${path}/${id}`, { body });

describe('what is wrong is named by its field', () => {
  const template = (fields: Json) => ({
    report_template: { name: 'R', type: 'compliance', ...fields },
  });
  test.each<[string, Json, string, RegExp]>([
    ['no name', { name: undefined }, 'name', /required|expected/],
    ['a blank name', { name: '  ' }, 'name', /blank/],
    ['six fields', { schedule: { cron: '0 0 9 * * *' } }, 'schedule.cron', /six fields/],
    ['31 February', { schedule: { cron: '0 9 31 2 *' } }, 'schedule.cron', /never runs: February/],
    ['a macro', { schedule: { cron: '@daily' } }, 'schedule.cron', /use 0 0 \* \* \*/],
    ['no cron', { schedule: {} }, 'schedule.cron', /required|expected/],
    [
      'an unknown zone',
      { schedule: { cron: '0 9 * * *', timezone: 'Europe/Berln' } },
      'schedule.timezone',
      /time zone/,
    ],
    ['an unknown type', template({ type: 'complience' }), 'report_template.type', /compliance/],
    [
      'an unknown framework',
      template({ framework: 'soc3' }),
      'report_template.framework',
      /did you mean soc2/,
    ],
    [
      'an unknown format',
      template({ format_options: { formats: ['docx'] } }),
      'report_template.format_options.formats[0]',
      /pdf/,
    ],
    [
      'an unknown range',
      template({ scope: { date_range_type: 'last_weak' } }),
      'report_template.scope.date_range_type',
      /last_week/,
    ],
    [
      'a fixed range, as a report takes it',
      template({ scope: { date_range: {} } }),
      'report_template.scope.date_range',
      /date_range_type/,
    ],
    [
      'no recipients',
      { delivery: { email: { recipients: [] } } },
      'delivery.email.recipients',
      /at least one/,
    ],
    [
      'what is no e-mail address',
      { delivery: { email: { recipients: ['nobody'] } } },
      'delivery.email.recipients[0]',
      /email/,
    ],
    ['an unknown channel', { delivery: { emial: {} } }, 'delivery.emial', /email/],
    [
      'an http:// webhook',
      { delivery: { webhook: { url: 'http://hooks.example.com/' } } },
      'delivery.webhook.url',
      /https/,
    ],
    [
      'a private address',
      { delivery: { team_chat: { webhook_url: 'https://10.0.0.1/x' } } },
      'delivery.team_chat.webhook_url',
      /public|allow-target/,
    ],
    [
      'a team chat without an address',
      { delivery: { team_chat: {} } },
      'delivery.team_chat.webhook_url_env',
      /is required unless/,
    ],
    [
      'a team chat with two addresses',
      { delivery: { team_chat: { webhook_url: 'https://a.example/', webhook_url_env: 'A' } } },
      'delivery.team_chat.webhook_url_env',
      /cannot be used with/,
    ],
    [
      'no credential for SFTP',
      { delivery: { sftp: { host: 'sftp.example.com', username: 'u', path: '/in' } } },
      'delivery.sftp.password_env',
      /private_key_env/,
    ],
    ['an unknown field', { enbled: true }, 'enbled', /enabled/],
    [
      'a hint on creation',
      { delivery: { webhook: { url: 'https://a.example/', secret_hint: 'x' } } },
      'delivery.webhook.secret_hint',
      /./,
    ],
  ])('%s', async (_, fields, field, message) => {
    const got = await post({ ...aSchedule(), ...fields });
    expect(got.status).toBe(400);
    expect(got.json).toMatchObject({ error: 'invalid_schedule', error_code: 'SCH_001' });
    expect(fieldsOf(got)).toContain(field);
    const [detail] = (got.json.details as { field: string; message: string }[]).filter(
      (one) => one.field === field,
    );
    expect(detail?.message).toMatch(message);
    expect((await world.ok('GET', path)).json.schedules).toEqual([]);
  });

  test('in a change, too, and then nothing is changed', async () => {
    const id = await world.create();
    const before = await world.read(id);
    for (const [body, field] of [
      [{ schedule: { cron: '0 9 30 2 *' } }, 'schedule.cron'],
      [
        { report_template: { name: 'R', type: 'risk', framework: 'x9' } },
        'report_template.framework',
      ],
      [
        { delivery: { team_chat: { webhook_url: 'https://127.0.0.1.nip.io\\x' } } },
        'delivery.team_chat.webhook_url',
      ],
      [{ id: 'sch_other' }, 'id'],
      [{ name: null }, 'name'],
    ] as const) {
      const got = await put(id, body);
      expect([got.status, fieldsOf(got)]).toEqual([400, [field]]);
    }
    expect(await world.read(id)).toEqual(before);
  });

  test('all faults of channels and framework at once', async () => {
    const got = await post({
      ...aSchedule(),
      ...template({ framework: 'soc3' }),
      delivery: {
        webhook: { url: 'ftp://x' },
        team_chat: { webhook_url: 'https://10.0.0.1/' },
      },
    });
    expect(fieldsOf(got)).toEqual([
      'report_template.framework',
      'delivery.team_chat.webhook_url',
      'delivery.webhook.url',
    ]);
  });
});
