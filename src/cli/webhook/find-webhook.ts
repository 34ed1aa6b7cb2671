import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { readObject } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Context } from '../context.ts';
import { warnIfOwned } from '../policy/find-policy.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { shownWebhooks } from './webhook-objects.ts';

interface FoundWebhook {
  readonly webhook: ShownWebhook;
  readonly etag: string | undefined;
}

/**
 * The webhook of an id; where no id is like it, the only one of a name or a url.
 * @throws GovctlError webhook_not_found, with the nearest name; usage_error where several could be meant
 */
export async function findWebhook(client: Client, named: string): Promise<FoundWebhook> {
  if (named.trim() === '') throw new GovctlError('usage_error', 'The webhook is not named');
  if (named.startsWith('wh_')) {
    const found = await readObject(client, shownWebhooks, named);
    if (found) return { webhook: found.item, etag: found.etag };
  }
  const all: ShownWebhook[] = [];
  for await (const webhook of listAll(client, shownWebhooks)) all.push(webhook);
  const url = sameUrl(named);
  const matches = all.filter(({ name, url: its }) => name === named || sameUrl(its) === url);
  const [match, second] = matches;
  if (!match) throw noSuchWebhook(named, all);
  if (second) {
    throw new GovctlError(
      'usage_error',
      `Several webhooks have the name or url ${JSON.stringify(named)}`,
      { hint: `Name one by its id: ${matches.map(({ id }) => id).join(', ')}.` },
    );
  }
  const read = await readObject(client, shownWebhooks, match.id);
  return read ? { webhook: read.item, etag: read.etag } : { webhook: match, etag: undefined };
}

/** `https://Example.com` and `https://example.com/` are one. */
const sameUrl = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

function noSuchWebhook(named: string, all: readonly ShownWebhook[]): GovctlError {
  const names = all.flatMap(({ name, url }) => (name === undefined ? [url] : [name, url]));
  const nearest = nearestWord(named, names);
  return new GovctlError(
    'webhook_not_found',
    `There is no webhook with the id, name or url ${JSON.stringify(named)}`,
    {
      hint: nearest
        ? `Did you mean ${JSON.stringify(nearest)}?`
        : '`govctl webhook list` shows what there is.',
    },
  );
}

/** As a person knows it. */
export const nameOf = ({ name, url }: ShownWebhook): string => name ?? url;

/** Says that a webhook kept in git is about to be changed by hand. */
export const warnIfKept = (context: Context, webhook: ShownWebhook): Promise<void> =>
  warnIfOwned(context, { name: nameOf(webhook), tags: webhook.tags });
