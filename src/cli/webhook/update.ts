import { readObject, updateObject } from '../../client/objects.ts';
import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { isOwnershipTag } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import { tableColumns } from '../terminal/table.ts';
import { parseTarget } from './create.ts';
import { findWebhook, warnIfKept } from './find-webhook.ts';
import type { FieldFlags } from './webhook-fields.ts';
import { parseWords } from '../flags/parse-words.ts';
import { fieldsFromFlags } from './webhook-fields.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { shownWebhooks } from './webhook-objects.ts';
import { webhookView } from './webhook-view.ts';

/** What can be taken away whole. */
export const clearable = ['filters', 'retry_config', 'timeout_seconds', 'headers', 'name', 'tags'];

export interface UpdateOptions extends FieldFlags {
  readonly args: readonly [string];
  readonly url?: string;
  readonly clear?: readonly string[];
  readonly ifMatch?: string;
}

export async function runUpdate(context: Context, options: UpdateOptions): Promise<ExitCode> {
  const clear = options.clear ? parseWords('--clear', options.clear, clearable) : [];
  const cleared = Object.fromEntries(clear.map((field) => [field, null]));
  const url = options.url === undefined ? {} : { url: parseTarget(options.url) };
  const changes = (before: Parameters<typeof fieldsFromFlags>[2]): Record<string, unknown> => ({
    ...url,
    ...fieldsFromFlags(context.world, options, before),
  });
  const given = changes({}); // what is wrong with the flags is told before anything is asked
  const both = Object.keys(cleared).find((field) => Object.hasOwn(given, field));
  if (both !== undefined) {
    throw new GovctlError('usage_error', `--clear ${both} excludes the flags that set it`);
  }
  if (Object.keys({ ...given, ...cleared }).length === 0) {
    throw new GovctlError('usage_error', 'Nothing to change is given', {
      hint: 'Give --url, --event, a filter or another flag of `govctl webhook update --help`.',
    });
  }
  const client = await context.client();
  const { webhook, etag } = await context.progress('Looking it up', () =>
    findWebhook(context, client, options.args[0]),
  );
  await warnIfKept(context, webhook);
  // What is merged must not be of an older state.
  const ifMatch = options.ifMatch ?? etag;
  const changed = await changeWebhook(
    context,
    client,
    webhook,
    keepOwnership(webhook, { ...changes(webhook), ...cleared }),
    ifMatch,
  );
  await context.show(
    webhookView(changed, {
      room: tableColumns(context.world.terminal),
      headline: (style) => `${style.green('Updated')} ${changed.id}`,
      named: options.args[0],
    }),
  );
  return exitCodes.ok;
}

/** New tags leave govctl's own in place: people neither see nor write them. */
function keepOwnership(
  { tags = [] }: ShownWebhook,
  change: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const owned = tags.filter(isOwnershipTag);
  if (change.tags === undefined || owned.length === 0) return change;
  const given = Array.isArray(change.tags) ? (change.tags as string[]) : []; // as the flags have them
  return { ...change, tags: [...given, ...owned.filter((tag) => !given.includes(tag))] };
}

/** Sends a change; the webhook as it is then, read again where the server's answer did not show it. */
export async function changeWebhook(
  context: Context,
  client: Client,
  before: ShownWebhook,
  change: Readonly<Record<string, unknown>>,
  ifMatch?: string,
): Promise<ShownWebhook> {
  const { item } = await context.progress('Changing it', () =>
    updateObject(
      client,
      shownWebhooks,
      before.id,
      change,
      ifMatch === undefined ? {} : { ifMatch },
    ),
  );
  return item ?? (await readObject(client, shownWebhooks, before.id))?.item ?? before;
}
