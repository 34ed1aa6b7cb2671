import { checkSameId, invalidField } from '../http/invalid-body.ts';
import { GovctlError } from '../../contract/errors.ts';
import { serverAssigned } from '../../contract/policies.ts';
import type { WebhookInput, WebhookUpdate } from '../../contract/webhooks.ts';
import { answeredOnly, pausedByUser } from '../../contract/webhooks.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor, Changer } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import { countRows } from '../store/all-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { webhooks } from './collection.ts';
import type { StoredWebhook } from './collection.ts';
import { dropWaiting, pauseDeliveries, resumeDeliveries } from './delivery/service.ts';
import { targetFault } from '../outbound/target.ts';
import type { Targets } from '../outbound/target.ts';

export { deliveries } from './delivery/collection.ts';

/** Milliseconds that a secret's follower leaves it in use. */
const overlap = 24 * 3_600_000;
/** Characters of a secret that are shown. */
const hintLength = 4;

/** @throws GovctlError webhook_not_found */
export const readWebhook = (reader: Reader, id: string): Awaitable<Versioned<StoredWebhook>> =>
  whenKnown(reader.get(webhooks, id), (found) => {
    if (found) return found;
    throw new GovctlError(
      'webhook_not_found',
      `There is no webhook ${id.slice(0, 100)}; it may have been deleted`,
    );
  });

const invalid = (field: string, message: string): GovctlError =>
  invalidField('invalid_webhook', field, message);

/** Before the transaction, as a name server may be asked. @throws GovctlError invalid_webhook */
export async function checkTarget(targets: Targets, url: string): Promise<void> {
  const fault = await targetFault(url, targets);
  if (fault !== undefined) throw invalid('url', fault);
}

/** Each event is queued for each webhook that gets it, in the transaction of what caused it. */
const mostWebhooks = 250;

/**
 * A webhook that begins inactive begins paused: its events wait.
 * @throws GovctlError invalid_webhook where there are as many as there can be
 */
export async function createWebhook(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  { secret, active = true, ...input }: WebhookInput,
): Promise<Versioned<StoredWebhook>> {
  if ((await countRows(tx, webhooks)) >= mostWebhooks) {
    const message = `The service has ${mostWebhooks} webhooks, which is the maximum`;
    const hint =
      'Delete webhooks that are no longer needed, or use one receiver that forwards events.';
    throw new GovctlError('invalid_webhook', message, { hint });
  }
  const at = timestamp(deps.clock.now());
  const id = deps.ids.next('wh');
  const stored = await tx.insert(webhooks, {
    id,
    ...withoutAbsent(input),
    active,
    ...sealedSecret(deps.secrets.seal, id, secret),
    ...(active ? {} : { disabled_at: at, disabled_reason: pausedByUser }),
    created_at: at,
    updated_at: at,
    created_by: actor.userId,
  });
  if (!active) await pauseDeliveries(tx, id);
  await recordAudit(deps, tx, actor, 'webhook.create', id);
  return stored;
}

/** As it is stored: sealed for its webhook. */
export const sealedSecret = (seal: Deps['secrets']['seal'], id: string, secret: string) => ({
  secret: seal(secret, id),
  secret_hint: secret.slice(-hintLength),
});

/**
 * What waits already is sent whatever `events` and `filters` say from now on, and to the new url.
 * @throws GovctlError webhook_not_found, invalid_webhook, or what `checkMatch` throws
 */
export async function updateWebhook(
  deps: Deps,
  tx: Tx,
  call: Changer,
  { id, update }: { readonly id: string; readonly update: WebhookUpdate },
): Promise<Versioned<StoredWebhook>> {
  const before = await readWebhook(tx, id);
  call.checkMatch(before.revision);
  checkSameId('invalid_webhook', 'webhook', id, update.id);
  const changes = changesOf(deps, before.doc, update);
  const names = Object.keys(changes);
  if (names.length === 0) return before;
  const now = deps.clock.now();
  const { secret, ...fields } = changes;
  const merged = {
    ...before.doc,
    ...fields,
    ...previousSecret(before.doc, secret, now),
    ...(secret === undefined ? {} : sealedSecret(deps.secrets.seal, id, secret)),
    ...(await pausedOrResumed(tx, before.doc, fields.active, now)),
    updated_at: updatedAfter(before.doc.updated_at, now),
  };
  // Only what is optional can be absent.
  const stored = await tx.replace(webhooks, withoutAbsent(merged) as StoredWebhook);
  await recordAudit(deps, tx, call.actor, 'webhook.update', id, names);
  return stored;
}

/** Of an update, without what it says that is so already. */
type Changes = Partial<WebhookInput>;

/** Those fields of an update that are not as they are stored already; null is gone, or its default. */
function changesOf(deps: Deps, before: StoredWebhook, update: WebhookUpdate): Changes {
  const stored: Readonly<Record<string, unknown>> = { ...before };
  const isSame = (field: string, value: unknown): boolean =>
    field === 'secret'
      ? value === openedSecret(deps, before)
      : JSON.stringify(stored[field] ?? null) === JSON.stringify(value);
  const given = Object.entries({
    ...update,
    ...(update.active === null ? { active: true } : {}),
  }).filter(
    ([field, value]) =>
      value !== undefined &&
      !Object.hasOwn(serverAssigned, field) &&
      !Object.hasOwn(answeredOnly, field) &&
      !isSame(field, value),
  );
  // Of the update's own fields; what is null is left out of what is stored.
  return Object.fromEntries(given) as Changes;
}

/** Undefined where it can't be read with this server's key, so that any secret is another one. */
function openedSecret({ secrets }: Deps, { id, secret }: StoredWebhook): string | undefined {
  try {
    return secrets.open(secret, id);
  } catch {
    return undefined;
  }
}

/** The one that goes is in use for a while; one that has been in use for that long is forgotten. */
function previousSecret(
  before: StoredWebhook,
  secret: string | undefined,
  now: number,
): Partial<Record<'previous_secret' | 'previous_secret_expires_at', string | undefined>> {
  if (secret !== undefined) {
    return {
      previous_secret: before.secret,
      previous_secret_expires_at: timestamp(now + overlap),
    };
  }
  return hasPrevious(before, now)
    ? {}
    : { previous_secret: undefined, previous_secret_expires_at: undefined };
}

export const hasPrevious = (
  { previous_secret_expires_at: until }: StoredWebhook,
  now: number,
): boolean => until !== undefined && Date.parse(until) > now;

async function pausedOrResumed(
  tx: Tx,
  before: StoredWebhook,
  active: boolean | undefined,
  now: number,
): Promise<
  Partial<Record<'disabled_at' | 'disabled_reason' | 'failing_since', string | undefined>> & {
    readonly failures?: number | undefined;
  }
> {
  if (active === undefined) return {};
  if (!active) {
    await pauseDeliveries(tx, before.id);
    return { disabled_at: timestamp(now), disabled_reason: pausedByUser };
  }
  const failingSince = await resumeDeliveries(tx, before, now);
  return {
    disabled_at: undefined,
    disabled_reason: undefined,
    failing_since: failingSince,
    failures: failingSince === undefined ? undefined : before.failures,
  };
}

/** What waits for it goes with it; the caller forgets what was sent to it. @throws as `updateWebhook` */
export async function deleteWebhook(deps: Deps, tx: Tx, call: Changer, id: string): Promise<void> {
  const before = await readWebhook(tx, id);
  call.checkMatch(before.revision);
  await tx.remove(webhooks, id);
  await dropWaiting(tx, id);
  await recordAudit(deps, tx, call.actor, 'webhook.delete', id);
}
