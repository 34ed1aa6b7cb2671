import { hostFault, targetFault } from '../../outbound/target.ts';
import type { ChannelOf, StoredChannel, Surroundings } from './channel.ts';
import { variableFault } from './secret-from-env.ts';

/** What is wrong with a field of a schedule's `delivery`. */
interface ChannelFault {
  /** As in `delivery.sftp.host`. */
  readonly field: string;
  readonly message: string;
}

/**
 * Why a channel could never be sent to, as far as that is known when it is written; undefined: it could. What the
 * operator has yet to configure is no fault: it shows when the first report is delivered.
 */
export async function channelFault(
  channel: StoredChannel,
  surroundings: Surroundings,
): Promise<ChannelFault | undefined> {
  const fault = await findFault(channel, surroundings);
  return fault && { field: `delivery.${channel.kind}.${fault.field}`, message: fault.message };
}

async function findFault(
  channel: StoredChannel,
  surroundings: Surroundings,
): Promise<ChannelFault | undefined> {
  const { targets, config } = surroundings;
  switch (channel.kind) {
    case 'email':
      return undefined;
    case 'chat':
      return fault('channel', chatFault(channel.channel, config.chat?.channels));
    case 'team_chat':
      return channel.webhook_url === undefined
        ? envFault('webhook_url_env', channel.webhook_url_env, surroundings)
        : fault('webhook_url', await targetFault(channel.webhook_url, targets));
    case 'webhook':
      return (
        fault('url', await targetFault(channel.url, targets)) ??
        (channel.secret !== undefined && channel.secret_env !== undefined
          ? fault('secret_env', 'excludes secret')
          : envFault('secret_env', channel.secret_env, surroundings))
      );
    case 'sftp':
      return sftpFault(channel, surroundings);
    case 'object_storage':
      return storageFault(channel, surroundings);
  }
}

const fault = (field: string, message: string | undefined): ChannelFault | undefined =>
  message === undefined ? undefined : { field, message };

const envFault = (
  field: string,
  name: string | undefined,
  surroundings: Surroundings,
): ChannelFault | undefined =>
  name === undefined ? undefined : fault(field, variableFault(name, surroundings));

const chatFault = (
  name: string,
  channels: Readonly<Record<string, string>> | undefined,
): string | undefined =>
  channels === undefined || Object.hasOwn(channels, name)
    ? undefined
    : `must be one of the channels of this server's configuration: ${Object.keys(channels).join(', ') || 'there is none'}`;

async function sftpFault(
  channel: ChannelOf<'sftp'>,
  surroundings: Surroundings,
): Promise<ChannelFault | undefined> {
  const { host, path, password_env: password, private_key_env: key, host_key: hostKey } = channel;
  if (password !== undefined && key !== undefined) {
    return fault('private_key_env', 'excludes password_env');
  }
  if (password === undefined && key === undefined) {
    return fault('password_env', 'must be given, or private_key_env: what to log in with');
  }
  if (hostKey !== undefined && !/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(hostKey)) {
    return fault('host_key', 'must be as `ssh-keygen -lf` prints it: SHA256: and 43 characters');
  }
  return (
    fault('path', stepsFault(path)) ??
    envFault('password_env', password, surroundings) ??
    envFault('private_key_env', key, surroundings) ??
    fault('host', await hostFault(host, surroundings.targets))
  );
}

async function storageFault(
  { bucket, prefix, region, endpoint }: ChannelOf<'object_storage'>,
  { targets }: Surroundings,
): Promise<ChannelFault | undefined> {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..')) {
    return fault('bucket', 'must be 3 to 63 lower-case letters, digits, dots and hyphens');
  }
  if (region !== undefined && !/^[a-z0-9-]+$/.test(region)) {
    return fault('region', 'must be the name of a region, such as eu-central-1');
  }
  const wrong = prefix === undefined ? undefined : stepsFault(prefix);
  if (wrong !== undefined || endpoint === undefined) return fault('prefix', wrong);
  if (/[?#]/.test(endpoint)) return fault('endpoint', 'must have no query and no fragment');
  return fault('endpoint', await targetFault(endpoint, targets));
}

/** Steps up are no part of any folder's name. */
const stepsFault = (path: string): string | undefined =>
  path.split(/[/\\]/).includes('..') ? 'must have no .. in it' : undefined;
