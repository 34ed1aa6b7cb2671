import type { BaselineEntry } from '../../project/check/baseline.ts';
import type { PolicyTally, Tally } from '../../project/check/checker.ts';
import type { PlacedLeftOut } from '../../project/check/left-out.ts';
import type { Unreadable } from '../../project/check/discover-inputs.ts';
import type { PoliciesOfSet } from '../../project/check/select-policies.ts';
import type { LocalPolicy, Problem } from '../../project/model.ts';
import type { Told } from './check-run.ts';
import type { Fixes } from './fix.ts';
import type { PlacedFinding } from './placed-finding.ts';
import type { CheckOptions } from './options.ts';
import type { CheckSummary } from './verdict.ts';

/** What a baseline file did in this check. */
export interface BaselineUse {
  readonly file: string;
  /** Entries that were not met, though their file and policy were checked. */
  readonly stale: readonly BaselineEntry[];
  /** The stale entries were dropped from the file. */
  readonly pruned?: true;
  /** Findings that were written into it. */
  readonly written?: number;
}

/** Everything there is to say of one check. */
export interface CheckResult {
  readonly summary: CheckSummary;
  readonly tally: Tally;
  /** By the index of the policy, without what the baseline had. */
  readonly counts: readonly PolicyTally[];
  readonly policies: readonly LocalPolicy[];
  /** The set that was run, and how many policies it left out. */
  readonly set: PoliciesOfSet['set'];
  /** The first ones, in the order of the input. */
  readonly findings: readonly PlacedFinding[];
  /** Findings beyond those. */
  readonly hidden: number;
  readonly unreadable: Told<Unreadable>;
  readonly duplicates: Told<Problem>;
  /** Resources whose condition is false. */
  readonly leftOut: Told<PlacedLeftOut>;
  /** Files of folders that hold nothing known. */
  readonly skipped: readonly string[];
  /** Of exemptions and inline skips. */
  readonly warnings: readonly Problem[];
  /** Warnings beyond those. */
  readonly warningsHidden: number;
  readonly baseline?: BaselineUse;
  /** With --fix. */
  readonly fixes?: Fixes;
  /** Input files. */
  readonly files: number;
  readonly limits: Pick<CheckOptions, 'failOn' | 'onError' | 'onUnknown' | 'type'>;
  /** Findings that fail the check. */
  readonly failing: number;
  /** Findings that pass were wanted too. */
  readonly all: boolean;
}
