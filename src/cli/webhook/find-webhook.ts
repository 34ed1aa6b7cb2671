import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { readObject } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import { ofOwnProject, warnIfOwned } from '../policy/find-policy.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { shownWebhooks } from './webhook-objects.ts';

interface FoundWebhook {
  readonly webhook: ShownWebhook;
  readonly etag: string | undefined;
}

/**
 * The webhook of an id; where no id is like it, the only one of a name or a url; where none is, of a key in git: of
 * this folder's project, else of the only project that has it.
 * @throws GovctlError webhook_not_found, with the nearest name; usage_error where several could be meant
 */
export async function findWebhook(
  { world }: Pick<Context, 'world'>,
  client: Client,
  named: string,
): Promise<FoundWebhook> {
  if (named.trim() === '') throw new GovctlError('usage_error', 'The webhook is not named');
  if (named.startsWith('wh_')) {
    const found = await readObject(client, shownWebhooks, named);
    if (found) return { webhook: found.item, etag: found.etag };
  }
  const all: ShownWebhook[] = [];
  for await (const webhook of listAll(client, shownWebhooks)) all.push(webhook);
  const url = sameUrl(named);
  const called = all.filter(({ name, url: its }) => name === named || sameUrl(its) === url);
  const kept = all.filter(({ tags }) => readOwnership(tags ?? []).key === named);
  const matches = called.length > 0 ? called : ofOwnProject(world, kept);
  const [match, second] = matches;
  if (!match) throw noSuchWebhook(named, all);
  if (second) {
    const what = called.length > 0 ? 'name or url' : 'key';
    throw new GovctlError(
      'usage_error',
      `Several webhooks have the ${what} ${JSON.stringify(named)}`,
      { hint: `Name one by its id: ${matches.map(({ id }) => id).join(', ')}.` },
    );
  }
  const read = await readObject(client, shownWebhooks, match.id);
  return read ? { webhook: read.item, etag: read.etag } : { webhook: match, etag: undefined };
}

/** `https://Example.com` and `https://example.com/` are one. */
export const sameUrl = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

function noSuchWebhook(named: string, all: readonly ShownWebhook[]): GovctlError {
  const names = all.flatMap(({ name, url, tags }) =>
    [name, url, readOwnership(tags ?? []).key].filter((one) => one !== undefined),
  );
  const nearest = nearestWord(named, names);
  return new GovctlError(
    'webhook_not_found',
    `There is no webhook with the id, name, url or key ${JSON.stringify(named)}`,
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
