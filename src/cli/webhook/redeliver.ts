import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { parseMoment } from '../flags/moment.ts';
import { askOurServer } from '../objects/our-server.ts';
import { count, printableLine } from '../terminal/printable.ts';
import { typed } from '../terminal/typed.ts';
import { lookUp } from '../objects/get.ts';
import { webhooks } from './webhooks.ts';
import { isActive, stateOf } from './webhook-objects.ts';

export interface RedeliverOptions {
  readonly args: readonly [string, string?];
  readonly failed?: boolean;
  readonly since?: string;
}

export async function runRedeliver(context: Context, options: RedeliverOptions): Promise<ExitCode> {
  const [named, deliveryId] = options.args;
  checkOptions(options);
  const since =
    options.since === undefined
      ? undefined
      : parseMoment('--since', options.since, context.world.now());
  const { client, item: webhook } = await lookUp(context, webhooks, named);
  const { id } = webhook;
  if (deliveryId === undefined) {
    const { data } = await askOurServer('deliveries', () =>
      context.progress('Queuing failed deliveries', () =>
        client.webhooks.redeliverFailed({
          params: { id },
          body: since === undefined ? {} : { since },
        }),
      ),
    );
    await context.show({
      value: data,
      human: (style) =>
        data.redelivered === 0
          ? 'No failed deliveries match\n'
          : `${style.green('Queued')} ${count(data.redelivered, 'delivery', 'deliveries')} again, in event order\n`,
    });
  } else {
    const { data } = await askOurServer('deliveries', () =>
      context.progress('Queuing delivery', () =>
        client.webhooks.redeliver({ params: { id, delivery_id: deliveryId } }),
      ),
    );
    await context.show({
      value: data,
      human: (style) =>
        `${style.green('Queued')} ${printableLine(data.event_type)} again (${printableLine(data.id)})\n`,
    });
  }
  if (!isActive(webhook)) {
    await context.warn(
      `the webhook is ${stateOf(webhook)}. To send queued events, run \`govctl webhook resume ${typed(named)}\`.`,
    );
  }
  return exitCodes.ok;
}

function checkOptions({ args: [, deliveryId], failed, since }: RedeliverOptions): void {
  const refuse = (what: string): never => {
    throw new GovctlError('usage_error', what, {
      hint: 'Run `govctl webhook deliveries` to list deliveries.',
    });
  };
  if (deliveryId === undefined && !failed) refuse('No delivery ID given, and no --failed');
  if (deliveryId !== undefined && failed) refuse('Use either a delivery ID or --failed');
  if (since !== undefined && !failed) refuse('--since requires --failed');
}
