import { placeOfUrl } from '../../config/binding.ts';
import type { ServerConfig } from '../../config/config.ts';
import { hostFault, targetFault } from '../../outbound/target.ts';
import type { ChannelOf, StoredChannel, Surroundings } from './channel.ts';
import { secretFor, secretUrlFor } from './bound-secret.ts';
import type { Bound } from './bound-secret.ts';
import { chatUrl, noChatUrl } from './chat.ts';
import { noMailServer } from './email.ts';
import { storageKeys } from './object-storage.ts';
import { sftpLogin } from './sftp.ts';

/** What is wrong with a field of a schedule's `delivery`. */
interface ChannelFault {
  /** As in `delivery.sftp.host`. */
  readonly field: string;
  readonly message: string;
}

/**
 * What this server's configuration says against a channel that is stored; undefined: nothing. Looks at nothing else, so
 * that it can be shown with a schedule.
 */
export function channelProblem(
  channel: StoredChannel,
  config: ServerConfig,
): ChannelFault | undefined {
  const problem = notSetUp(channel, config) ?? credentialFault(channel, config);
  return problem && named(channel, problem);
}

/** What the operator has yet to configure for a channel. */
function notSetUp(channel: StoredChannel, config: ServerConfig): ChannelFault | undefined {
  if (channel.kind === 'email') {
    return fault('recipients', config.smtp ? undefined : `cannot be sent to: ${noMailServer}`);
  }
  if (channel.kind !== 'chat') return undefined;
  const url = chatUrl(channel.channel, config);
  return fault('channel', url === undefined ? noChatUrl(channel.channel) : undefined);
}

const named = ({ kind }: StoredChannel, { field, message }: ChannelFault): ChannelFault => ({
  field: `delivery.${kind}.${field}`,
  message,
});

/**
 * Why a channel could never be sent to, as far as that is known when it is written; undefined: it could. A mail server
 * or a chat channel that the operator has yet to configure is no fault: it shows when the first report is delivered.
 */
export async function channelFault(
  channel: StoredChannel,
  surroundings: Surroundings,
): Promise<ChannelFault | undefined> {
  const found =
    (await findFault(channel, surroundings)) ?? credentialFault(channel, surroundings.config);
  return found && named(channel, found);
}

async function findFault(
  channel: StoredChannel,
  surroundings: Surroundings,
): Promise<ChannelFault | undefined> {
  const { targets } = surroundings;
  switch (channel.kind) {
    case 'email':
    case 'chat':
      return undefined;
    case 'team_chat':
      return channel.webhook_url === undefined
        ? undefined
        : fault('webhook_url', await targetFault(channel.webhook_url, targets));
    case 'webhook':
      return (
        fault('url', await targetFault(channel.url, targets)) ??
        (channel.secret !== undefined && channel.secret_env !== undefined
          ? fault('secret_env', 'cannot be used with secret')
          : undefined)
      );
    case 'sftp':
      return sftpFault(channel, surroundings);
    case 'object_storage':
      return storageFault(channel, surroundings);
  }
}

/** Why the server would not send what a channel names to where the channel leads. */
function credentialFault(channel: StoredChannel, config: ServerConfig): ChannelFault | undefined {
  switch (channel.kind) {
    case 'email':
    case 'chat':
      return undefined;
    case 'team_chat': {
      const { webhook_url_env: name } = channel;
      return name === undefined
        ? undefined
        : boundFault('webhook_url_env', secretUrlFor(name, config));
    }
    case 'webhook': {
      const [place, name] = [placeOfUrl(channel.url), channel.secret_env];
      return place === undefined || name === undefined
        ? undefined
        : boundFault('secret_env', secretFor(name, place, config));
    }
    case 'sftp': {
      const login = sftpLogin(channel, config);
      return 'field' in login ? boundFault(login.field, login) : undefined;
    }
    case 'object_storage': {
      const keys = storageKeys(channel, config);
      return 'field' in keys ? boundFault(keys.field, keys) : undefined;
    }
  }
}

const boundFault = (field: string, found: Bound<object>): ChannelFault | undefined =>
  'fault' in found ? { field, message: String(found.fault) } : undefined;

const fault = (field: string, message: string | undefined): ChannelFault | undefined =>
  message === undefined ? undefined : { field, message };

async function sftpFault(
  channel: ChannelOf<'sftp'>,
  surroundings: Surroundings,
): Promise<ChannelFault | undefined> {
  const { host, path, password_env: password, private_key_env: key, host_key: hostKey } = channel;
  if (password !== undefined && key !== undefined) {
    return fault('private_key_env', 'cannot be used with password_env');
  }
  if (password === undefined && key === undefined) {
    return fault('password_env', 'is required unless private_key_env is set');
  }
  if (hostKey !== undefined && !/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(hostKey)) {
    return fault('host_key', 'must be SHA256: and 43 characters, as printed by `ssh-keygen -lf`');
  }
  return (
    fault('path', stepsFault(path)) ?? fault('host', await hostFault(host, surroundings.targets))
  );
}

async function storageFault(
  { bucket, prefix, region, endpoint }: ChannelOf<'object_storage'>,
  { targets }: Surroundings,
): Promise<ChannelFault | undefined> {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..')) {
    return fault('bucket', 'must be 3 to 63 lowercase letters, digits, dots and hyphens');
  }
  if (region !== undefined && !/^[a-z0-9-]+$/.test(region)) {
    return fault('region', 'must be a region, such as eu-central-1');
  }
  const wrong = prefix === undefined ? undefined : stepsFault(prefix);
  if (wrong !== undefined || endpoint === undefined) return fault('prefix', wrong);
  if (/[?#]/.test(endpoint)) return fault('endpoint', 'must not contain a query or fragment');
  return fault('endpoint', await targetFault(endpoint, targets));
}

/** Steps up are no part of any folder's name. */
const stepsFault = (path: string): string | undefined =>
  path.split(/[/\\]/).includes('..') ? 'must not contain ..' : undefined;
