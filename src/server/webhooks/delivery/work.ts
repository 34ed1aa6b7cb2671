import type { Awaitable } from '../../awaitable.ts';
import { whenKnown } from '../../awaitable.ts';
import type { LaneWork, Reader } from '../../store/store.ts';
import { deliveries } from './collection.ts';
import type { StoredDelivery } from './collection.ts';

/** The delivery of a piece of work; absent before its first attempt. */
export const deliveryOf = (
  reader: Reader,
  { work, position }: LaneWork,
): Awaitable<StoredDelivery | undefined> =>
  whenKnown(
    work.startsWith('dlv_')
      ? reader.get(deliveries, work)
      : reader.find(deliveries, 'position', String(position)),
    (row) => row?.doc,
  );

/** The event that a piece of work is about. */
export async function eventOf(reader: Reader, claimed: LaneWork): Promise<string | undefined> {
  const { work } = claimed;
  return work.startsWith('dlv_') ? (await reader.get(deliveries, work))?.doc.event_id : work;
}
