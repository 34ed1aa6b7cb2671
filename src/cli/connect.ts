import type { Client } from '../client/client.ts';
import { createClient } from '../client/client.ts';
import { GovctlError } from '../contract/errors.ts';
import type { Context } from './context.ts';

export interface Connection {
  readonly client: Client;
  readonly baseUrl: string;
}

/**
 * A client for the service this command line means. Base URL: flag, environment, `govctl.yaml`, profile.
 * Token: GOVCTL_TOKEN, client credentials of the environment, then the profile's login.
 * @param projectBaseUrl `base_url` of govctl.yaml, if the command read one
 * @throws GovctlError usage_error without a base URL, not_logged_in without a token
 */
export async function connect(context: Context, projectBaseUrl?: string): Promise<Connection> {
  const { env, fetch } = context.world;
  const baseUrl = context.flags.baseUrl ?? projectBaseUrl;
  if (!baseUrl) {
    throw new GovctlError('usage_error', 'No service is named', {
      hint: 'Give --base-url URL, set GOVCTL_BASE_URL, write base_url into govctl.yaml, or log in with `govctl auth login`.',
    });
  }
  const token = env.GOVCTL_TOKEN;
  if (!token) throw new GovctlError('not_logged_in', `There is no login for ${baseUrl}`);
  const client = createClient({
    baseUrl,
    fetch: fetch ?? globalThis.fetch,
    token: async () => token,
  });
  return { client, baseUrl };
}
