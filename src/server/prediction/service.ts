import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../contract/defined.ts';
import type { PredictionMethod, PredictiveAlert } from '../../contract/predictions.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { matchesType, typeKey } from '../../contract/resources.ts';
import { withPoint } from '../../engine/predict/history.ts';
import { numberAt } from '../../engine/predict/limits.ts';
import type { Limit } from '../../engine/predict/limits.ts';
import type { ServerConfig } from '../config/config.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Call } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import { anyPattern } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { CollectionSpec, Tx } from '../store/store.ts';
import type { DatedVerdict } from '../evaluation/verdicts.ts';
import { collectAlerts } from './alerts.ts';
import type { AlertFilter, Asked } from './alerts.ts';
import { alertId, attributeHistories, flips, forecasts, policyLimits } from './collection.ts';
import type { StoredFlip, StoredForecast } from './collection.ts';

const day = 86_400_000;

/** Characters: there may be one for each resource. */
const longestMessage = 512;

/**
 * Keeps when a resource will fail a policy by itself, beside what was found now. Does nothing where that was not looked for.
 * @param now of the evaluation, in milliseconds since the epoch
 */
export async function recordFlip(
  tx: Tx,
  now: number,
  policy: StoredPolicy,
  resource: KnownResource,
  verdict: DatedVerdict,
): Promise<void> {
  const { flip } = verdict;
  if (flip === undefined) return;
  const id = alertId(policy.id, resource.id, 'date_certain');
  const before = (await tx.get(flips, id))?.doc;
  const coming = comingOf(verdict);
  if (!before && !coming) return;
  // What moves a date is a renewal only where the policy is as it was.
  const counts =
    before && policy.updated_at <= before.updated_at
      ? countedOn(before, now, verdict, coming)
      : { renewed: before?.renewed ?? 0, missed: before?.missed ?? 0 };
  if (!coming && counts.renewed + counts.missed === 0) {
    await tx.remove(flips, id);
    return;
  }
  const after: StoredFlip = {
    id,
    policy_id: policy.id,
    resource_id: resource.id,
    resource_type: resource.type,
    provider: resource.provider,
    ...defined({
      account_id: resource.account_id,
      environment: resource.environment,
      at: coming?.at,
      message: coming?.message,
    }),
    ...counts,
    updated_at: before?.updated_at ?? timestamp(now),
  };
  if (!before) await tx.insert(flips, after);
  else if (!isDeepStrictEqual(before, after)) {
    await tx.replace(flips, { ...after, updated_at: timestamp(now) });
  }
}

interface Coming {
  readonly at: string;
  readonly message: string;
}

function comingOf({ status, flip }: DatedVerdict): Coming | undefined {
  if (typeof flip !== 'object' || flip.to.status !== 'FAIL' || status === 'FAIL') return undefined;
  const message = flip.to.rules.map((rule) => rule.message ?? '').find((text) => text !== '') ?? '';
  return { at: timestamp(flip.at), message: message.slice(0, longestMessage) };
}

/** Whether the date of before came, or was moved away. */
function countedOn(
  { at, renewed, missed }: StoredFlip,
  now: number,
  { status, flip }: DatedVerdict,
  coming: Coming | undefined,
): { readonly renewed: number; readonly missed: number } {
  if (at === undefined || coming?.at === at) return { renewed, missed };
  const hasCome = Date.parse(at) <= now;
  if (hasCome) return { renewed, missed: status === 'FAIL' ? missed + 1 : missed };
  const isMoved = coming ? coming.at > at : status === 'PASS' && flip !== 'unknown';
  return { renewed: isMoved ? renewed + 1 : renewed, missed };
}

/** Keeps the numbers that an enabled policy compares attributes with, so that their histories are kept from now on. */
export async function keepLimits(
  tx: Tx,
  policy: StoredPolicy | undefined,
  { id, limits }: { readonly id: string; readonly limits: readonly Limit[] },
): Promise<void> {
  const before = await tx.get(policyLimits, id);
  if (!policy?.enabled || limits.length === 0) {
    if (before) await tx.remove(policyLimits, id);
    return;
  }
  const after = { id, resource_type: policy.resource_type, limits };
  if (!before) await tx.insert(policyLimits, after);
  else if (!isDeepStrictEqual(before.doc, after)) await tx.replace(policyLimits, after);
}

/** Attributes of one resource whose histories are kept. */
const mostSeries = 20;

/** The attributes of a type that policies compare with numbers, read once in a transaction. */
const limitedPaths = new WeakMap<Tx, Map<string, Promise<readonly (readonly string[])[]>>>();

function limitedPathsOf(tx: Tx, type: string): Promise<readonly (readonly string[])[]> {
  const known = limitedPaths.get(tx) ?? new Map<string, Promise<readonly (readonly string[])[]>>();
  limitedPaths.set(tx, known);
  const key = typeKey(type);
  const found = known.get(key) ?? readLimitedPaths(tx, key);
  known.set(key, found);
  return found;
}

async function readLimitedPaths(tx: Tx, key: string): Promise<readonly (readonly string[])[]> {
  const paths = new Map<string, readonly string[]>();
  for await (const { doc } of allRows(tx, policyLimits, { type: { any: [key, anyPattern] } })) {
    if (!matchesType(doc.resource_type, key)) continue;
    for (const { path } of doc.limits) paths.set(JSON.stringify(path), path);
    if (paths.size >= mostSeries) break;
  }
  return [...paths.values()].slice(0, mostSeries);
}

/** Keeps how numbers changed that policies compare with others. The value of an attribute that is gone has no history. */
export async function keepHistory(
  tx: Tx,
  now: number,
  before: StoredResource,
  after: KnownResource,
): Promise<void> {
  const paths = await limitedPathsOf(tx, after.type);
  const changed = paths.filter((path) => numberAt(before.resource, path) !== numberAt(after, path));
  if (changed.length === 0) return;
  const known = (await tx.get(attributeHistories, after.id))?.doc;
  const series = paths.flatMap((path) => {
    const kept = known?.series.find((one) => isDeepStrictEqual(one.path, path))?.points;
    const [old, value] = [numberAt(before.resource, path), numberAt(after, path)];
    if (value === undefined || old === undefined) return [];
    if (old === value) return kept ? [{ path, points: kept }] : [];
    return [{ path, points: withPoint(kept, [Date.parse(before.updated_at), old], [now, value]) }];
  });
  const history = { id: after.id, resource_type: after.type, series };
  if (series.length === 0) {
    if (known) await tx.remove(attributeHistories, after.id);
  } else if (known) await tx.replace(attributeHistories, history);
  else await tx.insert(attributeHistories, history);
}

/** Removes what is kept of a resource that is gone. */
export async function forgetResource(tx: Tx, resourceId: string): Promise<void> {
  await forget(tx, flips, 'resource_id', resourceId, Infinity);
  await forget(tx, forecasts, 'resource_id', resourceId, Infinity);
  if (await tx.get(attributeHistories, resourceId)) await tx.remove(attributeHistories, resourceId);
}

/** Removes some of what is kept of a policy. @returns whether there is more */
export const forgetPolicy = async (tx: Tx, policyId: string, most: number): Promise<boolean> =>
  (await forget(tx, flips, 'policy_id', policyId, most)) ||
  (await forget(tx, forecasts, 'policy_id', policyId, most));

/** Rows that are read at once. */
const rowsAtOnce = 100;

async function forget<T extends StoredFlip | StoredForecast>(
  tx: Tx,
  collection: CollectionSpec<T>,
  index: 'policy_id' | 'resource_id',
  id: string,
  most: number,
): Promise<boolean> {
  for (let removed = 0; ;) {
    const { rows } = await tx.page(collection, {
      where: { [index]: { any: [id] } },
      orderBy: 'id',
      direction: 'asc',
      limit: rowsAtOnce,
    });
    for (const { doc } of rows) await tx.remove(collection, doc.id);
    removed += rows.length;
    if (rows.length < rowsAtOnce) return false;
    if (removed >= most) return true;
  }
}

/** Those that the operator turned on; else those that need no guess: see docs/prediction.md. */
export const methodsOf = ({ prediction }: ServerConfig): ReadonlySet<PredictionMethod> =>
  new Set(prediction?.methods ?? ['date_certain', 'exemption_expiry']);

export { collectAlerts };

/** What is to come, for whoever asks. */
export interface Alerts {
  /** Looks for alerts when it is the caller's turn. */
  inTurn<T>(call: Call, look: (asked: Asked) => Promise<T>): Promise<T>;
  /** The next alerts within so many days. @throws as `collectAlerts` */
  coming(
    call: Call,
    days: number,
    filter: Omit<AlertFilter, 'until'>,
    most: number,
  ): Promise<PredictiveAlert[]>;
}

/** @param methods those that are on */
export function createAlerts(deps: Deps, methods: ReadonlySet<PredictionMethod>): Alerts {
  const turns = createCallerTurns();
  const inTurn: Alerts['inTurn'] = (call, look) =>
    turns(call, () =>
      look({ reader: deps.store, now: deps.clock.now(), signal: call.signal, methods }),
    );
  return {
    inTurn,
    coming: (call, days, filter, most) =>
      inTurn(call, (asked) =>
        collectAlerts(asked, { ...filter, until: asked.now + days * day }, most),
      ),
  };
}
