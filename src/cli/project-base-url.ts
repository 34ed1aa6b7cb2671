import { GovctlError } from '../contract/errors.ts';
import type { Context } from './context.ts';

/**
 * `base_url` of govctl.yaml, for commands that need no more of the project. Not read where flag or environment
 * name the service.
 * @throws GovctlError invalid_file: a broken file must not send a command to another service than it names
 */
export async function projectBaseUrl({ flags, world }: Context): Promise<string | undefined> {
  if (flags.baseUrl !== undefined) return undefined;
  const { loadConfig } = await import('../project/config.ts');
  const { config, problems } = loadConfig(world.cwd);
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length === 0) return config.base_url;
  throw new GovctlError('invalid_file', 'govctl.yaml, which may name the service, is not valid', {
    details: errors.map(({ file, line, column, message, hint }) => ({
      field: `${file}:${line}:${column}`,
      message: hint ? `${message}. ${hint}` : message,
    })),
    hint: '--base-url names the service without it.',
  });
}
