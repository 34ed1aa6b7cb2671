import { defined } from '../../contract/defined.ts';
import { matchesType, typeKey } from '../../contract/resources.ts';
import { createPriors, findRecurrence, recordAt, fewestFailures, fewestPooled } from '../../engine/predict/recurrence.ts'; // prettier-ignore
import type { PairRecord } from '../../engine/predict/recurrence.ts';
import { verdictHistory } from '../../engine/predict/verdict-history.ts';
import { timestamp } from '../deps.ts';
import type { Step } from '../evaluation/step.ts';
import { whereAbout } from '../evaluation/schedule-policy.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { resources } from '../resources/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import { allRows } from '../store/all-rows.ts';
import { violations } from '../violations/collection.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { alertId } from './collection.ts';
import type { StoredForecast } from './collection.ts';

/** Violations and resources of one policy that are looked at. */
const mostViolations = 10_000;
const mostResources = 10_000;

const day = 86_400_000;
/** Days within which the chance of a failure must reach 50%, else there is no prediction. */
const horizon = 30;

/** Resources that pass a policy now, failed it at least twice, and are as likely as not to fail it again soon. */
export async function findRecurrences(
  { deps, asker }: Step,
  policy: StoredPolicy,
): Promise<Omit<StoredForecast, 'pass'>[]> {
  const { store } = deps;
  const now = deps.clock.now();
  const known = new Map<string, StoredViolation>();
  for await (const { doc } of allRows(store, violations, { policy_id: { any: [policy.id] } })) {
    asker.signal.throwIfAborted();
    known.set(doc.resource_id, doc);
    if (known.size >= mostViolations) break;
  }
  const isCandidate = ({ history }: StoredViolation): boolean => {
    const record = recordAt(verdictHistory(history, 0), now);
    return record?.state === 'PASS' && record.failures >= fewestFailures;
  };
  if (![...known.values()].some(isCandidate)) return [];

  const since = ({ created_at }: StoredResource): number =>
    Math.max(Date.parse(created_at), Date.parse(policy.created_at));
  const recordOf = (stored: StoredResource): PairRecord | undefined =>
    recordAt(verdictHistory(known.get(stored.id)?.history ?? [], since(stored)), now);
  const pools = new Map<string, PairRecord[]>();
  let seen = 0;
  for await (const { doc } of allRows(store, resources, whereAbout(policy))) {
    asker.signal.throwIfAborted();
    if (!matchesType(policy.resource_type, doc.resource.type)) continue;
    const key = typeKey(doc.resource.type);
    const record = recordOf(doc);
    const pool = pools.get(key) ?? [];
    pools.set(key, pool);
    if (record) pool.push(record);
    if ((seen += 1) >= mostResources) break;
  }
  const all = [...pools.values()].flat();
  const priorOf = createPriors(pools);

  const found: Omit<StoredForecast, 'pass'>[] = [];
  for (const violation of known.values()) {
    if (!isCandidate(violation)) continue;
    const stored = (await store.get(resources, violation.resource_id))?.doc;
    const record = stored && recordOf(stored);
    const prior = stored && priorOf(typeKey(stored.resource.type));
    const recurrence = record && prior && findRecurrence(record, prior);
    if (!recurrence || recurrence.medianDays > horizon) continue;
    found.push(forecastOf(policy, stored, { violation, record, recurrence, pool: all, now }));
  }
  return found;
}

function forecastOf(
  policy: StoredPolicy,
  { resource }: StoredResource,
  given: {
    readonly violation: StoredViolation;
    readonly record: PairRecord;
    readonly recurrence: NonNullable<ReturnType<typeof findRecurrence>>;
    readonly pool: readonly PairRecord[];
    readonly now: number;
  },
): Omit<StoredForecast, 'pass'> {
  const { violation, record, recurrence, pool, now } = given;
  const fell = pool.filter(({ falls }) => falls > 0).length;
  return {
    id: alertId(policy.id, resource.id, 'recurrence'),
    method: 'recurrence',
    policy_id: policy.id,
    resource_id: resource.id,
    resource_type: resource.type,
    provider: resource.provider,
    ...defined({ account_id: resource.account_id, environment: resource.environment }),
    at: timestamp(Math.ceil(now + recurrence.medianDays * day)),
    confidence: inThousandths(recurrence.chanceWithin(horizon)),
    observations: record.failures,
    base_rate: pool.length < fewestPooled ? null : inThousandths(fell / pool.length),
    because: `the resource failed ${record.failures} times and passed for ${Math.round(record.days)} days; of ${pool.length} resources, ${fell} started to fail`,
    message: violation.message.slice(0, 512),
  };
}

const inThousandths = (share: number): number => Math.round(share * 1_000) / 1_000;
