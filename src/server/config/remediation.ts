import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { CommandConfig, RemediationConfig } from './config.ts';
import type { Env } from './references.ts';
import type { Remediation } from './remediation-schema.ts';

/** Seconds that a command may take where the file does not say. */
const defaultTimeout = 60;

/**
 * What remediations may do, with the variables that commands get.
 * @throws GovctlError invalid_file where a command can't be run
 */
export async function remediationOf(
  { guards, commands, ...given }: Remediation,
  env: Env,
  file: string,
): Promise<RemediationConfig> {
  const ready: Record<string, CommandConfig> = {};
  for (const [name, { command, env: names = [], timeout_seconds: seconds, cwd }] of Object.entries(
    commands ?? {},
  )) {
    const field = `remediation.commands.${name}`;
    await checkProgram(command[0] ?? '', `${file}: ${field}.command`);
    if (cwd !== undefined) await checkFolder(cwd, `${file}: ${field}.cwd`);
    const set = names.flatMap((one) => (env[one] === undefined ? [] : [[one, env[one]]]));
    ready[name] = {
      command,
      env: Object.fromEntries(set) as Record<string, string>,
      timeoutMs: (seconds ?? defaultTimeout) * 1_000,
      ...defined({ cwd }),
    };
  }
  return {
    ...(guards ? { guards: defined(guards) } : {}),
    ...defined(given),
    ...(commands ? { commands: ready } : {}),
  };
}

async function checkProgram(program: string, where: string): Promise<void> {
  try {
    if ((await stat(program)).isFile()) return await access(program, constants.X_OK);
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const why = isMissing ? 'does not exist' : 'is not executable by this user';
    throw new GovctlError('invalid_file', `${where}: ${program} ${why}`, { cause });
  }
  throw new GovctlError('invalid_file', `${where}: ${program} is not a file`);
}

async function checkFolder(folder: string, where: string): Promise<void> {
  const isFolder = await stat(folder).then((found) => found.isDirectory(), () => false); // prettier-ignore
  if (isFolder) return;
  throw new GovctlError('invalid_file', `${where}: ${folder} is not a directory`);
}
