import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { connectAs } from '../objects/connect.ts';
import type { Context } from '../context.ts';
import { findTarget } from '../credentials/find-login.ts';
import { projectBaseUrl } from '../objects/project-base-url.ts';

/** Prints the bearer token that a request would carry now. */
export async function runToken(context: Context): Promise<ExitCode> {
  const target = await findTarget(context, await projectBaseUrl(context));
  if (!target.login) throw target.missing;
  const { tokens } = await connectAs(context, target.baseUrl, target.login);
  const token = await tokens.token();
  const { expiresAt } = tokens.last();
  await context.show({
    value: {
      token,
      base_url: target.baseUrl,
      ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    },
    isSecret: true,
    human: () => `${token}\n`,
  });
  return exitCodes.ok;
}
