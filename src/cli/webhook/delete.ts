import { deleteObject } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { confirmDelete } from '../objects/confirm-delete.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../plan/approve.ts';
import { count, printableLine } from '../terminal/printable.ts';
import { findWebhook, nameOf, warnIfKept } from './find-webhook.ts';
import { shownWebhooks } from './webhook-objects.ts';

export interface DeleteOptions extends ApprovalOptions {
  readonly args: readonly [string];
  readonly ifMatch?: string;
}

/** Removes a webhook, and what waits for it, after asking. */
export async function runDelete(context: Context, options: DeleteOptions): Promise<ExitCode> {
  const client = await context.client();
  const { webhook } = await context.progress('Looking it up', () =>
    findWebhook(context, client, options.args[0]),
  );
  await warnIfKept(context, webhook);
  const who = `${printableLine(nameOf(webhook))} (${printableLine(webhook.id)})`;
  const waiting = webhook.waiting ? `, and ${count(webhook.waiting, 'event')} waiting for it,` : '';
  await confirmDelete(context, `${who}${waiting}`, options);
  await context.progress('Deleting it', () =>
    deleteObject(
      client,
      shownWebhooks,
      webhook.id,
      options.ifMatch === undefined ? {} : { ifMatch: options.ifMatch },
    ),
  );
  await context.show({
    value: { deleted: webhook.id, url: webhook.url },
    human: (style) => `${style.green('Deleted')} ${who}\n`,
  });
  return exitCodes.ok;
}
