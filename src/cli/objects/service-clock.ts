import type { Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { isLoopback } from '../credentials/base-url.ts';

/** The time of a service, in milliseconds since the epoch: the clock of a local server may have been moved. */
export async function serviceNow(
  { world }: Pick<Context, 'world'>,
  client: Client,
): Promise<number> {
  if (!isLoopback(client.baseUrl)) return world.now();
  try {
    const { data } = await client.local.getClock();
    return Date.parse(data.now);
  } catch {
    // Another server, or one that other machines can reach, has no clock that could have been moved.
    return world.now();
  }
}
