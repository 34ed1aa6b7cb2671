import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { createObject, deleteObject } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { EventType } from '../../contract/events.ts';
import { connectToRemove } from '../objects/connect.ts';
import type { Context } from '../context.ts';
import { greeting } from './receiver.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { shownWebhooks } from './webhook-objects.ts';

/** Tells a listener's webhooks from all others, on any server: names are an extension. */
const marker = /\/govctl-listen-[0-9a-f]{32}$/;

/** A path that nobody guesses: whoever posts to it was told. */
export const newPath = (): string => `/govctl-listen-${randomBytes(16).toString('hex')}`;

export interface Registered {
  readonly url: string;
  /** `maybe`: its creation was asked for, and no answer came. */
  state: 'none' | 'maybe' | 'there';
  id?: string;
}

/**
 * Creates the webhook, and notes how far that came.
 * @throws GovctlError as the service answers
 */
export async function registerTemporary(
  client: Client,
  registered: Registered,
  fields: { readonly events: readonly EventType[]; readonly secret: string },
): Promise<void> {
  const body = { url: registered.url, ...fields };
  const create = async (extra: object): Promise<string | undefined> => {
    registered.state = 'maybe';
    try {
      return (await createObject(client, shownWebhooks, { ...body, ...extra })).item?.id;
    } catch (error) {
      if (error instanceof GovctlError && (error.status ?? 500) < 500) registered.state = 'none';
      throw error;
    }
  };
  const created = await create({ name: 'govctl webhook listen' }).catch((error: unknown) => {
    // A server without names may refuse the field; what else is wrong, it says again.
    if (error instanceof GovctlError && error.status === 400) return create({});
    throw error;
  });
  const id = created ?? (await findByUrl(client, registered.url));
  if (id === undefined) {
    throw new GovctlError('bad_answer', 'The server accepted the webhook, but does not list it');
  }
  Object.assign(registered, { state: 'there', id });
}

async function findByUrl(client: Client, url: string): Promise<string | undefined> {
  for await (const webhook of listAll(client, shownWebhooks)) {
    if (webhook.url === url) return webhook.id;
  }
  return undefined;
}

/** Removes it, also after an interruption; where no answer came to its creation, what may have come of it. */
export async function removeTemporary(context: Context, registered: Registered): Promise<void> {
  const { url, state } = registered;
  if (state === 'none') return;
  try {
    const client = await connectToRemove(context);
    const id = registered.id ?? (await findByUrl(client, url));
    if (id !== undefined) await deleteObject(client, shownWebhooks, id);
  } catch (error) {
    const named = registered.id ?? url;
    await context.warn(
      `the temporary webhook could not be deleted: ${(error as Error).message}. Run \`govctl webhook delete ${named} --yes\`; the next \`govctl webhook listen\` also tries to delete it.`,
    );
  }
}

/** Removes what listeners that were killed have left behind, and points out what may be of one elsewhere. */
export async function removeLeftovers(context: Context, client: Client): Promise<void> {
  const found: ShownWebhook[] = [];
  for await (const webhook of listAll(client, shownWebhooks)) {
    if (marker.test(webhook.url) && URL.canParse(webhook.url)) found.push(webhook);
  }
  for (const { id, url } of found) {
    const isHere = /^http:\/\/127\.0\.0\.1:/.test(url);
    if (isHere && (await isListening(url))) continue;
    if (isHere) {
      await deleteObject(client, shownWebhooks, id);
      await context.say(`Deleted ${id}, left behind by a listener that was killed.`);
    } else {
      await context.say(
        `Found the webhook of another listener, ${id} (${new URL(url).origin}). If it is no longer running, run \`govctl webhook delete ${id} --yes\`.`,
      );
    }
  }
}

/** Milliseconds; it is on this machine. */
const answersWithin = 2_000;

const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { signal: AbortSignal.timeout(answersWithin) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > greeting.length) request.destroy();
      });
      response.on('close', () => resolve(text === greeting));
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.name === 'TimeoutError'));
  });
