import * as z from 'zod';
import { cronFault } from './cron.ts';
import { email, key, name, text } from './fields.ts';

const cron = z.string().superRefine((expression, context) => {
  const fault = cronFault(expression);
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

const timezone = z.string().refine(isTimeZone, {
  message: 'must be the name of a time zone, such as Europe/Berlin or UTC',
});

const dateRanges = [
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

const envName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** A report schedule in a file. Credentials of channels come from the server's environment, never from here. */
export const ScheduleDocument = z.strictObject({
  kind: z.literal('Schedule'),
  key,
  name,
  description: text.optional(),
  schedule: z.strictObject({ cron, timezone: timezone.optional() }),
  report_template: z.strictObject({
    name,
    type: z.enum(['compliance', 'audit', 'risk', 'trend', 'remediation']),
    framework: text.optional(),
    scope: z
      .strictObject({
        environments: z.array(text).optional(),
        cloud_providers: z.array(text).optional(),
        date_range_type: z.enum(dateRanges).optional(),
      })
      .optional(),
    format_options: z
      .strictObject({
        formats: z
          .array(z.enum(['pdf', 'excel', 'csv', 'json', 'html']))
          .min(1)
          .optional(),
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
      webhook: z.strictObject({ url: z.url(), secret_env: envName.optional() }).optional(),
      sftp: z
        .strictObject({
          host: text,
          port: z.int().min(1).max(65_535).optional(),
          username: text,
          path: text,
          password_env: envName.optional(),
          private_key_env: envName.optional(),
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

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
