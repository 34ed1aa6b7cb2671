import type { FormatOptions } from '../../contract/reports.ts';
import { ScheduleInput, runCauses, runStatuses } from '../../contract/schedules.ts';
import type { ScheduleListQuery } from '../../contract/schedules.ts';
import type { Filters } from '../http/paging.ts';
import { anyOf } from '../http/paging.ts';
import type { StoredChannel } from '../report-delivery/service.ts';
import { securityShape } from '../reports/collection.ts';
import type { StoredSecurity } from '../reports/collection.ts';
import type { CollectionSpec, LaneSpec } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { channelShape } from '../report-delivery/service.ts';
import { Id, Key, shape } from '../shape.ts';

type Template = ScheduleInput['report_template'];

/** What each report is asked for with; its password is sealed for the schedule. */
export interface StoredTemplate extends Omit<Template, 'format_options'> {
  readonly format_options?: StoredFormatOptions | undefined;
}

export interface StoredFormatOptions extends Omit<FormatOptions, 'security'> {
  readonly security?: StoredSecurity | undefined;
}

/** A schedule as stored: what is answered, with a webhook's secret and a report's password sealed. */
export interface StoredSchedule extends Omit<
  ScheduleInput,
  'delivery' | 'enabled' | 'report_template'
> {
  readonly id: string;
  readonly report_template: StoredTemplate;
  readonly enabled: boolean;
  readonly channels: readonly StoredChannel[];
  /** Absent while it is disabled. */
  readonly next_run_at?: string;
  readonly last_run_at?: string;
  readonly last_report_id?: string;
  readonly last_status?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
}

/** Whether something of it is sealed: a webhook's secret, or the password of its reports. */
export const holdsSecret = ({ channels, report_template: template }: StoredSchedule): boolean =>
  template.format_options?.security?.password !== undefined ||
  channels.some((one) => one.kind === 'webhook' && one.secret !== undefined);

export const schedules: CollectionSpec<StoredSchedule> = {
  name: 'schedules',
  index: {
    enabled: ({ enabled }) => String(enabled),
    type: ({ report_template: { type } }) => type,
    tags: ({ tags }) => tags,
    /** `yes`: something of it is sealed. */
    sealed: (schedule) => (holdsSecret(schedule) ? 'yes' : undefined),
  },
  order: {
    created_at: ({ created_at: at }) => at,
    updated_at: ({ updated_at: at }) => at,
    id: ({ id }) => id,
    name: ({ name }) => name,
    enabled: ({ enabled }) => enabled,
    next_run_at: ({ next_run_at: at }) => at,
    last_run_at: ({ last_run_at: at }) => at,
    last_status: ({ last_status: status }) => status,
  },
};

/** Any of the types, all of the tags. */
export const scheduleFilters = (query: ScheduleListQuery): Filters => ({
  ...anyOf(query, ['type']),
  ...(query.enabled === undefined ? {} : { enabled: { any: [String(query.enabled)] } }),
  ...(query.tags ? { tags: { all: query.tags } } : {}),
});

/** Milliseconds after which a schedule is looked at, however far its next fire is. */
export const longestSleep = 24 * 3_600_000;

/**
 * A lane for each schedule that is enabled, under its id, which is its only work and stays in it: put off until its
 * next fire, but not for longer than a day, so that a clock that was wrong is found out.
 */
export const scheduleLanes: LaneSpec = { name: 'schedules', longestPause: longestSleep + 60_000 };

export interface StoredRun {
  readonly id: string;
  readonly schedule_id: string;
  /** The time it was due at; unique in its schedule, so that one fire makes one report. */
  readonly fire_at: string;
  readonly started_at: string;
  readonly completed_at?: string;
  readonly cause: (typeof runCauses)[number];
  readonly status: (typeof runStatuses)[number];
  readonly report_id?: string;
  readonly error?: string;
}

/** What a fire is found under. @param at ISO 8601 as stored */
export const fireKey = (scheduleId: string, at: string): string => `${scheduleId} ${at}`;

export const runs: CollectionSpec<StoredRun> = {
  name: 'schedule_runs',
  unique: {
    fire: ({ schedule_id: id, fire_at: at, cause }) =>
      cause === 'manual' ? undefined : fireKey(id, at),
  },
  index: {
    schedule_id: ({ schedule_id: id }) => id,
    status: ({ status }) => status,
  },
  order: {
    fire_at: ({ fire_at: at }) => at,
    id: ({ id }) => id,
    started_at: ({ started_at: at }) => at,
    completed_at: ({ completed_at: at }) => at,
    cause: ({ cause }) => cause,
    status: ({ status }) => status,
  },
};

const { format_options: formatOptions, ...templateFields } =
  ScheduleInput.shape.report_template.shape;
const { name, description, schedule, tags } = ScheduleInput.shape;

export const scheduleShape = shape<StoredSchedule>({
  name,
  description,
  schedule,
  tags,
  id: Id,
  report_template: shape<StoredTemplate>({
    ...templateFields,
    format_options: shape<StoredFormatOptions>({
      ...formatOptions.unwrap().shape,
      security: securityShape.optional(),
    }).optional(),
  }),
  enabled: z.boolean(),
  channels: z.array(channelShape),
  next_run_at: Timestamp.optional(),
  last_run_at: Timestamp.optional(),
  last_report_id: Id.optional(),
  last_status: z.string().optional(),
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: Key,
});

export const runShape = shape<StoredRun>({
  id: Id,
  schedule_id: Id,
  fire_at: Timestamp,
  started_at: Timestamp,
  completed_at: Timestamp.optional(),
  cause: z.enum(runCauses),
  status: z.enum(runStatuses),
  report_id: Id.optional(),
  error: z.string().optional(),
});
