import type { AnsweredWebhook } from '../../contract/webhooks.ts';
import type { Reader } from '../store/store.ts';
import { webhookLanes } from './collection.ts';
import type { StoredWebhook } from './collection.ts';
import { lastDeliveryOf } from './delivery/service.ts';
import { hasPrevious } from './service.ts';

const withoutSecrets = ({
  secret: _s,
  previous_secret: _p,
  previous_secret_expires_at: _e,
  ...plain
}: StoredWebhook) => plain;

/**
 * A webhook as answered: what is stored but for its secrets, and what is looked up.
 * @param now milliseconds since the epoch
 */
export async function showWebhook(
  reader: Reader,
  doc: StoredWebhook,
  now: number,
): Promise<AnsweredWebhook> {
  const last = await lastDeliveryOf(reader, doc.id);
  const { waiting } = await reader.laneState(webhookLanes, doc.id);
  const { previous_secret_expires_at: until } = doc;
  return {
    ...withoutSecrets(doc),
    ...(until !== undefined && hasPrevious(doc, now) ? { previous_secret_expires_at: until } : {}),
    status: doc.active ? 'active' : 'disabled',
    ...(last ? { last_delivery: last } : {}),
    waiting,
  };
}
