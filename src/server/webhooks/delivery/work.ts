import type { LaneWork, Reader } from '../../store/store.ts';
import { webhookLanes } from '../collection.ts';
import { deliveries } from './collection.ts';
import type { StoredDelivery } from './collection.ts';

/** The delivery of a piece of work; absent before its first attempt. */
export async function deliveryOf(
  reader: Reader,
  { work, position }: LaneWork,
): Promise<StoredDelivery | undefined> {
  const row = work.startsWith('dlv_')
    ? await reader.get(deliveries, work)
    : await reader.find(deliveries, 'position', String(position));
  return row?.doc;
}

/** Whether claimed work is still there: its lane may have been emptied meanwhile, or filled anew. */
export async function isStillHead(reader: Reader, { lane, position }: LaneWork): Promise<boolean> {
  const [head] = await reader.laneWork(webhookLanes, { lane, limit: 1 });
  return head?.position === position;
}

/** The event that a piece of work is about. */
export async function eventOf(reader: Reader, claimed: LaneWork): Promise<string | undefined> {
  const { work } = claimed;
  return work.startsWith('dlv_') ? (await reader.get(deliveries, work))?.doc.event_id : work;
}
