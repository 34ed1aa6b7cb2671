import * as z from 'zod';
import { cronFault } from './cron.ts';
import { endpoint } from './endpoint.ts';
import {
  ById,
  Timestamp,
  commaList,
  commaListOf,
  listEndpoint,
  listQuery,
  trueOrFalse,
} from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { Tags, serverAssigned } from './policies.ts';
import { ReportDelivery } from './report-answers.ts';
import { channelFields } from './report-channels.ts';
import { FormatOptions, ReportFramework, ReportType, scopeFields } from './reports.ts';
import { oneLine } from './text.ts';
import { TimeZone } from './time-zone.ts';

/** Relative ranges, in the schedule's zone; half-open. `last_week` is Monday to Monday. */
export const dateRangeTypes = [
  'last_24_hours',
  'last_7_days',
  'last_30_days',
  'last_week',
  'last_month',
  'last_quarter',
  'last_year',
  'month_to_date',
  'quarter_to_date',
  'year_to_date',
] as const;
export const DateRangeType = z.enum(dateRangeTypes);
export type DateRangeType = z.infer<typeof DateRangeType>;

const Cron = z
  .string()
  .max(256, { abort: true })
  .superRefine((expression, context) => {
    const fault = cronFault(expression);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });

/** Of what is answered instead of a secret; sent back in a PUT, the secret stays. */
const secretHint = { secret_hint: z.string().max(16).optional() };

const ScheduleTiming = z.strictObject({ cron: Cron, timezone: TimeZone.optional() });

const ReportTemplate = z.strictObject({
  name: oneLine(256),
  type: ReportType,
  framework: ReportFramework.optional(),
  scope: z.strictObject({ ...scopeFields, date_range_type: DateRangeType.optional() }).optional(),
  description: z.string().max(4_096).optional(),
  format_options: FormatOptions.optional(),
});

const ScheduleDelivery = z.strictObject(channelFields);
export type ScheduleDelivery = z.infer<typeof ScheduleDelivery>;

/** As they are answered: `secret_hint` and `protected` stand for a secret that stays as it is. */
const UpdatedDelivery = z.strictObject({
  ...channelFields,
  webhook: channelFields.webhook.unwrap().extend(secretHint).optional(),
});
export type UpdatedDelivery = z.infer<typeof UpdatedDelivery>;
const UpdatedTemplate = ReportTemplate.extend({
  format_options: FormatOptions.extend({
    security: FormatOptions.shape.security
      .unwrap()
      .extend({ protected: z.boolean().optional() })
      .optional(),
  }).optional(),
});
export type UpdatedTemplate = z.infer<typeof UpdatedTemplate>;

const fields = {
  name: oneLine(256),
  description: z.string().max(4_096),
  schedule: ScheduleTiming,
  report_template: ReportTemplate,
  delivery: ScheduleDelivery,
  enabled: z.boolean(),
  // An extension of our server.
  tags: Tags,
};

export const ScheduleInput = z.strictObject({
  name: fields.name,
  description: fields.description.optional(),
  schedule: fields.schedule,
  report_template: fields.report_template,
  delivery: fields.delivery.optional(),
  enabled: fields.enabled.optional(),
  tags: fields.tags.optional(),
});
export type ScheduleInput = z.infer<typeof ScheduleInput>;

/** What the service answers beside what it was given; sent back in a PUT, it is ignored. */
const answeredOnly = {
  next_run_at: z.unknown().optional(),
  last_run_at: z.unknown().optional(),
  last_report_id: z.unknown().optional(),
  last_status: z.unknown().optional(),
  problems: z.unknown().optional(),
};

/** A partial update: fields left out stay, null clears an optional one, nested objects are replaced whole. */
const ScheduleUpdate = z.strictObject({
  name: fields.name.optional(),
  description: fields.description.nullish(),
  schedule: fields.schedule.optional(),
  report_template: UpdatedTemplate.optional(),
  delivery: UpdatedDelivery.nullish(),
  enabled: fields.enabled.nullish(),
  tags: fields.tags.nullish(),
  ...serverAssigned,
  ...answeredOnly,
});
export type ScheduleUpdate = z.infer<typeof ScheduleUpdate>;

export const AnsweredSchedule = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  schedule: z.looseObject({ cron: z.string(), timezone: z.string().optional() }),
  report_template: z.looseObject({ name: z.string(), type: z.string() }),
  delivery: z.looseObject({}).optional(),
  enabled: z.boolean(),
  tags: z.array(z.string()).optional(),
  /** Absent while it is disabled. */
  next_run_at: Timestamp.optional(),
  last_run_at: Timestamp.optional(),
  last_report_id: z.string().optional(),
  /** Of the last run. */
  last_status: z.string().optional(),
  /** Why this server would not deliver to a channel, as in `{field: "delivery.sftp.password_env", message}`. */
  problems: z.array(z.looseObject({ field: z.string(), message: z.string() })).optional(),
  created_at: Timestamp.optional(),
  updated_at: Timestamp.optional(),
  created_by: z.string().optional(),
});
export type AnsweredSchedule = z.infer<typeof AnsweredSchedule>;

/** Pending while the report is made or a channel still waits; failed where the report or any channel did. */
export const runStatuses = ['pending', 'completed', 'failed'] as const;
export const runCauses = ['schedule', 'missed', 'manual'] as const;

export const channelStatuses = ['pending', 'delivered', 'failed'] as const;

export const ScheduleRun = z.looseObject({
  id: z.string(),
  schedule_id: z.string(),
  /** The time it was due at; of a manual one, when it was asked for. */
  fire_at: Timestamp,
  started_at: Timestamp,
  completed_at: Timestamp.optional(),
  cause: z.string(),
  status: z.string(),
  report_id: z.string().optional(),
  report_status: z.string().optional(),
  error: z.string().optional(),
  deliveries: z.array(ReportDelivery),
});
export type ScheduleRun = z.infer<typeof ScheduleRun>;

export const scheduleSortFields = [
  'created_at',
  'updated_at',
  'id',
  'name',
  'enabled',
  'next_run_at',
  'last_run_at',
  'last_status',
] as const;

export const runSortFields = [
  'fire_at',
  'id',
  'started_at',
  'completed_at',
  'cause',
  'status',
] as const;

const ScheduleListQuery = listQuery(scheduleSortFields, {
  enabled: trueOrFalse().optional(),
  type: commaListOf(ReportType).optional(),
  tags: commaList().optional(),
});
export type ScheduleListQuery = z.infer<typeof ScheduleListQuery>;

// All but its creation is an extension.
const noun = nounEndpoints({
  path: '/v1/reports/schedules',
  answer: AnsweredSchedule,
  missing: 'schedule_not_found',
});

export const schedules = {
  list: noun.list({
    summary: 'List report schedules',
    ext: true,
    query: ScheduleListQuery,
    rows: { schedules: z.array(AnsweredSchedule) },
  }),
  create: noun.create({
    summary: 'Create a schedule, which generates and delivers reports regularly',
    body: ScheduleInput,
    errors: ['invalid_schedule'],
  }),
  get: noun.get({ summary: 'Get a schedule', ext: true }),
  update: noun.update({
    summary: 'Update a schedule',
    ext: true,
    body: ScheduleUpdate,
    errors: ['invalid_schedule'],
  }),
  delete: noun.delete({ summary: 'Delete a schedule; its reports are kept', ext: true }),
  run: endpoint({
    method: 'POST',
    path: '/v1/reports/schedules/:id/run',
    summary: 'Run a schedule now: generate and deliver its report',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    response: { status: 202, body: ScheduleRun },
    errors: ['schedule_not_found'],
  }),
  runs: {
    ...listEndpoint({
      path: '/v1/reports/schedules/:id/runs',
      summary: 'List the runs of a schedule with their deliveries',
      ext: true,
      query: listQuery(runSortFields, {}),
      rows: { runs: z.array(ScheduleRun) },
      errors: ['schedule_not_found'],
    }),
    params: ById,
  },
};
