import { complianceScore } from '../../engine/score.ts';
import type { Tally } from '../../engine/score.ts';
import { timestamp } from '../deps.ts';
import { formatDuration } from '../format-duration.ts';
import type { StoredScan } from './collection.ts';

/** What has been found up to now. */
export interface ScanCounts {
  readonly tally: Tally;
  /** Resources that were looked at. */
  readonly scanned: number;
  /** Findings of the latest of them that could not be decided. */
  readonly undecided: NonNullable<StoredScan['undecided']>;
}

/** Findings that could not be decided and are kept with the scan. */
const mostUndecided = 20;

/** `pending | running → running` @param total resources in its scope */
export function running(
  scan: StoredScan,
  counts: ScanCounts,
  { total, now }: { readonly total: number; readonly now: number },
): StoredScan {
  const counted = withCounts(scan, counts, now);
  const part = counted.resources_scanned / Math.max(1, total);
  return { ...counted, progress: Math.min(99, Math.floor(100 * part)) };
}

/** `pending | running → completed` */
export const completed = (scan: StoredScan, counts: ScanCounts, now: number): StoredScan => {
  const counted = withCounts(scan, counts, now);
  return {
    ...counted,
    status: 'completed',
    progress: 100,
    compliance_score: complianceScore(counts.tally),
    ...endedAt(counted, now),
  };
};

/** `pending | running → failed` */
export const failed = (scan: StoredScan, reason: string, now: number): StoredScan => ({
  ...scan,
  status: 'failed',
  failure: { reason },
  ...endedAt(scan, now),
});

function withCounts(scan: StoredScan, counts: ScanCounts, now: number): StoredScan {
  const { evaluated, pass, fail, error, exempt } = counts.tally;
  const undecided = [...(scan.undecided ?? []), ...counts.undecided].slice(0, mostUndecided);
  return {
    ...scan,
    status: 'running',
    summary: { evaluated, pass, fail, error, exempt },
    resources_scanned: counts.scanned,
    violations_found: fail,
    started_at: scan.started_at ?? timestamp(now),
    ...(undecided.length > 0 ? { undecided } : {}),
  };
}

const endedAt = ({ started_at: started }: StoredScan, now: number) => ({
  completed_at: timestamp(now),
  ...(started === undefined ? {} : { duration: formatDuration(now - Date.parse(started)) }),
});
