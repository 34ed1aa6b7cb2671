import type { UnusedKind } from '../../contract/cost-unused.ts';

/** Decimals have all digits; currencies are never added together. */
export interface Money {
  readonly currency: string;
  readonly amount: string;
}

/** What things cost, as far as a report says it. */
export interface CostFacts {
  /** Whether charges were imported at all. */
  readonly hasCharges: boolean;
  /** Of risk reports. */
  readonly atRisk?: CostAtRisk;
  /** Of trend reports. */
  readonly overTime?: CostOverTime;
}

/** In the last 30 whole days of data. */
export interface CostAtRisk {
  /** Of resources with open violations, and those of them of which no cost is known. */
  readonly total: readonly Money[];
  /** Those that cost most first, not all where they are many. */
  readonly policies: readonly PolicyCostFact[];
  readonly policyCount: number;
  readonly unused: readonly UnusedFact[];
  readonly unusedCount: number;
  /** Of all that are unused. */
  readonly unusedTotal: readonly Money[];
  /** What removing unused resources and smaller machines save. */
  readonly savings: readonly Money[];
}

export interface PolicyCostFact {
  readonly name: string;
  /** With an open violation of it, and those of them of which no cost is known. */
  readonly resources: number;
  readonly withoutCost: number;
  readonly costs: readonly Money[];
}

export interface UnusedFact {
  readonly resource: string;
  readonly kind: UnusedKind;
  readonly reason: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly region?: string;
  readonly environment?: string;
  /** Absent: not known. */
  readonly cost?: Money;
}

/** A sum beside that of the days before. */
interface Compared {
  readonly amount: string;
  readonly previous: string;
  readonly change: string;
  /** Absent where nothing was spent before. */
  readonly percent?: number;
}

export interface CostOverTime {
  /** ISO days, each the last one of what is told; all are of UTC. */
  readonly first: string;
  readonly last: string;
  readonly comparedFirst: string;
  readonly comparedLast: string;
  /** The first and the last day with charges. */
  readonly dataFrom: string;
  readonly dataUntil: string;
  readonly by: 'day' | 'month';
  /** By currency, that of the most charges first. */
  readonly totals: readonly (Compared & { readonly currency: string })[];
  /** Of the first currency. Each value is of one of the buckets. */
  readonly buckets: readonly { readonly first: string; readonly last: string; readonly amount: string }[]; // prettier-ignore
  readonly services: readonly ServiceCostFact[];
  /** Of all other services; absent: there is none. */
  readonly others?: Omit<ServiceCostFact, 'name' | 'percent'> & { readonly services: number };
  /** Of the next days; absent for a range that is over. */
  readonly forecasts?: readonly ForecastFact[];
  /** The latest first, not all where they are many. */
  readonly anomalies: readonly AnomalyFact[];
  readonly anomalyCount: number;
  /** In their current periods; absent for a range that is over. */
  readonly budgets?: readonly BudgetFact[];
  readonly budgetCount: number;
}

interface ServiceCostFact extends Compared {
  readonly name: string;
  readonly values: readonly string[];
}

export interface ForecastFact {
  /** Absent: the reason why there is no forecast is about all of them. */
  readonly currency?: string;
  /** ISO days, the first and the last; why there is none instead. */
  readonly expected?: {
    readonly first: string;
    readonly last: string;
    readonly amount: string;
    readonly low: string;
    readonly high: string;
  };
  readonly reason?: string;
}

export interface AnomalyFact {
  readonly id: string;
  readonly severity: string;
  readonly status: string;
  readonly of: string;
  readonly first: string;
  readonly last: string;
  readonly currency: string;
  readonly expected: string;
  readonly actual: string;
  readonly impact: string;
}

export interface BudgetFact {
  readonly name: string;
  readonly period: string;
  readonly currency: string;
  readonly amount: string;
  /** Absent: it was not evaluated yet. */
  readonly spent?: string;
  readonly percent?: number;
  readonly forecast?: string;
  /** `80% actual`: the thresholds that are exceeded. */
  readonly exceeded: readonly string[];
}
