import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scheduleKind } from '../../../src/project/kinds/schedule.ts';
import type { Body } from '../../../src/project/kinds/kind.ts';

const plain: Body = {
  name: 'Weekly',
  schedule: { cron: '0 9 * * 1' },
  report_template: { name: 'R', type: 'risk' },
};
const content = (more: Body): Body => scheduleKind.content({ ...plain, ...more });

describe('what a schedule says', () => {
  it.each<[string, Body]>([
    ['a default zone', { schedule: { cron: '0  9 * *  1', timezone: 'UTC' } }],
    ['that it is enabled', { enabled: true }],
    ['nothing', { description: '', tags: [], delivery: {} }],
    [
      'default formats',
      {
        report_template: {
          ...(plain.report_template as Body),
          scope: {},
          format_options: { formats: ['pdf'], include_executive_summary: true },
        },
      },
    ],
    ['what only a service answers', { id: 'sch_1', next_run_at: '2026-01-01T00:00:00Z' }],
    ['who it belongs to', { tags: ['govctl.owner:acme', 'govctl.key:weekly@0123456789ab'] }],
  ])('is the same with %s', (_, more) => {
    expect(content(more)).toEqual(content({}));
  });

  it('is the same in any order of what has none, and without the hint of a secret', () => {
    const delivery = (recipients: string[], more: Body = {}): Body => ({
      delivery: { email: { recipients }, webhook: { url: 'https://a.example', ...more } },
    });
    expect(content(delivery(['b@a.example', 'a@a.example'], { secret_hint: 'cret' }))).toEqual(
      content(delivery(['a@a.example', 'b@a.example'])),
    );
  });

  it('is the same when it is said again, whatever it holds', () => {
    fc.assert(
      fc.property(fc.object(), fc.object(), fc.object(), (schedule, template, delivery) => {
        const once = content({ schedule, report_template: template, delivery });
        expect(scheduleKind.content(once)).toEqual(once);
        expect(scheduleKind.hash(once)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  it('differs field by field, down to what differs', () => {
    const before = { email: { recipients: ['a@a.example'] }, chat: { channel: '#a' } };
    const after = { email: { recipients: ['b@a.example'] } };
    expect(scheduleKind.diffField('delivery', before, after)).toEqual([
      { path: 'delivery.chat', before: { channel: '#a' }, after: null },
      { path: 'delivery.email.recipients', before: ['a@a.example'], after: ['b@a.example'] },
    ]);
    expect(scheduleKind.diffField('delivery', null, after)).toBe(undefined);
  });
});
