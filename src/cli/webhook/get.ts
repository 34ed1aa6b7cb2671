import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { tableColumns } from '../terminal/table.ts';
import { findWebhook } from './find-webhook.ts';
import { webhookView } from './webhook-view.ts';

export interface GetOptions {
  readonly args: readonly [string];
}

export async function runGet(context: Context, { args: [named] }: GetOptions): Promise<ExitCode> {
  const client = await context.client();
  const { webhook } = await context.progress('Looking it up', () =>
    findWebhook(context, client, named),
  );
  const room = tableColumns(context.world.terminal);
  await context.show(webhookView(webhook, { room, named }));
  return exitCodes.ok;
}
