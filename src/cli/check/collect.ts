import path from 'node:path';
import { fingerprintOf } from '../../project/check/baseline.ts';
import type { Baseline, BaselineEntry } from '../../project/check/baseline.ts';
import { isStandardInput } from '../../project/check/discover-inputs.ts';
import type { InputFile } from '../../project/check/discover-inputs.ts';
import type { PlacedFinding } from './placed-finding.ts';

export interface CollectOptions {
  readonly baseline?: Baseline | undefined;
  /** The folder of the baseline: files are named from there. */
  readonly baselineRoot: string;
  /** Every failing finding becomes an entry of a new baseline. */
  readonly recording: boolean;
  /** Gets every finding as it comes. */
  readonly row?: ((finding: PlacedFinding) => void) | undefined;
}

/** Findings held in memory for the views that need them all at once. Past it they are only counted. */
const mostFindings = 10_000;

/** Takes findings in the order of the input. */
export interface Collector {
  readonly findings: readonly PlacedFinding[];
  readonly entries: readonly BaselineEntry[];
  /** Findings of a policy (by name) that the baseline had, as FAIL and as ERROR. */
  readonly accepted: ReadonlyMap<string, { fail: number; error: number; unknown: number }>;
  /** How many findings are still wanted. */
  room(): number;
  add(finding: PlacedFinding, from: InputFile): void;
}

export function createCollector(options: CollectOptions): Collector {
  const { baseline, baselineRoot, recording, row } = options;
  const findings: PlacedFinding[] = [];
  const entries: BaselineEntry[] = [];
  const accepted = new Map<string, { fail: number; error: number; unknown: number }>();
  const needsAll = baseline !== undefined || recording || row !== undefined;

  /** Whether the finding was there when the baseline was written. Of a mandatory policy only an exemption spares. */
  const isOld = (finding: PlacedFinding, from: InputFile): boolean => {
    const { policy, policy_key, resource, status, reason, enforcement } = finding;
    const isMandatory = enforcement === 'mandatory';
    if (!(baseline || recording) || (status !== 'FAIL' && status !== 'ERROR')) return false;
    const file = nameFrom(baselineRoot, from);
    const fingerprint = fingerprintOf(finding, file);
    if (recording && !isMandatory)
      entries.push({ fingerprint, policy: policy_key ?? policy, resource, file });
    const isAccepted = recording || baseline?.accepts(fingerprint) === true;
    if (!isAccepted || isMandatory) return false;
    const counts = accepted.get(policy) ?? { fail: 0, error: 0, unknown: 0 };
    accepted.set(policy, counts);
    if (status === 'FAIL') counts.fail++;
    else counts.error++;
    if (reason === 'unknown_value') counts.unknown++;
    return true;
  };

  return {
    findings,
    entries,
    accepted,
    room: () => (needsAll ? Infinity : mostFindings - findings.length),
    add(finding, from) {
      if (isOld(finding, from)) return;
      row?.(finding);
      if (findings.length < mostFindings) findings.push(finding);
    },
  };
}

/** A file as a baseline in `root` names it: the same wherever govctl runs. */
export const nameFrom = (root: string, input: InputFile): string =>
  isStandardInput(input)
    ? input.file
    : path.relative(root, input.absolute).replaceAll(path.sep, '/');
