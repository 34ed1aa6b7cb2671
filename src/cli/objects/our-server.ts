import type { Client } from '../../client/client.ts';
import { isPathMissing } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';

/**
 * Asks for what our server adds to the service's description.
 * @param feature as the user knows it: `the inventory`
 * @param isMissing whether an error says that it is not there
 * @throws GovctlError that names the feature in one line where the server does not have it
 */
export async function askOurServer<T>(
  feature: string,
  ask: () => Promise<T>,
  isMissing: (error: unknown) => error is GovctlError = isPathMissing,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new GovctlError(
      error.error,
      `This server does not have ${feature}, an extension of govctl's own server`,
      { cause: error, hint: '`govctl server` runs one that has it.' },
    );
  }
}

/** What not every server has. */
export interface Extension {
  /** As the user knows it, `an inventory`; absent: any server has it. */
  readonly feature?: string;
  /** Whether an error says that it is not there; default: the path is not. */
  readonly isMissing?: (error: unknown) => error is GovctlError;
}

/** The same for what may be an extension. */
export const askServer = <T>(
  { feature, isMissing }: Extension,
  ask: () => Promise<T>,
): Promise<T> => (feature === undefined ? ask() : askOurServer(feature, ask, isMissing));

/** A command's work with a server, under a spinner; where the server lacks the extension, it says so. */
export async function withServer<T>(
  context: Context,
  extension: Extension,
  doing: string,
  work: (client: Client, update: (text: string) => void) => Promise<T>,
): Promise<T> {
  const client = await context.client();
  return askServer(extension, () => context.progress(doing, (update) => work(client, update)));
}

/** A command's work with a server that has the feature, under a spinner. */
export const withOurServer = <T>(
  context: Context,
  feature: string,
  doing: string,
  work: (client: Client, update: (text: string) => void) => Promise<T>,
): Promise<T> => withServer(context, { feature }, doing, work);
