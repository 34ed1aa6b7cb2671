import type { Surroundings } from './channel.ts';

/** Variables that begin so are there to be named by schedules. */
const openPrefix = 'GOVCTL_CHANNEL_';
/** The server's own: its keys, its mail server, its storage. In any case, as some systems find them so. */
const ownVariable = /^(govctl|aws)_/i;

/**
 * Why a schedule can't name a variable: whoever writes schedules could send what it holds to a server of their own.
 * Whether there is such a variable is not told. While only this machine reaches the server, any can be named but
 * the server's own.
 */
export const variableFault = (
  name: string,
  { config, targets }: Surroundings,
): string | undefined =>
  isConfigured(name, config) ||
  name.startsWith(openPrefix) ||
  (targets.rules.local && !ownVariable.test(name))
    ? undefined
    : `names ${name}, which this server does not give to channels: name one that begins with ${openPrefix}, or have its operator list it under secrets in the file of --config`;

/** @returns undefined where it may not be named, is not set or is empty */
export function secretFromEnv(name: string, surroundings: Surroundings): string | undefined {
  const { config, env } = surroundings;
  if (variableFault(name, surroundings) !== undefined) return undefined;
  const value = isConfigured(name, config)
    ? config.secrets?.[name]
    : Object.hasOwn(env, name)
      ? env[name]
      : undefined;
  return value === '' ? undefined : value;
}

const isConfigured = (name: string, { secrets }: Surroundings['config']): boolean =>
  secrets !== undefined && Object.hasOwn(secrets, name);
