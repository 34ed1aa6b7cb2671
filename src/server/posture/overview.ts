import type { GovernanceOverview, OverviewQuery } from '../../contract/governance.ts';
import { readKeyTag } from '../../contract/key-tag.ts';
import { severities } from '../../contract/policies.ts';
import type { Severity } from '../../contract/policies.ts';
import { isTypePattern, matchesType, namesService, typeKey } from '../../contract/resources.ts';
import { complianceScore, weightOf } from '../../engine/score.ts';
import type { Awaitable } from '../awaitable.ts';
import { defined } from '../../contract/defined.ts';
import { timestamp } from '../deps.ts';
import { readPending } from '../evaluation/pending.ts';
import { costPeriods } from '../cost/collection.ts';
import { bundles } from '../evidence/collection.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { policies } from '../policies/collection.ts';
import type { Alerts } from '../prediction/service.ts';
import type { Call } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { createPace } from '../pace.ts';
import type { Pace } from '../pace.ts';
import { reports } from '../reports/collection.ts';
import { resources } from '../resources/collection.ts';
import { scans } from '../scans/collection.ts';
import type { Assessor } from '../rightsizing/service.ts';
import { runs } from '../schedules/collection.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import type { CollectionSpec, Document, Reader } from '../store/store.ts';
import { resolvedOn, violations } from '../violations/collection.ts';
import { deliveries } from '../webhooks/service.ts';
import { outcomes, standings } from './collection.ts';
import { readCostOptimization } from './cost-optimization.ts';
import type { StoredStanding } from './collection.ts';
import { resourceCounts } from './service.ts';

const day = 86_400_000;
/** Days of which capabilities in use, and resolved violations, are told. */
const usedWithin = 30;
/** Days. */
const alertsWithin = 30;
const mostAlerts = 10;

/**
 * How the inventory stands now, or a part of it. The score is of the latest outcomes: what a policy is about is the number
 * of resources of its types, which are counted as they are stored, less its outcomes other than PASS. So the cost depends
 * on how many policies, accounts and environments there are, not on how many resources.
 */
export async function readOverview(
  deps: Deps,
  { alerts, assessor }: { readonly alerts: Alerts; readonly assessor: Assessor },
  call: Call,
  query: OverviewQuery,
): Promise<GovernanceOverview> {
  const { store: reader, clock } = deps;
  const now = clock.now();
  const where = scopeWhere(query);
  const pending = await readPending(deps.store, now, call.signal);
  const { score, evaluated, uncovered } = await readScore(reader, where, createPace(call.signal));
  const open = (severity: Severity) =>
    countRows(reader, violations, {
      ...where,
      status: { any: ['OPEN'] },
      severity: { any: [severity] },
    });
  return {
    compliance_score: score ?? 0,
    policy_violations: {
      critical: await open('CRITICAL'),
      high: await open('HIGH'),
      medium: await open('MEDIUM'),
      low: await open('LOW'),
    },
    predictive_alerts: await alerts.coming(call, alertsWithin, query, mostAlerts),
    cost_optimization: await readCostOptimization(deps, assessor, call, query),
    tools_replaced: await countUsed(reader, timestamp(now - usedWithin * day)),
    automation_level: await readAutomation(reader, where, now),
    generated_at: timestamp(now),
    evaluated,
    errors: await countRows(reader, outcomes, { ...where, status: { any: ['ERROR'] } }),
    ...defined({ uncovered: sumUncovered(uncovered), pending }),
  };
}

const scopeWhere = ({ environments, cloud_providers, account_ids }: OverviewQuery): Filters =>
  anyOf(
    {
      environment: environments,
      provider: cloud_providers,
      account_id: account_ids,
    },
    ['environment', 'provider', 'account_id'],
  );

/** Types with the most resources that an overview shows. */
const mostUncovered = 5;

/** In one pass, as there may be as many types as resources. */
function sumUncovered(byType: ReadonlyMap<string, number>): GovernanceOverview['uncovered'] {
  let sum = 0;
  let types: { resource_type: string; resources: number }[] = [];
  for (const [type, n] of byType) {
    sum += n;
    if (types.length === mostUncovered && (types.at(-1)?.resources ?? 0) >= n) continue;
    types = [...types, { resource_type: type, resources: n }]
      .sort((one, other) => other.resources - one.resources)
      .slice(0, mostUncovered);
  }
  return sum === 0 ? undefined : { resources: sum, types };
}

interface Score {
  /** Null where nothing is evaluated. */
  readonly score: number | null;
  readonly evaluated: number;
  /** How many resources there are of types without a policy for the type or its service. */
  readonly uncovered: ReadonlyMap<string, number>;
}

export async function readScore(reader: Reader, where: Filters, pace: Pace): Promise<Score> {
  const known: StoredStanding[] = [];
  const uncounted: string[] = [];
  for await (const { doc } of allRows(reader, standings, {})) {
    known.push(doc);
    if (doc.state !== 'counted') uncounted.push(doc.id);
  }
  const weigh = createScales(known, pace);
  const uncovered = new Map<string, number>();
  let evaluated = 0;
  let met = 0;
  let all = 0;
  for await (const types of resourceCounts(reader, where)) {
    for (const [type, n] of Object.entries(types)) {
      const scale = await weigh(type);
      evaluated += n * scale.policies;
      met += n * scale.met;
      all += n * scale.all;
      if (!scale.isCovered && n > 0) uncovered.set(type, (uncovered.get(type) ?? 0) + n);
    }
  }
  for (const severity of severities) {
    const failing = {
      ...where,
      severity: { any: [severity] },
      status: { any: ['FAIL', 'ERROR'] },
    };
    const every = await countRows(reader, outcomes, failing);
    const others =
      every > 0 && uncounted.length > 0
        ? await countRows(reader, outcomes, { ...failing, policy_id: { any: uncounted } })
        : 0;
    met -= (every - others) * weightOf({ severity });
  }
  // A change may have come in between two of these readings.
  const score = complianceScore({ met: Math.min(all, Math.max(0, met)), all });
  return { score, evaluated, uncovered };
}

/** Of all policies about a type. */
interface Scale {
  /** How many have been evaluated, their weight, and the weight of those that can be met. */
  policies: number;
  met: number;
  all: number;
  /** Whether one of them names the type or its service, also where it is not evaluated yet. */
  isCovered: boolean;
}

/** Each type is compared with each pattern, in turns: there may be thousands of both. */
function createScales(
  known: readonly StoredStanding[],
  pace: Pace,
): (type: string) => Awaitable<Scale> {
  const exact = new Map<string, Scale>();
  const patterns: StoredStanding[] = [];
  const add = (scale: Scale, { state, severity, resource_type: about }: StoredStanding): Scale => {
    scale.isCovered ||= namesService(about);
    if (state === 'pending') return scale;
    const weight = weightOf({ severity });
    scale.policies += 1;
    scale.all += weight;
    if (state === 'counted') scale.met += weight;
    return scale;
  };
  const none = (): Scale => ({ policies: 0, met: 0, all: 0, isCovered: false });
  for (const standing of known) {
    const key = typeKey(standing.resource_type);
    if (isTypePattern(key)) patterns.push(standing);
    else exact.set(key, add(exact.get(key) ?? none(), standing));
  }
  const whole = new Map<string, Scale>();
  const addUp = async (type: string): Promise<Scale> => {
    await pace.spend(patterns.length);
    const scale = { ...(exact.get(type) ?? none()) };
    for (const standing of patterns) {
      if (matchesType(standing.resource_type, type)) add(scale, standing);
    }
    whole.set(type, scale);
    return scale;
  };
  return (type) => whole.get(type) ?? addUp(type);
}

/** The percentage of the violations resolved in the last days, today among them, that a remediation resolved; 0 of none. */
async function readAutomation(reader: Reader, where: Filters, now: number): Promise<number> {
  const days = Array.from({ length: usedWithin }, (_, ago) => timestamp(now - ago * day));
  const resolved = (kinds: readonly boolean[]) =>
    countRows(reader, violations, {
      ...where,
      resolved_on: { any: days.flatMap((at) => kinds.map((kind) => resolvedOn(at, kind))) },
    });
  const all = await resolved([true, false]);
  return all === 0 ? 0 : Math.round(((await resolved([true])) / all) * 10_000) / 100;
}

/** How many of the service's capabilities were used since then. */
async function countUsed(reader: Reader, since: string): Promise<number> {
  const isUsed = async <T extends Document>(
    collection: CollectionSpec<T>,
    orderBy: keyof T & string,
  ): Promise<boolean> => {
    const [last] = await newestOf(reader, collection, orderBy, 1);
    return String(last?.[orderBy] ?? '') >= since;
  };
  const changed = await newestOf(reader, policies, 'updated_at', 100);
  const used = [
    changed.some(({ updated_at: at, tags = [] }) => at >= since && isFromGit(tags)),
    await isUsed(resources, 'updated_at'),
    await isUsed(scans, 'created_at'),
    await isUsed(reports, 'created_at'),
    await isUsed(runs, 'started_at'),
    await isUsed(deliveries, 'created_at'),
    await isUsed(bundles, 'created_at'),
    await isUsed(costPeriods, 'imported_at'),
  ];
  return used.filter(Boolean).length;
}

const isFromGit = (tags: readonly string[]): boolean => readKeyTag(tags).key !== undefined;

async function newestOf<T extends Document>(
  reader: Reader,
  collection: CollectionSpec<T>,
  orderBy: string,
  limit: number,
): Promise<readonly T[]> {
  const { rows } = await reader.page(collection, { orderBy, direction: 'desc', limit });
  return rows.map(({ doc }) => doc);
}
