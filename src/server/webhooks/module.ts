import { defined } from '../../contract/defined.ts';
import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { hasAny } from '../store/all-rows.ts';
import { webhookLanes, webhookShape, webhooks } from './collection.ts';
import type { StoredWebhook } from './collection.ts';
import { answerShape, answers, deliveries, deliveryShape } from './delivery/collection.ts';
import type { StoredDelivery } from './delivery/collection.ts';
import { sealedSecret } from './service.ts';

export const webhooksModule = {
  collections: [
    stores(webhooks, webhookShape, { sealed: { holds: () => true, renew: renewSecret } }),
    stores(deliveries, deliveryShape, {
      places: { in: webhookLanes, move: relocate },
      archive: {
        orderBy: 'ended_at',
        keptMs: (retention) => retention.deliveries,
        early: true,
      },
    }),
    stores(answers, answerShape),
  ],
  lanes: [
    {
      spec: webhookLanes,
      owners: webhooks.name,
      isHeld: (doc) => !(doc as StoredWebhook).active,
    },
  ],
  needsKey: (store) => hasAny(store, webhooks),
} satisfies Module;

function renewSecret(
  { previous_secret: _, previous_secret_expires_at: __, ...webhook }: StoredWebhook,
  seal: (secret: string, owner: string) => string,
  random: (bytes: number) => Uint8Array,
): { doc: StoredWebhook; isNew: boolean } {
  const secret = Buffer.from(random(32)).toString('base64url');
  return { doc: { ...webhook, ...sealedSecret(seal, webhook.id, secret) }, isNew: true };
}

/** A delivery that is under way names the place of its event in the lane. */
function relocate(
  delivery: StoredDelivery,
  placeOf: (old: number) => number | undefined,
): StoredDelivery {
  if (delivery.pending?.position === undefined) return delivery;
  const { position: old, ...pending } = delivery.pending;
  const position = placeOf(old);
  return { ...delivery, pending: { ...pending, ...defined({ position }) } };
}
