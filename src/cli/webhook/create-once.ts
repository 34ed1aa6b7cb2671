import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { createObject } from '../../client/objects.ts';
import { retryDelay } from '../../client/retry.ts';
import { GovctlError, reword } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import type { GivenSecret } from './read-secret.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { sameUrl, shownWebhooks } from './webhook-objects.ts';

const tries = 4;

interface Created {
  /** Absent where the server's answer did not show it. */
  readonly webhook: ShownWebhook | undefined;
  /** Of those that were there before, those with the same url. */
  readonly twins: readonly ShownWebhook[];
}

/**
 * Creates a webhook, once. Where the answer was lost it may be there, and a server without idempotency keys would make
 * a second one: so it is looked for before it is sent again, under the same key.
 * @throws GovctlError as the service answers; where nobody can tell whether it was created, the error says so
 */
export async function createOnce(
  { world }: Pick<Context, 'world'>,
  client: Client,
  body: Readonly<Record<string, unknown>> & { readonly url: string; readonly secret: string },
): Promise<Created> {
  const withUrl = async (): Promise<readonly ShownWebhook[]> => {
    const found: ShownWebhook[] = [];
    for await (const one of listAll(client, shownWebhooks)) {
      if (sameUrl(one.url) === sameUrl(body.url)) found.push(one);
    }
    return found;
  };
  const before = await withUrl().catch((error: unknown) => {
    // It may be allowed to write only.
    if (error instanceof GovctlError && error.status === 403) return undefined;
    throw error;
  });
  const twins = before ?? [];
  const known = new Set(twins.map(({ id }) => id));
  const isIt = ({ id, secret_hint: hint }: ShownWebhook): boolean =>
    !known.has(id) && (hint === undefined || hint === body.secret.slice(-4));
  const idempotencyKey = crypto.randomUUID();
  for (let attempt = 1; ; attempt++) {
    try {
      const { item } = await createObject(client, shownWebhooks, body, { idempotencyKey });
      return { webhook: item, twins };
    } catch (error) {
      if (!isOpen(error)) throw error;
      // Its own error says more than that it could not be looked for.
      const now = before && (await withUrl().catch(() => undefined));
      const webhook = now?.find(isIt);
      if (webhook) return { webhook, twins };
      const isLast = attempt === tries || !now || error.error === 'bad_answer';
      if (isLast || world.signal.aborted) throw maybeCreated(error, body.url);
      await sleep(retryDelay(attempt, undefined, Math.random), undefined, {
        signal: world.signal,
      }).catch(() => undefined);
    }
  }
}

function maybeCreated(error: GovctlError, url: string): GovctlError {
  return reword(error, {
    message: `${error.message}. The webhook may have been created`,
    hint: `\`govctl webhook list --sort created_at\` shows whether a webhook for ${url} exists. Check before you retry; to remove a duplicate, run \`govctl webhook delete ID\`.`,
  });
}

/** No answer, a broken one, or one that may have come after it was done. A 503 comes before. */
const isOpen = (error: unknown): error is GovctlError =>
  error instanceof GovctlError &&
  (['unreachable', 'bad_answer', 'interrupted'].includes(error.error) ||
    ((error.status ?? 0) >= 500 && error.status !== 503));

/** A secret that was made here must not be lost where nobody can tell whether the service has it. */
export async function keepingSecret<T>(
  { warn }: Pick<Context, 'warn'>,
  { secret, generated }: GivenSecret,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (generated && isOpen(error)) {
      await warn(`the service may have saved the generated secret: ${secret}`);
    }
    throw error;
  }
}
