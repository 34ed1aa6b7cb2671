import { GovctlError } from '../../contract/errors.ts';
import type { ChannelKind } from '../../contract/report-channels.ts';
import { listOf } from '../flags/parse-words.ts';

/** Where a schedule's reports are sent. Secrets are named: the server has them in its environment. */
export interface ChannelFlags {
  readonly email?: readonly string[];
  readonly subject?: string;
  /** Send links in place of the files. */
  readonly links?: boolean;
  readonly chat?: string;
  readonly teamChatEnv?: string;
  readonly webhookUrl?: string;
  readonly webhookSecretEnv?: string;
  readonly sftp?: string;
  readonly sftpPasswordEnv?: string;
  readonly sftpKeyEnv?: string;
  readonly sftpHostKey?: string;
  readonly s3?: string;
  readonly s3Region?: string;
  readonly s3Endpoint?: string;
}

type Fields = Readonly<Record<string, unknown>>;
/** As a service answers them, or as they are sent. */
export type Channels = Readonly<Partial<Record<string, Fields>>>;

/**
 * The channels that flags name, each over what it is now.
 * @throws GovctlError usage_error
 */
export function channelsFrom(flags: ChannelFlags, before: Channels = {}): Channels {
  const given: Readonly<Record<ChannelKind, Fields | undefined>> = {
    email: fieldsOf({
      recipients: flags.email && listOf(flags.email),
      subject: flags.subject,
      attach: flags.links ? false : undefined,
    }),
    chat: fieldsOf({ channel: flags.chat }),
    team_chat: fieldsOf({ webhook_url_env: flags.teamChatEnv }),
    webhook: fieldsOf({ url: flags.webhookUrl, secret_env: flags.webhookSecretEnv }),
    sftp: fieldsOf({
      ...(flags.sftp === undefined ? {} : parseSftp(flags.sftp)),
      password_env: flags.sftpPasswordEnv,
      private_key_env: flags.sftpKeyEnv,
      host_key: flags.sftpHostKey,
    }),
    object_storage: fieldsOf({
      ...(flags.s3 === undefined ? {} : parseBucket(flags.s3)),
      region: flags.s3Region,
      endpoint: flags.s3Endpoint,
    }),
  };
  const changed = Object.entries(given).flatMap(([kind, fields]) =>
    fields ? [[kind, { ...keptOf(kind, before), ...fields }] as const] : [],
  );
  return { ...before, ...Object.fromEntries(changed) };
}

/** An address that is named takes the place of one that was written out. */
const keptOf = (kind: string, before: Channels): Fields | undefined =>
  kind === 'team_chat' ? undefined : before[kind];

/** Undefined where no flag gives any. */
function fieldsOf(fields: Fields): Fields | undefined {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

/** `user@host:2222/folder`. */
function parseSftp(text: string): Fields {
  const [, username, host, port, path] =
    /^(?:sftp:\/\/)?([^@:/\s]+)@(\[[^\]\s]+\]|[^@:/\s]+)(?::(\d{1,5}))?(\/.*)$/.exec(text) ?? [];
  if (username === undefined || host === undefined || path === undefined) {
    throw new GovctlError('usage_error', `--sftp ${text}: must be user@host/directory`, {
      hint: 'To set a port, use user@host:2222/directory. To set a password, use --sftp-password-env.',
    });
  }
  return { username, host, path, ...(port === undefined ? {} : { port: Number(port) }) };
}

/** `bucket/prefix`. */
function parseBucket(text: string): Fields {
  const [, bucket, prefix] = /^(?:s3:\/\/)?([^/\s]+)(?:\/(.*))?$/.exec(text) ?? [];
  if (bucket === undefined) {
    throw new GovctlError('usage_error', `--s3 ${text}: must be bucket or bucket/prefix`);
  }
  return { provider: 's3', bucket, ...(prefix ? { prefix } : {}) };
}

const flagOf: Readonly<Record<string, string>> = {
  email: '--email',
  chat: '--chat',
  team_chat: '--team-chat-env',
  webhook: '--webhook-url',
  sftp: '--sftp',
  object_storage: '--s3',
};

/** The flag that a field of a channel comes from. */
export const channelFlag = (kind: string): string => flagOf[kind] ?? kind;
