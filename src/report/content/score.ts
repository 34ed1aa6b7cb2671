import { complianceScore } from '../../engine/score.ts';
import type { ReportSummary } from '../model.ts';
import type { Facts, ScanFact } from './facts.ts';
import { isNarrowed } from './scope.ts';

export interface Score {
  /** 0 to 100; null where nothing was evaluated. */
  readonly value: number | null;
  /** The scan that it is of; absent: what was evaluated for the report. */
  readonly scan?: ScanFact;
}

/**
 * How well the policies are met: as evaluated for the report, or, where that would be later than what it is about, as
 * the last scan of everything says. Scans keep no score of a part.
 */
export function scoreOf({ scope, scans, evaluations }: Facts): Score {
  const { lastWhole: scan } = scans;
  if (scope.isPast && scan && !isNarrowed(scope)) return { value: scan.score, scan };
  return { value: complianceScore(evaluations.total) };
}

export function summaryOf(facts: Facts): ReportSummary {
  const { total } = facts.violations;
  const { CRITICAL: critical, HIGH: high, MEDIUM: medium, LOW: low } = total.bySeverity;
  return {
    compliance_score: scoreOf(facts).value,
    total_violations: total.open,
    critical,
    high,
    medium,
    low,
  };
}
