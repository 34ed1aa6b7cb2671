import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { parseMoment } from '../flags/moment.ts';
import { askOurServer } from '../objects/our-server.ts';
import { count } from '../terminal/printable.ts';
import { findObject } from '../objects/find.ts';
import { webhooks } from '../webhook/webhooks.ts';
import { bothOf, parseEventTypes } from '../webhook/webhook-fields.ts';
import { feature } from './list.ts';

export interface ReplayOptions {
  readonly args: readonly [readonly string[]];
  readonly since?: string;
  readonly until?: string;
  readonly event?: readonly string[];
  /** Another name of `event`. */
  readonly type?: readonly string[];
  readonly webhook?: string;
}

export async function runReplay(context: Context, options: ReplayOptions): Promise<ExitCode> {
  const wanted = parseWanted(context, options);
  const client = await context.client();
  const { data } = await context.progress('Queuing events', async () => {
    const webhook =
      options.webhook === undefined
        ? {}
        : { webhook_id: (await findObject(context, client, webhooks, options.webhook)).item.id };
    return askOurServer(feature, () => client.events.replay({ body: { ...wanted, ...webhook } }));
  });
  await context.show({
    value: data,
    human: (style) =>
      data.events === 0
        ? 'No events match\n'
        : `${style.green('Queued')} ${count(data.events, 'event')} again: ${count(data.deliveries, 'delivery', 'deliveries')}\n`,
  });
  if (data.events > 0 && data.deliveries === 0) {
    await context.say(
      'No webhook subscribes to these events. To send them to a webhook anyway, use --webhook.',
    );
  }
  return exitCodes.ok;
}

/** @throws GovctlError usage_error */
function parseWanted({ world }: Context, options: ReplayOptions) {
  const [ids] = options.args;
  const { since, until } = options;
  const types = bothOf(options.event, options.type);
  if (ids.length > 0 === (since !== undefined)) {
    throw new GovctlError(
      'usage_error',
      since === undefined ? 'No events given' : 'Use either event IDs or --since',
      { hint: 'Pass event IDs, or --since TIME for all events since then.' },
    );
  }
  if (since === undefined) {
    if (until ?? types) {
      throw new GovctlError('usage_error', '--until and --event require --since');
    }
    return { event_ids: [...new Set(ids)] };
  }
  return {
    since: parseMoment('--since', since, world.now()),
    ...(until === undefined ? {} : { until: parseMoment('--until', until, world.now()) }),
    ...(types === undefined ? {} : { types: parseEventTypes(types) }),
  };
}
