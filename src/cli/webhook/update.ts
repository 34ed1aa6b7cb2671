import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { parseTarget } from './create.ts';
import { lookUp } from '../objects/get.ts';
import { webhooks } from './webhooks.ts';
import type { FieldFlags } from './webhook-fields.ts';
import { parseWords } from '../flags/parse-words.ts';
import { fieldsFromFlags } from './webhook-fields.ts';
import { changeObject, checkChanges } from '../objects/change.ts';
import { shownBy } from '../objects/shown-by.ts';
import { keepOwnership, warnIfOwned } from '../objects/owned.ts';
import type { Style } from '../terminal/terminal.ts';
import { nameOf } from './webhook-objects.ts';
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
    throw new GovctlError('usage_error', `Use either --clear ${both} or the flags that set it`);
  }
  checkChanges(
    { ...given, ...cleared },
    'Pass --url, --event, a filter or another flag; see `govctl webhook update --help`.',
  );
  const { client, item: webhook, etag } = await lookUp(context, webhooks, options.args[0]);
  await warnIfOwned(context, nameOf(webhook), webhook.tags);
  const changed = await changeObject(context, client, {
    of: webhooks.of,
    before: webhook,
    fields: keepOwnership(webhook.tags, { ...changes(webhook), ...cleared }),
    // What is merged must not be of an older state.
    ifMatch: options.ifMatch ?? etag,
  });
  const headline = (style: Style): string => `${style.green('Updated')} ${changed.id}`;
  await context.show(
    webhookView(changed, await shownBy(context, changed, { headline, named: options.args[0] })),
  );
  return exitCodes.ok;
}
