import * as z from 'zod';
import { Cron, DateRangeType, EnvName, TimeZone } from '../../contract/schedules.ts';
import { ReportFormat, ReportType } from '../../contract/reports.ts';
import { email, key, name, text } from './fields.ts';

/** A report schedule in a file. Credentials of channels come from the server's environment, never from here. */
export const ScheduleDocument = z.strictObject({
  kind: z.literal('Schedule'),
  key,
  name,
  description: text.optional(),
  schedule: z.strictObject({ cron: Cron, timezone: TimeZone.optional() }),
  report_template: z.strictObject({
    name,
    type: ReportType,
    framework: text.optional(),
    scope: z
      .strictObject({
        environments: z.array(text).optional(),
        cloud_providers: z.array(text).optional(),
        date_range_type: DateRangeType.optional(),
      })
      .optional(),
    format_options: z
      .strictObject({
        formats: z.array(ReportFormat).min(1).optional(),
        include_executive_summary: z.boolean().optional(),
        include_detailed_findings: z.boolean().optional(),
      })
      .optional(),
  }),
  delivery: z
    .strictObject({
      email: z
        .strictObject({ recipients: z.array(email).min(1), subject: text.optional() })
        .optional(),
      chat: z.strictObject({ channel: text }).optional(),
      team_chat: z.strictObject({ webhook_url: z.url() }).optional(),
      webhook: z.strictObject({ url: z.url(), secret_env: EnvName.optional() }).optional(),
      sftp: z
        .strictObject({
          host: text,
          port: z.int().min(1).max(65_535).optional(),
          username: text,
          path: text,
          password_env: EnvName.optional(),
          private_key_env: EnvName.optional(),
        })
        .optional(),
      object_storage: z
        .strictObject({
          provider: z.literal('s3'),
          bucket: text,
          prefix: text.optional(),
          region: text.optional(),
          endpoint: z.url().optional(),
        })
        .optional(),
    })
    .optional(),
  enabled: z.boolean().optional(),
});
