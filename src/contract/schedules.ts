import * as z from 'zod';
import { cronFault } from './cron.ts';
import { endpoint } from './endpoint.ts';
import {
  ById,
  Pagination,
  Timestamp,
  commaList,
  listQuery,
  offsetOrCursor,
  offsetOrCursorMessage,
} from './lists.ts';
import { Tags, serverAssigned } from './policies.ts';
import {
  Email,
  FormatOptions,
  ReportDelivery,
  ReportFramework,
  ReportType,
  scopeFields,
} from './reports.ts';
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

export { TimeZone };

const text = (max: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(max, { abort: true })
    .regex(/\S/, { error: 'must not be blank', abort: true })
    .regex(/^\P{Cc}*$/u, 'must have no control characters');

/** Of a variable of the server's environment, which holds a secret that no schedule may. */
const EnvName = z
  .string()
  .max(256)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** Of what is answered instead of a secret; sent back in a PUT, the secret stays. */
const secretHint = { secret_hint: z.string().max(16).optional() };

const recipients = z
  .array(Email)
  .min(1, 'must name at least one recipient')
  .max(100)
  .refine((all) => new Set(all).size === all.length, 'names one twice');

export const channelFields = {
  /** `{{date}}` in the subject is the day of the fire, in the schedule's zone. `attach: false` sends links. */
  email: z
    .strictObject({ recipients, subject: text(256).optional(), attach: z.boolean().optional() })
    .optional(),
  /** A channel that the server's configuration gives an incoming webhook. */
  chat: z.strictObject({ channel: text(128) }).optional(),
  /** One of the two. The address is answered to whoever reads schedules, and who has it can write there: rather name it. */
  team_chat: z
    .strictObject({
      webhook_url: z.string().min(1).max(2_048).optional(),
      webhook_url_env: EnvName.optional(),
    })
    .superRefine(({ webhook_url: url, webhook_url_env: name }, context) => {
      if ((url === undefined) !== (name === undefined)) return;
      const message =
        url === undefined
          ? 'must be given, or webhook_url: where to post to'
          : 'excludes webhook_url';
      context.addIssue({ code: 'custom', path: ['webhook_url_env'], message });
    })
    .optional(),
  webhook: z
    .strictObject({
      url: z.string().min(1).max(2_048),
      /** Kept sealed, and never answered. Rather name it: `secret_env`. */
      secret: z.string().min(8).max(1_024).optional(),
      secret_env: EnvName.optional(),
    })
    .optional(),
  sftp: z
    .strictObject({
      host: text(253),
      port: z.int().min(1).max(65_535).optional(),
      username: text(128),
      /** A folder. */
      path: text(1_024),
      password_env: EnvName.optional(),
      private_key_env: EnvName.optional(),
      /** SHA-256 of the server's key, as `ssh-keygen -l` prints it. Absent: the first key seen is kept. */
      host_key: text(256).optional(),
    })
    .optional(),
  object_storage: z
    .strictObject({
      provider: z.literal('s3'),
      bucket: text(255),
      prefix: text(512).optional(),
      region: text(64).optional(),
      endpoint: z.string().min(1).max(2_048).optional(),
    })
    .optional(),
};

export const channelKinds = [
  'email',
  'chat',
  'team_chat',
  'webhook',
  'sftp',
  'object_storage',
] as const;
export type ChannelKind = (typeof channelKinds)[number];

const ScheduleTiming = z.strictObject({ cron: Cron, timezone: TimeZone.optional() });

const ReportTemplate = z.strictObject({
  name: text(256),
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
  name: text(256),
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
  created_at: Timestamp.optional(),
  updated_at: Timestamp.optional(),
  created_by: z.string().optional(),
});
export type AnsweredSchedule = z.infer<typeof AnsweredSchedule>;

/** Pending while the report is made or a channel still waits; failed where the report or any channel did. */
export const runStatuses = ['pending', 'completed', 'failed'] as const;
export const runCauses = ['schedule', 'missed', 'manual'] as const;

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

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

const ScheduleListQuery = z
  .strictObject({
    ...listQuery(20),
    sort_by: z.enum(scheduleSortFields).default('created_at'),
    enabled: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
    type: commaList().pipe(z.array(ReportType)).optional(),
    tags: commaList().optional(),
  })
  .refine(offsetOrCursor, offsetOrCursorMessage);
export type ScheduleListQuery = z.infer<typeof ScheduleListQuery>;

const RunListQuery = z
  .strictObject({ ...listQuery(20), sort_by: z.enum(runSortFields).default('fire_at') })
  .refine(offsetOrCursor, offsetOrCursorMessage);

export const schedules = {
  list: endpoint({
    method: 'GET',
    path: '/v1/reports/schedules',
    summary: 'List report schedules',
    scope: 'governance:read',
    ext: true,
    query: ScheduleListQuery,
    response: {
      status: 200,
      body: z.looseObject({ schedules: z.array(AnsweredSchedule), pagination: Pagination }),
    },
    errors: [],
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/reports/schedules',
    summary: 'Generate and deliver a report again and again',
    scope: 'compliance:write',
    body: ScheduleInput,
    versioned: true,
    response: { status: 201, body: AnsweredSchedule },
    errors: ['invalid_schedule'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/reports/schedules/:id',
    summary: 'Read a schedule',
    scope: 'governance:read',
    ext: true,
    params: ById,
    versioned: true,
    response: { status: 200, body: AnsweredSchedule },
    errors: ['schedule_not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/v1/reports/schedules/:id',
    summary: 'Change some fields of a schedule',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    body: ScheduleUpdate,
    versioned: true,
    response: { status: 200, body: AnsweredSchedule },
    errors: ['schedule_not_found', 'invalid_schedule', 'precondition_failed'],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/v1/reports/schedules/:id',
    summary: 'Delete a schedule; the reports it made stay',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    versioned: true,
    response: { status: 204 },
    errors: ['schedule_not_found', 'precondition_failed'],
  }),
  run: endpoint({
    method: 'POST',
    path: '/v1/reports/schedules/:id/run',
    summary: 'Generate and deliver the report now, beside the schedule',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    response: { status: 202, body: ScheduleRun },
    errors: ['schedule_not_found'],
  }),
  runs: endpoint({
    method: 'GET',
    path: '/v1/reports/schedules/:id/runs',
    summary: 'The runs of a schedule with their deliveries',
    scope: 'governance:read',
    ext: true,
    params: ById,
    query: RunListQuery,
    response: {
      status: 200,
      body: z.looseObject({ runs: z.array(ScheduleRun), pagination: Pagination }),
    },
    errors: ['schedule_not_found'],
  }),
};
