import type { Deps } from '../deps.ts';
import type { Reader, Tx } from '../store/store.ts';
import { allRows } from '../store/all-rows.ts';
import { reportDeliveries } from './collection.ts';
import type { StoredReportDelivery } from './collection.ts';
import type { StoredChannel } from './channels/channel.ts';

export interface DeliveryOrder {
  readonly reportId: string;
  readonly scheduleId?: string;
  readonly runId?: string;
  readonly channel: StoredChannel;
}

/** Puts the sending of a report that has ended into the lane of its channel, in the transaction that ends it. */
export async function queueReportDelivery(
  _deps: Deps,
  _tx: Tx,
  _order: DeliveryOrder,
): Promise<StoredReportDelivery> {
  throw new Error('not built yet');
}

/** Those of a run, in the order they were queued. */
export async function deliveriesOfRun(
  reader: Reader,
  runId: string,
): Promise<readonly StoredReportDelivery[]> {
  const found: StoredReportDelivery[] = [];
  for await (const { doc } of allRows(reader, reportDeliveries, { run_id: { any: [runId] } })) {
    found.push(doc);
  }
  return found;
}
