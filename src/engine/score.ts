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

/** A finding, or so many of its kind. */
export interface Counted extends Pick<Finding, 'status' | 'severity'> {
  readonly times?: number;
}

/** The tally with more findings in it. */
export function tally(before: Tally, findings: Iterable<Counted>): Tally {
  const counts = { PASS: 0, FAIL: 0, ERROR: 0, EXEMPT: 0, SKIPPED: 0 };
  let { met, all } = before;
  for (const { status, severity, times = 1 } of findings) {
    counts[status] += times;
    if (status === 'SKIPPED') continue;
    all += times * weights[severity];
    if (status === 'PASS' || status === 'EXEMPT') met += times * weights[severity];
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
