import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { AnySchedule } from '../../client/objects.ts';
import { ScheduleInput } from '../../contract/schedules.ts';
import type { ContentFlags } from '../report/report-fields.ts';
import { formatOptionsFrom, scopeFrom } from '../report/report-fields.ts';
import { parseTimeZone } from '../flags/time-zone.ts';
import type { ChannelFlags } from './channel-fields.ts';
import { channelFlag, channelsFrom } from './channel-fields.ts';

/** What `create` and `update` take alike. */
export interface FieldFlags extends ContentFlags, ChannelFlags {
  readonly description?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly type?: string;
  /** As `type` was called first. */
  readonly reportType?: string;
  readonly reportName?: string;
  readonly range?: string;
  readonly tag?: readonly string[];
}

type Body = Readonly<Record<string, unknown>>;

/** The request for a schedule that flags describe. @throws GovctlError usage_error */
export function inputFromFlags(
  name: string,
  flags: FieldFlags,
  more: { readonly password: string | undefined; readonly disabled: boolean },
): ScheduleInput {
  const { description, tag } = flags;
  const delivery = channelsFrom(flags);
  return checked({
    name,
    ...defined({ description }),
    schedule: timingFrom(flags, {}),
    report_template: { name, ...templateFrom(flags, {}, more.password) },
    ...(Object.keys(delivery).length > 0 ? { delivery } : {}),
    ...(more.disabled ? { enabled: false } : {}),
    ...(tag ? { tags: [...tag] } : {}),
  });
}

/**
 * What flags change of a schedule. Objects are sent whole, so what flags leave out of one is taken from the schedule as
 * it is.
 * @param remove channels to send to no more
 * @throws GovctlError usage_error
 */
export function changeFromFlags(
  before: AnySchedule,
  flags: FieldFlags,
  remove: readonly string[],
): Body {
  const timing = timingFrom(flags, before.schedule);
  const template = templateFrom(flags, before.report_template, undefined);
  const channels = Object.fromEntries(
    Object.entries(channelsFrom(flags, before.delivery ?? {})).filter(
      ([kind]) => !remove.includes(kind),
    ),
  );
  const { description, tag } = flags;
  const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
  return {
    ...(description === undefined ? {} : { description: description === '' ? null : description }),
    ...(differs(timing, before.schedule) ? { schedule: timing } : {}),
    ...(differs(template, before.report_template) ? { report_template: template } : {}),
    ...(differs(channels, before.delivery ?? {})
      ? { delivery: Object.keys(channels).length > 0 ? channels : null }
      : {}),
    ...(tag ? { tags: [...tag] } : {}),
  };
}

const timingFrom = ({ cron, timezone }: FieldFlags, before: Body): Body => ({
  ...before,
  ...defined({ cron }),
  ...(timezone === undefined ? {} : { timezone: parseTimeZone(timezone) }),
});

function templateFrom(flags: FieldFlags, before: Body, password: string | undefined): Body {
  const { type = flags.reportType, reportName, framework, range } = flags;
  const scope = { ...scopeFrom(flags), ...defined({ date_range_type: range }) };
  const { format_options: options } = formatOptionsFrom(flags, password);
  return {
    ...before,
    ...defined({ name: reportName, type, framework }),
    ...(Object.keys(scope).length > 0 ? { scope: { ...asObject(before.scope), ...scope } } : {}),
    ...(options ? { format_options: mergedOptions(asObject(before.format_options), options) } : {}),
  };
}

const mergedOptions = (before: Body, options: Body): Body => ({
  ...before,
  ...options,
  ...(options.security === undefined
    ? {}
    : { security: { ...asObject(before.security), ...asObject(options.security) } }),
});

// What is no object holds nothing to keep.
const asObject = (value: unknown): Body =>
  typeof value === 'object' && value !== null ? (value as Body) : {};

const flagNames: Readonly<Record<string, string>> = {
  name: 'NAME',
  'schedule.cron': '--cron',
  'schedule.timezone': '--timezone',
  'report_template.name': '--report-name',
  'report_template.type': '--type',
  'report_template.framework': '--framework',
  'report_template.scope.environments': '--environment',
  'report_template.scope.cloud_providers': '--provider',
  'report_template.format_options.include_cost': '--include-cost',
  'report_template.format_options.security.watermark': '--watermark',
  'report_template.format_options.security.password': 'the password',
  tags: '--tag',
};

/** What the service would refuse, said of the flags. @throws GovctlError usage_error */
function checked(input: unknown): ScheduleInput {
  const parsed = ScheduleInput.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new GovctlError('usage_error', 'The schedule is not valid', {
    details: parsed.error.issues.map(({ path, message }) => {
      const words = path.filter((part) => typeof part === 'string');
      const [first, kind = '', ...rest] = words;
      const field =
        first === 'delivery'
          ? [channelFlag(kind), ...rest].join(' ')
          : (flagNames[words.join('.')] ?? words.join('.'));
      return { field, message };
    }),
  });
}
