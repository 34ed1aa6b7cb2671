import type { Finding } from '../contract/findings.ts';

/** How much a policy counts for in a score, by its severity. */
const weights: Readonly<Record<Finding['severity'], number>> = {
  CRITICAL: 10,
  HIGH: 7,
  MEDIUM: 3,
  LOW: 1,
};

/** Findings counted, and weighed for a score. Skipped ones are not evaluated and count nowhere. */
export interface Tally {
  readonly evaluated: number;
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly exempt: number;
  /** Weight of what passes or is exempt, and of everything. */
  readonly met: number;
  readonly all: number;
}

export const emptyTally: Tally = {
  evaluated: 0,
  pass: 0,
  fail: 0,
  error: 0,
  exempt: 0,
  met: 0,
  all: 0,
};

/** What a finding that is not skipped counts for in a score. */
export const weightOf = ({ severity }: Pick<Finding, 'severity'>): number => weights[severity];

export const isMet = ({ status }: Pick<Finding, 'status'>): boolean =>
  status === 'PASS' || status === 'EXEMPT';

/** The tally with more findings in it. */
export function tally(
  before: Tally,
  findings: Iterable<Pick<Finding, 'status' | 'severity'>>,
): Tally {
  const counts = { PASS: 0, FAIL: 0, ERROR: 0, EXEMPT: 0, SKIPPED: 0 };
  let { met, all } = before;
  for (const finding of findings) {
    counts[finding.status] += 1;
    if (finding.status === 'SKIPPED') continue;
    all += weightOf(finding);
    if (isMet(finding)) met += weightOf(finding);
  }
  return {
    evaluated: before.evaluated + counts.PASS + counts.FAIL + counts.ERROR + counts.EXEMPT,
    pass: before.pass + counts.PASS,
    fail: before.fail + counts.FAIL,
    error: before.error + counts.ERROR,
    exempt: before.exempt + counts.EXEMPT,
    met,
    all,
  };
}

/** From 0 to 100 with two decimals: the share of the weight that is met; null where nothing was evaluated. */
export const complianceScore = ({ met, all }: Pick<Tally, 'met' | 'all'>): number | null =>
  all === 0 ? null : Math.round((met / all) * 10_000) / 100;

/** A score under this is not compliant. */
export const compliantFrom = 90;

/** What could not be decided is not known to comply where it weighs most. */
export const complianceStatus = (
  score: number,
  {
    critical = false,
    undecided = false,
  }: { readonly critical?: boolean; readonly undecided?: boolean },
): 'COMPLIANT' | 'NON_COMPLIANT' =>
  score < compliantFrom || critical || undecided ? 'NON_COMPLIANT' : 'COMPLIANT';
