import * as z from 'zod';
import { Email } from './reports.ts';
import { oneLine } from './text.ts';

/** Of a variable of the server's environment, which holds a secret that no schedule may. */
const EnvName = z
  .string()
  .max(256)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

const recipients = z
  .array(Email)
  .min(1, 'must include at least one recipient')
  .max(100)
  .refine((all) => new Set(all).size === all.length, 'has duplicate recipients');

export const channelFields = {
  /** `{{date}}` in the subject is the day of the fire, in the schedule's zone. `attach: false` sends links. */
  email: z
    .strictObject({ recipients, subject: oneLine(256).optional(), attach: z.boolean().optional() })
    .optional(),
  /** A channel that the server's configuration gives an incoming webhook. */
  chat: z.strictObject({ channel: oneLine(128) }).optional(),
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
          ? 'is required unless webhook_url is set'
          : 'cannot be used with webhook_url';
      context.addIssue({ code: 'custom', path: ['webhook_url_env'], message });
    })
    .optional(),
  webhook: z
    .strictObject({
      url: z.string().min(1).max(2_048),
      /** Stored encrypted, and never returned. Prefer `secret_env`. */
      secret: z.string().min(8).max(1_024).optional(),
      secret_env: EnvName.optional(),
    })
    .optional(),
  sftp: z
    .strictObject({
      host: oneLine(253),
      port: z.int().min(1).max(65_535).optional(),
      username: oneLine(128),
      /** A folder. */
      path: oneLine(1_024),
      password_env: EnvName.optional(),
      private_key_env: EnvName.optional(),
      /** SHA-256 of the server's key, as `ssh-keygen -l` prints it. Absent: the first key seen is kept. */
      host_key: oneLine(256).optional(),
    })
    .optional(),
  object_storage: z
    .strictObject({
      provider: z.literal('s3'),
      bucket: oneLine(255),
      prefix: oneLine(512).optional(),
      region: oneLine(64).optional(),
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
