import type { CostAnomalyUpdate } from '../../contract/cost-anomalies.ts';
import type { Thresholds } from '../../cost/anomalies/detect.ts';
import { defaultThresholds } from '../../cost/anomalies/thresholds.ts';
import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import type { Awaitable } from '../awaitable.ts';
import { whenKnown } from '../awaitable.ts';
import type { ServerConfig } from '../config/config.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import type { Changer } from '../http/call.ts';
import { checkSameId } from '../http/invalid-body.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { anomalies, anomalyLanes, detections } from './collection.ts';
import type { StoredAnomaly } from './collection.ts';

/** What is no anomaly, as the operator says. */
export const thresholdsOf = ({ cost: { anomalies: given } = {} }: ServerConfig): Thresholds => ({
  minImpact: given?.min_impact ?? defaultThresholds.minImpact,
  minPercent: given?.min_percent ?? defaultThresholds.minPercent,
});

/** Has anomalies looked for: charges have changed. Call it in the transaction that changes them. */
export async function queueAnomalies(tx: Tx): Promise<void> {
  const id = 'detection';
  if (!(await tx.get(detections, id))) await tx.insert(detections, { id, content: '' });
  // What is under way looks at charges of before: it is dropped.
  await tx.clear(anomalyLanes, id);
  await tx.append(anomalyLanes, id, id);
}

/** @throws GovctlError anomaly_not_found */
export const readAnomaly = (reader: Reader, id: string): Awaitable<Versioned<StoredAnomaly>> =>
  whenKnown(reader.get(anomalies, id), (found) => {
    if (found) return found;
    throw new GovctlError(
      'anomaly_not_found',
      `There is no cost anomaly ${id.slice(0, 100)}; it may have expired`,
    );
  });

/** @throws GovctlError anomaly_not_found, invalid_anomaly (another id), or what `checkMatch` throws */
export async function updateAnomaly(
  deps: Deps,
  tx: Tx,
  call: Changer,
  id: string,
  { id: given, status, feedback, note }: CostAnomalyUpdate,
): Promise<Versioned<StoredAnomaly>> {
  const before = await readAnomaly(tx, id);
  call.checkMatch(before.revision);
  checkSameId('invalid_anomaly', 'anomaly', id, given);
  const { doc } = before;
  const said = {
    status: status ?? (feedback ? statusBy[feedback] : doc.status),
    feedback: feedback === undefined ? doc.feedback : (feedback ?? undefined),
    note: note === undefined ? doc.note : (note ?? undefined),
  };
  const changed = (['status', 'feedback', 'note'] as const).filter(
    (field) => said[field] !== doc[field],
  );
  if (changed.length === 0) return before;
  const now = deps.clock.now();
  const after = withoutAbsent({
    ...doc,
    ...said,
    // What people say goes before what the service concluded.
    resolution: changed.includes('status') ? undefined : doc.resolution,
    feedback_by: call.actor.userId,
    feedback_at: timestamp(now),
    updated_at: updatedAfter(doc.updated_at, now),
  }) as StoredAnomaly; // without fields that are undefined
  const stored = await tx.replace(anomalies, after);
  await recordAudit(deps, tx, call.actor, 'cost_anomaly.update', id, changed);
  return stored;
}

const statusBy = { expected: 'resolved', unexpected: 'acknowledged' } as const;
