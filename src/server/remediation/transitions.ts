import type { ActionStatus, Remediation } from '../../contract/remediations.ts';
import { actionStatuses } from '../../contract/remediations.ts';
import { timestamp } from '../deps.ts';

type Counts = Remediation['counts'];

export const countsOf = (statuses: readonly ActionStatus[]): Counts =>
  Object.fromEntries(
    actionStatuses.map((status) => [status, statuses.filter((one) => one === status).length]),
  ) as Counts;

const moved = (counts: Counts, from: ActionStatus, to: ActionStatus): Counts => {
  // A snapshot that was edited by hand may have more actions than it counts.
  const after = { ...counts, [from]: Math.max(0, counts[from] - 1) };
  return { ...after, [to]: after[to] + 1 };
};

/** Whether actions are still to be attempted, or wait to be verified. */
export const hasWork = ({ planned, attempting, unverified }: Counts): boolean =>
  planned + attempting + unverified > 0;

/** A remediation whose action has changed: it ends with its last one. A cancelled one stays so. */
export function afterAction(
  before: Remediation,
  [from, to]: readonly [ActionStatus, ActionStatus],
  now: number,
): Remediation {
  const counts = moved(before.counts, from, to);
  const after = { ...before, counts, updated_at: timestamp(now) };
  if (before.status !== 'running' || hasWork(counts)) return after;
  const status = counts.failed > 0 || counts.completed === 0 ? 'failed' : 'completed';
  return { ...after, status, ended_at: timestamp(now) };
}
