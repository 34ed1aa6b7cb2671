import type { Client } from '../../client/client.ts';
import { isPathMissing } from '../../client/objects.ts';
import { isFinal } from '../../client/unreachable.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';

/**
 * Requests an extension that our server adds to the service description.
 * @param feature its name for users: `the inventory`
 * @param isMissing whether an error means that the server lacks the feature
 * @throws GovctlError that names the feature if the server lacks it
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
    throw new GovctlError(error.error, `This server does not support ${feature}`, {
      cause: error,
      hint: 'This feature is an extension of `govctl server`.',
    });
  }
}

/** Whether what only adds to a result cannot be had: from another server, or with a token without the scope. */
export const isUnavailable = (error: unknown): boolean =>
  isPathMissing(error) ||
  (error instanceof GovctlError && (error.status === 403 || error.error === 'bad_answer'));

/** Whether the server may have made a part of a change before it failed or went away. */
export const mayHaveBegun = (error: GovctlError): boolean =>
  (error.status === null || error.status >= 500) && !isFinal(error);

/** A feature that not every server has. */
export interface Extension {
  /** Its name for users, `a resource inventory`; absent: every server has it. */
  readonly feature?: string;
  /** Whether an error means that the server lacks it; default: the path does not exist. */
  readonly isMissing?: (error: unknown) => error is GovctlError;
}

/** The same, for a request that may need an extension. */
export const askServer = <T>(
  { feature, isMissing }: Extension,
  ask: () => Promise<T>,
): Promise<T> => (feature === undefined ? ask() : askOurServer(feature, ask, isMissing));

/** Runs a command's requests with a spinner. @throws GovctlError if the server lacks the extension */
export async function withServer<T>(
  context: Context,
  extension: Extension,
  doing: string,
  work: (client: Client, update: (text: string) => void) => Promise<T>,
): Promise<T> {
  const client = await context.client();
  return askServer(extension, () => context.progress(doing, (update) => work(client, update)));
}

/** Runs a command's requests to our server with a spinner. */
export const withOurServer = <T>(
  context: Context,
  feature: string,
  doing: string,
  work: (client: Client, update: (text: string) => void) => Promise<T>,
): Promise<T> => withServer(context, { feature }, doing, work);
