import type { Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';

/** Work with the test aids of a server, which says so where it is none that only its machine can reach. */
export const withLocalServer = <T>(
  context: Context,
  doing: string,
  work: (client: Client, update: (text: string) => void) => Promise<T>,
): Promise<T> => withOurServer(context, 'test features', doing, work);
