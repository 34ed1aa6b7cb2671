import { GovctlError } from '../../contract/errors.ts';
import type { ProjectConfig } from '../../project/model.ts';
import type { Context } from '../context.ts';
import type { RepoUrl } from '../credentials/find-login.ts';

/**
 * `base_url` of govctl.yaml, for commands that need nothing else of the project. Not read if a flag or the environment
 * sets the service.
 * @throws GovctlError invalid_file
 */
export async function projectBaseUrl(context: Context): Promise<RepoUrl | undefined> {
  if (context.flags.baseUrl !== undefined) return undefined;
  return repoUrlOf(await projectConfig(context, 'Fix the file, or pass --base-url.'));
}

/** `base_url` of a govctl.yaml that was read. */
export const repoUrlOf = ({
  base_url: url,
}: Pick<ProjectConfig, 'base_url'>): RepoUrl | undefined =>
  url === undefined ? undefined : { url, file: 'govctl.yaml' };

/**
 * govctl.yaml, for commands that read no policy files.
 * @throws GovctlError invalid_file: a broken file must not send a command to a service or project other than the one
 * it names
 */
export async function projectConfig(
  { world, flags }: Context,
  hint = 'Nothing was changed. Fix the file and try again.',
): Promise<ProjectConfig> {
  const { loadConfig } = await import('../../project/config.ts');
  const { config, problems } = loadConfig(world.cwd, flags.allowOutside);
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length === 0) return config;
  throw new GovctlError('invalid_file', 'govctl.yaml is not valid', {
    details: errors.map(({ file, line, column, message, hint: repair }) => ({
      field: `${file}:${line}:${column}`,
      message: repair ? `${message}. ${repair}` : message,
    })),
    hint,
  });
}
