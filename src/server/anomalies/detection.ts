import { hash } from 'node:crypto';
import { warmUpDays } from '../../cost/anomalies/detect.ts';
import type { Thresholds } from '../../cost/anomalies/detect.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import { costPeriods } from '../cost/collection.ts';
import { completeDays } from '../cost/service.ts';
import type { Days } from '../cost/service.ts';
import type { Deps } from '../deps.ts';
import { isStillHead } from '../lanes/head.ts';
import type { CreateLaneRunner, LaneRunner } from '../lanes/runner.ts';
import { allRows } from '../store/all-rows.ts';
import type { LaneWork, Store, Tx } from '../store/store.ts';
import { findCauses } from './causes.ts';
import { anomalies, anomalyLanes, detections, keptDays } from './collection.ts';
import type { StoredAnomaly } from './collection.ts';
import { judge } from './judge.ts';
import type { FoundAnomaly } from './judge.ts';
import { matchAnomalies, record } from './record.ts';
import type { Change } from './record.ts';
import { readGroups } from './series.ts';

/** Days before the end of the data that are judged. */
const judgedDays = 400;
/** Anomalies that are stored, the latest of them. */
const mostAnomalies = 5_000;
/** Of the latest anomalies, those whose causes are looked for. */
const mostExplained = 100;
const explainedDays = 90;
/** Changes in one transaction. */
const batch = 200;

/** Looks for anomalies whenever charges have changed, until it is stopped. */
export const startAnomalyDetection = (
  deps: Deps,
  createRunner: CreateLaneRunner,
  thresholds: Thresholds,
): LaneRunner =>
  createRunner(deps, {
    lanes: anomalyLanes,
    most: 1,
    perform: (claimed, signal) => detect(deps, claimed, thresholds, signal),
  });

async function detect(
  deps: Deps,
  claimed: LaneWork,
  thresholds: Thresholds,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock } = deps;
  const periods = [];
  for await (const { doc } of allRows(store, costPeriods, {})) periods.push(doc);
  const stored: StoredAnomaly[] = [];
  for await (const { doc } of allRows(store, anomalies, {})) stored.push(doc);
  const content = hash(
    'sha256',
    JSON.stringify([
      thresholds,
      periods.map((one) => [one.id, one.content, one.imported_at]),
      stored.filter(({ feedback }) => feedback === 'expected').map(({ id }) => id),
    ]),
    'hex',
  );
  const days = completeDays(periods);
  const before = (await store.get(detections, claimed.work))?.doc;
  if (days && before?.content !== content) {
    const changes = await changesOf(store, days, { stored, thresholds, now: clock.now() }, signal);
    const until = dayText(dayNumber(days.end) - 1);
    for (let at = 0; at < changes.length; at += batch) {
      const isHead = await whileHead(store, claimed, async (tx) => {
        for (const change of changes.slice(at, at + batch)) await record(deps, tx, change, until);
      });
      if (!isHead) return;
    }
  }
  await whileHead(store, claimed, async (tx) => {
    await tx.replace(detections, { id: 'detection', content });
    await tx.complete(anomalyLanes, claimed);
  });
}

/** Runs a change unless charges have changed meanwhile: then the detection has a place anew. */
const whileHead = (store: Store, claimed: LaneWork, work: (tx: Tx) => Promise<void>) =>
  store.transact(async (tx) => {
    if (!(await isStillHead(tx, anomalyLanes, claimed))) return false;
    await work(tx);
    return true;
  });

interface Known {
  readonly stored: readonly StoredAnomaly[];
  readonly thresholds: Thresholds;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

async function changesOf(
  store: Store,
  days: Days,
  { stored, thresholds, now }: Known,
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const end = dayNumber(days.end);
  const first = Math.max(dayNumber(days.start), end - judgedDays - warmUpDays);
  // What would expire at once is not stored.
  const expired = Math.floor(now / 86_400_000) - keptDays;
  const from = Math.max(first + warmUpDays, end - judgedDays, expired + 1);
  const groups = await readGroups(store, { start: dayText(first), end: days.end }, signal);
  const expected = stored.filter(({ feedback }) => feedback === 'expected');
  const found = (await judge(groups, { first, from, thresholds, expected }, signal))
    .toSorted((a, b) => (a.end > b.end ? -1 : 1))
    .slice(0, mostAnomalies);
  // An anomaly that began before the first day that was judged may be there still.
  const judged = stored.filter(({ start }) => dayNumber(start) >= from);
  const { pairs, gone } = matchAnomalies(found, judged);
  const changes: Change[] = [];
  for (const [at, [one, own, isKnown]] of pairs.entries()) {
    const explains = at < mostExplained && dayNumber(one.end) >= end - explainedDays;
    const causes = explains && !isSame(one, own) ? await findCauses(store, one, signal) : [];
    changes.push({
      ...(own ? { id: own.id } : {}),
      found: { ...one, root_causes: causes },
      isKnown,
    });
  }
  return [...changes, ...gone.map(({ id }) => ({ id, isKnown: true }))];
}

/** Whether the causes of a stored anomaly are those of before. */
const isSame = ({ start, end, actual }: FoundAnomaly, own: StoredAnomaly | undefined): boolean =>
  own?.start === start &&
  own.end === end &&
  own.root_causes.length > 0 &&
  Number(own.actual).toFixed(3) === actual.toFixed(3);
