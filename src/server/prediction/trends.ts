import { defined } from '../../contract/defined.ts';
import { matchesType, typeKey } from '../../contract/resources.ts';
import { untilNow } from '../../engine/predict/history.ts';
import { beyond, numberAt, withNumber } from '../../engine/predict/limits.ts';
import type { Limit } from '../../engine/predict/limits.ts';
import { findTrend } from '../../engine/predict/trend.ts';
import type { Point, Trend } from '../../engine/predict/trend.ts';
import { timestamp } from '../deps.ts';
import { whereAbout } from '../evaluation/schedule-policy.ts';
import type { Step } from '../evaluation/step.ts';
import { nextTurn } from '../next-turn.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { resources } from '../resources/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Versioned } from '../store/store.ts';
import { alertId, attributeHistories, policyLimits } from './collection.ts';
import type { StoredForecast } from './collection.ts';

/** Resources with a history of one policy that are looked at. */
const mostHistories = 2_000;

const day = 86_400_000;
const horizon = 365 * day;
/** The share of draws that must reach the limit within the horizon, else there is no prediction. */
const surely = 0.9;

/** Resources that pass a policy now, and fail it once a number has gone on as before. */
export async function findTrends(
  { deps, evaluation, asker }: Step,
  row: Versioned<StoredPolicy>,
): Promise<Omit<StoredForecast, 'pass'>[]> {
  const { store } = deps;
  const policy = row.doc;
  const limits = (await store.get(policyLimits, policy.id))?.doc.limits ?? [];
  if (limits.length === 0) return [];
  const now = deps.clock.now();
  const where = whereAbout(policy);
  const leads = [];
  let seen = 0;
  for await (const { doc: history } of allRows(store, attributeHistories, where)) {
    if (!matchesType(policy.resource_type, history.resource_type)) continue;
    const resource = (await store.get(resources, history.id))?.doc.resource;
    if (!resource || typeKey(resource.type) !== typeKey(history.resource_type)) continue;
    for (const limit of limits) {
      const value = numberAt(resource, limit.path);
      const series = history.series.find((one) => isSame(one.path, limit.path));
      if (value === undefined || !series) continue;
      asker.signal.throwIfAborted();
      const lead = leadTo(limit, untilNow(series.points, now, value));
      if (lead) leads.push({ ...lead, limit, resource });
      // Each takes some milliseconds.
      await nextTurn();
    }
    if ((seen += 1) >= mostHistories) break;
  }
  const subjects = leads.map(({ resource, limit, target }) => ({
    now: resource,
    then: withNumber(resource, limit.path, target),
  }));
  const verdicts = await evaluation.ofStored(asker, {
    now,
    subjects: subjects.flatMap((one) => [
      { resource: one.now, policies: [row] },
      { resource: one.then, policies: [row] },
    ]),
  });
  const found = new Map<string, Omit<StoredForecast, 'pass'>>();
  for (const [i, { trend, limit, resource, points }] of leads.entries()) {
    const subject = subjects[i];
    const then = subject && verdicts.of(policy, subject.then);
    const passes = subject && verdicts.of(policy, subject.now)?.status === 'PASS';
    if (!passes || then?.status !== 'FAIL') continue;
    const at = timestamp(Math.ceil(trend.at));
    const id = alertId(policy.id, resource.id, 'trend');
    if ((found.get(id)?.at ?? at) < at) continue;
    found.set(id, {
      id,
      method: 'trend',
      policy_id: policy.id,
      resource_id: resource.id,
      resource_type: resource.type,
      provider: resource.provider,
      ...defined({ account_id: resource.account_id, environment: resource.environment }),
      at,
      interval: [timestamp(Math.floor(trend.interval[0])), timestamp(Math.ceil(trend.interval[1]))],
      confidence: Math.round(trend.chanceBy(now + horizon) * 1_000) / 1_000,
      observations: points.length,
      base_rate: null,
      because: becauseOf(limit, points),
      message: (then.rules.find(({ message = '' }) => message)?.message ?? '').slice(0, 512),
    });
  }
  return [...found.values()];
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((key, i) => key === b[i]);

function leadTo(
  limit: Limit,
  points: readonly Point[],
):
  | { readonly trend: Trend; readonly target: number; readonly points: readonly Point[] }
  | undefined {
  const [now, value] = points.at(-1) ?? [0, 0];
  const target = beyond(limit, value, points.every(([, one]) => Number.isInteger(one))); // prettier-ignore
  const trend = findTrend(points, target);
  if (!trend || trend.at > now + horizon || trend.chanceBy(now + horizon) < surely)
    return undefined;
  return { trend, target, points };
}

/** As conditions write them; a limit of 4 is shown with its comparison. */
function becauseOf({ path, op, value }: Limit, points: readonly Point[]): string {
  const [from, to] = [points[0], points.at(-1)];
  const name = ['resource', ...path].join('.').slice(0, 200);
  const dated = ([at, number]: Point): string => `${number} on ${timestamp(at).slice(0, 10)}`;
  return `${name} ${op} ${value}: the value was ${from ? dated(from) : ''} and is ${to ? to[1] : ''}`;
}
