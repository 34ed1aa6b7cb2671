import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { configDir } from '../credentials/config-dir.ts';
import { profileNamed, readProfiles, writeProfiles } from '../credentials/profiles.ts';

export interface SwitchOptions {
  readonly args: readonly [string];
}

/** Makes a profile the current one. */
export async function runSwitch(
  context: Context,
  { args: [name] }: SwitchOptions,
): Promise<ExitCode> {
  const folder = configDir(context.world.env);
  const profiles = await readProfiles(folder, context.warn);
  const { base_url: baseUrl } = profileNamed(profiles, name);
  await writeProfiles(folder, { ...profiles, current: name });
  await context.show({
    value: { profile: name, base_url: baseUrl },
    human: () => `Commands now use profile "${name}" (${baseUrl}).\n`,
  });
  return exitCodes.ok;
}
