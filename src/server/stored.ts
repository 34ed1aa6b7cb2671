import { auditLog } from './audit/service.ts';
import { accessTokens, apiKeys, oauthClients } from './auth/collections.ts';
import { hintOf } from './auth/secrets.ts';
import { idempotencyKeys } from './idempotency/service.ts';
import { localState } from './local/collection.ts';
import type { Stored } from './local/snapshot.ts';
import { collections } from './nouns.ts';
import { reportDeliveries, reportDeliveryLanes } from './report-delivery/collection.ts';
import { serverState } from './secrets/collection.ts';
import { scheduleLanes, schedules } from './schedules/collection.ts';
import type { CollectionSpec, Document } from './store/store.ts';
import { webhookLanes, webhooks } from './webhooks/collection.ts';
import type { StoredWebhook } from './webhooks/collection.ts';
import { deliveries } from './webhooks/delivery/collection.ts';
import type { StoredDelivery } from './webhooks/delivery/collection.ts';

/** What belongs to the server at hand, and neither travels nor goes: who may log in, its key, its clock. */
const own: ReadonlySet<string> = new Set(
  [apiKeys, oauthClients, accessTokens, serverState, localState].map(({ name }) => name),
);
const forgotten: ReadonlySet<string> = new Set([idempotencyKeys.name]);
const history: ReadonlySet<string> = new Set([auditLog.name]);

// Their documents are read through their own functions only.
const all = collections as readonly unknown[] as readonly CollectionSpec<Document>[];
const among = (names: ReadonlySet<string>): readonly CollectionSpec<Document>[] =>
  all.filter(({ name }) => names.has(name));

/** What snapshots of a local server are of. Collections that are added travel by themselves. */
export const stored: Stored = {
  collections: all.filter(
    ({ name }) => !own.has(name) && !forgotten.has(name) && !history.has(name),
  ),
  forgotten: among(forgotten),
  history: among(history),
  lanes: [
    { spec: webhookLanes, owners: webhooks.name, relocate: relocateDelivery },
    { spec: scheduleLanes, owners: schedules.name },
    { spec: reportDeliveryLanes, owners: reportDeliveries.name },
  ],
  sequences: ['events'],
  sealed: { in: webhooks.name, renew: renewSecret },
};

/** A delivery that is under way names the place of its event in the lane. */
function relocateDelivery(
  collection: string,
  doc: Document,
  placeOf: (old: number) => number | undefined,
): Document {
  if (collection !== deliveries.name) return doc;
  const delivery = doc as StoredDelivery; // by the name of its collection
  if (delivery.pending?.position === undefined) return doc;
  const { position: old, ...pending } = delivery.pending;
  const position = placeOf(old);
  const moved: StoredDelivery = {
    ...delivery,
    pending: { ...pending, ...(position === undefined ? {} : { position }) },
  };
  return moved;
}

function renewSecret(
  doc: Document,
  seal: (secret: string, owner: string) => string,
  random: (bytes: number) => Uint8Array,
): Document {
  const kept = Object.entries(doc).filter(([field]) => !field.startsWith('previous_secret'));
  const webhook = Object.fromEntries(kept) as unknown as StoredWebhook; // by the name of its collection
  const secret = Buffer.from(random(32)).toString('base64url');
  const renewed: StoredWebhook = {
    ...webhook,
    secret: seal(secret, webhook.id),
    secret_hint: hintOf(secret),
  };
  return renewed;
}
