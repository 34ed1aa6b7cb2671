import { scheduleObjects, isSchedulesMissing } from '../../client/objects.ts';
import type { AnySchedule } from '../../client/objects.ts';
import { reportTypes } from '../../contract/reports.ts';
import { parseWords } from '../flags/parse-words.ts';
import type { DescribedNoun, Shown } from '../objects/noun.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import { shortTime } from '../terminal/ages.ts';
import type { Column } from '../terminal/table.ts';
import { inZone, scheduleView, zoneOf } from './schedule-view.ts';

interface ListOptions {
  readonly type?: readonly string[];
  readonly tag?: readonly string[];
  readonly enabled?: boolean;
  readonly disabled?: boolean;
}

export const schedules: DescribedNoun<AnySchedule, ListOptions> = {
  of: scheduleObjects,
  // The description has schedules created, and no more.
  feature: 'viewing and updating schedules',
  isMissing: isSchedulesMissing,
  names: {
    prefix: 'sch_',
    knownBy: 'ID, name or key',
    nameOf: ({ name }) => name,
    tagsOf: ({ tags }) => tags,
    suggested: ({ name, tags }) => [name, readOwnership(tags ?? []).key],
    notFound: 'schedule_not_found',
  },
  list: {
    columns: columnsFor,
    filter: ({ type, tag, enabled, disabled }) => ({
      type: type && parseWords('--type', type, reportTypes).join(','),
      tags: tag?.join(','),
      enabled: enabled || disabled ? String(enabled === true) : undefined,
    }),
    saysIfFiltered: true,
  },
  view: scheduleView,
  removal: { after: '; its reports were kept' },
  switch: {
    field: 'enabled',
    isOn: ({ enabled }) => enabled ?? true,
    words: {
      on: { state: 'enabled', done: 'Enabled' },
      off: { state: 'disabled', done: 'Disabled', verb: 'disable' },
    },
    isGuarded: true,
    after: (schedule) =>
      schedule.next_run_at ? `: next ${inZone(schedule.next_run_at, zoneOf(schedule))}` : '',
  },
};

function columnsFor({ now, room }: Shown): readonly Column<AnySchedule>[] {
  const time = shortTime(now, room);
  return [
    { title: 'NAME', cell: ({ name }) => name, shrinks: 'end' },
    { title: 'CRON', cell: ({ schedule: { cron } }) => cron, shrinks: 'end', drops: 3 },
    { title: 'ZONE', cell: ({ schedule: { timezone } }) => timezone ?? 'UTC', drops: 1 },
    {
      title: 'NEXT',
      cell: ({ next_run_at: at, enabled }) => (enabled === false ? 'disabled' : time(at)),
      paint: (text, { enabled }, style) => (enabled === false ? style.yellow(text) : text),
    },
    {
      title: 'LAST',
      cell: ({ last_status: status }) => status ?? '-',
      paint: (text, { last_status: status }, style) =>
        status === 'failed' ? style.red(text) : text,
      drops: 2,
    },
    { title: 'ID', cell: ({ id }) => id },
  ];
}
