import type { ControlPolicy, ControlStatus } from '../../contract/frameworks.ts';
import { complianceScore, weightOf } from '../score.ts';

/** Outcomes of the policies of a control, or of a whole framework, added up. */
export interface Tally {
  policies: number;
  evaluated: number;
  fail: number;
  error: number;
  open: number;
  pending: boolean;
  /** Weight of what passes or is exempt, and of everything. */
  met: number;
  all: number;
  /** A CRITICAL violation is open. */
  critical: boolean;
  /** A HIGH or CRITICAL evaluation could not be decided. */
  undecided: boolean;
}

export const emptyTally = (): Tally => ({
  policies: 0,
  evaluated: 0,
  fail: 0,
  error: 0,
  open: 0,
  pending: false,
  met: 0,
  all: 0,
  critical: false,
  undecided: false,
});

export function addPolicy(tally: Tally, policy: ControlPolicy): void {
  const weight = weightOf(policy);
  const { severity, evaluated, pass, fail, error, exempt, open, pending } = policy;
  tally.policies += 1;
  tally.evaluated += evaluated;
  tally.fail += fail;
  tally.error += error;
  tally.open += open;
  tally.pending ||= pending;
  tally.met += (pass + exempt) * weight;
  tally.all += evaluated * weight;
  tally.critical ||= severity === 'CRITICAL' && open > 0;
  tally.undecided ||= (severity === 'HIGH' || severity === 'CRITICAL') && error > 0;
}

/**
 * FAILED outranks ERROR, and both outrank PASSED. A control passes only if every policy that applies to any resource was
 * evaluated; attached evidence does not hide a missing evaluation.
 */
export function controlStatus(tally: Tally, hasEvidence: boolean): ControlStatus {
  if (tally.open > 0 || tally.fail > 0) return 'FAILED';
  if (tally.error > 0) return 'ERROR';
  if (tally.evaluated > 0 && !tally.pending) return 'PASSED';
  return hasEvidence && tally.evaluated === 0 ? 'manual' : 'not_evaluated';
}

export const scoreOf = ({ met, all }: Tally): number | null => complianceScore({ met, all });
