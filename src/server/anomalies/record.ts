import { isDeepStrictEqual } from 'node:util';
import { showEstimate } from '../../cost/amount.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import type { Tx } from '../store/store.ts';
import { announceAnomaly } from './announce.ts';
import { anomalies } from './collection.ts';
import type { StoredAnomaly } from './collection.ts';
import type { FoundAnomaly } from './judge.ts';

/** Days before the end of the data: an anomaly that ended earlier is not announced. */
const announcedDays = 14;

/** What is to be done with one anomaly. */
export interface Change {
  /** The stored one, if there is one. */
  readonly id?: string;
  /** Absent: the charges have it no longer. */
  readonly found?: FoundAnomaly & Pick<StoredAnomaly, 'root_causes'>;
  /** Whether it is part of what was announced already. */
  readonly isKnown: boolean;
}

/** Which found anomaly is which stored one: of the same group, with days in common, or next to each other. */
export function matchAnomalies(
  found: readonly FoundAnomaly[],
  stored: readonly StoredAnomaly[],
): {
  readonly pairs: readonly (readonly [FoundAnomaly, StoredAnomaly | undefined, boolean])[];
  readonly gone: readonly StoredAnomaly[];
} {
  const byGroup = new Map<string, StoredAnomaly[]>();
  for (const one of stored) byGroup.set(one.group, [...(byGroup.get(one.group) ?? []), one]);
  const taken = new Set<StoredAnomaly>();
  const pairs = found.map((one) => {
    const near = (byGroup.get(one.group) ?? [])
      .filter(
        ({ start, end }) =>
          dayNumber(start) <= dayNumber(one.end) + 1 && dayNumber(end) + 1 >= dayNumber(one.start),
      ) // prettier-ignore
      .sort((a, b) => (a.start < b.start ? -1 : 1));
    const own = near.find((known) => !taken.has(known));
    if (own) taken.add(own);
    return [one, own, near.some(({ announced_at: at }) => at !== undefined)] as const;
  });
  return { pairs, gone: stored.filter((one) => !taken.has(one)) };
}

/** Stores a change, and announces an anomaly that is new. @param until the last day of the data */
export async function record(deps: Deps, tx: Tx, change: Change, until: string): Promise<void> {
  const { id, found } = change;
  const before = id === undefined ? undefined : (await tx.get(anomalies, id))?.doc;
  if (!found) {
    if (before) await close(deps, tx, before);
    return;
  }
  const now = timestamp(deps.clock.now());
  if (!before) {
    const isRecent = found.end >= dayText(dayNumber(until) - announcedDays + 1);
    const isAnnounced = isRecent && !change.isKnown;
    const doc: StoredAnomaly = {
      id: deps.ids.next('anm'),
      ...fieldsOf(found),
      ...(isRecent ? { status: 'open' } : { status: 'resolved', resolution: wasOld }),
      ...(isAnnounced || change.isKnown ? { announced_at: now } : {}),
      detected_at: now,
      updated_at: now,
    };
    await tx.insert(anomalies, doc);
    if (isAnnounced) await announceAnomaly(deps, tx, doc);
    return;
  }
  const { resolution, ...known } = before;
  const isBack = resolution === isGone;
  const after: StoredAnomaly = {
    ...(isBack ? { ...known, status: 'open' } : before),
    ...fieldsOf(found),
    // Causes are found only for the latest anomalies.
    root_causes: found.root_causes.length > 0 ? found.root_causes : before.root_causes,
  };
  if (isDeepStrictEqual(after, before)) return;
  await tx.replace(anomalies, {
    ...after,
    updated_at: updatedAfter(before.updated_at, deps.clock.now()),
  });
}

const wasOld = `When detected, the anomaly had ended more than ${announcedDays} days before the end of the data`;
const isGone = 'Its cost was as expected in later data';

/** Closes what the charges have no longer; what people said about it stays. */
async function close(deps: Deps, tx: Tx, before: StoredAnomaly): Promise<void> {
  if (before.feedback !== undefined || before.status === 'resolved') return;
  await tx.replace(anomalies, {
    ...before,
    status: 'resolved',
    ongoing: false,
    resolution: isGone,
    updated_at: updatedAfter(before.updated_at, deps.clock.now()),
  });
}

const percentOf = (percent: number): number | null =>
  Number.isFinite(percent) ? Math.round(percent * 10) / 10 : null;

const fieldsOf = ({ name, trend, ...found }: NonNullable<Change['found']>) => ({
  group: found.group,
  ...name,
  start: found.start,
  end: found.end,
  days: dayNumber(found.end) - dayNumber(found.start) + 1,
  ongoing: found.ongoing,
  expected: showEstimate(found.expected),
  actual: showEstimate(found.actual),
  impact: showEstimate(found.impact),
  impact_percent: percentOf(found.impactPercent),
  peak_percent: percentOf(found.peakPercent),
  severity: found.severity,
  root_causes: found.root_causes,
  trend: { start: trend.start, costs: trend.costs.map(showEstimate) },
});
