import type { Client } from '../../client/client.ts';
import { readObject } from '../../client/objects.ts';
import type { AnyBudget } from '../../client/objects.ts';
import type { Context } from '../context.ts';
import { waitUntilEnded } from '../objects/wait.ts';
import { budgets } from './budgets.ts';

/** Evaluations mostly take less. */
const timeoutMs = 2_000;

/** A budget that was just written, once it is evaluated; after two seconds, as it is. */
export const waitForStatus = (
  { world }: Pick<Context, 'world'>,
  client: Client,
  written: AnyBudget,
): Promise<AnyBudget> =>
  waitUntilEnded(world, written, {
    timeoutMs,
    look: async () => (await readObject(client, budgets.of, written.id))?.item ?? written,
    isUnderway: ({ status }) => status === undefined,
    lookLater: `Run \`govctl budget get ${written.id}\` to see the status.`,
  });
