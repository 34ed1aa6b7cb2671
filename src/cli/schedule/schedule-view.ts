import { describeCron, sayTime } from '../../calendar/words.ts';
import type { AnySchedule } from '../../client/objects.ts';
import { cronFault } from '../../contract/cron.ts';
import { TimeZone } from '../../contract/time-zone.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { readOwnership, withoutOwnership } from '../../project/compare/ownership.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count } from '../terminal/printable.ts';
import { typeTitle } from '../report/report-objects.ts';
import type { Style } from '../terminal/terminal.ts';

export async function scheduleView(
  schedule: AnySchedule,
  { room, headline, userName }: Pick<Shown, 'room' | 'headline' | 'userName'>,
): Promise<View> {
  const when = await describeTiming(schedule);
  return {
    value: schedule,
    human: (style) =>
      (headline ? `${headline(style)}\n` : '') +
      describeSchedule(schedule, when, style, { room, userName }),
  };
}

function describeSchedule(
  schedule: AnySchedule,
  when: string,
  style: Style,
  { room, userName }: Pick<Shown, 'room' | 'userName'>,
): string {
  const { owner, key } = readOwnership(schedule.tags ?? []);
  const { created_at: created, created_by: by, last_run_at: last } = schedule;
  const zone = zoneOf(schedule);
  return formatDetails(
    schedule.name,
    [
      ['id', schedule.id],
      ['description', schedule.description],
      ['when', when],
      ['report', describeTemplate(schedule)],
      ...Object.entries(schedule.delivery ?? {}).map(
        ([kind, channel]) => [kind.replaceAll('_', ' '), describeChannel(channel)] as const,
      ),
      ...(schedule.problems ?? []).map(
        ({ field, message }) => ['problem', `${field} ${message}`] as const,
      ),
      ['status', schedule.enabled === false ? 'disabled' : 'enabled'],
      ['next', schedule.next_run_at && inZone(schedule.next_run_at, zone)],
      [
        'last',
        last && `${inZone(last, zone)}${schedule.last_status ? `: ${schedule.last_status}` : ''}`,
      ],
      ['last report', schedule.last_report_id],
      ['tags', withoutOwnership(schedule.tags ?? []).join(', ')],
      ['git', owner && `managed by project ${owner}${key ? `, key ${key}` : ''}`],
      ['created', [utcMinute(created), by && `by ${userName(by)}`].filter(Boolean).join(' ')],
      ['updated', utcMinute(schedule.updated_at)],
    ],
    style,
    room,
  );
}

/** A zone of another server may be none here. */
export const zoneOf = ({ schedule: { timezone } }: AnySchedule): string =>
  timezone !== undefined && TimeZone.safeParse(timezone).success ? timezone : 'UTC';

/** `At 09:00, only on Monday (0 9 * * 1, Europe/Berlin)`. */
async function describeTiming({ schedule: { cron, timezone } }: AnySchedule): Promise<string> {
  const written = [cron, timezone ?? 'UTC'].join(', ');
  return cronFault(cron) === undefined ? `${await describeCron(cron)} (${written})` : written;
}

/** Where people are, and as computers say it. */
export function inZone(time: string, zone: string): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return time;
  return zone === 'UTC' ? sayTime(at, zone) : `${sayTime(at, zone)} (${utcMinute(time)})`;
}

function describeTemplate({ report_template: template }: AnySchedule): string {
  const { name, type, framework, scope } = template as Readonly<Record<string, unknown>>;
  const range =
    typeof scope === 'object' && scope !== null && 'date_range_type' in scope
      ? scope.date_range_type
      : undefined;
  return [
    typeof name === 'string' ? JSON.stringify(name) : undefined,
    typeof type === 'string' ? typeTitle(type) : undefined,
    framework,
    typeof range === 'string' ? range.replaceAll('_', ' ') : undefined,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');
}

/** A channel in a few words. */
function describeChannel(channel: Readonly<Record<string, unknown>>): string {
  return Object.entries(channel)
    .map(([name, value]) => {
      if (name === 'recipients' && Array.isArray(value)) {
        return value.length > 3 ? count(value.length, 'recipient') : value.join(', ');
      }
      // Whoever has the address of a chat's webhook can write there.
      if (name === 'webhook_url') return 'webhook (URL hidden)';
      return `${name.replaceAll('_', ' ')} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
    })
    .join(', ');
}
