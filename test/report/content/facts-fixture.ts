import { readScope } from '../../../src/report/content/scope.ts';
import type { ContentOrder } from '../../../src/report/content/order.ts';
import type { Facts, PolicyFact } from '../../../src/report/content/facts.ts';
import {
  createGroups,
  newCounter,
  noneBySeverity,
  sumCounters,
} from '../../../src/report/content/counters.ts';
import { newViolationCounts } from '../../../src/server/reports/gather/violation-counts.ts';
import { ageBuckets } from '../../../src/report/content/risk-points.ts';
import { weightOf } from '../../../src/engine/score.ts';

export const now = Date.UTC(2026, 2, 21, 12);

/** A policy whose evaluations pass, fail or could not be decided so many times. */
export function policyFact(
  name: string,
  fields: Partial<Omit<PolicyFact, 'counter'>> & {
    readonly pass?: number;
    readonly fail?: number;
    readonly error?: number;
  },
): PolicyFact {
  const { pass = 0, fail = 0, error = 0, ...rest } = fields;
  const severity = fields.severity ?? 'MEDIUM';
  const weight = weightOf({ severity });
  const evaluated = pass + fail + error;
  return {
    id: `pol_${name}`,
    name,
    severity,
    resource_type: 'AWS::S3::Bucket',
    messages: [],
    auto_remediation: false,
    created_at: 0,
    updated_at: 0,
    mappings: [],
    counter: {
      ...newCounter(),
      evaluated,
      pass,
      fail,
      error,
      met: pass * weight,
      all: evaluated * weight,
    },
    failing: [],
    undecided: [],
    ...rest,
  };
}

/** Facts of policies; what fails is an open violation. */
export function factsOf(
  policies: readonly PolicyFact[],
  range?: { readonly start: string; readonly end: string },
): Facts {
  const order: ContentOrder = {
    id: 'rpt_1',
    name: 'A report',
    type: 'compliance',
    scope: range ? { date_range: range } : {},
    include_executive_summary: true,
    include_detailed_findings: true,
    generated_by: 'user_1',
    at: now,
  };
  const standings = policies.map(({ id, name, severity, mappings, counter }) => {
    const bySeverity = { ...noneBySeverity(), [severity]: counter.fail };
    return [
      id,
      {
        id,
        name,
        severity,
        mappings,
        counts: { ...newViolationCounts(), open: counter.fail, bySeverity },
      },
    ] as const;
  });
  const time = () => ({ sum: 0, count: 0, unknown: 0 });
  return {
    order,
    scope: readScope(order),
    policies,
    disabled: 0,
    evaluations: {
      total: sumCounters(policies.map(({ counter }) => counter)),
      severities: {
        CRITICAL: newCounter(),
        HIGH: newCounter(),
        MEDIUM: newCounter(),
        LOW: newCounter(),
      },
      environments: createGroups(newCounter),
      providers: createGroups(newCounter),
      types: createGroups(newCounter),
      places: { environments: new Set(), providers: new Set() },
      resources: 1,
      covered: 1,
    },
    violations: {
      total: newViolationCounts(),
      policies: new Map(standings),
      environments: createGroups(newViolationCounts),
      providers: createGroups(newViolationCounts),
      accounts: createGroups(newViolationCounts),
      regions: createGroups(newViolationCounts),
      ages: ageBuckets.map(noneBySeverity),
      topResources: [],
      affected: 0,
      ticks: new Map(),
      tick: 24 * 3_600_000,
      resolving: { CRITICAL: time(), HIGH: time(), MEDIUM: time(), LOW: time() },
      causes: new Map(),
      cut: 0,
    },
    exemptions: [],
    scans: { within: [] },
  };
}
