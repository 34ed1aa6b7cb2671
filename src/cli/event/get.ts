import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { formatDetails } from '../terminal/details.ts';
import { askOurServer } from '../objects/our-server.ts';
import { printable } from '../terminal/printable.ts';
import { findObject } from '../objects/find.ts';
import { webhooks } from '../webhook/webhooks.ts';
import { describeEvent } from './event-text.ts';
import { feature } from './list.ts';

export interface GetOptions {
  readonly args: readonly [string];
  readonly webhook?: string;
}

/** The envelope as it travels; -o json is byte for byte its fields. */
export async function runGet(context: Context, options: GetOptions): Promise<ExitCode> {
  const [id] = options.args;
  const client = await context.client();
  const { data: envelope } = await context.progress('Loading event', async () => {
    const query =
      options.webhook === undefined
        ? {}
        : { webhook_id: (await findObject(context, client, webhooks, options.webhook)).item.id };
    return askOurServer(feature, () => client.events.get({ params: { id }, query }));
  });
  const [type, created] =
    'type' in envelope ? [envelope.type, envelope.created] : [envelope.event, envelope.timestamp];
  await context.show({
    value: envelope,
    human: (style) =>
      formatDetails(
        type,
        [
          ['id', id],
          ['created', created],
          ['what', describeEvent(envelope.data)],
        ],
        style,
      ) + `\n${printable(JSON.stringify(envelope, null, 2))}\n`,
  });
  return exitCodes.ok;
}
