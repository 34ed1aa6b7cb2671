import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { durationForms, parseDuration } from '../../contract/duration.ts';
import type { ReportFormat } from '../../contract/reports.ts';
import { ReportInput, reportFormats } from '../../contract/reports.ts';
import type { DateRangeType } from '../../contract/schedules.ts';
import { dateRangeOf } from '../../calendar/date-range.ts';
import { momentOf, parseMoment } from '../flags/moment.ts';
import { listOf, parseWords } from '../flags/parse-words.ts';
import { parseTimeZone } from '../flags/time-zone.ts';

/** What a report, and the template of a schedule, are said to hold. */
export interface ContentFlags {
  readonly framework?: string;
  readonly environment?: readonly string[];
  readonly provider?: readonly string[];
  readonly format?: readonly string[];
  /** False with --no-summary. */
  readonly summary: boolean;
  /** False with --no-findings. */
  readonly findings: boolean;
  readonly includeCost?: boolean;
  readonly preparedFor?: string;
  readonly watermark?: string;
  readonly sign?: boolean;
}

export interface FieldFlags extends ContentFlags {
  readonly type?: string;
  readonly description?: string;
  readonly from?: string;
  readonly to?: string;
  readonly range?: string;
  readonly timezone?: string;
  readonly at?: string;
  readonly notify?: readonly string[];
}

const aliases: Readonly<Record<string, ReportFormat>> = { xlsx: 'excel' };

/** `pdf,html`, repeated. @throws GovctlError usage_error, with the nearest one */
export const parseFormats = (given: readonly string[]): ReportFormat[] =>
  parseWords(
    '--format',
    listOf(given).map((word) => (Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word)),
    reportFormats,
  );

export function scopeFrom({ environment, provider }: ContentFlags) {
  return {
    ...(environment ? { environments: listOf(environment) } : {}),
    ...(provider ? { cloud_providers: listOf(provider).map((one) => one.toLowerCase()) } : {}),
  };
}

export function formatOptionsFrom(flags: ContentFlags, password?: string) {
  const { format, summary, findings, includeCost, preparedFor, watermark, sign } = flags;
  const security = {
    ...defined({ password, watermark }),
    ...(sign ? { sign: true } : {}),
  };
  const options = {
    ...(format ? { formats: parseFormats(format) } : {}),
    ...(summary ? {} : { include_executive_summary: false }),
    ...(findings ? {} : { include_detailed_findings: false }),
    ...defined({ include_cost: includeCost, prepared_for: preparedFor }),
    ...(Object.keys(security).length > 0 ? { security } : {}),
  };
  return Object.keys(options).length > 0 ? { format_options: options } : {};
}

/** Whether these flags say a time from now on, or up to now. */
export const isRelative = ({ from, to, range, at }: FieldFlags): boolean =>
  (from ?? to ?? range ?? at) !== undefined;

/**
 * The request for a report that flags describe.
 * @param now of the service, in milliseconds since the epoch
 * @throws GovctlError usage_error
 */
export function inputFromFlags(
  now: number,
  name: string,
  flags: FieldFlags,
  password: string | undefined,
): ReportInput {
  const { type, framework, description, at, notify, timezone } = flags;
  const range = rangeFrom(now, flags);
  return checked({
    name,
    type,
    scope: {
      ...scopeFrom(flags),
      ...(range ? { date_range: range } : {}),
      // A field of our server: another is asked for none where UTC will do.
      ...(timezone === undefined || timezone === 'UTC' ? {} : { timezone }),
    },
    ...defined({ framework, description }),
    ...formatOptionsFrom(flags, password),
    ...(at === undefined && notify === undefined
      ? {}
      : {
          delivery: {
            ...(at === undefined ? {} : { immediate: false, scheduled_at: parseLater(at, now) }),
            ...(notify === undefined ? {} : { notifications: { email: listOf(notify) } }),
          },
        }),
  });
}

/** Half-open, as the service takes it; an end that is left out is now. */
function rangeFrom(now: number, { from, to, range, timezone }: FieldFlags) {
  if (range !== undefined) {
    if ((from ?? to) !== undefined) {
      throw new GovctlError('usage_error', 'Use either --range or --from and --to');
    }
    // commander knows the choices
    return dateRangeOf(range as DateRangeType, now, parseTimeZone(timezone ?? 'UTC'));
  }
  if (timezone !== undefined) {
    throw new GovctlError('usage_error', '--timezone requires --range', {
      hint: 'For --from and --to, use a time with an offset: 2026-01-31T00:00+01:00.',
    });
  }
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined) {
    throw new GovctlError('usage_error', '--to requires --from', {
      hint: 'Pass both, or a range such as --range last_month.',
    });
  }
  const start = parseMoment('--from', from, now);
  const end = to === undefined ? new Date(now).toISOString() : parseMoment('--to', to, now);
  if (start < end) return { start, end };
  const until = to === undefined ? 'now' : `--to ${to}`;
  throw new GovctlError('usage_error', `--from ${from} must be before ${until}`);
}

/** A moment to come: a time, or so long from now. */
function parseLater(text: string, now: number): string {
  const wait = parseDuration(text);
  const at = wait === undefined ? momentOf(text) : now + wait;
  if (at !== undefined && at >= now) return new Date(at).toISOString();
  const why = at === undefined ? 'must be a time or a delay' : 'must not be in the past';
  throw new GovctlError('usage_error', `--at ${text}: ${why}`, {
    hint: `Use a future time such as 2026-01-31T09:30:00Z, or a delay, ${durationForms}.`,
  });
}

const flagNames: Readonly<Record<string, string>> = {
  name: 'NAME',
  type: '--type',
  framework: '--framework',
  description: '--description',
  'scope.environments': '--environment',
  'scope.cloud_providers': '--provider',
  'scope.date_range.start': '--from',
  'scope.date_range.end': '--to',
  'format_options.formats': '--format',
  'format_options.include_cost': '--include-cost',
  'format_options.prepared_for': '--prepared-for',
  'format_options.security.watermark': '--watermark',
  'format_options.security.password': 'the password',
  'delivery.notifications.email': '--notify',
  'delivery.scheduled_at': '--at',
  'scope.timezone': '--timezone',
};

/** The flag that sets a field, such as `scope.environments.0`. */
export function flagOf(field: string): string | undefined {
  const name = field.replace(/(\.\d+|\[\d+\])/g, '');
  return Object.hasOwn(flagNames, name) ? flagNames[name] : undefined;
}

/** What the service would refuse, said of the flags. @throws GovctlError usage_error */
function checked(input: unknown): ReportInput {
  const parsed = ReportInput.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new GovctlError('usage_error', 'The report is not valid', {
    details: parsed.error.issues.map(({ path, message }) => {
      const field = path.join('.');
      return { field: flagOf(field) ?? field, message };
    }),
  });
}
