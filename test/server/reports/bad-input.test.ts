import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policy } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { create, startReports } from './report-world.ts';

let service: TestService;
beforeAll(async () => {
  service = await startReports();
  const fields = { compliance_frameworks: ['Acme-Baseline:AB-1', 'PCI-DSS', 'CIS'] };
  await service.send('POST', '/v1/policies', { body: policy('p', fields) });
});
afterAll(() => service.close());

const now = Date.parse('2026-03-01T12:00:00.000Z');
const at = (ms: number): string => new Date(now + ms).toISOString();
const range = (start: string, end: string) => ({ scope: { date_range: { start, end } } });

const cases: readonly (readonly [
  what: string,
  fields: Readonly<Record<string, unknown>>,
  field: string,
  message: RegExp,
])[] = [
  ['a start in the future', range(at(1), at(2)), 'scope.date_range.start', /future/],
  ['an end before the start', range(at(-1), at(-2)), 'scope.date_range.end', /after start/],
  ['an end at the start', range(at(-1), at(-1)), 'scope.date_range.end', /after start/],
  [
    'a start alone',
    { scope: { date_range: { start: at(-1) } } },
    'scope.date_range.end',
    /required/,
  ],
  ['a day', range('2026-02-01', at(0)), 'scope.date_range.start', /UTC time/],
  ['31 February', range('2026-02-31T00:00:00Z', at(0)), 'scope.date_range.start', /UTC time/],
  ['an unknown type', { type: 'complience' }, 'type', /did you mean compliance\?/],
  ['a type in capitals', { type: 'AUDIT' }, 'type', /did you mean audit\?/],
  ['no zone', { scope: { timezone: 'Europe/Berln' } }, 'scope.timezone', /time zone/],
  ['no scope', { scope: undefined }, 'scope', /required/],
  ['a blank name', { name: ' ' }, 'name', /blank/],
  ['a name with control characters', { name: 'a\u0007b' }, 'name', /control/],
  [
    'an unknown format',
    { format_options: { formats: ['pdf', 'exel'] } },
    'format_options.formats[1]',
    /did you mean excel\?/,
  ],
  [
    'a format twice',
    { format_options: { formats: ['pdf', 'pdf'] } },
    'format_options.formats',
    /duplicate/,
  ],
  ['no format', { format_options: { formats: [] } }, 'format_options.formats', /at least 1/],
  ['an unknown framework', { framework: 'sox2' }, 'framework', /did you mean soc2\?/],
  ["a policy's, nearly", { framework: 'Acme-Basline' }, 'framework', /mean Acme-Baseline\?/],
  ['a framework like nothing', { framework: 'zzzzzz' }, 'framework', /use one of soc2, hipaa/],
  [
    'a control of no policy',
    { framework: 'acme-baseline:ZZ-99' },
    'framework',
    /is not a known framework or control/,
  ],
  [
    'a prototype key',
    { framework: '__proto__' },
    'framework',
    /is not a known framework or control/,
  ],
  [
    'a time that is past',
    { delivery: { scheduled_at: at(-1) } },
    'delivery.scheduled_at',
    /future/,
  ],
  ['the time it is', { delivery: { scheduled_at: at(0) } }, 'delivery.scheduled_at', /future/],
  [
    'now and later',
    { delivery: { immediate: true, scheduled_at: at(9) } },
    'delivery.immediate',
    /scheduled_at/,
  ],
  [
    'a bad address',
    { delivery: { notifications: { email: ['x'] } } },
    'delivery.notifications.email[0]',
    /email/,
  ],
  [
    'a short password',
    { format_options: { security: { password: 'short' } } },
    'format_options.security.password',
    /at least 8/,
  ],
  ['an unknown field', { formats: ['pdf'] }, 'formats', /not a known field/],
  [
    'a provider in capitals',
    { scope: { cloud_providers: ['AWS'] } },
    'scope.cloud_providers[0]',
    /lower/,
  ],
];

describe('what is no report', () => {
  test.each(cases)(
    '%s is refused, and the field is named',
    async (_what, fields, field, message) => {
      const got = await create(service, fields);
      expect(got.status).toBe(400);
      expect(got.json).toMatchObject({
        error: 'invalid_report_config',
        error_code: 'RPT_001',
        error_description: expect.stringContaining(field),
        timestamp: at(0),
      });
      const details = got.json.details as { field: string; message: string }[];
      expect(details.find((one) => one.field === field)?.message).toMatch(message);
    },
  );

  test('all that is wrong is said at once', async () => {
    const got = await create(service, {
      ...range(at(5), at(1)),
      framework: 'sox2',
      delivery: { scheduled_at: at(-1) },
    });
    const details = got.json.details as { field: string }[];
    expect(details.map(({ field }) => field)).toEqual([
      'scope.date_range.start',
      'scope.date_range.end',
      'delivery.scheduled_at',
      'framework',
    ]);
  });
});

test.each([
  'SOC2',
  'hipaa',
  'ISO27001',
  'pci',
  'PCI-DSS',
  'acme-baseline',
  'ACME-Baseline:AB-1',
  'cis',
])('%s is a framework', async (framework) => {
  const got = await create(service, { framework });
  expect(got.status).toBe(201);
  expect(got.json.framework).toBe(framework);
});
