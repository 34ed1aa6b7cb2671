import type { CostAnalysis, CostAnalysisQuery } from '../../../contract/cost.ts';
import { GovctlError } from '../../../contract/errors.ts';
import { defined } from '../../../contract/defined.ts';
import { readAmount, showAmount, subtract, toNumber } from '../../../cost/amount.ts';
import type { CurrencySum } from '../../../cost/resource-sums.ts';
import { sumResources } from '../../../cost/resource-sums.ts';
import type { ResourceCosts } from '../../../cost/resource-costs.ts';
import { dayNumber, dayText } from '../../../cost/table/days.ts';
import type {
  AnomalyFact,
  BudgetFact,
  CostAtRisk,
  CostFacts,
  CostOverTime,
  ForecastFact,
  Money,
  PolicyCostFact,
  UnusedFact,
} from '../../../report/content/cost-facts.ts';
import type { ViolationRow } from '../../../report/content/facts.ts';
import { isInScope } from '../../../report/content/scope.ts';
import type { Scope } from '../../../report/content/scope.ts';
import { brief } from '../../../report/content/text.ts';
import { anomalies } from '../../anomalies/collection.ts';
import type { StoredAnomaly } from '../../anomalies/collection.ts';
import { budgetStatus } from '../../budgets/service.ts';
import { budgets } from '../../budgets/collection.ts';
import { costPeriods } from '../../cost/collection.ts';
import { monthlyCosts } from '../../cost/service.ts';
import type { ForecastQuery, Forecasts } from '../../cost/service.ts';
import type { Deps } from '../../deps.ts';
import { savingsNow } from '../../rightsizing/service.ts';
import type { Assessor } from '../../rightsizing/service.ts';
import { allRows } from '../../store/all-rows.ts';
import { sumOfUnused, unusedNow } from '../../unused/service.ts';
import type { UnusedNow } from '../../unused/service.ts';

const mostPolicies = 10;
const mostUnused = 10;
const mostServices = 6;
const mostAnomalies = 20;
const mostBudgets = 50;
const forecastDays = 30;
/** As long as an analysis may be. */
const longestDays = 3_600;
const msPerDay = 86_400_000;

/** What knows of costs. */
export interface CostSources {
  readonly assessor: Assessor;
  /** As the operator splits and tags them. */
  readonly analyze: (query: CostAnalysisQuery, signal: AbortSignal) => Promise<CostAnalysis>;
  readonly forecast: (query: Omit<ForecastQuery, 'ownerTags'>) => Promise<Forecasts>;
}

interface CostParts extends CostSources {
  readonly deps: Deps;
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

/** What the resources with open violations cost, told one violation after the other. */
export interface CostOfFindings {
  add(row: ViolationRow): void;
  facts(): Promise<CostFacts>;
}

/** What is at risk costs, in the last 30 whole days of data; nothing of it is scaled. */
export async function costOfFindings(parts: CostParts): Promise<CostOfFindings> {
  const costs = await monthlyCosts(parts.deps);
  if (!costs) return { add: () => undefined, facts: () => Promise.resolve({ hasCharges: false }) };
  const counted = countFindings(costs);
  return {
    add: counted.add,
    facts: async () => ({
      hasCharges: true,
      atRisk: { ...counted.facts(), ...(await unusedIn(parts)) },
    }),
  };
}

function countFindings(costs: ResourceCosts) {
  const sums = sumResources(costs);
  const all = {};
  const policies = new Map<string, { name: string; resources: number; without: number }>();
  return {
    add({
      policy: name,
      policy_id,
      resource: id,
      resource_type: type,
      ...row
    }: ViolationRow): void {
      let policy = policies.get(policy_id);
      if (!policy) policies.set(policy_id, (policy = { name, resources: 0, without: 0 }));
      const resource = { id, type, provider: row.provider, account_id: row.account_id };
      policy.resources += 1;
      if (!sums.add(policy, resource)) policy.without += 1;
      sums.add(all, resource);
    },
    facts(): Pick<CostAtRisk, 'total' | 'policies' | 'policyCount'> {
      const ranked = [...policies.values()]
        .map((policy) => ({ policy, costs: sums.of(policy) }))
        .sort(
          (a, b) => mostOf(b.costs) - mostOf(a.costs) || (a.policy.name < b.policy.name ? -1 : 1),
        );
      return {
        total: sums.of(all).map(moneyOf),
        policies: ranked.slice(0, mostPolicies).map(({ policy, costs: own }): PolicyCostFact => ({
          name: policy.name,
          resources: policy.resources,
          withoutCost: policy.without,
          costs: own.map(moneyOf),
        })),
        policyCount: policies.size,
      };
    },
  };
}

/** Less than any amount where nothing is known. */
const mostOf = (costs: readonly CurrencySum[]): number =>
  costs.reduce((most, { total }) => Math.max(most, toNumber(total)), -Infinity);

const moneyOf = ({ currency, total }: CurrencySum): Money => ({
  currency,
  amount: showAmount(total),
});

type Unused = Pick<CostAtRisk, 'unused' | 'unusedCount' | 'unusedTotal' | 'savings'>;

async function unusedIn({ deps, scope, assessor, signal }: CostParts): Promise<Unused> {
  const rows = (await unusedNow(deps, signal)).filter(({ resource }) => isInScope(scope, resource));
  const { savings } = await savingsNow(deps, assessor, (resource) => isInScope(scope, resource), signal); // prettier-ignore
  return {
    unused: rows.slice(0, mostUnused).map(unusedFact),
    unusedCount: rows.length,
    unusedTotal: sumOfUnused(rows).map(moneyOf),
    savings: savings.map(([currency, total]) => moneyOf({ currency, total })),
  };
}

const unusedFact = ({ resource, cost }: UnusedNow): UnusedFact => ({
  resource: resource.id,
  kind: resource.kind,
  reason: brief(resource.reason),
  provider: resource.provider,
  ...defined({
    account_id: resource.account_id,
    region: resource.region,
    environment: resource.environment,
    cost: cost && moneyOf(cost),
  }),
});

/** What was spent in the time of a report, what will be, and what was unusual. */
export async function costOverTime({
  deps,
  scope,
  analyze,
  forecast,
  signal,
}: CostParts): Promise<CostFacts> {
  const span = spanOf(scope);
  const filters = {
    ...(scope.providers ? { provider: [...scope.providers] } : {}),
    ...(scope.environments ? { environment: [...scope.environments] } : {}),
  };
  const found = await analyze(
    {
      ...filters,
      start: dayText(span.from),
      end: dayText(span.to),
      group_by: ['service'],
      metric: 'effective',
      limit: mostServices,
      offset: 0,
    },
    signal,
  );
  if (found.data_until === null) return { hasCharges: false };
  const { start, end, compared_to: before, data_until: dataUntil } = found;
  const listed = await anomaliesIn(deps, scope, { start, end });
  const owned = scope.isPast ? undefined : await budgetsNow(deps);
  const overTime: CostOverTime = {
    first: start,
    last: dayBefore(end),
    comparedFirst: before.start,
    comparedLast: dayBefore(before.end),
    dataFrom: await firstDayOf(deps, scope),
    dataUntil,
    // No weeks are asked for.
    by: found.granularity === 'day' ? 'day' : 'month',
    totals: found.totals.map(({ currency, ...sum }) => ({ currency, ...compared(sum) })),
    // Without those that no charges have come of yet.
    buckets: found.series
      .filter((one) => one.start <= dataUntil)
      .map((one) => ({ first: one.start, last: dayBefore(one.end), amount: one.amount })),
    services: found.groups.map(({ key, series, ...sum }) => ({
      name: key.service ?? '',
      ...compared(sum),
      values: series,
    })),
    ...(found.other
      ? {
          others: {
            services: found.other.groups,
            amount: found.other.amount,
            previous: found.other.previous,
            change: difference(found.other),
            values: found.other.series,
          },
        }
      : {}),
    ...(scope.isPast ? {} : { forecasts: await forecastsOf(forecast, { filters, signal }) }),
    anomalies: listed.slice(0, mostAnomalies).map(anomalyFact),
    anomalyCount: listed.length,
    ...(owned ? { budgets: owned.slice(0, mostBudgets) } : {}),
    budgetCount: owned?.length ?? 0,
  };
  return { hasCharges: true, overTime };
}

/** The days of UTC that are touched; without a range, those of the last 12 months. */
function spanOf({ since, until }: Scope): { readonly from: number; readonly to: number } {
  const to = Math.ceil(until / msPerDay);
  if (since !== undefined) {
    return { from: Math.min(to - 1, Math.max(Math.floor(since / msPerDay), to - longestDays)), to };
  }
  const [year = 0, month = 0] = dayText(to - 1)
    .split('-')
    .map(Number);
  return { from: Math.floor(Date.UTC(year, month - 12, 1) / msPerDay), to };
}

async function firstDayOf({ store }: Deps, { providers }: Scope): Promise<string> {
  let first = '9999-12-31';
  for await (const { doc } of allRows(store, costPeriods, {})) {
    if ((providers?.has(doc.provider) ?? true) && doc.first_day < first) first = doc.first_day;
  }
  return first;
}

const dayBefore = (day: string): string => dayText(dayNumber(day) - 1);

const compared = (sum: {
  readonly amount: string;
  readonly previous: string;
  readonly change: string;
  readonly change_percent: number | null;
}) => ({
  amount: sum.amount,
  previous: sum.previous,
  change: sum.change,
  ...(sum.change_percent === null ? {} : { percent: sum.change_percent }),
});

const difference = ({ amount, previous }: { amount: string; previous: string }): string =>
  showAmount(subtract(readAmount(amount), readAmount(previous)));

async function forecastsOf(
  forecast: CostSources['forecast'],
  asked: Pick<ForecastQuery, 'filters' | 'signal'>,
): Promise<readonly ForecastFact[]> {
  let found;
  try {
    found = await forecast({ ...asked, horizonDays: forecastDays, measure: 'effective' });
  } catch (error) {
    // More currencies than are forecast: a report tells all else.
    if (!(error instanceof GovctlError && error.error === 'malformed_request')) throw error;
    return [{ reason: error.message.replace(/^The /, 'the ') }];
  }
  return found.forecasts.map(({ currency, total, reason }) => ({
    currency,
    ...(total
      ? {
          expected: {
            first: total.start,
            last: dayBefore(total.end),
            amount: total.mean,
            low: total.interval_80[0],
            high: total.interval_80[1],
          },
        }
      : { reason: reason ?? 'no day with complete data' }),
  }));
}

/** Those with a day in the time, the latest first. Of environments, anomalies know nothing. */
async function anomaliesIn(
  { store }: Deps,
  { providers }: Scope,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<readonly StoredAnomaly[]> {
  const found: StoredAnomaly[] = [];
  for await (const { doc } of allRows(store, anomalies, {})) {
    const isOf = !providers || (doc.provider !== undefined && providers.has(doc.provider));
    if (isOf && doc.start < end && doc.end >= start) found.push(doc);
  }
  return found.sort((a, b) => (a.start > b.start ? -1 : a.start < b.start ? 1 : a.id < b.id ? -1 : 1)); // prettier-ignore
}

const anomalyFact = (one: StoredAnomaly): AnomalyFact => ({
  id: one.id,
  severity: one.severity.toUpperCase(),
  status: one.status,
  of: [one.service, one.account_id, one.provider].filter((part) => part).join(', ') || 'all cost',
  first: one.start,
  last: one.end,
  currency: one.currency,
  expected: one.expected,
  actual: one.actual,
  impact: one.impact,
});

async function budgetsNow({ store, clock }: Deps): Promise<readonly BudgetFact[]> {
  const found: BudgetFact[] = [];
  for await (const { doc } of allRows(store, budgets, {})) {
    const status = await budgetStatus(store, doc, clock.now());
    found.push({
      name: doc.name,
      currency: doc.currency,
      amount: doc.amount,
      period: status?.period ?? doc.period,
      ...defined({
        spent: status?.spent,
        percent: status?.spent_percent,
        forecast: status?.forecast?.amount,
      }),
      exceeded: (status?.thresholds ?? []).flatMap(({ exceeded, percent, on }) =>
        exceeded ? [`${percent}% ${on === 'actual' ? 'spent' : 'forecast'}`] : [],
      ),
    });
  }
  return found.sort((a, b) => (b.percent ?? -1) - (a.percent ?? -1) || (a.name < b.name ? -1 : 1));
}
