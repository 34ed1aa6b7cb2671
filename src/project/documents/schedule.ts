import * as z from 'zod';
import { FormatOptions } from '../../contract/reports.ts';
import { channelFields } from '../../contract/report-channels.ts';
import { ScheduleInput } from '../../contract/schedules.ts';
import { key, ownTags } from './policy.ts';

const fields = ScheduleInput.shape;

const security = FormatOptions.shape.security.unwrap();

/** Refused, and not merely unknown: whoever writes one is told what to do. What it is, is not said. */
const notInGit = (instead: string) =>
  z
    .unknown()
    .superRefine((_, context) =>
      context.addIssue({
        code: 'custom',
        message: `must not be stored in git, because it would stay in the history; ${instead}`,
        params: { secret: true },
      }),
    )
    .optional();

const password = notInGit('omit it, and pass it with `govctl schedule create --password-env`');

const template = fields.report_template.extend({
  format_options: FormatOptions.extend({
    security: security.extend({ password }).optional(),
  }).optional(),
});

const webhook = channelFields.webhook.unwrap().extend({
  secret: notInGit(
    'set the name of an environment variable of the server, as in secret_env: WEBHOOK_SECRET',
  ),
});

/** A report schedule in a file. Credentials of channels come from the server's environment, never from here. */
export const ScheduleDocument = z.strictObject({
  kind: z.literal('Schedule'),
  key,
  ...fields,
  report_template: template,
  delivery: z.strictObject({ ...channelFields, webhook: webhook.optional() }).optional(),
  tags: ownTags.optional(),
});
export type ScheduleDocument = z.infer<typeof ScheduleDocument>;
